"""WebKB, four classes: leave one university out, and EM with few labels, as in Nigam, McCallum, Thrun & Mitchell 2000.

    python3 bench/webkb.py --data FOLDER [--draws 3] [--tunbridge target/release/tunbridge] [--output bench/webkb.md]

FOLDER holds webkb/CLASS/UNIVERSITY/PAGE, unpacked: 4,199 raw pages of student, faculty, course and project, each with the headers it was
served with, which are stripped. The pages of one of four universities are classified by what the others are, those of miscellaneous
ones among them.
"""

import random
import statistics

from corpora import Program, arguments, documents, draw

PAGES = ["--as", "html", "--strip", "headers", "--fold-digits"]
MODELS = {
    "multinomial": [],
    "multinomial, the 300 most informative words": ["--keep-words", "300"],
    "multinomial, the 2,000 most informative words": ["--keep-words", "2000"],
    "Bernoulli, the 300 most informative words": ["--text-model", "bernoulli", "--keep-words", "300"],
    "complement": ["--text-model", "complement"],
}
FEW = [*PAGES, "--stop-words", "english", "--min-times", "2", "--weigh-words", "log"]
# As in the paper: rare words left out, every page of one length.
STORY = [*PAGES, "--stop-words", "english", "--min-texts", "20", "--weigh-words", "length:100"]
UNIVERSITIES = ["cornell", "texas", "washington", "wisconsin"]
SIZES = [4, 8, 20, 40, 100, 240]
UNLABELLED = 2500


def main():
    parser = arguments(__doc__, "webkb.md")
    parser.add_argument("--draws", type=int, default=3)
    settings = parser.parse_args()
    pages = documents(settings.data / "webkb")
    classes = sorted({label for label, _ in pages})
    text = ["# WebKB", "", "Made by `bench/webkb.py`. The four classes mostly used, 4,199 pages; words of UAX #29 in small letters, digits as D, of the"]
    text += ["pages as text, without the headers they were served with.", ""]
    with Program(settings.tunbridge) as program:
        split = lambda university: (
            program.tree("test", [d for d in pages if d[1].parent.name == university]),
            [d for d in pages if d[1].parent.name != university],
        )
        text += ["## Leave one university out", "", "Accuracy in percent, learned from all other pages.", ""]
        text += ["| model | " + " | ".join(UNIVERSITIES) + " | mean |", "| --- |" + " ---: |" * (len(UNIVERSITIES) + 1)]
        found = {name: [] for name in MODELS}
        for university in UNIVERSITIES:
            test, others = split(university)
            train = program.tree("train", others)
            for name, flags in MODELS.items():
                found[name].append(program.accuracy(train, "--test", test, *PAGES, *flags))
        for name, of in found.items():
            text.append(f"| {name} | " + " | ".join(f"{x:.1f}" for x in of) + f" | {statistics.mean(of):.1f} |")
            print(text[-1], flush=True)
        text += ["", "## Few labels", "", f"So many labelled pages, drawn evenly from the classes, and {UNLABELLED:,} others without theirs; the pages of the university left"]
        text += [f"out classified. Stop words and words met once left out, words counting by the logarithm of their times. Mean and spread of {settings.draws} draws for each of"]
        text += ["the four universities, a page without a class counting as much as one with.", ""]
        text += ["| labelled | without EM | with EM | gain |", "| ---: | ---: | ---: | ---: |"]
        for size in SIZES:
            found = {"0": [], "1": []}
            for nth, university in enumerate(UNIVERSITIES):
                test, others = split(university)
                for time in range(settings.draws):
                    shuffled = random.Random(1000 * size + 10 * time + nth).sample(others, len(others))
                    labelled, unlabelled = draw(shuffled, classes, size, UNLABELLED)
                    few, more = program.tree("few", labelled), program.tree("more", unlabelled)
                    for weight, steps in [("0", "1"), ("1", "100")]:
                        flags = ["--unlabelled", more, "--unlabelled-weight", weight, "--em-steps", steps]
                        found[weight].append(program.accuracy(few, "--test", test, *flags, *FEW))
            (without, with_em), (a, b) = ([f(found[weight]) for weight in ("0", "1")] for f in (statistics.mean, statistics.stdev))
            text.append(f"| {size} | {without:.1f} ± {a:.1f} | {with_em:.1f} ± {b:.1f} | {with_em - without:+.1f} |")
            print(text[-1], flush=True)
        text += ["", "## Words of the class `course`, step by step", ""]
        text += ["One labelled page a class and 2,500 without, as `tunbridge show --history` tells it (table 3 of the paper): the most telling words of"]
        text += ["the labelled pages, and after each step of EM. Words in fewer than 20 pages left out, every page brought to one length."]
        text += [""]
        text += history(program, pages, classes)
    settings.output.write_text("\n".join(text) + "\n")


def history(program, pages, classes):
    shuffled = random.Random(3).sample(pages, len(pages))
    labelled, unlabelled = draw(shuffled, classes, len(classes), UNLABELLED)
    few, more = program.tree("few", labelled), program.tree("more", unlabelled)
    program.run("learn", few, "--unlabelled", more, "--unlabelled-weight", "1", "--evaluate", "none", "-o", "few.tb", *STORY)
    steps = program.json("show", "few.tb", "--history")["history"]
    shown = [0, 1, 2, len(steps) - 1]
    words = [[e["value"] for c in steps[step] if c["class"] == "course" for e in c["evidence"]] for step in shown]
    lines = ["| " + " | ".join(f"step {step}" for step in shown) + " |", "|" + " --- |" * len(shown)]
    return lines + ["| " + " | ".join(column[row] if row < len(column) else "" for column in words) + " |" for row in range(15)]


main()
