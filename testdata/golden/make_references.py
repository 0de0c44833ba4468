#!/usr/bin/env python3
"""Makes the test tables and the reference answers that the tests compare against.

    python make_references.py DATA

DATA is the folder with digits/digits.csv.gz, sklearn-toy/iris.csv, uci/mushroom.csv.gz and uci/playtennis.csv.
Everything is written below testdata/, the parent of the folder this script is in. Needs numpy and scikit-learn.

Split, for every table: the row with 0-based number i is a training row when i % 10 < 7, a test row otherwise.
Class names are written as text everywhere, as they stand in the tables. Numbers are the shortest decimal that
reads back as the same double.
"""

import csv
import gzip
import io
import json
import math
import platform
import sys
from pathlib import Path

import numpy as np
import sklearn
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, GaussianNB
from sklearn.neighbors import NearestCentroid

TESTDATA = Path(__file__).resolve().parent.parent
LIBRARY = f"scikit-learn {sklearn.__version__}, numpy {np.__version__}, Python {platform.python_version()}"
OWN = f"plain Python {platform.python_version()}, no library"


# ---------------------------------------------------------------- files


def read(path):
    raw = path.read_bytes()
    if path.suffix == ".gz":
        raw = gzip.decompress(raw)
    return list(csv.reader(io.StringIO(raw.decode("utf-8"))))


def write(name, text):
    """Writes text, compressed when the name ends in .gz (without a time stamp: same input, same bytes)."""
    path = TESTDATA / name
    path.parent.mkdir(parents=True, exist_ok=True)
    raw = text.encode("utf-8")
    path.write_bytes(gzip.compress(raw, 9, mtime=0) if path.suffix == ".gz" else raw)


def write_csv(name, header, rows):
    write(name, "".join(",".join(row) + "\n" for row in [header, *rows]))


def write_json(name, answer):
    """One line for each key, and one line for each row of a table."""
    lines = []
    for key, value in answer.items():
        if isinstance(value, list) and value and isinstance(value[0], list):
            text = "[\n" + ",\n".join(json.dumps(row) for row in value) + "\n]"
        else:
            text = json.dumps(value)
        lines.append(f"{json.dumps(key)}: {text}")
    write(f"golden/{name}", "{\n" + ",\n".join(lines) + "\n}\n")


def split(rows):
    train = [row for i, row in enumerate(rows) if i % 10 < 7]
    test = [row for i, row in enumerate(rows) if i % 10 >= 7]
    return train, test


def parts(train, test):
    """Inputs as doubles and the class as text, for the training and the test rows."""
    told = []
    for rows in (train, test):
        told += [np.array([[float(v) for v in row[:-1]] for row in rows]), np.array([row[-1] for row in rows])]
    return told


# ---------------------------------------------------------------- answers of scikit-learn


def library_answer(name, model, settings, train_x, train_y, test_x, extra=None):
    model.fit(train_x, train_y)
    answer = {
        "version": LIBRARY,
        "model": settings,
        "train_rows": len(train_x),
        "test_rows": len(test_x),
        "classes": model.classes_.tolist(),
        **(extra or {}),
        "predicted": model.predict(test_x).tolist(),
    }
    if isinstance(model, GaussianNB):
        answer["added_to_variances"] = float(model.epsilon_)
    if not isinstance(model, NearestCentroid):
        answer["probability"] = model.predict_proba(test_x).tolist()
    write_json(name, answer)


def digits(data):
    rows = read(data / "digits" / "digits.csv.gz")
    header = [f"p{i:02d}" for i in range(64)] + ["digit"]
    train, test = split(rows)
    write_csv("digits/digits_train.csv.gz", header, train)
    write_csv("digits/digits_test.csv.gz", header, test)
    x, y, z, _ = parts(train, test)
    whole, whole_test = x.astype(int), z.astype(int)
    library_answer(
        "digits_categorical.json.gz",
        CategoricalNB(alpha=1, min_categories=17),
        "CategoricalNB(alpha=1, min_categories=17)",
        whole, y, whole_test,
        {"categories": [str(v) for v in range(17)]},
    )  # fmt: skip
    library_answer("digits_gaussian.json.gz", GaussianNB(var_smoothing=1e-3), "GaussianNB(var_smoothing=1e-3)", x, y, z)
    library_answer("digits_bernoulli.json.gz", BernoulliNB(alpha=1, binarize=7.5), "BernoulliNB(alpha=1, binarize=7.5)", x, y, z)
    library_answer("digits_centroid.json.gz", NearestCentroid(), "NearestCentroid()", x, y, z)


def iris(data):
    first, *rows = read(data / "sklearn-toy" / "iris.csv")  # the first line is: rows, columns, class names
    names = first[2:]
    rows = [row[:4] + [names[int(row[4])]] for row in rows]
    header = ["sepal_length", "sepal_width", "petal_length", "petal_width", "species"]
    train, test = split(rows)
    write_csv("iris/iris_train.csv", header, train)
    write_csv("iris/iris_test.csv", header, test)
    x, y, z, _ = parts(train, test)
    library_answer("iris_gaussian.json", GaussianNB(var_smoothing=1e-3), "GaussianNB(var_smoothing=1e-3)", x, y, z)
    library_answer("iris_centroid.json", NearestCentroid(), "NearestCentroid()", x, y, z)

    # Every distinct decimal of a column is a category of its own, those that only test rows show included.
    categories = [sorted({row[i] for row in rows}, key=float) for i in range(4)]
    coded, coded_test = (np.array([[categories[i].index(row[i]) for i in range(4)] for row in some]) for some in (train, test))
    model = CategoricalNB(alpha=1, min_categories=[len(c) for c in categories])
    settings = "CategoricalNB(alpha=1, min_categories=the number of categories of each column)"
    library_answer("iris_categorical.json", model, settings, coded, y, coded_test, {"columns": header[:4], "categories": categories})

    halves(header[:4], x, y)


def halves(columns, x, y):
    """Mean and variance of each class and column, for any way of learning in parts to agree with."""
    count, mean, variance = [], [], []
    classes = sorted(set(y.tolist()))
    for name in classes:
        rows = x[y == name]
        n = len(rows)
        means = [math.fsum(column) / n for column in rows.T]
        count.append(n)
        mean.append(means)
        variance.append([math.fsum((v - m) ** 2 for v in column) / n for column, m in zip(rows.T.tolist(), means)])
    answer = {
        "version": OWN + " but its math.fsum",
        "model": "all iris training rows at once; mean = sum / n, variance = sum of squared deviations / n, nothing added",
        "classes": classes,
        "columns": columns,
        "count": count,
        "mean": mean,
        "variance": variance,
    }
    write_json("halves.json", answer)


# ---------------------------------------------------------------- categorical naive Bayes in plain loops


def learn(rows, smoothing):
    """rows: lists of text, the class last, '?' where a value is missing. Counts, and the states of each column."""
    columns = len(rows[0]) - 1
    classes = sorted({row[-1] for row in rows})
    class_count = {c: 0 for c in classes}
    states = [set() for _ in range(columns)]
    count = [{} for _ in range(columns)]  # column -> (class, state) -> rows
    known = [{c: 0 for c in classes} for _ in range(columns)]  # column -> class -> rows where it is not missing
    for row in rows:
        label = row[-1]
        class_count[label] += 1
        for i in range(columns):
            if row[i] == "?":
                continue
            states[i].add(row[i])
            count[i][label, row[i]] = count[i].get((label, row[i]), 0) + 1
            known[i][label] += 1
    return {
        "classes": classes,
        "rows": len(rows),
        "class_count": class_count,
        "states": states,
        "count": count,
        "known": known,
        "smoothing": smoothing,
    }


def factors(model, row, label):
    """The class's prior, then P(state | class) of every cell that has a state met in training."""
    told = [model["class_count"][label] / model["rows"]]
    for i, state in enumerate(row):
        if state not in model["states"][i]:  # '?' is never among them
            continue
        above = model["count"][i].get((label, state), 0) + model["smoothing"]
        below = model["known"][i][label] + model["smoothing"] * len(model["states"][i])
        told.append(above / below)
    return told


def posterior(model, row):
    logs = [math.fsum(math.log(f) for f in factors(model, row, label)) for label in model["classes"]]
    top = max(logs)
    total = math.fsum(math.exp(v - top) for v in logs)
    return [math.exp(v - top) / total for v in logs]


def mushroom(data):
    source = data / "uci" / "mushroom.csv.gz"
    target = TESTDATA / "mushroom" / "mushroom.csv.gz"
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
    header, *rows = read(source)
    train, test = split(rows)
    model = learn(train, 1)
    probability = [posterior(model, row[:-1]) for row in test]
    answer = {
        "version": OWN,
        "model": "categorical naive Bayes, 1 added to every count, class shares as counted; missing cells and states not met "
        "in training are left out; the states of a column are those met in its training rows",
        "train_rows": len(train),
        "test_rows": len(test),
        "classes": model["classes"],
        "class_count": [model["class_count"][c] for c in model["classes"]],
        "columns": header[:-1],
        "states": [sorted(s) for s in model["states"]],
        "unseen_cells": sum(v != "?" and v not in model["states"][i] for row in test for i, v in enumerate(row[:-1])),
        "predicted": [model["classes"][p.index(max(p))] for p in probability],
        "probability": probability,
    }
    write_json("mushroom.json.gz", answer)


def playtennis(data):
    header, *rows = read(data / "uci" / "playtennis.csv")
    model = learn(rows, 0)
    day = ["Sunny", "Cool", "High", "Strong"]
    product = [math.prod(factors(model, day, label)) for label in model["classes"]]
    answer = {
        "version": OWN,
        "model": "categorical naive Bayes, relative frequencies (nothing added); learnt from the rows given here",
        "columns": header,
        "rows": rows,
        "day": day,
        "classes": model["classes"],
        "product": product,
        "posterior": [p / math.fsum(product) for p in product],
    }
    write_json("playtennis.json", answer)


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    data = Path(sys.argv[1])
    digits(data)
    iris(data)
    mushroom(data)
    playtennis(data)
    for path in sorted(p for p in TESTDATA.rglob("*") if p.is_file()):
        print(f"{path.stat().st_size:>8}  {path.relative_to(TESTDATA)}")


if __name__ == "__main__":
    main()
