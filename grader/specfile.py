"""YAML files against pydantic models, with the line and column of everything that is wrong.

YAML 1.2 through ruamel: `no` stays a string, and a duplicate key is an error. The models forbid unknown keys, and a
mistyped one gets a suggestion.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, AnyStr, Final, TypeVar

from pydantic import BaseModel, ValidationError
from pydantic_core import ErrorDetails

from grader.errors import QuestionError

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int, int]

UNREADABLE: Final = "a file of the question can't be read"


def read_yaml(path: Path) -> Any:
    """The document of a YAML file, as ruamel's nodes, which know their lines.

    Raises:
        QuestionError: the file can't be read, or is not YAML.
    """
    return parse_yaml(read_text(path), str(path))


def read_text(path: Path) -> str:
    """The text of a file, without a byte order mark.

    Raises:
        QuestionError: it can't be read, or is not UTF-8.
    """
    try:
        return _read(path, lambda: path.read_text("utf-8-sig"))
    except UnicodeDecodeError:
        raise QuestionError(UNREADABLE, where=str(path), found="bytes that are not UTF-8") from None


def read_bytes(path: Path) -> bytes:
    """The bytes of a file that need not be a text.

    Raises:
        QuestionError: it can't be read.
    """
    return _read(path, path.read_bytes)


def _read(path: Path, read: Callable[[], AnyStr]) -> AnyStr:
    try:
        return read()
    except OSError as error:
        raise QuestionError(UNREADABLE, where=str(path), found=error.strerror) from None


def parse_yaml(text: str, where: str) -> Any:
    """The document of a YAML text, to be read and left as it is. `where` names it in errors."""
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        return _document(text)
    except MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        place = f"{where}:{mark.line + 1}:{mark.column + 1}" if mark else where
        problem = " ".join(str(error.problem or error.context).split("\n")[0].split())
        raise QuestionError("this is not YAML", where=place, found=problem.removeprefix("found ")) from None
    except (YAMLError, ValueError, RecursionError) as error:
        raise QuestionError("this is not YAML", where=where, found=str(error).split("\n", 1)[0]) from None


@lru_cache(maxsize=32)
def _document(text: str) -> Any:
    """The document of a text; the last few are kept, since reading takes longer than all else of loading a question."""
    from ruamel.yaml import YAML

    from grader.shallow import ShallowScanner

    reader = YAML(typ="rt", pure=True)
    reader.Scanner = ShallowScanner
    return reader.load(text)


def load(path: Path, model: type[Model]) -> Model:
    """Read a YAML file into a model.

    Raises:
        QuestionError: with one line for each thing that is wrong: file:line:column, what was found and expected.
    """
    document = read_yaml(path)
    try:
        return model.model_validate(plain(document))
    except ValidationError as error:
        # Where nothing is allowed too, pydantic also says that what is there is not nothing.
        errors = [each for each in error.errors() if each["type"] != "none_required"]
        *above, (what, hint) = (told(each, document, path, model) for each in errors)
        lines = [f"{what}. {hint}".strip() for what, hint in above]
        raise QuestionError("\n".join([*lines, what]), next_step=hint) from None


class Misfit(ValueError):
    """A value that does not fit the others, for a validator to raise; `location` is the way there from the model."""

    def __init__(self, message: str, *location: str | int) -> None:
        self.location = location
        super().__init__(message)


def plain(node: Any) -> Any:
    """ruamel's nodes as plain Python values."""
    if isinstance(node, dict):
        return {str(key): plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [plain(item) for item in node]
    for kind in (bool, int, float, str):
        if isinstance(node, kind):
            return kind(node)
    return node


def told(error: ErrorDetails, document: Any, path: Path, model: type[BaseModel]) -> tuple[str, str]:
    """One validation error as a clause with its place, and what to do about it where that is known."""
    cause = error.get("ctx", {}).get("error")
    location = (*error["loc"], *(cause.location if isinstance(cause, Misfit) else ()))
    if tag := error.get("ctx", {}).get("discriminator"):  # which of several models it is, and that key is wrong
        location = (*location, tag.strip("'"))
    line, column = position(document, location)
    dotted = ".".join(str(step) for step in without_tags(document, location))
    place = f"{path}:{line}:{column}: " + (f"{dotted}: " if dotted else "")
    if error["type"] in ("extra_forbidden", "unexpected_keyword_argument"):
        known = keys_at(model, location[:-1])
        close = difflib.get_close_matches(str(location[-1]), known, n=1)
        hint = f"Did you mean {close[0]!r}?" if close else f"Known keys: {', '.join(known)}."
        return f"{place}there is no such key", hint
    if error["type"] in ("missing", "missing_argument", "union_tag_not_found"):
        return f"{place}this key is missing", "Add it."
    if error["type"] == "union_tag_invalid":
        tags = error["ctx"]["expected_tags"].replace("'", "")
        return f"{place}found {error['ctx']['tag']!r}: expected one of {tags}", ""
    message = error["msg"].removeprefix("Value error, ")
    return f"{place}{shown(error['input'])}{message[:1].lower()}{message[1:]}", ""


def shown(value: Any) -> str:
    """A value that is wrong, for a message. One that only holds what is wrong is left out."""
    if isinstance(value, dict | list):
        return ""
    found = "nothing" if value is None else repr(value)
    return f"found {found if len(found) <= 60 else f'{found[:59]}…'}: "


def without_tags(document: Any, location: Sequence[str | int]) -> list[str | int]:
    """A location as the file has it: pydantic adds which of several models it took, and that is no key."""
    steps: list[str | int] = []
    node = document
    for place, step in enumerate(location, start=1):
        is_tag = _is_model(step) or (isinstance(node, dict) and step in _words(node) and place < len(location))
        if isinstance(node, dict) and step not in node and is_tag:
            continue
        steps.append(step)
        try:
            node = node[step]
        except (KeyError, IndexError, TypeError):
            break
    return steps


def _words(node: dict[Any, Any]) -> list[str]:
    """The values that are words: a model's tag is one of them, and a key that is missing hardly ever."""
    return [value for value in node.values() if isinstance(value, str)]


def _is_model(step: str | int) -> bool:
    """Whether a step is pydantic's name for a model, bare or with validators of its own."""
    return re.match(r"[A-Z][A-Za-z]+$|function-", str(step)) is not None


def position(document: Any, location: Sequence[str | int]) -> Location:
    """The line and column, from 1, of the deepest node on a location that the document has."""
    line, column, node = 0, 0, document
    for step in without_tags(document, location):
        where = getattr(node, "lc", None)
        try:
            line, column = where.key(step) if isinstance(node, dict) else where.item(step)  # type: ignore[union-attr]
            node = node[step]
        except (AttributeError, KeyError, IndexError, TypeError):
            break
    return line + 1, column + 1


def keys_at(model: type[BaseModel], location: Sequence[str | int]) -> list[str]:
    """The keys that the model knows at a location, for suggestions."""
    schema = model.model_json_schema()
    node: Any = schema
    for step in location:
        if step in (tags := node.get("discriminator", {}).get("mapping", {})):
            node = {"$ref": tags[step]}
            continue
        if _is_model(step):
            continue
        node = _resolve(schema, node)
        node = node.get("items", {}) if isinstance(step, int) else node.get("properties", {}).get(step, {})
    return list(_resolve(schema, node).get("properties", {}))


def _resolve(schema: dict[str, Any], node: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in node:
        node = schema["$defs"][node["$ref"].rpartition("/")[2]]
    choices = node.get("anyOf") or node.get("oneOf")
    if choices:
        properties = [_resolve(schema, choice).get("properties", {}) for choice in choices]
        return {"properties": {key: value for each in properties for key, value in each.items()}}
    return node
