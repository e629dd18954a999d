"""`python -m solutions.experiments`."""

from solutions.experiments.cli import main

if __name__ == "__main__":
    main(prog_name="python -m solutions.experiments")
