"""What other tools call our metrics: one table, for asking (`our_name`) and for telling (`names_elsewhere`).

A name says which metric, not whose rules: ``ndcg_cut_10`` is ``nDCG@10``, and ``convention="trec_eval"``
makes it trec_eval's number.
"""

from __future__ import annotations

import re

from rankproof.errors import UnknownNameError

__all__ = ["NAMES", "names_elsewhere", "our_name"]

# Our name, then what others write; {k} is a cutoff, with trec_eval's "." or "_" or "@" before it.
NAMES: dict[str, tuple[str, ...]] = {
    "AP": ("map_cut{k}", "mean_average_precision", "MAP:top={k}"),
    "AUC": ("roc_auc", "roc_auc_score"),
    "DCG": ("dcg_score", "DCG:top={k}"),
    "F": ("set_F", "f1"),
    "P": ("P{k}", "set_P", "pre{k}", "PrecisionAt:top={k}"),
    "R": ("recall{k}", "set_recall", "RecallAt:top={k}"),
    "RR": ("recip_rank", "reciprocal_rank", "MRR:top={k}"),
    "Rprec": ("R-prec", "r_precision"),
    "Success": ("success{k}", "hit_rate"),
    "nDCG": ("ndcg_cut{k}", "ndcg{k}", "ndcg_score", "ndcg_burges", "NDCG:top={k}"),
}

# What trec_eval prints and we do not: what it is, and how to get it or what to use.
_NOT_OURS = {
    "gm_map": ("the geometric mean of AP", "Take it of results.per_query['AP'], or use AP."),
    "gm_bpref": ("the geometric mean of bpref", "Take it of results.per_query['bpref'], or use bpref."),
    "infap": ("inferred AP, for sampled judgments", "Use AP, or bpref for incomplete judgments."),
    "11pt_avg": ("interpolated precision at 11 levels of recall", "Use AP."),
    "iprec_at_recall": ("interpolated precision at a level of recall", "Use P@k or AP."),
    "relative_p": ("precision over the best possible precision", "Use P@k or Rprec."),
    "set_relative_p": ("set precision over the best possible", "Use P or R."),
    "set_map": ("set precision times set recall", "Use F, or AP."),
    "rndcg": ("nDCG with ideal gains cut at R", "Use nDCG."),
    "ndcg_rel": ("nDCG averaged over relevant items", "Use nDCG."),
    "rprec_mult": ("precision at multiples of R", "Use Rprec."),
    "g": ("a gain-based measure", "Use nDCG."),
    "bing": ("a gain-based measure", "Use nDCG."),
    "utility": ("a linear utility of retrieved items", "Use P and R."),
    "unj": ("the share of items without a judgment", "Use judged@k, which is 1 - unj."),
    "rbp_resid": ("the part of RBP that unjudged items leave open", "Use RBP and judged@k."),
    "num_q": ("a count", "It is results.query_ids.size."),
    "num_ret": ("a count", "It is results.items."),
    "num_rel": ("a count", "Use R or judged@k for shares."),
    "num_rel_ret": ("a count", "Use R, its share of the relevant items."),
}


def _pattern(name: str) -> re.Pattern[str]:
    before, cut, _ = name.partition("{k}")
    optional = "[@]" if not cut else "" if before.endswith("=") else "[._@]"
    tail = rf"{optional}(?P<k>\d+)"
    return re.compile(re.escape(before) + (tail if cut else f"(?:{tail})?") + r"\Z", re.IGNORECASE)


_PATTERNS = [(_pattern(name), ours) for ours, names in NAMES.items() for name in names]
_RBP = re.compile(r"rbp\.p?=?(?P<p>\d*\.?\d+)\Z", re.IGNORECASE)


def our_name(spec: str) -> str:
    """The metric string for what another tool calls a metric; any other string as it is.

    >>> our_name("ndcg_cut_10"), our_name("map_cut.100"), our_name("P_5"), our_name("recip_rank")
    ('nDCG@10', 'AP@100', 'P@5', 'RR')
    >>> our_name("NDCG:top=10"), our_name("pre@3"), our_name("nDCG(gain=linear)@10")
    ('nDCG@10', 'P@3', 'nDCG(gain=linear)@10')
    """
    text = spec.strip()
    for pattern, ours in _PATTERNS:
        match = pattern.match(text)
        if match:
            return ours if match["k"] is None else f"{ours}@{int(match['k'])}"
    persistence = _RBP.match(text)
    if persistence:
        # ranx writes rbp.95, trec_eval rbp.p=0.95.
        digits = persistence["p"]
        return f"RBP(p={digits if '.' in digits else '0.' + digits})"
    word = re.sub(r"[._@][\d.,]+\Z", "", text).casefold()
    if word in _NOT_OURS:
        what, instead = _NOT_OURS[word]
        raise UnknownNameError(
            f"{spec!r} is trec_eval's name for {what}, which rankproof does not have. {instead}"
        )
    return spec


def names_elsewhere(name: str) -> tuple[str, ...]:
    """What other tools call a metric of ours, with k for a cutoff.

    >>> names_elsewhere("RR")
    ('recip_rank', 'reciprocal_rank', 'MRR:top=k')
    """
    return tuple(
        other.replace("{k}", "k" if other.endswith("={k}") else "_k") for other in NAMES.get(name, ())
    )
