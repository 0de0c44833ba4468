"""Tables of a network whose graph is known: Tunbridge's `learn --structure` against pyAgrum and pgmpy.

    pip install pyagrum pgmpy numpy pandas pyarrow
    cargo build --release
    python bench/network_parameters.py ALARM.bif [--parts em million complete] [--data DIR]

em        10,000 rows, a fifth of all values missing: seconds for each step of EM, and seconds until the log likelihood that pyAgrum ends with.
          The peer's time is that of `learnParameters` alone; ours is that of the whole process, and of EM alone by `--timings`.
million   1,000,000 rows, the same: seconds for each step, and memory.
complete  10,000,000 rows of Parquet without gaps: the whole process against the same process with a graph that has no arcs, which reads and encodes
          the same columns; and pyAgrum and pgmpy on 100,000 and 1,000,000 rows of CSV.

Rows are drawn from the network itself, seeded. Tables are printed as Markdown.
"""

import argparse, json, os, pathlib, subprocess, sys, tempfile, time

import numpy

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/tunbridge"


def families(path):
    """Names, states, parents and tables, by pyAgrum."""
    import pyagrum

    network = pyagrum.loadBN(str(path))
    names = [network.variable(node).name() for node in network.topologicalOrder()]
    return network, [(name, network.variable(name).labels(), network.cpt(name).names[1:], network.cpt(name)) for name in names]


def drawn(parts, n_rows, seed):
    """Columns of state codes."""
    draws, columns = numpy.random.default_rng(seed), {}
    for name, states, parents, cpt in parts:
        # pyAgrum's arrays have the variable last, and its parents in reverse before it.
        table = numpy.asarray(cpt[:], dtype=float).reshape(-1, len(states)).clip(0)
        sizes = [len(next(states for other, states, *_ in parts if other == parent)) for parent in parents]
        place = numpy.zeros(n_rows, dtype=numpy.int64)
        for parent, size in reversed(list(zip(parents, sizes))):
            place = place * size + columns[parent]
        heights = table.cumsum(axis=1)
        heights /= heights[:, -1:]
        columns[name] = (draws.random(n_rows)[:, None] >= heights[place]).sum(axis=1).clip(0, len(states) - 1).astype(numpy.int8)
    return columns


def write_csv(path, parts, columns, missing=0.0, seed=1):
    draws = numpy.random.default_rng(seed)
    texts = []
    for name, states, *_ in parts:
        text = numpy.array(states)[columns[name]]
        if missing > 0:
            text = numpy.where(draws.random(len(text)) < missing, "?", text)
        texts.append(text)
    with open(path, "w") as file:
        file.write(",".join(name for name, *_ in parts) + "\n")
        for start in range(0, len(texts[0]), 100_000):
            file.write("\n".join(map(",".join, zip(*(text[start : start + 100_000] for text in texts)))) + "\n")


def write_parquet(path, parts, columns):
    import pyarrow, pyarrow.parquet

    arrays = [pyarrow.DictionaryArray.from_arrays(pyarrow.array(columns[name]), pyarrow.array(list(states))) for name, states, *_ in parts]
    pyarrow.parquet.write_table(pyarrow.Table.from_arrays(arrays, names=[name for name, *_ in parts]), path, compression="snappy", row_group_size=500_000)


def learned(data, graph, *flags):
    """Runs the program; gives its report, its phases and the wall seconds."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [PROGRAM, "learn", data, "--structure", graph, "--output", f"{scratch}/model.tb", "--format", "json", "--timings", *flags]
        begun = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True)
        wall = time.perf_counter() - begun
        if done.returncode:
            sys.exit(done.stderr)
        phases = json.loads([line for line in done.stderr.splitlines() if line.startswith("{")][-1])
        return json.loads(done.stdout), phases, wall


def best(runs):
    return min(runs, key=lambda run: run[2])


def em(chosen, network, parts, scratch):
    import pyagrum

    data = scratch / "missing.csv"
    write_csv(data, parts, drawn(parts, 10_000, 6), missing=0.2, seed=7)
    flags = ["--estimate", "laplace:0.1"]
    report, phases, wall = best([learned(data, chosen.network, *flags) for _ in range(chosen.repeat)])
    ours = phases["em"] / report["iterations"]
    learner = pyagrum.BNLearner(str(data), network, ["?"])
    learner.useSmoothingPrior(0.1)
    learner.useEM(1e-4, 0.0)
    learner.EMsetVerbosity(True)
    blank = pyagrum.BayesNet(network)
    for node in blank.nodes():
        blank.cpt(node).fillWith(0)
    begun = time.perf_counter()
    fitted = learner.learnParameters(blank)
    theirs, steps = time.perf_counter() - begun, int(learner.EMnbrIterations())
    # The same ruler for both: a network that is not learned further, by a step of EM that is not used.
    pyagrum.saveBN(fitted, str(scratch / "theirs.bif"))
    theirs_ll = log_likelihood(scratch / "theirs.bif", data)
    until, n_until = None, 1
    while until is None and n_until <= report["iterations"]:
        again = best([learned(data, chosen.network, *flags, "--em-steps", str(n_until)) for _ in range(chosen.repeat)])
        if again[0]["log_likelihood"] / again[0]["rows"] >= theirs_ll:
            until = again
        n_until += 1
    print(f"\n### EM, {pathlib.Path(chosen.network).stem}, 10,000 rows, 20 % missing, pseudo-count 0.1 a cell\n")
    print("| | steps | seconds a step | seconds in all | log likelihood a row |\n|---|---|---|---|---|")
    print(f"| pyAgrum {pyagrum.__version__}, `learnParameters` | {steps} | {theirs / steps:.3g} | {theirs:.3g} | {theirs_ll:.5f} |")
    print(f"| Tunbridge, until it rests | {report['iterations']} | {ours:.3g} | {wall:.3g} (whole process) | {report['log_likelihood'] / report['rows']:.5f} |")
    if until:
        found, _, seconds = until
        print(f"| Tunbridge, until pyAgrum's likelihood | {found['iterations']} | | {seconds:.3g} (whole process) | {found['log_likelihood'] / found['rows']:.5f} |")
    print(f"\nRatio a step: {theirs / steps / ours:.0f}. Ratio until the same likelihood: {theirs / until[2]:.0f}." if until else "")


def log_likelihood(network, data):
    """Mean ln P(what was seen of a row), by our exact inference."""
    done = subprocess.run([PROGRAM, "ask", network, "--rows", data, "--log-likelihood", "--format", "jsonl"], capture_output=True, text=True, check=True)
    values = [json.loads(line)["log_p_evidence"] for line in done.stdout.splitlines()]
    return sum(values) / len(values)


def million(chosen, network, parts, scratch):
    data = scratch / "million.csv"
    write_csv(data, parts, drawn(parts, 1_000_000, 8), missing=0.2, seed=9)
    report, phases, wall = best([learned(data, chosen.network, "--estimate", "laplace:0.1") for _ in range(chosen.repeat)])
    print(f"\n### EM, {pathlib.Path(chosen.network).stem}, 1,000,000 rows, 20 % missing\n")
    print("| steps | seconds a step | seconds in all | peak memory, MB |\n|---|---|---|---|")
    print(f"| {report['iterations']} | {phases['em'] / report['iterations']:.3g} | {wall:.3g} | {phases['peak_rss_mb']:.0f} |")


def complete(chosen, network, parts, scratch):
    import logging

    import pandas, pyagrum

    logging.disable(logging.CRITICAL)
    from pgmpy.models import DiscreteBayesianNetwork

    data = scratch / "complete.parquet"
    write_parquet(data, parts, drawn(parts, chosen.rows, 10))
    arcless = scratch / "arcless.bif"
    bare = pyagrum.BayesNet()
    for name, *_ in parts:
        bare.add(network.variable(name))
    for node in bare.nodes():
        bare.cpt(node).fillWith(1).normalize()
    pyagrum.saveBN(bare, str(arcless))
    counted = best([learned(data, chosen.network) for _ in range(chosen.repeat)])
    read = best([learned(data, arcless) for _ in range(chosen.repeat)])
    print(f"\n### No gaps, {pathlib.Path(chosen.network).stem}, {chosen.rows:,} rows of Parquet\n")
    print("| | seconds, whole process | peak memory, MB |\n|---|---|---|")
    print(f"| Tunbridge, all tables | {counted[2]:.3g} | {counted[1]['peak_rss_mb']:.0f} |")
    print(f"| Tunbridge, a graph without arcs: reading and encoding | {read[2]:.3g} | {read[1]['peak_rss_mb']:.0f} |")
    print(f"\nRatio to reading and encoding: {counted[2] / read[2]:.2f}.")
    print("\n| rows of CSV | Tunbridge, whole process | pyAgrum, reading and `learnParameters` | pgmpy, reading and `fit` | pgmpy, `fit` alone |\n|---|---|---|---|---|")
    graph_of = [(network.variable(a).name(), network.variable(b).name()) for a, b in network.arcs()]
    for n_rows in (100_000, 1_000_000):
        data = scratch / f"complete-{n_rows}.csv"
        write_csv(data, parts, drawn(parts, n_rows, 11))
        ours = best([learned(data, chosen.network) for _ in range(chosen.repeat)])[2]
        agrum, reading, fitting = [], [], []
        for _ in range(chosen.repeat):
            begun = time.perf_counter()
            learner = pyagrum.BNLearner(str(data), network)
            learner.useSmoothingPrior(1)
            learner.learnParameters(network.dag())
            agrum.append(time.perf_counter() - begun)
            begun = time.perf_counter()
            frame = pandas.read_csv(data, dtype=str)
            reading.append(time.perf_counter() - begun)
            graph = DiscreteBayesianNetwork(graph_of)
            graph.add_nodes_from([name for name, *_ in parts])
            begun = time.perf_counter()
            graph.fit(frame)
            fitting.append(time.perf_counter() - begun)
        peers = [min(agrum), min(reading) + min(fitting), min(fitting)]
        print(f"| {n_rows:,} | {ours:.3g} | " + " | ".join(f"{seconds:.3g} ({seconds / ours:.0f}×)" for seconds in peers) + " |")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("network")
    options.add_argument("--parts", nargs="+", choices=["em", "million", "complete"], default=["em", "million", "complete"])
    options.add_argument("--data", type=pathlib.Path)
    options.add_argument("--rows", type=int, default=10_000_000)
    options.add_argument("--repeat", type=int, default=3)
    chosen = options.parse_args()
    network, parts = families(chosen.network)
    with tempfile.TemporaryDirectory(dir=chosen.data) as scratch:
        for part in chosen.parts:
            globals()[part](chosen, network, parts, pathlib.Path(scratch))


if __name__ == "__main__":
    main()
