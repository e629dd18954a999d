"""The review room: the marks, reports and comparisons of a results folder in a browser.

    app, server   the pages put together, and running them
    room          one results folder, and how it looks to each person
    index         candidates and criteria in sqlite, made anew whenever the folder has changed
    pages, static drawing a page; stylesheet and scripts
    candidates    candidates by criterion, one of them, two side by side
    marking       an answer beside its observables, into the ledger of `grader mark`; with `walking` and `passages`
    insight, preview, log, export   the question, the packet, what was done, what is taken along

    people        who may do what
    access        who is there: the opening link, signing in, and what every answer and every post is held to
    uploads       a submission that was dropped on the page; `queue` has the sealed worker grade what is in `spool`
    trail         a line for each act

The folder of results is the one truth. The room keeps nothing that cannot be made again, but for what is still waiting
to be graded, and the line that each act leaves in its log.
"""
