"""The disguise of solutions that tests are run against: the same program, with nothing in it to recognise."""

from __future__ import annotations

import ast
import dis
import hashlib
import random
from types import CodeType
from typing import Any, Final

from hypothesis import given, settings
from hypothesis import strategies as st

from grader.suite.decoys import mentioned
from grader.suite.disguise import disguise

PROGRAM: Final = '''\
"""Everything that is hard to rename."""
from __future__ import annotations

import math as m


def plain(n, *rest, scale=2, **more):
    """Twice over."""
    total = 0
    for step in range(n):
        total += step * scale
        if total > 5:
            half = total / 2
            total = half
    return total, rest, more


def nested(n):
    seen = []
    count = 0

    def inner(x):
        nonlocal count
        count += 1
        mine = x * count
        seen.append(mine)
        return mine

    squares = [inner(k) for k in range(n)]
    table = {k: v for k, v in zip(range(n), squares)}
    return squares, table, (lambda z: z + count)(1), {s % 3 for s in squares}, sum(s for s in seen)


def caught(n):
    try:
        value = 1 / n
    except ZeroDivisionError as error:
        value = str(error)
    finally:
        done = True
    return value, done


def matched(thing):
    match thing:
        case [first, *others]:
            got = first, others
        case {"key": inside, **left}:
            got = inside, left
        case other:
            got = other
    return got


def imported(n):
    import math as local_math

    class Box:
        size = n

    found = (big := n * 2) + local_math.floor(m.pi)
    return found, big, Box.size, Box.__qualname__


def spoken(n):
    name = n + 1
    return f"{name=} {name:>5} {'quoted'}"


def generated(n):
    for index in range(n):
        sent = yield index
        assert sent is None


class Thing:
    """A thing."""

    kind = "thing"

    def __init__(self, n):
        self.__hidden = n
        __local = n + 1
        self.both = self.__hidden, __local

    def method(self):
        with open("/dev/null") as file:
            text = file.read()
        return super().__repr__() != text, self.both
'''


def outcome_of(source: str, n: int) -> dict[str, Any]:
    """What every part of the program gives."""
    space: dict[str, Any] = {"__name__": "program"}
    exec(compile(source, "program.py", "exec"), space)
    return {
        "plain": space["plain"](n, 1, scale=3, extra=4),
        "nested": space["nested"](n),
        "caught": space["caught"](n % 2),
        "matched": [space["matched"](thing) for thing in ([n, 2], {"key": n, "b": 1}, n)],
        "imported": space["imported"](n),
        "spoken": space["spoken"](n),
        "generated": list(space["generated"](n)),
        "thing": space["Thing"](n).method(),
        "names": sorted(name for name in space if not name.startswith("__")),
    }


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 1 << 32), st.integers(0, 9))
def test_a_disguised_program_does_the_same(seed: int, n: int) -> None:
    assert outcome_of(disguise(PROGRAM, random.Random(seed), mentioned([PROGRAM])), n) == outcome_of(PROGRAM, n)


def functions(source: str) -> dict[str, str]:
    """A hash of each code object of a text, by its qualified name."""
    found: dict[str, str] = {}
    waiting = [compile(source, "solution.py", "exec")]
    while waiting:
        code = waiting.pop()
        if code.co_name != "<module>":
            whole = repr((code.co_code, code.co_varnames, code.co_consts))
            found[code.co_qualname] = hashlib.sha256(whole.encode()).hexdigest()
        waiting += [each for each in code.co_consts if isinstance(each, CodeType)]
    return found


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 1 << 32))
def test_two_disguises_have_no_function_alike(seed: int) -> None:
    rng = random.Random(seed)
    one, other = functions(disguise(PROGRAM, rng)), functions(disguise(PROGRAM, rng))
    comparable = {name for name in one if not name.endswith((".Box", "Thing")) and "<" not in name.rpartition(".")[2]}
    assert one.keys() == other.keys()
    assert not [name for name in comparable if one[name] == other[name]]


def test_no_docstring_is_left_and_lines_move() -> None:
    texts = [disguise(PROGRAM, random.Random(seed)) for seed in range(10)]
    nodes = [node for text in texts for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]
    assert not [node.name for node in nodes if ast.get_docstring(node)]
    assert len({text.count("\n", 0, text.index("class Thing")) for text in texts}) > 3


def test_code_that_looks_at_its_own_names_keeps_them() -> None:
    watcher = "def look(n):\n    value = n\n    return (sorted(locals()), value)\n"
    assert disguise(watcher, random.Random(0)).strip() == watcher.strip()


MENTIONED: Final = frozenset(("LOAD_GLOBAL", "LOAD_ATTR", "LOAD_METHOD", "LOAD_FAST", "BINARY_OP", "COMPARE_OP"))
PAIR: Final = (
    "import math\n\n\ndef turned(place, width, base, offset):\n    return math.sin((place + offset) / base**width)\n",
    "import math\n\n\ndef turned(place, width, base, offset):\n    return math.cos(place / width)\n",
)


def mentions(source: str) -> set[str]:
    """What a look at the code of a text's function shows that it names, and which operations it does."""
    code = next(each for each in compile(source, "solution.py", "exec").co_consts if isinstance(each, CodeType))
    steps = [(step.opname, step.argrepr.rpartition(" + ")[2]) for step in dis.get_instructions(code)]
    return {
        f"{kind.partition('_')[0]} {what}" for kind, what in steps if kind in MENTIONED and not what.startswith("v")
    }


def test_what_a_function_mentions_tells_no_mutant_from_the_reference() -> None:
    assert mentions(PAIR[0]) != mentions(PAIR[1])
    rng, names = random.Random(0), mentioned(PAIR)
    looks = [mentions(disguise(text, rng, names)) for text in PAIR for _ in range(100)]
    assert all(look == looks[0] for look in looks)
    assert looks[0] > mentions(PAIR[0]) | mentions(PAIR[1])


def test_names_that_a_function_declares_are_not_mentioned_before() -> None:
    text = "COUNT = 0\n\n\ndef more():\n    global COUNT\n    COUNT += 1\n    return COUNT\n"
    for seed in range(50):
        space: dict[str, Any] = {}
        exec(compile(disguise(text, random.Random(seed), mentioned([text])), "solution.py", "exec"), space)
        assert [space["more"](), space["more"]()] == [1, 2]
