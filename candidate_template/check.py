"""Check what you are about to send: `python check.py`.

It says what the grader will make of your files, runs the public tests, and writes submission.zip. It needs no network
and changes none of your files. README.md says more.
"""

import sys
import zipfile
from pathlib import Path

HERE = Path(__file__).absolute().parent
PREFLIGHT = HERE / "preflight.zip"
NEEDED = (3, 11)


def main():
    """Run the check that preflight.zip holds."""
    if sys.version_info < NEEDED:
        needed, found = (".".join(map(str, version)) for version in (NEEDED, sys.version_info[:2]))
        sys.stderr.write("check.py needs Python " + needed + " or later, and this is Python " + found + ".\n")
        return 2
    # A file of yours may be called like a module of Python's. It is not what is meant here.
    sys.path[:] = [path for path in sys.path if path and Path(path).absolute() != HERE]
    sys.path.insert(0, str(PREFLIGHT))
    sys.dont_write_bytecode = True
    try:
        from grader.packet import check

        whole = Path(check.__file__).is_relative_to(PREFLIGHT) and zipfile.ZipFile(PREFLIGHT).testzip() is None
    except Exception:  # noqa: BLE001 - whatever the damage is, the advice is the same
        whole = False
    if not whole:
        sys.stderr.write("preflight.zip is not as it came. Unpack the packet again, and copy your files into it.\n")
        return 2
    return check.main(str(HERE), str(PREFLIGHT), sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
