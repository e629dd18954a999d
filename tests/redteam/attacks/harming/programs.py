"""Runs other programs, some of which change their user: no program is started from a worker."""

# base: tell
# naive: tells
# here: failed
import subprocess


def look():
    programs = (["/bin/true"], ["/usr/bin/passwd", "--help"], ["/bin/su", "--help"], [sys.executable, "--version"])
    quiet = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return sum(done(subprocess.run, program, timeout=1, **quiet) for program in programs)
