"""A warning about a loss names the command that answers what it leaves open."""

from __future__ import annotations

from rankproof.cli.commands import loss_warning
from rankproof.losses.choose import choose_loss


def test_a_loss_of_which_nothing_is_proven_comes_with_the_question() -> None:
    choice = choose_loss("nDCG@10", "squared:gain")
    command = "rankproof certify squared:gain --metric nDCG@10"
    assert loss_warning(choice, None) == f"{choice.warning} To see whether it does: {command}"
    noisy = loss_warning(choice, "one relevant")
    assert noisy == f"{choice.warning} To see whether it does: {command} --noise 'one relevant'"


def test_a_condition_is_no_open_question() -> None:
    choice = choose_loss("ERR@20")
    assert choice.warning is not None
    assert loss_warning(choice, None) == choice.warning
    assert loss_warning(choose_loss("nDCG@10"), None) is None
