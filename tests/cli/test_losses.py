"""``rankproof losses`` lists the registry with its claims, and shows one loss with the reasons."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from rankproof.losses import LOSSES
from rankproof.losses.parse import loss

Run = Callable[..., Any]


def test_the_list_is_the_registry(rankproof: Run) -> None:
    ran = rankproof("losses")
    assert (ran.status, ran.err) == (0, "")
    lines = ran.out.splitlines()
    assert [line.split()[0] for line in lines[2 : 2 + len(LOSSES)]] == list(LOSSES)
    head = lines[0]
    for line, (name, cls) in zip(lines[2:], LOSSES.items(), strict=False):
        for claim in ("convex", "smooth", "order preserving"):
            said = line[head.index(claim) :].split()[0]
            expected = cls().claims.value(claim.replace(" ", "_"))
            assert said == {True: "yes", False: "no", None: "-"}.get(expected, expected), (name, claim)


def test_the_list_as_json(rankproof: Run) -> None:
    listed = json.loads(rankproof("losses", "--json").out)
    assert [one["loss"] for one in listed] == [str(cls()) for cls in LOSSES.values()]
    assert all(claim["reference"] for one in listed for claim in one["claims"])


@pytest.mark.parametrize("name", LOSSES)
def test_one_loss_shows_every_claim_with_its_reason(rankproof: Run, name: str) -> None:
    out = rankproof("losses", name).out
    one = LOSSES[name]()
    assert one.definition in out
    for claim in one.claims.values():
        (line,) = [row for row in out.splitlines() if row.startswith(f"{claim.name} ")]
        assert line.endswith(claim.reference)


def test_a_loss_with_the_target_of_a_metric(rankproof: Run) -> None:
    shown = json.loads(rankproof("losses", "softmax:nDCG@10", "--json").out)
    expected = loss("softmax", metric="nDCG@10")
    assert (shown["loss"], shown["target"]) == (str(expected), str(expected.target))
    assert shown["target"] in rankproof("losses", "softmax:nDCG@10").out


def test_an_unknown_loss_is_one_line_and_status_3(rankproof: Run) -> None:
    ran = rankproof("losses", "sofmax")
    assert ran.status == 3
    assert "Did you mean 'softmax'?" in ran.err
    assert ran.out == ""
    assert ran.err.count("\n") == 1


def test_one_loss_says_what_others_call_it(rankproof: Run) -> None:
    out = rankproof("losses", "squared").out
    (line,) = [row for row in out.splitlines() if row.startswith("also called ")]
    for name in ("regression", "mse", "RMSE", "reg:squarederror"):
        assert name in line.replace(",", "").split()
    for name, cls in LOSSES.items():
        called = json.loads(rankproof("losses", name, "--json").out)["also called"]
        assert all(loss(other).name == cls.name for other in (called.split(", ") if called else ()))
