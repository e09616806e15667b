"""Tables: speed of reading against pyarrow alone, of converting against our own LETOR reader, and memory.

    python benchmarks/forms.py [--json] [--quick] [--rows N] [--runs N]

A Parquet file of 1.2 million rows with 136 float32 features (as MSLR-WEB30K has), a query id and a label is
written to a temporary folder. We read it into checked data: one matrix, whole queries, labels in double
precision. pyarrow reads the features into one matrix in the two ways that people use, and the faster one is
the peer: ``to_pandas().to_numpy()`` (a matrix whose columns lie together), or its columns stacked (whose rows
do, as ours). polars is timed beside it, without a bar. Then about 60 MB of LETOR text become Parquet, against
reading them. At last 10 million rows of CSV text with four features (300 MB) become Parquet, that becomes
LETOR text, and that Parquet again. Memory is the growth of the resident set of a fresh process at its peak
(``VmHWM``), pages of mapped files included, after it has converted a small file; it must stay below 256 MB,
whatever the number of rows.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

from shared.made_data import dense, six_decimals, write_letor_rows
from shared.table import Row, best_in_turns, options, show

READ_BAR, CONVERT_BAR, MEMORY_BAR, MEGABYTES = 1.0, 2.0, 1.0, 256.0
FEATURES, ROWS_OF_QUERY, ROWS_AT_ONCE = 136, 120, 1 << 17


MEASURE_MEMORY = """
import json, sys
from pathlib import Path
import rankproof as rp

def status(field):
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(field))
    return 1024 * int(line.split()[1])

small, source, out = sys.argv[1:]
rp.convert(small, out)
Path("/proc/self/clear_refs").write_text("5")
before = status("VmRSS")
rows = rp.convert(source, out).rows
print(json.dumps([rows, status("VmHWM") - before]))
"""


def write_parquet(path: Path, rows: int) -> None:
    """Features drawn with six decimals; queries of 120 rows, labels from 0 to 4."""
    rng = np.random.default_rng(0)
    names = ["qid", "label", *(f"f{k + 1}" for k in range(FEATURES))]
    types = [pa.int64(), pa.int8(), *[pa.float32()] * FEATURES]
    schema = pa.schema(list(zip(names, types, strict=True)))
    with pq.ParquetWriter(path, schema, use_dictionary=["qid", "label"]) as writer:
        for start in range(0, rows, ROWS_AT_ONCE):
            numbers = np.arange(start, min(start + ROWS_AT_ONCE, rows))
            labels = rng.integers(0, 5, numbers.size).astype(np.int8)
            features = [rng.random(numbers.size, dtype=np.float32) for _ in range(FEATURES)]
            writer.write_table(pa.table([numbers // ROWS_OF_QUERY, labels, *features], schema=schema))


def reading(path: Path, rows: int, runs: int) -> Iterator[Row]:
    from rankproof.data.forms.read import read_data

    names = [f"f{k + 1}" for k in range(FEATURES)]

    def by_pandas() -> np.ndarray:
        matrix: np.ndarray = pq.read_table(path, columns=names).to_pandas().to_numpy()
        return matrix

    def stacked() -> np.ndarray:
        return np.column_stack([column.to_numpy() for column in pq.read_table(path, columns=names).columns])

    data = read_data(path)
    if not np.array_equal(dense(data), stacked()) or data.items != rows:
        raise SystemExit("the two readers disagree")
    del data
    pandas, stack, ours = best_in_turns(runs, (1, by_pandas), (1, stacked), (1, lambda: read_data(path)))
    peer = min(pandas, stack)
    way = "read_table().to_pandas().to_numpy()" if peer == pandas else "read_table(), columns stacked"
    claim = f"read Parquet, {rows:,} x {FEATURES}, vs pyarrow's {way}"
    yield Row(claim, ours, peer, "s", READ_BAR)
    import polars as pl

    (by_polars,) = best_in_turns(runs, (1, lambda: pl.read_parquet(path, columns=names).to_numpy(order="c")))
    yield Row("the same, vs polars' to_numpy", ours, by_polars, "s", READ_BAR, judged=False)


def converting(folder: Path, megabytes: float, runs: int) -> Row:
    from rankproof.data.forms.convert import convert
    from rankproof.data.forms.read import read_data
    from rankproof.data.letor.read import read_letor

    path, out = folder / "train.txt", folder / "train.parquet"
    write_letor_rows(path, megabytes, six_decimals)
    convert(path, out)
    if not np.array_equal(dense(read_data(out)), dense(read_letor(path, sparse=False))):
        raise SystemExit("what was converted is not what was read")
    peer, ours = best_in_turns(runs, (1, lambda: read_letor(path)), (1, lambda: convert(path, out)))
    return Row("LETOR text to Parquet, vs reading the text", ours, peer, "s", CONVERT_BAR, "lower")


def memory(folder: Path, rows: int) -> Iterator[Row]:
    """The peak with so many rows against what it must stay below."""
    sizes = {"tiny": 1000, "large": rows}
    for name, size in sizes.items():
        write_csv(folder / f"{name}.csv", size)
    for source, out in (("csv", "parquet"), ("parquet", "txt"), ("txt", "parquet")):
        peaks = {}
        for name, size in sizes.items():
            paths = [folder / f"tiny.{source}", folder / f"{name}.{source}", folder / f"{name}.{out}"]
            command = [sys.executable, "-c", MEASURE_MEMORY, *map(str, paths)]
            done = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            converted, peaks[name] = json.loads(done)
            if converted != size:
                raise SystemExit(f"{converted} of {size} rows were converted")
        claim = f"peak memory of {source} to {out}, {rows:,} rows, vs {MEGABYTES:g} MB"
        yield Row(claim, peaks["large"] / 1e6, MEGABYTES, "MB", MEMORY_BAR, "lower")


def write_csv(path: Path, rows: int) -> None:
    """Four features with three decimals; queries of 120 rows, labels from 0 to 4."""
    rng = np.random.default_rng(0)
    schema = csv_schema()
    with pyarrow.csv.CSVWriter(path, schema) as writer:
        for start in range(0, rows, ROWS_AT_ONCE):
            numbers = np.arange(start, min(start + ROWS_AT_ONCE, rows))
            columns = [rng.integers(0, 1000, numbers.size) / 1000 for _ in range(4)]
            labels = rng.integers(0, 5, numbers.size)
            writer.write_table(pa.table([numbers // ROWS_OF_QUERY, labels, *columns], schema=schema))


def csv_schema() -> pa.Schema:
    numbers = [(f"f{k + 1}", pa.float64()) for k in range(4)]
    return pa.schema([("qid", pa.int64()), ("label", pa.int64()), *numbers])


def main() -> None:
    parser = options(__doc__)
    parser.add_argument("--rows", type=int, help="rows of the Parquet file: 1,200,000, or half with --quick")
    parser.add_argument("--runs", type=int, help="the fastest of so many runs counts: 5, or 3 with --quick")
    args = parser.parse_args()
    rows = args.rows or (600_000 if args.quick else 1_200_000)
    runs = args.runs or (3 if args.quick else 5)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_parquet(folder / "wide.parquet", rows)
        table = list(reading(folder / "wide.parquet", rows, runs))
        (folder / "wide.parquet").unlink()
        table.append(converting(folder, 20.0 if args.quick else 60.0, runs))
        table += memory(folder, 2_000_000 if args.quick else 10_000_000)
    if not show(table, as_json=args.json):
        raise SystemExit(1)


if __name__ == "__main__":
    main()
