"""The red team: submissions that try to forge a pass, read what is hidden, break out, or stall the grader.

Theory of operation. `attacks/<kind>/<name>.py` holds the malicious part alone; its first comment lines say which base
it extends, how a naive grader shows that it bites, and how it must end here (attack.py). bait.py lays out what an
attack may reach for: files, a process, sockets, queues, each made for the test and named to the attack by constants.
An attack that is run without them dies of a NameError on the first. host.py looks at the machine before and after and
says in words what differs.

    attack + base + bait ──▶ naive/runner.py   candidate and tests in one process: it must bite
              ╰────────────▶ Engine            it must cost its author points, and nobody else anything

`GRADER_REDTEAM_TIERS=sealed,confined` chooses the tiers; see conftest.py.
"""
