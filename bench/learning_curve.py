"""The learning curve: accuracy against the number of messages learned from, Mitchell 1997, figure 6.5, on 20 Newsgroups.

    python3 bench/learning_curve.py --data FOLDER [--splits 3] [--tunbridge target/release/tunbridge] [--output bench/learning_curve.md]

FOLDER holds 20news-bydate-train and 20news-bydate-test, unpacked. A third of all messages is held out at random, and the first 100 to
10,000 of the others, in random order, are learned from. The curve is drawn beside the table, as learning_curve.svg.
"""

import math
import random
import statistics

from corpora import Program, arguments, documents

SIZES = [100, 200, 500, 1000, 2000, 5000, 10000]
MODELS = {
    "multinomial, laplace:1": [],
    "multinomial, laplace:0.01": ["--estimate", "laplace:0.01"],
    "complement, laplace:1": ["--text-model", "complement"],
}
# Dark enough on white, and told apart without colours by their marks.
STYLES = [("#1b6ca8", "circle"), ("#b5541c", "square"), ("#3b7d3b", "triangle")]


def main():
    parser = arguments(__doc__, "learning_curve.md")
    parser.add_argument("--splits", type=int, default=3)
    settings = parser.parse_args()
    all_messages = [d for part in ("train", "test") for d in documents(settings.data / f"20news-bydate-{part}")]
    found = {name: [[] for _ in SIZES] for name in MODELS}
    with Program(settings.tunbridge) as program:
        for split in range(settings.splits):
            shuffled = random.Random(split).sample(all_messages, len(all_messages))
            held_out = len(shuffled) // 3
            test = program.tree("test", shuffled[:held_out])
            for place, size in enumerate(SIZES):
                train = program.tree("train", shuffled[held_out:][:size])
                for name, flags in MODELS.items():
                    found[name][place].append(program.accuracy(train, "--test", test, *flags))
            print(f"split {split + 1} of {settings.splits}", flush=True)
    means = {name: [statistics.mean(of_size) for of_size in of_model] for name, of_model in found.items()}
    text = ["# Learning curve", ""]
    text += ["Made by `bench/learning_curve.py`. 20 Newsgroups, the by-date edition, all 18,846 messages with their headers; words of UAX #29 in"]
    text += [f"small letters. A third held out at random, accuracy in percent on it, mean of {settings.splits} splits.", ""]
    text += ["![accuracy against messages learned from](learning_curve.svg)", ""]
    text += ["| messages | " + " | ".join(MODELS) + " |", "| ---: |" + " ---: |" * len(MODELS)]
    text += [f"| {size:,} | " + " | ".join(f"{means[name][place]:.1f}" for name in MODELS) + " |" for place, size in enumerate(SIZES)]
    settings.output.write_text("\n".join(text) + "\n")
    settings.output.with_suffix(".svg").write_text(plot(means))


def plot(means):
    width, height, left, right, top, bottom = 740, 440, 60, 40, 20, 50
    x = lambda size: left + (width - left - right) * (math.log10(size) - 2) / 2
    y = lambda accuracy: height - bottom - (height - top - bottom) * accuracy / 100
    svg = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="13">']
    svg.append(f'<rect width="{width}" height="{height}" fill="white"/>')
    for percent in range(0, 101, 20):
        svg.append(f'<path d="M{left} {y(percent):.1f}H{width - right}" stroke="#ddd"/>')
        svg.append(f'<text x="{left - 8}" y="{y(percent) + 4:.1f}" text-anchor="end">{percent} %</text>')
    for size in SIZES:
        svg.append(f'<path d="M{x(size):.1f} {top}V{height - bottom}" stroke="#eee"/>')
        svg.append(f'<text x="{x(size):.1f}" y="{height - bottom + 18}" text-anchor="middle">{size:,}</text>')
    svg.append(f'<text x="{(left + width - right) / 2}" y="{height - 12}" text-anchor="middle">messages learned from</text>')
    for nth, ((name, of_model), (colour, mark)) in enumerate(zip(means.items(), STYLES)):
        points = [(x(size), y(accuracy)) for size, accuracy in zip(SIZES, of_model)]
        line = " ".join(f"{px:.1f},{py:.1f}" for px, py in points)
        svg.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        key = (width - right - 210, height - bottom - 20 * (len(means) - nth) + 4)
        svg += [shape(px, py, mark, colour) for px, py in [*points, key]]
        svg.append(f'<text x="{key[0] + 12}" y="{key[1] + 4:.1f}">{name}</text>')
    return "\n".join([*svg, "</svg>"]) + "\n"


def shape(px, py, mark, colour):
    if mark == "circle":
        return f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{colour}"/>'
    if mark == "square":
        return f'<rect x="{px - 4:.1f}" y="{py - 4:.1f}" width="8" height="8" fill="{colour}"/>'
    return f'<path d="M{px:.1f} {py - 5:.1f}l5 9h-10z" fill="{colour}"/>'


main()
