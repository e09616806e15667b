"""Metrics side by side with pytrec_eval, ranx and ir_measures: 10,000 queries of about 120 items.

    python benchmarks/metrics.py [--json] [--quick] [--queries N]

Every tool gets the same labels and scores. pytrec_eval and ranx get their own ready-made structures (the time
to build them is printed beside, not counted); the last rows start from TREC files on disk.
"""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import numpy as np

import rankproof as rp
from rankproof.metrics import METRICS
from shared.made_data import scored_queries, write_trec
from shared.table import Row, best_in_turns, best_of, options, show


def as_dicts(values: list[float] | list[int], data: rp.RankingData) -> dict[str, dict[str, float]]:
    starts = data.offsets.tolist()
    return {
        q: {f"doc{i - a:04d}": values[i] for i in range(a, b)}
        for q, a, b in zip(data.query_ids.tolist(), starts[:-1], starts[1:], strict=True)
    }


def against_pytrec_eval(scores: np.ndarray, data: rp.RankingData) -> Row:
    import pytrec_eval

    start = time.perf_counter()
    run = as_dicts(scores.tolist(), data)
    qrels = as_dicts([int(y) for y in data.labels.tolist()], data)
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "map"})
    print(f"pytrec_eval: building its dicts took {time.perf_counter() - start:.2f} s", file=sys.stderr)
    peer = best_of(3, lambda: evaluator.evaluate(run))
    metrics = ["nDCG(gain=linear)@10", "AP"]
    found = rp.evaluate(scores, data, metrics)
    theirs = evaluator.evaluate(run)
    gap = max(
        abs(float(np.mean([v["ndcg_cut_10"] for v in theirs.values()])) - found.mean["nDCG(gain=linear)@10"]),
        abs(float(np.mean([v["map"] for v in theirs.values()])) - found.mean["AP"]),
    )
    assert gap < 1e-6, f"the tools disagree by {gap}"
    ours = best_of(15, lambda: rp.evaluate(scores, data, metrics).mean)
    return Row("nDCG@10 + AP against pytrec_eval", ours * 1e3, peer * 1e3, "ms", 10)


def against_ranx(scores: np.ndarray, data: rp.RankingData) -> Row:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import ranx

        start = time.perf_counter()
        run = ranx.Run(as_dicts(scores.tolist(), data))
        qrels = ranx.Qrels(as_dicts([int(y) for y in data.labels.tolist()], data))
        print(f"ranx: building its structures took {time.perf_counter() - start:.2f} s", file=sys.stderr)
        value = ranx.evaluate(qrels, run, "ndcg@10")
        gap = abs(value - rp.evaluate(scores, data, "nDCG(gain=linear)@10").mean["nDCG(gain=linear)@10"])
        assert gap < 1e-6, f"the tools disagree by {gap}"
        peer = best_of(5, lambda: ranx.evaluate(qrels, run, "ndcg@10"))
    ours = best_of(15, lambda: rp.evaluate(scores, data, "nDCG(gain=linear)@10").mean)
    return Row("nDCG@10 against ranx", ours * 1e3, peer * 1e3, "ms", 10)


def all_against_one(scores: np.ndarray, data: rp.RankingData) -> Row:
    every = [cls() for cls in METRICS.values()]
    rp.evaluate(scores, data, every)
    alone, together = best_in_turns(
        15,
        (1, lambda: rp.evaluate(scores, data, "nDCG").mean),
        (1, lambda: rp.evaluate(scores, data, every).mean),
    )
    return Row(f"all {len(every)} metrics against nDCG alone", together * 1e3, alone * 1e3, "ms", 8, "lower")


def from_disk(scores: np.ndarray, data: rp.RankingData) -> list[Row]:
    import ir_measures
    from ir_measures import AP, nDCG

    def ours(run: Path, qrels: Path) -> None:
        found = rp.evaluate(rp.read_run(run), rp.read_qrels(qrels), ["nDCG(gain=linear)@10", "AP"])
        for name, mean in found.mean.items():
            print(name, f"{mean:.4f}")

    def theirs(run: Path, qrels: Path) -> None:
        found = ir_measures.calc_aggregate(
            [nDCG @ 10, AP], ir_measures.read_trec_qrels(str(qrels)), ir_measures.read_trec_run(str(run))
        )
        for name, mean in found.items():
            print(name, f"{mean:.4f}")

    def command(*words: str) -> None:
        subprocess.run([sys.executable, "-m", *words], check=True, capture_output=True)

    with tempfile.TemporaryDirectory() as folder:
        run, qrels = write_trec(Path(folder), scores, data)
        texts = []
        for work in (ours, theirs):
            with contextlib.redirect_stdout(io.StringIO()) as text:
                work(run, qrels)
            texts.append(sorted(line.split()[1] for line in text.getvalue().splitlines()))
        assert texts[0] == texts[1], f"the tools print different means: {texts}"
        with contextlib.redirect_stdout(io.StringIO()):
            mine, peer = best_of(5, lambda: ours(run, qrels)), best_of(2, lambda: theirs(run, qrels))
        files, metrics = (str(run), str(qrels)), ("-m", "nDCG(gain=linear)@10", "-m", "AP")
        evaluate = ("rankproof", "evaluate", files[0], "--qrels", files[1], *metrics)
        mine_cli = best_of(3, lambda: command(*evaluate))
        peer_cli = best_of(1, lambda: command("ir_measures", files[1], files[0], "nDCG@10", "AP"))
    return [
        Row("TREC files to printed means against ir_measures", mine, peer, "s", 5),
        Row("the same as commands (ours with intervals, baselines)", mine_cli, peer_cli, "s", 2),
    ]


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--queries", type=int, help="10,000 unless said otherwise, 3,000 with --quick")
    args = parser.parse_args()
    scores, data = scored_queries(args.queries or (3_000 if args.quick else 10_000))
    print(f"{data.queries} queries, {data.items} items", file=sys.stderr)
    rows = [against_pytrec_eval(scores, data), against_ranx(scores, data), all_against_one(scores, data)]
    rows += from_disk(scores, data)
    sys.exit(0 if show(rows, as_json=args.json) else 1)


if __name__ == "__main__":
    main()
