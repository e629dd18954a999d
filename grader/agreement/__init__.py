"""Agreement and item analysis: what many marks and many reports say of the marking and of the question.

alpha.py     Krippendorff's alpha
pairs.py     how far people agree on levels, or that there are too few pairs to say
items.py     difficulty, item-rest correlation and misconceptions of a question's criteria
analysis.py  both, of one results folder
"""

from grader.agreement.analysis import Analysis, of_results
from grader.agreement.pairs import Agreement, Judgement, TooFew, agreement, in_words

__all__ = ["Agreement", "Analysis", "Judgement", "TooFew", "agreement", "in_words", "of_results"]
