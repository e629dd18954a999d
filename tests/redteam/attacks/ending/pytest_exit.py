"""Asks pytest to end at once with status 0: pytest is not listening where this file is loaded."""
# base: wrong
# runner: pytest
# naive: forges exit
# here: unloaded Exit
import pytest

pytest.exit("all done", returncode=0)
