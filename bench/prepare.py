"""Makes the seeded tables of the benchmark: python prepare.py FOLDER SHARE (SHARE 1 is full size).

categorical.csv, .parquet    5,000,000 rows; `class` with 5 states, then x00 to x19 with 2 to 40 states
categorical-1x, -4x, -16x    the same table with 500,000, 2,000,000 and 8,000,000 rows, CSV only
gaussian.parquet, .arrow     1,000,000 rows; `class` with 10 states, then x00 to x99, doubles, nothing compressed
gaussian.npy, labels.npy     the same numbers as a matrix, for peers that learn in memory

The categorical table is drawn in blocks of 500,000 rows, each with a seed of its own, so that a shorter file is the
beginning of a longer one.
"""

import json
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet

SEED = 20_240
BLOCK = 500_000
CATEGORICAL_ROWS, CATEGORICAL_COLUMNS = 5_000_000, 20
CLASS_SHARES = [0.4, 0.25, 0.2, 0.1, 0.05]
GAUSSIAN_ROWS, GAUSSIAN_COLUMNS, GAUSSIAN_CLASSES = 1_000_000, 100, 10


def state_tables():
    """For each column, one row of cumulated state probabilities per class."""
    rng = np.random.default_rng(SEED)
    tables = []
    for states in np.linspace(2, 40, CATEGORICAL_COLUMNS).astype(int):
        levels = rng.dirichlet(np.full(states, 4.0), len(CLASS_SHARES)).cumsum(axis=1)
        levels[:, -1] = 1.0
        tables.append(levels)
    return tables


def categorical_block(tables, number, rows):
    """One block as an Arrow table of dictionary columns."""
    rng = np.random.default_rng([SEED, number])
    label = rng.choice(len(CLASS_SHARES), rows, p=CLASS_SHARES).astype(np.int8)
    columns = {"class": pa.DictionaryArray.from_arrays(label, [f"c{k}" for k in range(len(CLASS_SHARES))])}
    for i, levels in enumerate(tables):
        drawn = rng.random(rows)
        state = np.empty(rows, np.int8)
        for k in range(len(CLASS_SHARES)):
            members = label == k
            state[members] = np.searchsorted(levels[k], drawn[members], side="right")
        columns[f"x{i:02d}"] = pa.DictionaryArray.from_arrays(state, [f"s{s:02d}" for s in range(levels.shape[1])])
    return pa.table(columns)


def categorical(folder, share):
    tables, block = state_tables(), round(BLOCK * share)
    plan = {"categorical.csv": CATEGORICAL_ROWS // BLOCK, "categorical-1x.csv": 1, "categorical-4x.csv": 4, "categorical-16x.csv": 16}
    kept, writers = [], {}
    for number in range(max(plan.values())):
        table = categorical_block(tables, number, block)
        text = pa.table({name: table[name].cast(pa.string()) for name in table.column_names})
        for name, blocks in plan.items():
            if number >= blocks:
                continue
            if name not in writers:
                options = pa.csv.WriteOptions(quoting_style="none", quoting_header="none")
                writers[name] = pa.csv.CSVWriter(str(folder / name), text.schema, write_options=options)
            writers[name].write_table(text)
        if number < plan["categorical.csv"]:
            kept.append(table)
    for writer in writers.values():
        writer.close()
    whole = pa.concat_tables(kept).combine_chunks()
    pa.parquet.write_table(whole, folder / "categorical.parquet", compression="snappy", use_dictionary=True)


def gaussian(folder, share):
    rows = round(GAUSSIAN_ROWS * share)
    rng = np.random.default_rng([SEED, 1_000_000])
    mean = rng.normal(0, 0.35, (GAUSSIAN_CLASSES, GAUSSIAN_COLUMNS))
    deviation = rng.uniform(0.5, 2, (GAUSSIAN_CLASSES, GAUSSIAN_COLUMNS))
    label = rng.integers(0, GAUSSIAN_CLASSES, rows)
    x = rng.standard_normal((rows, GAUSSIAN_COLUMNS))
    for k in range(GAUSSIAN_CLASSES):
        members = np.flatnonzero(label == k)
        x[members] = x[members] * deviation[k] + mean[k]
    np.save(folder / "gaussian.npy", x)
    np.save(folder / "labels.npy", label)
    columns = {"class": pa.array([f"c{k}" for k in range(GAUSSIAN_CLASSES)]).take(pa.array(label))}
    columns |= {f"x{i:02d}": pa.array(np.ascontiguousarray(x[:, i])) for i in range(GAUSSIAN_COLUMNS)}
    table = pa.table(columns)
    pa.parquet.write_table(table, folder / "gaussian.parquet", compression="none", use_dictionary=["class"])
    pa.feather.write_feather(table, str(folder / "gaussian.arrow"), compression="uncompressed")


def main():
    folder, share = Path(sys.argv[1]), float(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    categorical(folder, share)
    gaussian(folder, share)
    (folder / "made.json").write_text(json.dumps({"seed": SEED, "share": share, "pyarrow": pa.__version__, "numpy": np.__version__}) + "\n")


if __name__ == "__main__":
    main()
