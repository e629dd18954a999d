"""Speed side by side with what people use today: `python -m benchmarks.peers`.

checks.py holds the checks of the swap question, once, as plain functions. plain.py hands them a solution that was
imported into their own process, as each peer does; ours.py hands them the grader's proxy, as a hidden test has it. So
everybody calls the same code with the same numbers. frameworks.py has what each peer wants around it, and installing.py
puts each into an environment of its own, which shares the torch that is installed here.
"""
