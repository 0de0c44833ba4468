"""Classifiers whose attributes depend on each other beside naive Bayes, by ten folds on tables of the UCI repository.

    cargo build --release
    python bench/network_classifiers.py DIR [--most-rows 60000] [--most-columns 100]

DIR has the tables as CSV, packed or not, and `schema.json` with each table's class, identifiers and kinds of columns. All learners see the same folds; numbers are
cut by bins:mdl in each fold anew (the first column is naive Bayes with normal densities instead). Printed are accuracies, the best of a table marked, and the
mean rank and log loss of each learner over the tables that all could learn.
"""

import argparse, csv, gzip, json, os, pathlib, subprocess, sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/tunbridge"
LEARNERS = {
    "naive Bayes, Gaussian": ["-m", "naive-bayes"],
    "naive Bayes": ["-m", "naive-bayes", "--numeric", "bins:mdl"],
    "tan, bdeu:1": ["-m", "tan", "--estimate", "bdeu:1"],
    "tan": ["-m", "tan"],
    "kdb:1": ["-m", "kdb:1"],
    "kdb:2": ["-m", "kdb:2"],
    "aode": ["-m", "aode"],
}


def shape(path):
    with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
        rows = csv.reader(file)
        return len(next(rows)), sum(1 for _ in rows)


def quoted(names):
    return ",".join('"' + name.replace('"', '""') + '"' for name in names)


def judged(path, about, learner):
    command = [PROGRAM, "evaluate", path, "--target", about["class"], "--folds", "10", "--format", "json", "--quiet", *learner]
    for name, kind in about["columns"].items():
        if name not in about["identifier_columns"]:
            command += ["--types", f'"{name}"={"numeric" if kind == "numeric" else "category"}']
    if about["identifier_columns"]:
        command += ["--ignore", quoted(about["identifier_columns"])]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    return json.loads(done.stdout) if done.returncode == 0 else {"error": done.stderr.strip()}


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--most-rows", type=int, default=60_000)
    options.add_argument("--most-columns", type=int, default=100)
    options.add_argument("--only", nargs="*")
    chosen = options.parse_args()
    schema = json.loads((chosen.folder / "schema.json").read_text())
    names = list(LEARNERS)
    print("| table | rows | columns | " + " | ".join(names) + " |\n" + "|---" * (3 + len(names)) + "|")
    ranks, losses, n_whole = {name: 0.0 for name in names}, {name: 0.0 for name in names}, 0
    for table in sorted(schema):
        path = next((p for p in (chosen.folder / f"{table}.csv", chosen.folder / f"{table}.csv.gz") if p.exists()), None)
        if path is None or chosen.only and table not in chosen.only:
            continue
        n_columns, n_rows = shape(path)
        if n_rows > chosen.most_rows or n_columns > chosen.most_columns:
            continue
        found = {name: judged(path, schema[table], learner) for name, learner in LEARNERS.items()}
        scores = {name: result["accuracy"] for name, result in found.items() if "accuracy" in result}
        best = max(scores.values(), default=None)
        cells = ["–" if name not in scores else f"**{scores[name]:.1%}**" if scores[name] == best else f"{scores[name]:.1%}" for name in names]
        print(f"| {table} | {n_rows:,} | {n_columns} | " + " | ".join(cells) + " |", flush=True)
        for name, result in found.items():
            if "error" in result:
                print(f"    {table}, {name}: {result['error']}", file=sys.stderr)
        if len(scores) == len(names) and all(found[name]["log_loss"] is not None for name in names):
            n_whole += 1
            for name in names:
                higher = sum(scores[other] > scores[name] for other in names)
                equal = sum(scores[other] == scores[name] for other in names)
                ranks[name] += higher + (equal + 1) / 2
                losses[name] += found[name]["log_loss"]
    if n_whole:
        print(f"\nOver the {n_whole} tables that all learned:\n\n| | " + " | ".join(names) + " |\n" + "|---" * (1 + len(names)) + "|")
        print("| mean rank | " + " | ".join(f"{ranks[name] / n_whole:.2f}" for name in names) + " |")
        print("| mean log loss | " + " | ".join(f"{losses[name] / n_whole:.3f}" for name in names) + " |")


if __name__ == "__main__":
    main()
