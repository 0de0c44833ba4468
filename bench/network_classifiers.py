"""Accuracy of classifiers that are networks beside naive Bayes, on tables of the UCI repository whose columns are all categories.

    cargo build --release
    python bench/network_classifiers.py DIR [--splits 5]

DIR has the tables as CSV, packed or not, and `schema.json` with each table's class column. Every split is drawn by lot, seeded: two thirds to learn from, one third to judge by; all
learners see the same rows, with the prior each has by itself. Printed are mean accuracies, the best of a table marked.
"""

import argparse, csv, gzip, json, os, pathlib, random, subprocess, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/tunbridge"
LEARNERS = ["naive-bayes", "tan", "kdb:1", "kdb:2"]
TABLES = ["audiology", "breast.cancer", "car", "kr.vs.kp", "lymph", "mushroom", "nursery", "primary.tumor", "soybean", "splice", "tic-tac-toe", "titanic", "zoo"]


def rows_of(folder, name):
    for path in (folder / f"{name}.csv", folder / f"{name}.csv.gz"):
        if path.exists():
            with (gzip.open if path.suffix == ".gz" else open)(path, "rt") as file:
                return list(csv.reader(file))
    return None


def run(*command):
    done = subprocess.run([str(part) for part in (PROGRAM, *command)], capture_output=True, text=True)
    return done.stdout if done.returncode == 0 else None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("--splits", type=int, default=5)
    chosen = options.parse_args()
    schema = json.loads((chosen.folder / "schema.json").read_text())
    print("| table | rows | " + " | ".join(LEARNERS) + " |\n" + "|---" * (2 + len(LEARNERS)) + "|")
    for name in TABLES:
        rows = rows_of(chosen.folder, name)
        if rows is None or name not in schema:
            continue
        target, ignored = schema[name]["class"], schema[name]["identifier_columns"]
        found = {learner: [] for learner in LEARNERS}
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            for split in range(chosen.splits):
                body = rows[1:]
                random.Random(split).shuffle(body)
                cut = len(body) * 2 // 3
                for part, some in (("train", body[:cut]), ("test", body[cut:])):
                    with open(scratch / f"{part}.csv", "w", newline="") as file:
                        csv.writer(file).writerows([rows[0], *some])
                for learner in LEARNERS:
                    more = ["--evaluate", "none", "--types", "*=category"] if learner == "naive-bayes" else []
                    if ignored:
                        more += ["--ignore", ",".join(ignored)]
                    if run("learn", scratch / "train.csv", "--target", target, "-m", learner, "-o", scratch / "m.tb", *more) is None:
                        continue
                    judged = run("evaluate", scratch / "m.tb", scratch / "test.csv", "--format", "json")
                    if judged:
                        found[learner].append(json.loads(judged)["accuracy"])
        means = {learner: sum(scores) / len(scores) for learner, scores in found.items() if len(scores) == chosen.splits}
        best = max(means.values(), default=None)
        cells = ["–" if learner not in means else (f"**{means[learner]:.1%}**" if means[learner] == best else f"{means[learner]:.1%}") for learner in LEARNERS]
        print(f"| {name} | {len(rows) - 1:,} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
