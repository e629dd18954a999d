"""Leaves many empty files, locked folders nested deeply, and links out of them: all goes with the worker."""

# base: right
# naive: fills
# here: passes
home = os.getcwd()
for number in range(800 if ARMED else 0):
    attempt(lambda number=number: os.close(os.open(f"{ARMED}-{number}", os.O_CREAT, 0)))
for _ in range(300 if ARMED else 0):
    if not done(os.mkdir, "d" * 100) or not done(os.chdir, "d" * 100):
        break
attempt(os.symlink, BAIT, "out")
attempt(os.chmod, ".", 0)
os.chdir(home)
attempt(os.symlink, CANARY, ARMED + "-link")
