"""YAML that is not nested without end: at every further level ruamel looks through all the brackets that are open."""

from __future__ import annotations

from typing import Any, Final

from ruamel.yaml.scanner import Scanner, ScannerError

MOST_LEVELS: Final = 50


class ShallowScanner(Scanner):
    """A scanner to which so many open brackets are an error with a place, at once. Comments are skipped."""

    def fetch_flow_collection_start(self, TokenClass: Any, to_push: str) -> None:  # noqa: N803 - ruamel's name
        """Open one more bracket.

        Raises:
            ScannerError: it is one too many.
        """
        if len(self.flow_context) >= MOST_LEVELS:
            what = f"found more than {MOST_LEVELS} lists and mappings within each other"
            raise ScannerError(None, None, what, self.reader.get_mark())
        super().fetch_flow_collection_start(TokenClass, to_push)
