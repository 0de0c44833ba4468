"""One posterior for each of many rows of evidence: Tunbridge's `ask --rows` against loops of pyAgrum and pgmpy.

    pip install pyagrum pgmpy numpy
    cargo build --release
    cargo build --release -p tunbridge-net --example time_rows
    python bench/network_rows.py ALARM.bif [--rows 10000] [--ask LVFAILURE] [--repeat 3]

Rows are forward samples with half of the variables seen in each (seeded); the one that is asked for never is. The peers' time is that of their loop alone, the
network loaded, the rows read and the engine made; pgmpy answers the first 200 rows and is scaled. Tunbridge's is told twice: of the same loop, in one thread (the
example `time_rows`, what it makes ready for these rows included), and of a whole process, from starting the program to the last row of the CSV it writes. Answers are compared.
"""

import argparse, csv, json, os, pathlib, subprocess, sys, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("network")
    options.add_argument("--rows", type=int, default=10_000)
    options.add_argument("--ask", default="LVFAILURE")
    options.add_argument("--repeat", type=int, default=3)
    chosen = options.parse_args()
    import numpy, pyagrum

    network = pyagrum.loadBN(chosen.network)
    draws = numpy.random.default_rng(2026)
    names = [network.variable(node).name() for node in network.topologicalOrder()]
    tables = {name: (network.cpt(name), network.cpt(name).names[1:]) for name in names}
    rows = []
    for _ in range(chosen.rows):
        world = {}
        for name in names:
            table, parents = tables[name]
            row = numpy.asarray(table[{parent: world[parent] for parent in parents}] if parents else table[:], dtype=float).clip(0)
            world[name] = int(draws.choice(len(row), p=row / row.sum()))
        seen = set(draws.choice([name for name in names if name != chosen.ask], len(names) // 2, replace=False))
        rows.append({name: network.variable(name).label(world[name]) for name in names if name in seen})

    with tempfile.TemporaryDirectory() as scratch:
        table, answers = pathlib.Path(scratch) / "rows.csv", pathlib.Path(scratch) / "answers.csv"
        with table.open("w", newline="") as file:
            writer = csv.DictWriter(file, names)
            writer.writeheader()
            writer.writerows(rows)
        built = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release"
        program, own, loops = built / "tunbridge", [], []
        for _ in range(chosen.repeat):
            begun = time.perf_counter()
            with answers.open("w") as file:
                subprocess.run([program, "ask", chosen.network, "--rows", table, f"P({chosen.ask})", "--format", "csv"], stdout=file, stderr=subprocess.DEVNULL, check=True)
            own.append(time.perf_counter() - begun)
            loop = json.loads(subprocess.run([built / "examples/time_rows", chosen.network, table, chosen.ask], capture_output=True, check=True).stdout)
            loops.append(loop["prepare"] + loop["alone"])
        states = network.variable(chosen.ask).labels()
        with answers.open() as file:
            told = [[float(row[f"p({state})"]) for state in states] for row in csv.DictReader(file)]

    ask = pyagrum.LazyPropagation(network)
    ask.setTargets({chosen.ask})
    begun, worst = time.perf_counter(), 0.0
    for row, mine in zip(rows, told):
        ask.setEvidence(row)
        ask.makeInference()
        worst = max(worst, max(abs(a - b) for a, b in zip(ask.posterior(chosen.ask).tolist(), mine)))
    agrum = time.perf_counter() - begun

    import logging

    logging.disable(logging.CRITICAL)
    from pgmpy.inference import VariableElimination
    from pgmpy.readwrite import BIFReader

    engine = VariableElimination(BIFReader(chosen.network).get_model())
    begun = time.perf_counter()
    for row in rows[:200]:
        engine.query([chosen.ask], evidence=row, show_progress=False)
    pgmpy = (time.perf_counter() - begun) * chosen.rows / 200

    print("| | seconds | times Tunbridge's loop | times its whole process |\n|---|---|---|---|")
    print(f"| Tunbridge, loop in one thread, best of {chosen.repeat} | {min(loops):.4f} | 1 | |")
    print(f"| Tunbridge, whole process, best of {chosen.repeat} | {min(own):.4f} | | 1 |")
    print(f"| pyAgrum LazyPropagation, one target, loop | {agrum:.2f} | {agrum / min(loops):.0f} | {agrum / min(own):.0f} |")
    print(f"| pgmpy VariableElimination, 200 rows scaled, loop | {pgmpy:.1f} | {pgmpy / min(loops):.0f} | {pgmpy / min(own):.0f} |")
    print(f"\n{chosen.rows:,} rows of {pathlib.Path(chosen.network).stem}; answers differ from pyAgrum's by {worst:.0e} at most.")


if __name__ == "__main__":
    main()
