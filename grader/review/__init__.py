"""The review room: the marks, reports and comparisons of a results folder in a browser.

    people      who may do what
    access      who is there: the opening link, signing in, and what every answer and every post is held to
    app         the pages put together
    pages       drawing a page
    index       candidates and criteria in sqlite, made anew whenever the folder has changed
    marking     one answer beside its observables, through the same ledger as `grader mark`
    uploads     a submission that was dropped on the page, graded by the sealed worker

The folder of results is the one truth. The room keeps nothing that cannot be made again, but for what is still waiting
to be graded, and the line that each act leaves in its log.
"""
