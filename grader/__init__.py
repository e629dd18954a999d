"""Take-home interview questions about transformer code, and the autograder that marks them."""

from typing import Final

__version__: Final = "0.1.0"
