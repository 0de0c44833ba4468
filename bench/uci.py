#!/usr/bin/env python3
"""Runs Tunbridge on the 44 UCI tables, the ARFF files they come from, and MNIST_Light; writes uci.md beside this script.

    python3 bench/uci.py DATA [--tunbridge PATH] [--output PATH] [--only SET ...]

DATA is a folder with `uci` (tables, schema.json, originals-arff.tar.gz) and `mnist-light` (two IDX files). Python's own library
is all it needs. The tables are copied to a temporary folder first, so that schema files may lie beside them.

For every table:
  schema TABLE --target CLASS            what is understood without a word of help, compared with schema.json
  learn TABLE --target CLASS             must end well, and so must the ARFF original where there is one
  schema, with a schema file beside it   must agree with schema.json in every column, declared states included
  evaluate, with that schema file        the figures of the report
"""

import argparse
import csv
import datetime
import gzip
import io
import json
import random
import struct
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
EVALUATE = ["--folds", "10", "--format", "json", "--quiet"]
NUMERIC = ["gaussian", "student", "bins:width", "bins:frequency", "bins:mdl"]


class Failed(Exception):
    """The program did not end with exit code 0."""


def run(program, *arguments, folder=None):
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, cwd=folder)
    if done.returncode != 0:
        raise Failed(f"exit {done.returncode}: {(done.stderr or done.stdout).strip()}")
    return done.stdout


def run_json(program, *arguments, folder=None):
    return json.loads(run(program, *arguments, folder=folder))


# ---------------------------------------------------------------- what a column is


def expected_kind(declared):
    """schema.json says `numeric`, `identifier`, or the list of a nominal column's values."""
    return "nominal" if isinstance(declared, list) else declared


def understood_kind(column):
    """What the program made of a column. A column left out by itself is what it looks like: an identifier, or nothing."""
    if column["role"] == "ignored":
        if any(words in column["reason"] for words in ("as you said", "identifier", "numbers the rows")):
            return "identifier"
        return f"left out ({column['reason']})"
    return {"category": "nominal"}.get(column["type"], column["type"])


def differing(said, expected):
    """Columns that are not what schema.json says, in words."""
    found = {column["name"]: understood_kind(column) for column in said["columns"]}
    wrong = [f"{name}: {found.get(name, 'absent')}, not {kind}" for name, kind in expected.items() if found.get(name) != kind]
    return wrong + [f"{name}: not in schema.json" for name in found if name not in expected]


def toml_text(text):
    return json.dumps(text, ensure_ascii=False)


def sidecar(entry):
    lines = [f"target = {toml_text(entry['class'])}"]
    for name, declared in entry["columns"].items():
        lines.append(f"\n[columns.{toml_text(name)}]")
        kind = {"nominal": "category", "identifier": "ignore"}.get(expected_kind(declared), expected_kind(declared))
        lines.append(f"type = {toml_text(kind)}")
        if isinstance(declared, list):
            lines.append("states = [" + ", ".join(toml_text(state) for state in declared) + "]")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------- one table


def table_of(folder, name):
    found = [path for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz") if path.exists()]
    return found[0] if found else None


def one_table(program, data, name, entry, arff, work):
    """A row of the report, and what went wrong."""
    faults = []
    source = table_of(data / "uci", name)
    copy = work / source.name
    copy.write_bytes(source.read_bytes())
    expected = {column: expected_kind(declared) for column, declared in entry["columns"].items()}
    target = ["--target", entry["class"]]

    plain = run_json(program, "schema", copy, *target, "--format", "json", "--quiet")
    wrong = differing(plain, expected)
    inputs = [kind for column, kind in expected.items() if column != entry["class"] and kind != "identifier"]
    row = {"set": name, "rows": plain["rows"], "columns": len(inputs), "differ": wrong}

    for file in [copy] + ([arff] if arff else []):
        try:
            run(program, "learn", file, *target, "--quiet", "-o", work / "model.tb", "--evaluate", "none", folder=work)
        except Failed as failure:
            faults.append(f"learn {file.name}: {failure}")
    if arff:
        declared = run_json(program, "schema", arff, *target, "--format", "json", "--quiet")
        faults += [f"schema {arff.name}: {what}" for what in differing(declared, expected)]
        if declared["rows"] != plain["rows"]:
            faults.append(f"{arff.name} has {declared['rows']} rows, the table {plain['rows']}")

    (work / f"{name}.schema.toml").write_text(sidecar(entry), encoding="utf-8")
    told = run_json(program, "schema", copy, "--format", "json", "--quiet")
    faults += [f"with a schema file: {what}" for what in differing(told, expected)]
    for column in told["columns"]:
        states = entry["columns"].get(column["name"])
        if isinstance(states, list) and (column["states"] != states or column["declared"] != len(states)):
            faults.append(f"with a schema file: states of {column['name']} are {column['states']}, declared {states}")

    try:
        row["raw"] = run_json(program, "evaluate", copy, *target, *EVALUATE)
    except Failed as failure:
        faults.append(f"evaluate: {failure}")
    try:
        row["calibrated"] = run_json(program, "evaluate", copy, *target, *EVALUATE, "--calibrate", "isotonic")["calibrated"]
    except Failed as failure:
        faults.append(f"evaluate --calibrate isotonic: {failure}")
    if "numeric" in inputs:
        row["numbers"] = {how: run_json(program, "evaluate", copy, *target, *EVALUATE, "--numeric", how) for how in NUMERIC}
    return row, faults


# ---------------------------------------------------------------- MNIST_Light


def mnist_light(data, work):
    """Writes train and test tables: 70 % and 30 % of a seeded shuffle, pixels divided by 255."""
    images = gzip.decompress((data / "mnist-light" / "mnist-light-images-idx3-ubyte.gz").read_bytes())
    labels = gzip.decompress((data / "mnist-light" / "mnist-light-labels-idx1-ubyte.gz").read_bytes())
    magic, n, height, width = struct.unpack(">4i", images[:16])
    if magic != 2051 or struct.unpack(">2i", labels[:8]) != (2049, n):
        raise ValueError("not the IDX files of MNIST_Light")
    size = height * width
    order = list(range(n))
    random.Random(1).shuffle(order)
    text = [repr(value / 255) for value in range(256)]
    header = [f"p{i:03d}" for i in range(size)] + ["digit"]
    paths = []
    for name, part in (("train", order[: n * 7 // 10]), ("test", order[n * 7 // 10 :])):
        path = work / f"mnist-light-{name}.csv"
        with path.open("w", newline="", encoding="ascii") as out:
            table = csv.writer(out, lineterminator="\n")
            table.writerow(header)
            for i in part:
                pixels = images[16 + i * size : 16 + (i + 1) * size]
                table.writerow([text[v] for v in pixels] + [labels[8 + i]])
        paths.append(path)
    return paths


DIGITS = [
    ("categorical, every grey a state", ["--types", "*=category"]),
    ("Gaussian, smoothing 1e-3", ["--types", "p*=numeric", "--numeric", "gaussian:1e-3"]),
    ("Gaussian, smoothing 1e-1", ["--types", "p*=numeric", "--numeric", "gaussian:1e-1"]),
    ("nearest centroid", ["--types", "p*=numeric", "--model", "nearest-centroid"]),
    ("Bernoulli, on above 0.5", ["--types", "p*=numeric", "--model", "bernoulli", "--threshold", "0.5"]),
]


def digits(program, data, work):
    train, test = mnist_light(data, work)
    told = []
    for name, flags in DIGITS:
        found = run_json(program, "evaluate", train, "--target", "digit", *flags, "--test", test, "--format", "json", "--quiet")
        told.append((name, flags, found))
    return told


# ---------------------------------------------------------------- the report


def figure(x):
    return f"{x:.3f}" if x < 1000 else f"{x:.2g}"


def log_loss(found):
    """Infinite when a true class was given probability zero; the rows where it is finite stand in brackets."""
    if found["log_loss"] is not None:
        return figure(found["log_loss"])
    rest = found["log_loss_of_possible"]
    return "∞" if rest is None else f"∞ ({figure(rest)})"


def percent(x):
    return f"{100 * x:.1f}"


def report(rows, faults, light, version):
    out = io.StringIO()
    say = lambda line="": print(line, file=out)
    n_all = sum(not row["differ"] for row in rows)
    say("# The UCI tables")
    say()
    say(f"{datetime.date.today()}, {version}; made by `python3 bench/uci.py DATA`.")
    say()
    say("Figures: a schema file beside each table declares its columns and their states, then")
    say()
    say("    tunbridge evaluate TABLE --target CLASS --folds 10 --format json")
    say()
    say("with defaults throughout (Laplace 1, Gaussian numbers, seed 1). Accuracy is in per cent; `most frequent` is that of always")
    say("naming the most frequent class. Log loss is in nats per row. Calibration error is the mean distance of confidence from")
    say("accuracy. The last three columns are with `--calibrate isotonic`: leave-one-out scores, calibrated on the other nine folds.")
    say("A log loss of ∞ means that a fold held all rows of a class, which the others then thought impossible (the class prior is the")
    say("rows' own unless told otherwise); in brackets is the log loss of the other rows.")
    say()
    say(f"Understood without flags: what `tunbridge schema TABLE --target CLASS` makes of the columns. {n_all} of {len(rows)} tables are")
    say("understood as they were meant in all columns; the others differ as said below the table.")
    say()
    say("| set | rows | columns | understood | most frequent | accuracy | log loss | calibration error | calibrated: accuracy | log loss | calibration error |")
    say("| --- | ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for row in rows:
        raw, after = row.get("raw"), row.get("calibrated")
        understood = "all" if not row["differ"] else f"all but {len(row['differ'])}"
        cells = [row["set"], f"{row['rows']:,}", str(row["columns"]), understood]
        cells += [percent(raw["baseline_accuracy"])] if raw else ["failed"]
        for found in (raw, after):
            cells += (
                [percent(found["accuracy"]), log_loss(found), figure(found["calibration_error"])] if found else ["–", "–", "–"]
            )
        say("| " + " | ".join(cells) + " |")
    say()
    say("## What differs without flags")
    say()
    for row in rows:
        if row["differ"]:
            say(f"- {row['set']}: " + "; ".join(row["differ"]))
    say()
    if any("numbers" in row for row in rows):
        say("## Numbers in other ways")
        say()
        say("The same with `--numeric` as said: accuracy in per cent, and log loss.")
        say()
        say("| set | " + " | ".join(NUMERIC) + " |")
        say("| --- |" + " ---: |" * len(NUMERIC))
        for row in rows:
            if "numbers" in row:
                cells = [f"{percent(row['numbers'][how]['accuracy'])}, {log_loss(row['numbers'][how])}" for how in NUMERIC]
                say("| " + " | ".join([row["set"], *cells]) + " |")
        say()
    if light:
        say("## MNIST_Light")
        say()
        say("5,000 images of 20 x 20 pixels, divided by 255; 3,500 to learn from and 1,500 to judge by, of one seeded shuffle.")
        say()
        say("    tunbridge evaluate train.csv --target digit FLAGS --test test.csv")
        say()
        say("| classifier | flags | accuracy | log loss | calibration error |")
        say("| --- | --- | ---: | ---: | ---: |")
        for name, flags, found in light:
            words = " ".join(f"'{flag}'" if "*" in flag else flag for flag in flags)
            cells = [name, f"`{words}`", percent(found["accuracy"]), log_loss(found), figure(found["calibration_error"])]
            say("| " + " | ".join(cells) + " |")
        say()
    say("## What went wrong")
    say()
    if faults:
        for fault in faults:
            say(f"- {fault}")
    else:
        say("Nothing: every table and every ARFF original is learned from without flags besides `--target`, and with a schema file every")
        say("column is as declared.")
    return out.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("data", type=Path, help="folder with uci and mnist-light")
    parser.add_argument("--tunbridge", type=Path, default=HERE.parent / "target" / "release" / "tunbridge")
    parser.add_argument("--output", type=Path, default=HERE / "uci.md")
    parser.add_argument("--only", nargs="+", metavar="SET", help="these sets only; nothing is written, the report is printed")
    options = parser.parse_args()
    program = str(options.tunbridge.resolve())
    schema = json.loads((options.data / "uci" / "schema.json").read_text(encoding="utf-8"))
    rows, faults = [], []
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        originals = work / "arff"
        originals.mkdir()
        with tarfile.open(options.data / "uci" / "originals-arff.tar.gz") as archive:
            for member in archive.getmembers():
                if member.isfile():
                    (originals / Path(member.name).name).write_bytes(archive.extractfile(member).read())
        for name in sorted(schema):
            if options.only and name not in options.only:
                continue
            arff = originals / f"{name}.arff"
            try:
                row, wrong = one_table(program, options.data, name, schema[name], arff if arff.exists() else None, work)
                rows.append(row)
            except Failed as failure:
                wrong = [str(failure)]
            faults += [f"{name}: {what}" for what in wrong]
            print(f"{name}: {len(wrong)} faults", file=sys.stderr)
        light = None if options.only else digits(program, options.data, work)
        version = run(program, "--version").strip()
    text = report(rows, faults, light, version)
    if options.only:
        print(text)
    else:
        options.output.write_text(text, encoding="utf-8")
        print(f"wrote {options.output}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
