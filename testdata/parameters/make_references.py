"""Tables of networks learned by pyAgrum, to be held against ours.

    python make_references.py write SAMPLES asia.csv.gz asia.json    the reference of the tests: 1,000 rows of bnlearn's asia
    python make_references.py compare SAMPLES TUNBRIDGE              every set of SAMPLES whose graph is known, all rows

SAMPLES is a folder with bnlearn's data sets as NAME.csv.gz and true-dags.tsv (NAME, tab, model string).
"""
import csv, gzip, json, subprocess, sys, tempfile
from pathlib import Path

import pyagrum as gum

PRIORS = {"ml": None, "laplace:1": ("smoothing", 1.0), "bdeu:10": ("bdeu", 10.0)}


def dags(samples):
    lines = (line.rstrip("\n").split("\t") for line in open(samples / "true-dags.tsv") if not line.startswith("#"))
    return {line[0]: line[1] for line in lines if len(line) > 1}


def rows_of(samples, name):
    with gzip.open(samples / f"{name}.csv.gz", "rt") as file:
        return list(csv.reader(file))


def learned(rows, model_string, estimate):
    """{variable: {parents: [...], table: {(parent states..., state): p}}} by pyAgrum."""
    names, body = rows[0], rows[1:]
    states = {name: sorted({row[place] for row in body}) for place, name in enumerate(names)}
    skeleton, arcs = gum.BayesNet(), []
    for part in model_string.strip("[]").split("]["):
        child, _, parents = part.partition("|")
        arcs += [(parent, child) for parent in parents.split(":") if parent]
    for name in names:
        skeleton.add(gum.LabelizedVariable(name, name, states[name]))
    for parent, child in arcs:
        skeleton.addArc(parent, child)
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="") as file:
        csv.writer(file).writerows(rows)
        file.flush()
        learner = gum.BNLearner(file.name, skeleton)
        learner.setNumberOfThreads(1)
        kind = PRIORS[estimate]
        if kind is None:
            learner.useNoPrior()
        elif kind[0] == "smoothing":
            learner.useSmoothingPrior(kind[1])
        else:
            learner.useBDeuPrior(kind[1])
        network = learner.learnParameters(skeleton.dag())
    tables = {}
    for name in names:
        cpt = network.cpt(name)
        parents = [other for other in cpt.names if other != name]
        table, inst = [], gum.Instantiation(cpt)
        inst.setFirst()
        while not inst.end():
            key = {other: inst.variable(other).label(inst[other]) for other in parents + [name]}
            table.append([key, cpt[inst]])
            inst.inc()
        tables[name] = table
    return tables


def main():
    samples = Path(sys.argv[2])
    if sys.argv[1] == "write":
        rows = rows_of(samples, "asia")[:1001]
        with gzip.GzipFile(sys.argv[3], "wb", mtime=0) as file:
            file.write("".join(",".join(row) + "\n" for row in rows).encode())
        references = {}
        for estimate in PRIORS:
            try:
                references[estimate] = learned(rows, dags(samples)["asia"], estimate)
            except gum.GumException as fault:
                print(estimate, fault)
        json.dump({"graph": dags(samples)["asia"], "tables": references}, open(sys.argv[4], "w"))
        return
    program = sys.argv[3]
    for name, graph in dags(samples).items():
        if not (samples / f"{name}.csv.gz").exists():
            continue
        rows = rows_of(samples, name)
        if any("" in row for row in rows) or "gaussian" in name:
            continue
        for estimate in PRIORS:
            with tempfile.TemporaryDirectory() as folder:
                model = f"{folder}/m.tb"
                subprocess.run([program, "learn", str(samples / f"{name}.csv.gz"), "--structure", graph, "--estimate", estimate, "-q", "-o", model],
                               check=True, capture_output=True)
                shown = json.loads(subprocess.run([program, "show", model, "--format", "json"], check=True, capture_output=True).stdout)
            ours = {v["name"]: v for v in shown["variables"]}
            n_unseen = len(shown["unseen"])
            try:
                theirs = learned(rows, graph, estimate)
            except gum.GumException as fault:
                print(f"{name:12} {estimate:10} {n_unseen} rows never seen; pyAgrum: {str(fault)[:70]}")
                continue
            worst, n = 0.0, 0
            for variable, table in theirs.items():
                of = ours[variable]
                for key, p in table:
                    row = 0
                    for parent in of["parents"]:
                        row = row * len(ours[parent]["states"]) + ours[parent]["states"].index(key[parent])
                    worst = max(worst, abs(p - of["table"][row][of["states"].index(key[variable])]))
                    n += 1
            print(f"{name:12} {estimate:10} {n} entries, {n_unseen} rows never seen, largest difference {worst:.1e}")


main()
