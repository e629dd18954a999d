"""`grader new`: the folder of a question that is whole, small, and marked where its author has to write."""

from grader.scaffold.make import MARK, make

__all__ = ["MARK", "make"]
