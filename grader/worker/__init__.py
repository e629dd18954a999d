"""The untrusted side: the processes in which a candidate's code runs, and what they say about its values.

Theory of operation. Three kinds of process stand on this side of the wall:

    examiner ──control──▶ zygote ──fork──▶ keeper ──fork──▶ worker
        ╰───────────────leash───────────────╯                 │
        ╰───────────────channel (requests, replies)───────────┤
        ╰───────────────output (stdout and stderr)────────────╯

The *zygote* (zygote.py) is started once: an empty environment, one thread, torch and NumPy imported, no test and no
answer ever in its memory. For each worker the examiner sends it one datagram on the control socket with three
descriptors: the worker's end of the channel, the keeper's end of the leash, and the pipe for output. The zygote forks
a *keeper* (keeper.py), which makes an empty folder and forks the *worker*. The worker is confined
(sandbox/confine.py) before it reads the first request, and only then receives the candidate's source as bytes
(loop.py, load.py). It answers one request at a time until it is killed.

The keeper outlives the worker: orphans are handed to it, and when the leash closes, or the worker dies, it kills
whatever is left, removes the folder, says on the leash how the worker ended and what it used, and ends. An examiner
that dies closes the leash, so nothing outlives it. How a worker ended is shown to people and decides nothing.

This package imports NumPy, torch, `grader.wire` and `grader.sandbox`, and nothing else of the grader.
"""
