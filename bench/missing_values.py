"""What gaps cost: EM against leaving out rows with gaps and against filling gaps with each column's commonest value.

    pip install pyagrum numpy
    cargo build --release
    python bench/missing_values.py ALARM.bif INSURANCE.bif [--rows 2000] [--test 10000] [--plot FILE.svg]

Rows are drawn from each network, seeded; values go missing at random with the same chance everywhere; tables are learned with a BDeu prior worth one row. What counts
is the mean log likelihood of rows that nobody learned from, all of whose values are there. With --truth the distance of EM's tables from the true ones is
printed as rows grow.
"""

import argparse, collections, csv, math, pathlib, subprocess, tempfile

import numpy

from network_parameters import PROGRAM, drawn, families, log_likelihood, write_csv

SHARES = [0.1, 0.2, 0.3, 0.4, 0.5]
WAYS = ["EM", "whole rows only", "commonest value"]


def model(data, graph, path):
    done = subprocess.run([PROGRAM, "learn", data, "--structure", graph, "--output", path], capture_output=True, text=True)
    return path if done.returncode == 0 else None


def without_gaps(data, target):
    rows = list(csv.reader(open(data)))
    kept = [row for row in rows[1:] if "?" not in row]
    csv.writer(open(target, "w", newline="")).writerows([rows[0], *kept])
    return len(kept)


def filled(data, target):
    rows = list(csv.reader(open(data)))
    common = [collections.Counter(cell for cell in column if cell != "?").most_common(1)[0][0] for column in zip(*rows[1:])]
    csv.writer(open(target, "w", newline="")).writerows([rows[0], *([mode if cell == "?" else cell for cell, mode in zip(row, common)] for row in rows[1:])])


def compared(network, chosen, scratch):
    _, parts = families(network)
    test = scratch / "test.csv"
    write_csv(test, parts, drawn(parts, chosen.test, 101))
    columns = drawn(parts, chosen.rows, 100)
    whole = scratch / "whole.csv"
    write_csv(whole, parts, columns)
    complete = log_likelihood(model(whole, network, scratch / "whole.tb"), test)
    found = {}
    for share in SHARES:
        data = scratch / "gappy.csv"
        write_csv(data, parts, columns, missing=share, seed=int(share * 100))
        n_whole = without_gaps(data, scratch / "kept.csv")
        filled(data, scratch / "filled.csv")
        scores = [log_likelihood(model(data, network, scratch / "em.tb"), test)]
        scores.append(log_likelihood(model(scratch / "kept.csv", network, scratch / "kept.tb"), test) if n_whole else None)
        scores.append(log_likelihood(model(scratch / "filled.csv", network, scratch / "filled.tb"), test))
        found[share] = (n_whole, scores)
    return complete, log_likelihood(network, test), found


def svg(name, complete, found):
    """One panel: held-out log likelihood against the share that is missing."""
    wide, high, left, bottom = 420, 300, 64, 40
    shown = [score for _, scores in found.values() for score in scores if score is not None] + [complete]
    low, top = math.floor(min(shown) - 0.5), math.ceil(max(shown))
    x = lambda share: left + (wide - left - 20) * share / 0.5
    y = lambda score: 30 + (high - 30 - bottom) * (top - score) / (top - low)
    lines = [f'<text x="{wide / 2}" y="18" text-anchor="middle" font-weight="bold">{name}</text>']
    step = max(1, (top - low) // 6)
    for tick in range(low, top + 1, step):
        lines.append(f'<line x1="{left}" x2="{wide - 20}" y1="{y(tick):.1f}" y2="{y(tick):.1f}" stroke="#ddd"/><text x="{left - 8}" y="{y(tick) + 4:.1f}" text-anchor="end">{tick}</text>')
    for share in [0, *SHARES]:
        lines.append(f'<text x="{x(share):.1f}" y="{high - bottom + 18}" text-anchor="middle">{share:.0%}</text>')
    for place, (way, colour) in enumerate(zip(WAYS, ["#1f6f8b", "#c0562b", "#7a7a7a"])):
        points = [(0, complete)] + [(share, scores[place]) for share, (_, scores) in found.items() if scores[place] is not None]
        path = " ".join(f"{x(share):.1f},{y(score):.1f}" for share, score in points)
        lines.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        lines += [f'<circle cx="{x(share):.1f}" cy="{y(score):.1f}" r="3" fill="{colour}"/>' for share, score in points]
        lines.append(f'<text x="{left + 12}" y="{high - bottom - 14 - 16 * (2 - place)}" fill="{colour}">{way}</text>')
    lines.append(f'<text x="{wide / 2}" y="{high - 6}" text-anchor="middle">values missing</text>')
    return wide, high, "\n".join(lines)


def truth(network, chosen, scratch):
    import pyagrum

    true, parts = families(network)
    print(f"\n{pathlib.Path(network).stem}: mean of |learned − true| over all table entries, each row weighing as probable as it is, 20 % missing\n")
    print("| rows | EM | no gaps |\n|---|---|---|")
    sample = drawn(parts, 1_000_000, 55)
    for n_rows in (500, 2_000, 8_000, 32_000, 128_000):
        columns, far = {name: codes[:n_rows] for name, codes in sample.items()}, []
        for missing in (0.2, 0.0):
            data, bif = scratch / "rows.csv", scratch / "learned.bif"
            write_csv(data, parts, columns, missing=missing, seed=3)
            model(data, network, scratch / "learned.tb")
            subprocess.run([PROGRAM, "convert", scratch / "learned.tb", bif, "--force"], check=True, capture_output=True)
            learned, total = pyagrum.loadBN(str(bif)), 0.0
            for name, states, parents, cpt in parts:
                # How probable each configuration of the parents is, by the million rows.
                place, sizes = 0, 1
                for parent in reversed(parents):
                    size = len(next(s for other, s, *_ in parts if other == parent))
                    place, sizes = place * size + sample[parent].astype(int), sizes * size
                weight = numpy.bincount(place, minlength=sizes) / len(sample[name]) if parents else numpy.ones(1)
                a = numpy.asarray(cpt[:], dtype=float).reshape(-1, len(states))
                b = numpy.asarray(learned.cpt(name).reorganize([name, *parents])[:], dtype=float).reshape(-1, len(states))
                total += float((abs(a - b).mean(axis=1) * weight).sum())
            far.append(total / len(parts))
        print(f"| {n_rows:,} | {far[0]:.5f} | {far[1]:.5f} |")


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("networks", nargs="+")
    options.add_argument("--rows", type=int, default=2_000)
    options.add_argument("--test", type=int, default=10_000)
    options.add_argument("--plot", type=pathlib.Path)
    options.add_argument("--truth", action="store_true")
    chosen = options.parse_args()
    panels = []
    with tempfile.TemporaryDirectory() as scratch:
        for network in chosen.networks:
            name = pathlib.Path(network).stem
            complete, true, found = compared(network, chosen, pathlib.Path(scratch))
            print(f"\n{name}, {chosen.rows:,} rows: held-out log likelihood a row; {complete:.3f} without gaps, {true:.3f} under the true network\n")
            print("| missing | EM | whole rows only | commonest value |\n|---|---|---|---|")
            for share, (n_whole, scores) in found.items():
                text = ["none left" if score is None else f"{score:.3f}" for score in scores]
                print(f"| {share:.0%} | {text[0]} | {text[1]} ({n_whole} rows) | {text[2]} |")
            panels.append(svg(name, complete, found))
            if chosen.truth:
                truth(network, chosen, pathlib.Path(scratch))
    if chosen.plot:
        wide = sum(panel[0] for panel in panels)
        body, at = [], 0
        for width, _, text in panels:
            body.append(f'<g transform="translate({at},0)">{text}</g>')
            at += width
        chosen.plot.write_text(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {panels[0][1]}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>{"".join(body)}</svg>\n')


if __name__ == "__main__":
    main()
