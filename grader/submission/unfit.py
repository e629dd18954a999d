"""Why something that a candidate sent can't be graded, before it is known whose it is."""


class Unfit(Exception):
    """What was sent can't be graded as it is. `read` in grader/submission.py turns it into a `Refused`.

    Attributes:
        reason: one sentence that tells the candidate what to change.
    """

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
