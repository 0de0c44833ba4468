"""All marginals of a network under five random findings, in process on both sides: Tunbridge against pyAgrum.

    pip install pyagrum numpy
    cargo build --release -p tunbridge-net --example time_marginals
    python bench/networks.py FOLDER_OF_BIF_FILES [NETWORK ...] [--sets 20] [--engines LazyPropagation,ShaferShenoy] [--seconds 120]

Every set of findings is five variables and their states in one forward sample (seeded), so that the evidence is possible. Both sides load the
network five times, of which the median counts, and compile it once; then the clock runs from the findings to the marginals of all variables. Both go through all sets three times, one
set after another; the figure is the median over the sets of the best of three. A peer that has not answered two sets in --seconds is stopped and counts with the time it had. Answers of the last set are compared.
"""

import argparse, gzip, json, math, os, pathlib, resource, statistics, subprocess, sys, tempfile, time

# How often both go through all sets.
ROUNDS = 3

ROOT = pathlib.Path(__file__).resolve().parent.parent
NAMES = "asia cancer earthquake survey sachs child alarm insurance hailfinder win95pts pathfinder andes pigs mildew diabetes barley munin munin2 munin3 munin4 munin1 link".split()


def plain(folder, name, scratch):
    """The network as a plain file."""
    found = next(path for path in (folder / f"{name}.bif", folder / f"{name}.bif.gz") if path.exists())
    text = gzip.open(found).read() if found.suffix == ".gz" else found.read_bytes()
    target = scratch / f"{name}.bif"
    target.write_bytes(text)
    return target


def evidence_sets(bif, n_sets, n_findings=5):
    import numpy, pyagrum

    network = pyagrum.loadBN(str(bif))
    draws = numpy.random.default_rng(2026)
    order, sets = network.topologicalOrder(), []
    for _ in range(n_sets):
        world = {}
        for node in order:
            table = network.cpt(node)
            variable, parents = network.variable(node), network.cpt(node).names[1:]
            row = table[{name: world[name] for name in parents}] if parents else table[:]
            row = numpy.asarray(row, dtype=float).clip(0)
            world[variable.name()] = int(draws.choice(len(row), p=row / row.sum()))
        picked = draws.choice(sorted(world), min(n_findings, len(world) // 2), replace=False)
        sets.append({name: network.variable(name).label(world[name]) for name in sorted(picked)})
    return sets


def peer(bif, engine, sets, seconds):
    """Times pyAgrum; runs in a process of its own (see __main__)."""
    import pyagrum

    loads = []
    for _ in range(5):
        begun = time.perf_counter()
        network = pyagrum.loadBN(str(bif))
        loads.append(time.perf_counter() - begun)
    load = statistics.median(loads)
    begun = time.perf_counter()
    ask = getattr(pyagrum, engine)(network)
    ask.makeInference()
    compile = time.perf_counter() - begun
    times, last = {}, None
    started = time.perf_counter()
    for place, findings in list(enumerate(sets)) * ROUNDS:
        begun = time.perf_counter()
        ask.setEvidence(findings)
        ask.makeInference()
        answers = {network.variable(node).name(): ask.posterior(node).tolist() for node in network.nodes()}
        times[place] = min(times.get(place, math.inf), time.perf_counter() - begun)
        last = answers if findings is sets[-1] else last
        print(json.dumps({"load": load, "compile": compile, "seconds": list(times.values()), "marginals": last}), flush=True)
        if time.perf_counter() - started > seconds:
            break


def run_peer(bif, engine, sets, seconds, gigabytes):
    limit = lambda: resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30,) * 2)
    command = [sys.executable, __file__, "--peer", str(bif), engine, json.dumps(sets), str(seconds)]
    begun = time.perf_counter()
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=seconds * 2, preexec_fn=limit)
        lines = done.stdout.strip().splitlines()
    except subprocess.TimeoutExpired as late:
        lines = (late.stdout or b"").decode().strip().splitlines()
    if not lines:
        return None, time.perf_counter() - begun
    return json.loads(lines[-1]), None


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("networks", nargs="*", default=NAMES)
    options.add_argument("--sets", type=int, default=20)
    options.add_argument("--engines", default="LazyPropagation,ShaferShenoy")
    options.add_argument("--seconds", type=float, default=120)
    options.add_argument("--gigabytes", type=int, default=14)
    chosen = options.parse_args()
    program = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/time_marginals"
    print("| network | clique entries | stored | MB | compile s | Tunbridge ms | pyAgrum ms (engine) | ratio | load ratio | largest difference |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    ratios = []
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        for name in chosen.networks:
            bif = plain(chosen.folder, name, scratch)
            try:
                sets = evidence_sets(bif, chosen.sets)
            except Exception as refused:
                print(f"| {name} | pyAgrum does not read it: {str(refused).strip().splitlines()[0][-60:]} |", flush=True)
                continue
            lines = scratch / "evidence.jsonl"
            lines.write_text("".join(json.dumps(findings) + "\n" for findings in sets))
            ours = json.loads(subprocess.run([program, bif, lines, str(ROUNDS)], capture_output=True, text=True, check=True).stdout)
            own = statistics.median(ours["seconds"])
            best, failures = None, []
            for engine in chosen.engines.split(","):
                theirs, stopped = run_peer(bif, engine, sets, chosen.seconds, chosen.gigabytes)
                if theirs is None:
                    failures.append(f"{engine} stopped after {stopped:.0f} s or {chosen.gigabytes} GB")
                elif best is None or statistics.median(theirs["seconds"]) < statistics.median(best[1]["seconds"]):
                    best = (engine, theirs)
            head = f"| {name} | {ours['entries']:,} | {ours['stored']:,} | {ours['bytes'] / 1e6:.1f} | {ours['compile']:.3f} | {own * 1e3:.3f} |"
            if best is None:
                print(head + f" {'; '.join(failures)} | | | |", flush=True)
                continue
            peer_seconds = statistics.median(best[1]["seconds"])
            ratios.append(peer_seconds / own)
            worst = math.nan
            if best[1]["marginals"]:
                pairs = ((a, b) for v, p in ours["marginals"].items() for a, b in zip(p, best[1]["marginals"][v]))
                worst = max(abs(a - b) for a, b in pairs)
            print(head + f" {peer_seconds * 1e3:.2f} ({best[0]}) | {peer_seconds / own:.0f} | {best[1]['load'] / ours['load']:.0f} | {worst:.0e} |", flush=True)
    if ratios:
        print(f"\nMedian ratio {statistics.median(ratios):.0f}, smallest {min(ratios):.1f}.")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peer"]:
        peer(sys.argv[2], sys.argv[3], json.loads(sys.argv[4]), float(sys.argv[5]))
    else:
        main()
