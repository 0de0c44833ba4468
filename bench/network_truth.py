"""Marginals and probabilities of evidence of whole networks, held against recorded answers of pyAgrum.

    cargo build --release -p tunbridge-net --example time_marginals
    python3 bench/network_truth.py FOLDER_OF_BIF_FILES FOLDER_OF_ANSWERS

An answer file NETWORK.json.gz holds `queries`, each with `evidence`, `probability_of_evidence` and `marginals` of all variables. Differences of marginals are
absolute, those of the probability of the evidence relative.
"""

import gzip, json, math, os, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent


def main():
    networks, answers = map(pathlib.Path, sys.argv[1:3])
    program = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/time_marginals"
    print("| network | variables | queries | largest difference of a marginal | of P(evidence) |")
    print("|---|---|---|---|---|", flush=True)
    worst_of_all = 0.0
    with tempfile.TemporaryDirectory() as scratch:
        bif, lines = pathlib.Path(scratch) / "network.bif", pathlib.Path(scratch) / "evidence.jsonl"
        for path in sorted(answers.glob("*.json.gz")):
            name = path.name.removesuffix(".json.gz")
            recorded = json.load(gzip.open(path))
            bif.write_bytes(gzip.open(networks / f"{name}.bif.gz").read())
            worst, worst_p = 0.0, 0.0
            for query in recorded["queries"]:
                states = recorded["states"]
                seen = {v: s if isinstance(s, str) else states[v][s] for v, s in query["evidence"].items()}
                lines.write_text(json.dumps(seen) + "\n")
                own = json.loads(subprocess.run([program, bif, lines], capture_output=True, text=True, check=True).stdout)
                for variable, expected in query["marginals"].items():
                    worst = max(worst, max(abs(a - b) for a, b in zip(own["marginals"][variable], expected)))
                worst_p = max(worst_p, abs(math.exp(own["ln_p_evidence"][0]) / query["probability_of_evidence"] - 1))
            worst_of_all = max(worst_of_all, worst)
            print(f"| {name} | {len(states)} | {len(recorded['queries'])} | {worst:.1e} | {worst_p:.1e} |", flush=True)
    print(f"\nLargest difference of any marginal: {worst_of_all:.1e}.")


if __name__ == "__main__":
    main()
