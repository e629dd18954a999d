"""What a panel reads: a page for each candidate by code name, a page that compares them by criterion, and exports.

    names     takes a candidate's own name out of all that is shown
    views     what a page shows, as plain data
    joining   one candidate in the results of several questions
    around    what people said: marks, and how far they agree
    sheet     one submission's report, code and marks as a view
    texts     the written answers of it
    decisions what people decided, from a file
    scorecard what applicant systems take
    command   all of it, written into a folder

`render.panel` and `render.pdf` turn views into pages. Nothing here ranks people, and no machine decides for them.
"""
