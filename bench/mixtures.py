"""A class that is many things: one newsgroup against the nineteen others, the others as one product or as a mixture of several.

    python3 bench/mixtures.py --data FOLDER [--draws 3] [--tunbridge target/release/tunbridge] [--output bench/mixtures.md]

FOLDER holds 20news-bydate-train and 20news-bydate-test, unpacked. Nigam, McCallum, Thrun & Mitchell 2000, section 6.3, ask the same of
Reuters. 40 messages of the group and 160 of the others are labelled, 5,000 more are given without their classes, and all 7,532 later
ones are classified; the F1 of the group is the mean of its groups and draws.
"""

import random
import statistics

from corpora import Program, arguments, documents

FLAGS = ["--strip", "headers", "--stop-words", "english", "--tokens", "regex:[A-Za-z]+", "--min-times", "2", "--weigh-words", "length:100"]
# With laplace:1 a component of few messages is nearly flat, and the more components there are the less each says.
FLAGS += ["--estimate", "laplace:0.1"]
GROUPS = ["rec.autos", "sci.space", "talk.politics.guns", "comp.graphics", "soc.religion.christian"]
COMPONENTS = [1, 3, 10, 20]
UNLABELLED = 5_000


def f1(confusion, group):
    """From counts by truth and prediction."""
    hits = confusion[group].get(group, 0)
    said = sum(row.get(group, 0) for row in confusion.values())
    return 200 * hits / (sum(confusion[group].values()) + said)


def main():
    parser = arguments(__doc__, "mixtures.md")
    parser.add_argument("--draws", type=int, default=3)
    settings = parser.parse_args()
    earlier = documents(settings.data / "20news-bydate-train")
    later = documents(settings.data / "20news-bydate-test")
    found = {}
    with Program(settings.tunbridge) as program:
        for group in GROUPS:
            named = lambda given: [("group" if label == group else "others", path) for label, path in given]
            test = program.tree("test", named(later))
            for nth in range(settings.draws):
                shuffled = random.Random(nth).sample(named(earlier), len(earlier))
                ours, others = ([d for d in shuffled if d[0] == label] for label in ("group", "others"))
                labelled = ours[:40] + others[:160]
                taken = {path for _, path in labelled}
                few = program.tree("few", labelled)
                more = program.tree("more", [(None, path) for _, path in shuffled if path not in taken][:UNLABELLED])
                for weight in ("0", "1"):
                    for n in COMPONENTS:
                        flags = ["--unlabelled", more, "--unlabelled-weight", weight, "--components", f"others={n}"]
                        judged = program.json("evaluate", few, "--test", test, *flags, *FLAGS)
                        found.setdefault((weight, n), []).append(f1(judged["confusion"], "group"))
            print(group, {key: round(statistics.mean(values[-settings.draws :]), 1) for key, values in found.items()}, flush=True)
    text = ["# A class that is many things", ""]
    text += ["Made by `bench/mixtures.py`. 20 Newsgroups, the by-date edition: one group against the nineteen others, 40 messages of the group"]
    text += [f"and 160 of the others with their class, {UNLABELLED:,} without, and the 7,532 later messages classified. The others are one product"]
    text += ["of words or a mixture of several. Preprocessing as in few_labels.md, laplace:0.1. F1 of the group in percent, mean of"]
    text += [f"{', '.join(GROUPS)} and {settings.draws} draws each."]
    text += ["", "| components of the others | from labelled alone | with those without a class |", "| ---: | ---: | ---: |"]
    for n in COMPONENTS:
        text.append(f"| {n} | {statistics.mean(found['0', n]):.1f} | {statistics.mean(found['1', n]):.1f} |")
    settings.output.write_text("\n".join(text) + "\n")


main()
