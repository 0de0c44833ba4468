"""All marginals under random findings, by two engines: the junction tree, and elimination there and back (`ask --check`).

    cargo build --release
    python3 bench/network_checks.py FOLDER_OF_BIF_FILES [--sets 3] [NETWORK ...]

Five findings a set, seeded: variables are picked at random and each state is drawn from what the program says of it given those before, so that the findings
are possible. Impossible ones would be told by both engines alike.
"""

import argparse, gzip, json, os, pathlib, random, subprocess, tempfile, time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/tunbridge"


def ask(network, question, *flags):
    command = [PROGRAM, "ask", network, question, "--format", "json", "--quiet", "--memory", "8GB", *flags]
    done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        raise RuntimeError(done.stderr.strip().splitlines()[-1][:150])
    return json.loads(done.stdout)


def given(findings):
    return " | " + ", ".join(f'"{variable}"="{state}"' for variable, state in findings.items()) if findings else ""


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("networks", nargs="*")
    options.add_argument("--sets", type=int, default=3)
    chosen = options.parse_args()
    names = chosen.networks or sorted(path.name.removesuffix(".bif.gz") for path in chosen.folder.glob("*.bif.gz"))
    print("| network | variables | sets | largest difference | seconds, median |")
    print("|---|---|---|---|---|", flush=True)
    n_agree, n_all = 0, 0
    with tempfile.TemporaryDirectory() as scratch:
        network = pathlib.Path(scratch) / "network.bif"
        for name in names:
            network.write_bytes(gzip.open(chosen.folder / f"{name}.bif.gz").read())
            draws, worst, seconds, variables, fault = random.Random(name), 0.0, [], None, None
            try:
                variables = sorted(ask(network, "P(*)")["marginals"])
                for _ in range(chosen.sets):
                    findings = {}
                    for variable in draws.sample(variables, min(5, len(variables) // 2)):
                        told = ask(network, f'P("{variable}"{given(findings)})')["table"]
                        findings[variable] = draws.choices([row[variable] for row in told], [row["p"] for row in told])[0]
                    begun = time.perf_counter()
                    check = ask(network, f"P(*{given(findings)})", "--check")["check"]
                    seconds.append(time.perf_counter() - begun)
                    worst, n_all, n_agree = max(worst, check["largest_difference"]), n_all + 1, n_agree + check["agrees"]
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                fault = str(error)[:200]
            told = f"{worst:.1e} | {sorted(seconds)[len(seconds) // 2]:.2f}" if seconds else "| "
            print(f"| {name} | {len(variables or [])} | {len(seconds)} | {told} |" + (f" {fault} |" if fault else ""), flush=True)
    print(f"\nOf {n_all} sets the engines agree on {n_agree}.")


if __name__ == "__main__":
    main()
