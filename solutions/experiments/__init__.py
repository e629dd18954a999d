"""The experiments behind the long questions, run in full with the code of their references.

    python -m solutions.experiments paired --out out/paired    # bigram, six blocks, six blocks with positions
    python -m solutions.experiments depth --out out/depth      # 1, 2, 4, 6 and 8 blocks
    python -m solutions.experiments cross --out out/cross      # contexts of 8, 32, 128 and 256, each at every length

Theory of operation. An experiment is a list of jobs, one for each seed and arm, and each job is a training that can be
advanced in pieces (`jobs.py`). A job runs in one thread, so that a sum is always taken in one order. After every few
hundred updates its weights, optimizer, random streams and history go into its checkpoint, which replaces the one before
in a single step of the file system (`keeping.py`). Whoever pulls the plug loses the updates since then and nothing
else, and what goes on with `--resume` comes to the same numbers, bit for bit. When all jobs are done, `results.json`
holds what was measured; tables and figures are made from that file alone (`report.py`).
"""
