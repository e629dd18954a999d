"""The text that is learned, as tokens of a byte-pair encoding that was made from its training part.

Without a file of one's own it is the language reference that every CPython carries, `pydoc_data.topics`. That text
differs from version to version, so its hash goes into every result.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import torch

from grader.errors import CallError

TRAINING_SHARE: Final = 0.9  # of the characters, from the start; the rest is to validate on
BYTES: Final = 256  # the tokens that any vocabulary begins with


@dataclass(frozen=True)
class Text:
    """A text, what it is called, and the SHA-256 of its bytes."""

    name: str
    text: str
    sha256: str


@dataclass(frozen=True)
class Corpus:
    """Tokens by split, 1-D int64 tensors, and what tells them apart from others.

    Attributes:
        splits: "train" and "validation".
        vocab_size: how many tokens there are.
        tokenizer: a tokenizers.Tokenizer.
        about: name, hashes and sizes, JSON-ready.
    """

    splits: dict[str, torch.Tensor]
    vocab_size: int
    tokenizer: Any
    about: dict[str, Any]

    def decode(self, ids: list[int]) -> str:
        """The text of some tokens; bytes that are no UTF-8 become U+FFFD."""
        text: str = self.tokenizer.decode(ids)
        return text


def read(path: Path | None) -> Text:
    """The text of a file, or that of CPython's language reference.

    Raises:
        CallError: the file can't be read, or is not UTF-8.
    """
    if path is None:
        from pydoc_data.topics import topics

        whole = "\n".join(topics[name] for name in sorted(topics))
        return Text("pydoc_data.topics", whole, hashlib.sha256(whole.encode()).hexdigest())
    try:
        raw = path.read_bytes()
        return Text(path.name, raw.decode("utf-8"), hashlib.sha256(raw).hexdigest())
    except (OSError, UnicodeDecodeError) as error:
        raise CallError(
            "this text can't be read", where=str(path), found=str(error), expected="a file of UTF-8 text"
        ) from None


def prepare(text: Text, vocabulary: int, at_least: int) -> Corpus:
    """Cut a text in two, make a vocabulary from the first part, and encode both.

    The second part has no say in the vocabulary: validation is on text that nothing was fitted to.

    Raises:
        CallError: `tokenizers` is not installed, or a part has fewer tokens than `at_least`.
    """
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    try:
        from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
    except ImportError:
        raise CallError(
            "the package tokenizers is not installed",
            next_step="Install it: pip install 'takehome-grader[experiments]'.",
        ) from None
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary, initial_alphabet=pre_tokenizers.ByteLevel.alphabet(), show_progress=False
    )
    cut = int(len(text.text) * TRAINING_SHARE)
    parts = {"train": text.text[:cut], "validation": text.text[cut:]}
    tokenizer.train_from_iterator([parts["train"]], trainer)
    splits = {name: torch.tensor(tokenizer.encode(part).ids, dtype=torch.int64) for name, part in parts.items()}
    for name, ids in splits.items():
        if len(ids) < at_least:
            raise CallError(
                f"the {name} part of this text is too short",
                where=text.name,
                found=f"{len(ids):,} tokens",
                expected=f"{at_least:,} or more",
                next_step="Name a longer text with --corpus.",
            )
    about = {
        "name": text.name,
        "sha256": text.sha256,
        "characters": len(text.text),
        "vocabulary": tokenizer.get_vocab_size(),
        "tokenizer_sha256": hashlib.sha256(tokenizer.to_str().encode()).hexdigest(),
        **{f"{name}_tokens": len(ids) for name, ids in splits.items()},
    }
    return Corpus(splits, tokenizer.get_vocab_size(), tokenizer, about)
