"""A batch on the nodes of a Dask cluster: `grader batch --cluster ADDRESS`. Needs the extra `cluster`.

Theory of operation. The batch stays what it is: it finds the submissions, keeps what was sent, writes reports and the
ledger, and moves the bar. Only who grades is another, see grader/batch/crew.py.

    grader batch ── Cluster ──▶ Dask scheduler ──▶ Dask worker process = a node of ours
                     (crew.py)                       node.py: one zygote, an engine for each of its threads

Each node is greeted first: it says its versions and the question's digest, starts its zygote and probes its isolation.
One that differs, or keeps workers apart too little, is not used, and the batch says so. A task is the terms of the
batch (terms.py, JSON), a submission packed as bytes (parcel.py), and its key, which is derived from the digest of what
the report depends on. The reply is bytes: a report as JSON, or an error, with a seal over both (reply.py). It is read
as a stranger's text is: one that is malformed, is of another task, question, seed or environment, or does not add up,
is refused, and told. No object made of a submission is ever pickled.

When a node is lost, Dask gives its tasks to others. When the batch is, its tasks are dropped, and the next call sends
what has no line in the ledger yet.
"""
