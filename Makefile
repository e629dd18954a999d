# Two commands do all the set-up: `make demo` grades, `make test` proves. Each makes .venv when it is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test long check fix redteam prove fuzz bench faults scaling peers clean

demo: $(STAMP)
	@$(BIN)/python -m benchmarks.demo

# What tests multiply is small: the threads for it, which NumPy starts for each core, mostly wait for one another.
test long: export OPENBLAS_NUM_THREADS := 1

# A third of the tests' time is waiting, for a process that has to hang or a disk that has to write, so there are three at
# a time for two cores. The red team looks at the whole machine before and after each attack, so nothing else runs beside
# it. A quarter of its attacks is tried here, and all of them by `make redteam`.
test: check
	$(BIN)/python -m pytest -n 3 --ignore=tests/redteam
	GRADER_REDTEAM_SHARE=4 $(BIN)/python -m pytest tests/redteam

# What repeats at length what `make test` has shown once.
long: $(STAMP)
	$(BIN)/python -m pytest -n 2 -m long

redteam: $(STAMP)
	GRADER_REDTEAM_TIERS=sealed,confined $(BIN)/python -m pytest tests/redteam

prove: $(STAMP)
	$(BIN)/grader validate --whole

fuzz: $(STAMP)
	$(BIN)/python -m benchmarks.fuzz --frames 10000 --submissions 2000

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

fix: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(BIN)/python -m benchmarks.cold_run
	$(BIN)/python -m benchmarks.tier_cost
	$(BIN)/python -m benchmarks.bare_work

# Hours, on two cores: what becomes of a batch that is killed, attacked and starved, how one grows, and how long others take.
faults: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[cluster]'
	$(BIN)/python -m benchmarks.faults

scaling: $(STAMP)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[cluster]'
	$(BIN)/python -m benchmarks.scaling
	$(BIN)/python -m benchmarks.phases

peers: $(STAMP)
	$(BIN)/python -m benchmarks.peers

# The pins of constraints.txt are the grading environment; pip takes them as they are, and installs nothing twice.
$(STAMP): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@touch $(STAMP)

clean:
	rm -rf $(VENV) out dist build .pytest_cache .mypy_cache .ruff_cache
