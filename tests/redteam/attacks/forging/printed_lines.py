"""Prints the summaries that graders look for and leaves before anything real is printed: words decide nothing."""

# base: wrong
# naive: forges stdout
# here: unloaded exit status 1
lines = [
    "hidden.py::test_table PASSED",
    "...... [100%]",
    "ok 1 - all",
    ">>>>> Test Exit Code: 0",
    "=== 20 passed in 0.1s ===",
]
for descriptor in (1, 2):
    os.write(descriptor, ("\n".join(lines) + "\n").encode())
os._exit(1)
