"""Hides a write in a default argument, a decorator and an annotation, which run when the file is read: nobody reads it outside."""
# base: right
# naive: touches
# here: passes


def visit(name):
    attempt(lambda: open(f"{BAIT}/{name}", "w").close())
    return lambda function: function


@visit("by_a_decorator")
def helper(x: visit("by_an_annotation"), y=visit("by_a_default")):
    return x
