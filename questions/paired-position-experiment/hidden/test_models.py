"""The three models: what they start from, what they share, and what they compute."""

from collections import Counter
from typing import Any

import numpy as np
import pytest
from block_oracle import apply_all, normalised, shapes
from miniature import ARMS, SMALL, TRANSFORMERS, build, weights
from numpy.typing import NDArray

from grader.checks import Candidate, Handle, Mismatch, criterion, describe, expect_array, expect_close, tensor

TOKENS = 11  # the vocabulary; no other size is as large
WIDTH, CONTEXT, HEADS, BLOCKS = (SMALL[name] for name in ("width", "context", "heads", "blocks"))


def sinusoids(length: int, width: int) -> NDArray[np.float64]:
    """The position vectors (length, width), sine and cosine side by side."""
    angles = np.outer(np.arange(length), 10_000.0 ** (-np.arange(0, width, 2) / width))
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(length, width)


def alike(one: NDArray[Any], other: NDArray[Any]) -> bool:
    """Whether two arrays are the same."""
    return one.shape == other.shape and np.array_equal(one, other)


def named(parameters: dict[str, NDArray[Any]], name: str, arm: str) -> NDArray[np.float64]:
    """One parameter in float64, or a Mismatch where it is not there."""
    if name not in parameters:
        raise Mismatch(f"the model of {arm} has no parameter {name}")
    return np.asarray(parameters[name], dtype="float64")


def read(candidate: Candidate, model: Handle, name: str) -> NDArray[np.float64]:
    """One tensor of a model by its name, in float64, whatever other names it has."""
    value = candidate.value(model, name)
    if not isinstance(value, np.ndarray):
        raise Mismatch(f"{name} is {describe(value)}, expected a tensor")
    return expect_array(value, value.shape, of=name).astype("float64")


def scores(model: Handle, ids: NDArray[Any]) -> NDArray[Any]:
    """What a model gives for ids (B, T): numbers (B, T, …), however many."""
    found = model(ids)
    if not isinstance(found, np.ndarray) or found.ndim != 3 or found.shape[:2] != ids.shape:
        raise Mismatch(f"for ids of {list(ids.shape)} a model returns {describe(found)}, expected its logits")
    return found


@criterion("arms")
def test_each_arm_maps_ids_to_logits(candidate: Candidate, rng: np.random.Generator) -> None:
    for arm, model in build(candidate, TOKENS, 3).items():
        for length in (CONTEXT, 3, 1):
            logits = model(rng.integers(0, TOKENS, size=(2, length)))
            expect_array(logits, (2, length, TOKENS), of=f"what {arm} returns", dtypes=("float32",))


@criterion("paired-weights")
@pytest.mark.parametrize("seed", [3, 8])
def test_the_arms_start_from_the_same_weights(candidate: Candidate, seed: int) -> None:
    found = {arm: weights(candidate, model) for arm, model in build(candidate, TOKENS, seed).items()}
    for name in ("token_embedding.weight", "head.weight", "head.bias"):
        of_bigram = named(found["bigram"], name, "bigram")
        for arm in TRANSFORMERS:
            if not alike(of_bigram, named(found[arm], name, arm)):
                raise Mismatch(f"{name} starts differently in bigram and in {arm}")
    without, with_positions = (found[arm] for arm in TRANSFORMERS)
    for name, value in without.items():
        if name not in with_positions or not alike(value, with_positions[name]):
            raise Mismatch(f"{name} starts differently in blocks and in sinusoidal")


@criterion("drawn-weights")
def test_a_seed_draws_its_weights_whatever_was_drawn_before(candidate: Candidate) -> None:
    first = build(candidate, TOKENS, 3)
    candidate.torch.rand(5)
    again, other = build(candidate, TOKENS, 3), build(candidate, TOKENS, 4)
    for arm in ARMS:
        one, same, another = (weights(candidate, models[arm]) for models in (first, again, other))
        if not all(name in same and alike(value, same[name]) for name, value in one.items()):
            raise Mismatch(f"the same seed gives other initial weights of {arm} the second time")
        for name in ("token_embedding.weight", "head.weight"):
            if name in one and name in another and alike(one[name], another[name]):
                raise Mismatch(f"seeds 3 and 4 give the same {name} of {arm}")


@criterion("drawn-weights")
def test_each_block_draws_its_own(candidate: Candidate) -> None:
    for arm in TRANSFORMERS:
        found = weights(candidate, build(candidate, TOKENS, 3)[arm])
        matrices = [value for name, value in found.items() if name.endswith("feed_forward.widen.weight")]
        for place, value in enumerate(matrices):
            if any(alike(value, other) for other in matrices[:place]):
                raise Mismatch(f"two blocks of {arm} start from the same weights")


@criterion("drawn-weights")
def test_weights_are_as_torch_draws_them(candidate: Candidate) -> None:
    found = weights(candidate, build(candidate, 300, 3, width=32)["blocks"])
    table, head = (named(found, f"{part}.weight", "blocks") for part in ("token_embedding", "head"))
    # Standard normal, and uniform up to one over the root of the width. 9,600 draws are within a few hundredths.
    if not 0.9 < table.std() < 1.1:
        raise Mismatch(
            f"token embeddings have a standard deviation of {table.std():.2f}, expected 1 as torch draws them"
        )
    if not 0.9 < np.abs(head).max() * 32**0.5 < 1.01:
        raise Mismatch(f"the head's weights go up to {np.abs(head).max():.3f}, expected 0.177 as torch draws them")


@criterion("own-parameters")
def test_no_parameter_does_two_jobs(candidate: Candidate) -> None:
    block = Counter(shapes(WIDTH, HEADS, WIDTH // HEADS, WIDTH // HEADS, 4 * WIDTH).values())
    ends = Counter([(TOKENS, WIDTH), (TOKENS, WIDTH), (TOKENS,)])
    norm = Counter([(WIDTH,), (WIDTH,)])
    for arm, model in build(candidate, TOKENS, 3).items():
        wanted = ends if arm == "bigram" else ends + norm + Counter({shape: n * BLOCKS for shape, n in block.items()})
        found = Counter(each.shape for each in candidate.inventory(model).parameters)
        for shape, count in wanted.items():
            if found[shape] < count:
                raise Mismatch(f"{arm} has {found[shape]} parameters of shape {list(shape)}, expected {count}")


@criterion("equal-parameters")
def test_positions_add_no_parameter(candidate: Candidate) -> None:
    models = build(candidate, TOKENS, 3)
    without, with_positions = (candidate.inventory(models[arm]).parameter_count for arm in TRANSFORMERS)
    if without != with_positions:
        raise Mismatch(f"blocks has {without:,} parameters and sinusoidal {with_positions:,}, expected equal numbers")


@criterion("independent-models")
def test_one_model_changes_and_the_others_do_not(candidate: Candidate, rng: np.random.Generator) -> None:
    models = build(candidate, TOKENS, 3)
    ids = rng.integers(0, TOKENS, size=(2, CONTEXT))
    for arm in ARMS:
        before = {other: scores(models[other], ids) for other in ARMS if other != arm}
        moved = {name: tensor(value + 1) for name, value in weights(candidate, models[arm]).items()}
        models[arm].load_state_dict(moved, strict=False)
        for other, logits in before.items():
            after = scores(models[other], ids)
            if after.shape != logits.shape or not np.allclose(after, logits, atol=1e-6):
                raise Mismatch(f"changing the weights of {arm} changes what {other} computes")


@criterion("bigram")
def test_the_bigram_scores_from_the_last_token(candidate: Candidate, rng: np.random.Generator) -> None:
    model = build(candidate, TOKENS, 3)["bigram"]
    found = weights(candidate, model)
    rows, head, bias = (named(found, name, "bigram") for name in ("token_embedding.weight", "head.weight", "head.bias"))
    ids = rng.integers(0, TOKENS, size=(3, CONTEXT))
    logits = scores(model, ids)
    if rows.shape != (TOKENS, WIDTH) or head.shape != rows.shape or bias.shape != (TOKENS,):
        raise Mismatch("the embeddings, the head's weight or its bias in bigram have another shape than the prompt's")
    expect_close(logits, rows[ids] @ head.T + bias, atol=1e-4, of="the logits of bigram")


@criterion("transformer")
def test_blocks_norm_and_head_in_turn(candidate: Candidate, rng: np.random.Generator) -> None:
    model = build(candidate, TOKENS, 3)["blocks"]
    # Fresh norms do nothing that shows, so every parameter gets a value of its own.
    drawn = {
        name: tensor(value + 0.3 * rng.normal(size=value.shape).astype("float32"))
        for name, value in weights(candidate, model).items()
    }
    model.load_state_dict(drawn, strict=False)
    wanted = shapes(WIDTH, HEADS, WIDTH // HEADS, WIDTH // HEADS, 4 * WIDTH)
    blocks = [{name: read(candidate, model, f"blocks.{i}.{name}") for name in wanted} for i in range(BLOCKS)]
    ids = rng.integers(0, TOKENS, size=(2, CONTEXT))
    found = scores(model, ids)
    x, _ = apply_all(read(candidate, model, "token_embedding.weight")[ids], blocks, HEADS)
    x = normalised(x, *(read(candidate, model, f"final_norm.{part}") for part in ("weight", "bias")))
    logits = x @ read(candidate, model, "head.weight").T + read(candidate, model, "head.bias")
    expect_close(found, logits, atol=2e-4, of="the logits of blocks")


@criterion("causal")
@pytest.mark.parametrize("arm", TRANSFORMERS)
def test_later_tokens_change_nothing_before_them(candidate: Candidate, rng: np.random.Generator, arm: str) -> None:
    model = build(candidate, TOKENS, 3)[arm]
    ids = rng.integers(0, TOKENS, size=(2, CONTEXT))
    for place in range(1, CONTEXT):
        changed = ids.copy()
        changed[:, place:] = (ids[:, place:] + rng.integers(1, TOKENS, size=(2, CONTEXT - place))) % TOKENS
        before, after = scores(model, ids), scores(model, changed)
        if before.shape != after.shape or not np.allclose(before[:, :place], after[:, :place], atol=1e-5):
            raise Mismatch(f"in {arm}, logits before place {place} depend on tokens from there on")


@criterion("no-positions")
def test_blocks_can_not_tell_equal_tokens_apart(candidate: Candidate) -> None:
    # Where all tokens are equal, so is what a causal block makes of them, unless positions tell them apart.
    logits = scores(build(candidate, TOKENS, 3)["blocks"], np.full((2, CONTEXT), 7))
    if not np.allclose(logits, logits[:, :1], atol=1e-4):
        raise Mismatch("blocks gives different logits for equal tokens at different places, as if it had positions")


@criterion("sinusoids")
@pytest.mark.parametrize(("width", "length"), [(8, 10), (6, 4)])
def test_sinusoids_are_added_to_the_embeddings(
    candidate: Candidate, rng: np.random.Generator, width: int, length: int
) -> None:
    # Token p gets the embedding u less position vector p. With the right vectors added, all places hold u again, and
    # blocks can't tell them apart.
    model = build(candidate, TOKENS, 3, width=width, context=10)["sinusoidal"]
    rows = rng.normal(size=(TOKENS, width))
    rows[:length] = rng.normal(size=width) - sinusoids(length, width)
    candidate.attribute(model, "token_embedding").load_state_dict({"weight": tensor(rows.astype("float32"))})
    logits = scores(model, np.stack([np.arange(length)] * 2))
    if not np.allclose(logits, logits[:, :1], atol=2e-3):
        raise Mismatch("what sinusoidal adds to the embeddings is not the position vectors of places 0, 1, 2, …")
