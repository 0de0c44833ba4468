#!/usr/bin/env python3
"""Measures Tunbridge and established tools side by side, and prints a Markdown table of figures and ratios.

    python3 bench/run.py --data DIR

Needs nothing but Python 3.9 and Linux to start: the peers get a virtual environment of their own, bench/.venv.
See README.md beside this file.
"""

import argparse
import datetime
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
PACKAGES = ["scikit-learn", "pandas", "pyarrow"]

# ---------------------------------------------------------------- what is run

# group: {case of peers.py: what it is}
PEERS = {
    "csv": {
        "csv-encoder": "pandas read_csv + OrdinalEncoder + CategoricalNB fit",
        "csv-codes": "pyarrow dictionary codes + CategoricalNB fit",
        "csv-read": "pyarrow merely reads the CSV (dictionary columns)",
        "csv-classify": "pyarrow codes + CategoricalNB fit, predict_proba, write CSV",
    },
    "parquet": {
        "parquet-encoder": "pandas read_parquet + OrdinalEncoder + CategoricalNB fit",
        "parquet-codes": "pyarrow dictionary codes + CategoricalNB fit",
        "parquet-read": "pyarrow merely reads the Parquet file",
    },
    "gaussian": {
        "gaussian-memory": "GaussianNB fit and predict, in memory",
        "gaussian-parquet": "pandas read_parquet + GaussianNB fit, predict_proba, write Parquet",
        "gaussian-read": "pyarrow merely decodes the Parquet file",
    },
    "scaling": {},
}

TITLES = {
    "csv": "Categorical, CSV: {categorical:,} rows, 20 columns of 2 to 40 states, 5 classes",
    "parquet": "Categorical, Parquet (dictionary, snappy): the same table",
    "gaussian": "Gaussian: {gaussian:,} rows, 100 columns of doubles, 10 classes",
    "scaling": "Scaling: the categorical CSV with {one:,}, {four:,} and {sixteen:,} rows",
}


def learn(table, model, evaluate="none"):
    return ["learn", table, "--target", "class", "--evaluate", evaluate, "--quiet", "-o", f"out/{model}", "--force"]


# Tunbridge's own cases: group, arguments, and the case whose model it needs.
OURS = {
    "csv learn": ("csv", learn("categorical.csv", "categorical.tb"), None),
    "csv learn, leave one out": ("csv", learn("categorical.csv", "categorical-loo.tb", "loo"), None),
    "csv classify": ("csv", ["classify", "out/categorical.tb", "categorical.csv", "-o", "out/categorical.csv"], "csv learn"),
    # The rows as they would go to another program: what it costs to keep them is the system's.
    "csv classify, not kept": ("csv", ["classify", "out/categorical.tb", "categorical.csv", "--format", "csv"], "csv learn"),
    "parquet learn": ("parquet", learn("categorical.parquet", "categorical-parquet.tb"), None),
    "parquet learn, leave one out": ("parquet", learn("categorical.parquet", "categorical-parquet-loo.tb", "loo"), None),
    "gaussian learn, Parquet": ("gaussian", learn("gaussian.parquet", "gaussian.tb"), None),
    "gaussian learn, Arrow": ("gaussian", learn("gaussian.arrow", "gaussian-arrow.tb"), None),
    "gaussian classify, Parquet": ("gaussian", ["classify", "out/gaussian.tb", "gaussian.parquet", "-o", "out/gaussian.parquet"], "gaussian learn, Parquet"),
    "gaussian classify, answers only": ("gaussian", ["classify", "out/gaussian.tb", "gaussian.parquet", "-o", "out/gaussian-answers.parquet", "--answers-only"], "gaussian learn, Parquet"),
    "gaussian classify, Arrow, answers only": ("gaussian", ["classify", "out/gaussian-arrow.tb", "gaussian.arrow", "-o", "out/gaussian-answers.arrow", "--answers-only"], "gaussian learn, Arrow"),
    "scaling 1x": ("scaling", learn("categorical-1x.csv", "categorical-1x.tb"), None),
    "scaling 4x": ("scaling", learn("categorical-4x.csv", "categorical-4x.tb"), None),
    "scaling 16x": ("scaling", learn("categorical-16x.csv", "categorical-16x.tb"), None),
}

# Which of our cases stands against which peer, and the phases of the peer that do the same work (None: all of them).
AGAINST = [
    ("csv learn", "csv-encoder", None),
    ("csv learn", "csv-codes", None),
    ("csv learn", "csv-read", None),
    ("csv learn, leave one out", "csv-encoder", None),
    ("csv learn, leave one out", "csv-codes", None),
    ("csv classify", "csv-classify", ["read", "encode", "predict", "write"]),
    ("parquet learn", "parquet-encoder", None),
    ("parquet learn", "parquet-codes", None),
    ("parquet learn", "parquet-read", None),
    ("parquet learn, leave one out", "parquet-encoder", None),
    ("parquet learn, leave one out", "parquet-codes", None),
    ("gaussian learn, Parquet", "gaussian-memory", ["fit"]),
    ("gaussian learn, Parquet", "gaussian-parquet", ["read", "fit"]),
    ("gaussian learn, Parquet", "gaussian-read", None),
    ("gaussian learn, Arrow", "gaussian-memory", ["fit"]),
    ("gaussian classify, Parquet", "gaussian-memory", ["predict"]),
    ("gaussian classify, answers only", "gaussian-memory", ["predict"]),
    ("gaussian classify, Arrow, answers only", "gaussian-memory", ["predict"]),
    ("gaussian classify, Parquet", "gaussian-parquet", ["read", "predict", "write"]),
]


# ---------------------------------------------------------------- one process


def busy_seconds():
    """Processor time the whole machine has spent so far, or None where that is not told."""
    try:
        ticks = [int(t) for t in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
    except OSError:
        return None
    return (sum(ticks) - ticks[3] - ticks[4]) / os.sysconf("SC_CLK_TCK")


def stop(pid, stopped):
    stopped.set()
    try:
        os.killpg(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def measure(command, folder, limit, report_last_line=False):
    """Runs one process; wall and cpu seconds, peak memory in MB, what it said, and why it failed if it did."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        others, start = busy_seconds(), time.perf_counter()
        try:
            child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, cwd=folder, start_new_session=True)
        except OSError as error:
            return {"failed": f"program not started ({error.strerror})"}
        stopped = threading.Event()
        late = threading.Timer(limit, stop, [child.pid, stopped])
        late.start()
        _, status, used = os.wait4(child.pid, 0)
        wall = time.perf_counter() - start
        late.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        cpu = used.ru_utime + used.ru_stime
        row = {"wall": wall, "cpu": cpu, "rss_mb": used.ru_maxrss / 1024}
        if others is not None:
            row["others"] = max(0.0, (busy_seconds() - others - cpu) / wall)
        out.seek(0)
        err.seek(0)
        said = out.read().decode("utf-8", "replace")
        lines = [line.strip() for line in err.read().decode("utf-8", "replace").splitlines() if line.strip()]
    if stopped.is_set():
        row["failed"] = f"not done after {limit:g} s"
    elif child.returncode:
        row["failed"] = lines[-1 if report_last_line else 0][:160] if lines else f"exit code {child.returncode}"
    row["stdout"] = said
    return row


def best_of(command, folder, settings, outputs=(), peer=False):
    """The quickest of several runs; the outputs are removed before each, so that every run writes new files."""
    runs = []
    for _ in range(settings.repeat):
        for name in outputs:
            (folder / name).unlink(missing_ok=True)
        runs.append(measure(command, folder, settings.limit, report_last_line=peer))
        missing = [] if peer else [name for name in outputs if not (folder / name).exists() or not (folder / name).stat().st_size]
        if missing and "failed" not in runs[-1]:
            runs[-1]["failed"] = f"ended well, but wrote no {', '.join(missing)}"
        if "failed" in runs[-1]:
            break
    worked = [run for run in runs if "failed" not in run]
    if len(worked) < len(runs):
        return {"failed": runs[-1]["failed"]}
    best = min(worked, key=lambda run: run["wall"])
    row = {key: best[key] for key in ("wall", "cpu", "rss_mb", "others") if key in best}
    row["runs"] = [{key: run[key] for key in ("wall", "cpu", "rss_mb", "others") if key in run} for run in runs]
    if peer:
        told = [json.loads(run["stdout"].splitlines()[-1]) for run in runs]
        row["version"] = told[0]["version"]
        row["phases"] = {name: min((t["phases"][name] for t in told), key=lambda step: step["wall"]) for name in told[0]["phases"]}
    return row


# ---------------------------------------------------------------- the run


def environment(settings):
    """The Python that has the peers; made on first use."""
    if settings.python:
        return settings.python
    python = HERE / ".venv" / "bin" / "python"
    if not python.exists():
        print("making bench/.venv", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", HERE / ".venv"], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    return str(python)


def prepare(settings, folder):
    made = folder / "made.json"
    if not made.exists():
        print("making the data", file=sys.stderr)
        subprocess.run([environment(settings), HERE / "prepare.py", folder, str(settings.share)], check=True)
    share = json.loads(made.read_text())["share"]
    if share != settings.share:
        sys.exit(f"the data folder holds data of share {share:g}: pass --share {share:g}, or another --data")
    (folder / "out").mkdir(exist_ok=True)


def wanted(name, settings):
    return not settings.cases or any(text in name for text in settings.cases)


def run_peers(settings, folder, cache):
    python = environment(settings)
    rows = {}
    for group in PEERS.values():
        for case in group:
            if wanted(case, settings):
                rows[case] = best_of([python, str(HERE / "peers.py"), case], folder, settings, ["out/peer.csv", "out/peer.parquet"], peer=True)
                rows[case] |= {"date": now(), "machine": machine()}
                progress(case, rows[case])
    kept = json.loads(cache.read_text()) if cache.exists() else {}
    cache.write_text(json.dumps(kept | rows, indent=1) + "\n")
    return rows


def run_ours(settings, folder):
    program = str(Path(settings.tunbridge).resolve())
    rows = {}
    for case, (_, arguments, needs) in OURS.items():
        if not wanted(case, settings):
            continue
        if needs and needs not in rows:
            measure([program, *OURS[needs][1]], folder, settings.limit)
        outputs = [arguments[arguments.index("-o") + 1]] if "-o" in arguments else []
        to_nowhere = [] if outputs else ["sh", "-c", 'exec "$0" "$@" > /dev/null']
        rows[case] = best_of([*to_nowhere, program, *arguments], folder, settings, outputs)
        progress(case, rows[case])
    told = measure([program, "--version"], folder, settings.limit)
    version = told["stdout"].strip() if "failed" not in told else ""
    return rows, version or "Tunbridge (version not told)"


def progress(case, row):
    print(f"{case}: failed: {row['failed']}" if "failed" in row else f"{case}: {row['wall']:.2f} s", file=sys.stderr, flush=True)


def now():
    return datetime.datetime.now().strftime("%Y-%m-%d %H:%M")


def machine():
    """Processor, cores, memory, system; as the system tells them."""
    name = platform.processor() or platform.machine()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                name = line.partition(":")[2].strip()
                break
    except OSError:
        pass
    return f"{name}, {os.cpu_count()} cores, {memory:.0f} GB, {platform.system()}"


# ---------------------------------------------------------------- the report


def figure(value):
    """Three digits that count, never a power of ten."""
    if value is None:
        return "–"
    digits = 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3
    return f"{value:.{digits}f}"


def line(cells):
    return "| " + " | ".join(cells) + " |"


def figures_row(name, row):
    if "failed" in row:
        return line([name, "failed: " + row["failed"].replace("|", "\\|"), "", "", "", ""])
    phases = ", ".join(f"{key} {figure(value['wall'])}" for key, value in row.get("phases", {}).items())
    return line([name, figure(row["wall"]), figure(row["cpu"]), figure(row["rss_mb"]), phases, figure(row.get("others"))])


def ratio_rows(ours, peers):
    lines = []
    for case, peer, phases in AGAINST:
        if case not in ours or peer not in peers or "failed" in ours[case] or "failed" in peers[peer]:
            continue
        one, two = ours[case], peers[peer]
        used = phases or list(two["phases"])
        wall = sum(two["phases"][p]["wall"] for p in used)
        cpu = sum(two["phases"][p]["cpu"] for p in used)
        name = next(group[peer] for group in PEERS.values() if peer in group)
        cells = [case, name, " + ".join(used), figure(wall / one["wall"]), figure(cpu / one["cpu"])]
        cells.append(figure(two["wall"] / one["wall"]) if phases is None else "–")
        cells.append(figure(two["rss_mb"] / one["rss_mb"]))
        lines.append(line(cells))
    return lines


def report(settings, ours, ours_version, peers, floor):
    size = {key: round(rows * settings.share) for key, rows in {"categorical": 5e6, "gaussian": 1e6, "one": 5e5, "four": 2e6, "sixteen": 8e6}.items()}
    versions = sorted({part for row in peers.values() if "version" in row for part in row["version"].split(", ")})
    text = [f"# Tunbridge beside its peers, {now()}", ""]
    text += [f"- Machine: {machine()}."]
    if ours_version:
        text += [f"- Program: {ours_version}."]
    if versions:
        text += [f"- Peers: {', '.join(versions)}."]
    text += [f"- Each case is a process of its own; the quickest of {settings.repeat} run(s). Wall and cpu in seconds, peak memory in MB, for the"]
    text += ["  whole process, start-up included; 'work' is the quickest time of each step of a peer by its own clock, imports left out."]
    text += ["- 'others' is how many cores the rest of the machine used meanwhile: a row with more than 0.3 is not to be trusted."]
    text += [f"- A process that does nothing counts {floor:.0f} MB here; nothing smaller can be seen."]
    if settings.reuse_peers:
        earlier = sorted({f"{row['date'].split()[0]}, best of {len(row.get('runs', []))}, {row['machine']}" for row in peers.values()})
        text += [f"- **The peers' figures are from an earlier run** ({'; '.join(earlier)}), not from this one."]
    if settings.share != 1:
        text += [f"- **A trial on {settings.share:g} of the data**, not a benchmark."]
    for group, title in TITLES.items():
        rows = [figures_row(f"tunbridge {case}", ours[case]) for case in OURS if OURS[case][0] == group and case in ours]
        rows += [figures_row(name, peers[case]) for case, name in PEERS[group].items() if case in peers]
        if rows:
            text += ["", f"## {title.format(**size)}", ""]
            text += [line(["case", "wall", "cpu", "memory", "work", "others"]), "| --- | ---: | ---: | ---: | --- | ---: |", *rows]
    ratios = ratio_rows(ours, peers)
    if ratios:
        text += ["", "## Ratios", "", "The peer's figure divided by Tunbridge's: over 1, Tunbridge needs less. Tunbridge always counts as a whole process,"]
        text += ["reading and writing its files included; the peer counts by the steps named, and in 'whole wall' as a whole process too."]
        text += ["Memory is that of the peer's whole process.", ""]
        text += [line(["Tunbridge", "against", "its steps", "wall", "cpu", "whole wall", "memory"]), "| --- | --- | --- | ---: | ---: | ---: | ---: |", *ratios]
    grown = [ours.get(f"scaling {n}x", {}) for n in (1, 4, 16)]
    if all("wall" in row for row in grown):
        text += ["", "Scaling, as multiples of the 1x file: "]
        text[-1] += ", ".join(f"{n}x rows: {figure(row['wall'] / grown[0]['wall'])} times the wall time, {figure(row['rss_mb'] / grown[0]['rss_mb'])} times the memory" for n, row in zip((4, 16), grown[1:])) + "."
    return "\n".join(text) + "\n"


def main():
    options = argparse.ArgumentParser(description="Measures Tunbridge and its peers side by side.")
    options.add_argument("--data", default=HERE / "data", help="folder for the data, some 5 GB (default: bench/data)")
    options.add_argument("--tunbridge", default=HERE.parent / "target" / "release" / "tunbridge", help="the program (default: target/release/tunbridge)")
    options.add_argument("--python", help="a Python that already has the peers, instead of bench/.venv")
    options.add_argument("--repeat", type=int, default=3, help="runs of each case, of which the quickest counts (default: 3)")
    options.add_argument("--limit", type=float, default=600, help="seconds after which a process is ended (default: 600)")
    options.add_argument("--only", choices=["peers", "tunbridge"], help="run one side alone")
    options.add_argument("--reuse-peers", action="store_true", help="take the peers' figures of the last run with this data folder")
    options.add_argument("--cases", nargs="*", metavar="TEXT", help="only cases whose name holds one of these texts")
    options.add_argument("--share", type=float, default=1, help="share of the full data size, for a quick trial (default: 1)")
    options.add_argument("--no-save", action="store_true", help="print only; write nothing to bench/runs")
    settings = options.parse_args()

    folder = Path(settings.data).resolve()
    prepare(settings, folder)
    cache = folder / "peers.json"
    peers, ours, ours_version = {}, {}, ""
    if settings.reuse_peers:
        if not cache.exists():
            sys.exit("no figures of the peers in the data folder: run with --only peers first")
        peers = {case: row for case, row in json.loads(cache.read_text()).items() if wanted(case, settings)}
    elif settings.only != "tunbridge":
        peers = run_peers(settings, folder, cache)
    if settings.only != "peers":
        ours, ours_version = run_ours(settings, folder)
    floor = measure(["true"], folder, settings.limit)["rss_mb"]
    text = report(settings, ours, ours_version, peers, floor)
    print(text)
    if not settings.no_save:
        stamp = datetime.datetime.now()
        saved = HERE / "runs" / stamp.strftime("%Y-%m-%d") / stamp.strftime("figures-%H%M.md")
        saved.parent.mkdir(parents=True, exist_ok=True)
        saved.write_text(text)
        print(f"saved to bench/{saved.relative_to(HERE)}", file=sys.stderr)


if __name__ == "__main__":
    main()
