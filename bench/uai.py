"""The instances of the UAI 2014 inference competition with published answers: PR and MAR, by the junction tree; MAP, by the program's `mpe`.

    cargo build --release -p tunbridge-net --example uai_answers
    python3 bench/uai.py FOLDER [INSTANCE ...]
    cargo build --release
    python3 bench/uai.py --map FOLDER [INSTANCE ...]

FOLDER holds X.uai, X.uai.evid, X.uai.PR and X.uai.MAR. An answer is right when it agrees with every published digit: PR to half a unit of its
last printed digit, marginals to half a unit of theirs (they are printed with six significant digits), one unit allowed for how they were rounded.
Of states that are most probable together there may be several: what the two have is compared, by multiplying the model's tables here.
"""

import json, math, os, pathlib, subprocess, sys, time

ROOT = pathlib.Path(__file__).resolve().parent.parent


def unit(text):
    """One unit of the last digit that is printed."""
    mantissa, _, exponent = text.lower().partition("e")
    return 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))


def log10_of(model, states):
    """What the tables of a model are for these states, multiplied."""
    words = iter(model.read_text().split())
    next(words)
    cards = [int(next(words)) for _ in range(int(next(words)))]
    scopes = [[int(next(words)) for _ in range(int(next(words)))] for _ in range(int(next(words)))]
    total = 0.0
    for scope in scopes:
        table = [float(next(words)) for _ in range(int(next(words)))]
        place = 0
        for variable in scope:
            place = place * cards[variable] + states[variable]
        if table[place] == 0.0:
            return -math.inf
        total += math.log10(table[place])
    return total


def most_probable(arguments):
    folder, names = pathlib.Path(arguments[0]), arguments[1:]
    program = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/tunbridge"
    names = names or sorted(path.name[:-8] for path in folder.glob("*.uai.MAP"))
    n_right = 0
    print("| instance | seconds | log10 of ours | of the published | states that differ | as good |")
    print("|---|---|---|---|---|---|", flush=True)
    for name in names:
        model = folder / f"{name}.uai"
        begun = time.perf_counter()
        command = [program, "ask", model, "--evidence", folder / f"{name}.uai.evid", "mpe", "--format", "json", "--memory", "8GB", "--quiet"]
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            print(f"| {name} | not answered in 600 s |", flush=True)
            continue
        seconds = time.perf_counter() - begun
        if done.returncode:
            print(f"| {name} | {done.stderr.strip().splitlines()[-1][:150]} |", flush=True)
            continue
        told = json.loads(done.stdout)["assignment"]
        words = [int(word) for word in (folder / f"{name}.uai.MAP").read_text().split() if word != "MAP"]
        published = words[-words[0]:] if len(words) == words[0] + 1 else words[2:]
        evidence = [int(word) for word in (folder / f"{name}.uai.evid").read_text().split()]
        own = {int(variable[1:]): int(state) for variable, state in told.items()}
        own.update(zip(evidence[1::2], evidence[2::2]))
        own = [own[place] for place in range(len(published))]
        ours, theirs = log10_of(model, own), log10_of(model, published)
        right = ours >= theirs - 1e-9
        n_right += right
        print(f"| {name} | {seconds:.2f} | {ours:.6f} | {theirs:.6f} | {sum(a != b for a, b in zip(own, published))} of {len(own)} | {'yes' if right else 'NO'} |", flush=True)
    print(f"\nOf {len(names)}: as good {n_right}.")


def main():
    if sys.argv[1] == "--map":
        return most_probable(sys.argv[2:])
    folder = pathlib.Path(sys.argv[1])
    program = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples/uai_answers"
    names = sys.argv[2:] or sorted(path.name[:-4] for path in folder.glob("*.uai"))
    right = {"PR": 0, "MAR": 0}
    print("| instance | clique entries | stored | GB | compile s | infer s | PR | published | PR right | MAR: largest difference | MAR right |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for name in names:
        model = folder / f"{name}.uai"
        try:
            done = subprocess.run([program, model, folder / f"{name}.uai.evid"], capture_output=True, text=True, timeout=600)
        except subprocess.TimeoutExpired:
            print(f"| {name} | not answered in 600 s |", flush=True)
            continue
        if done.returncode:
            print(f"| {name} | {done.stderr.strip().splitlines()[-1][:150]} |", flush=True)
            continue
        answer = json.loads(done.stdout)
        published = (folder / f"{name}.uai.PR").read_text().split()[-1]
        pr_right = abs(answer["pr"] - float(published)) <= unit(published)
        words = (folder / f"{name}.uai.MAR").read_text().split()
        words = words[words.index("MAR") + 1:]
        place, worst, mar_right = 1, 0.0, True
        for own in answer["mar"]:
            n_states = int(words[place])
            for p, text in zip(own, words[place + 1:place + 1 + n_states]):
                difference = abs(p - float(text))
                worst = max(worst, difference)
                mar_right &= difference <= max(unit(text), 1e-6)
            place += 1 + n_states
        right["PR"] += pr_right
        right["MAR"] += mar_right
        print(f"| {name} | {answer['entries']:,} | {answer['stored']:,} | {answer['bytes'] / 1e9:.2f} | {answer['compile']:.2f} | {answer['infer']:.3f} "
              f"| {answer['pr']:.6g} | {published} | {'yes' if pr_right else 'NO'} | {worst:.1e} | {'yes' if mar_right else 'NO'} |", flush=True)
    print(f"\nOf {len(names)}: PR right {right['PR']}, MAR right {right['MAR']}.")


if __name__ == "__main__":
    main()
