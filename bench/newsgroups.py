"""How good on 20 Newsgroups: the given split by date, and random thirds held out.

    python3 bench/newsgroups.py --data FOLDER [--tunbridge target/release/tunbridge] [--output bench/newsgroups.md]

FOLDER holds 20news-bydate-train and 20news-bydate-test, unpacked: the by-date edition, 18,846 messages without duplicates. Words
are those of UAX #29 in small letters. Python's own library is all it needs.
"""

import argparse
import json
import statistics
import subprocess
from pathlib import Path

MODELS = {
    "multinomial, laplace:1": [],
    "multinomial, laplace:0.01": ["--estimate", "laplace:0.01"],
    "Bernoulli, laplace:1": ["--text-model", "bernoulli"],
    "complement, laplace:1": ["--text-model", "complement"],
    "complement, laplace:0.1": ["--text-model", "complement", "--estimate", "laplace:0.1"],
    "normalised complement, laplace:1": ["--text-model", "normalised-complement"],
}
STRIPPED = ["--strip", "headers,quotes,footers"]
CHOSEN = ["--drop-frequent", "100", "--min-times", "3"]
SEEDS = range(1, 6)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--tunbridge", default="target/release/tunbridge")
    arguments.add_argument("--output", type=Path, default=Path("bench/newsgroups.md"))
    settings = arguments.parse_args()
    train, test = (str(settings.data / f"20news-bydate-{part}") for part in ("train", "test"))

    def accuracy(*flags):
        told = subprocess.run([settings.tunbridge, "evaluate", *flags, "--format", "json", "--quiet"], check=True, capture_output=True, text=True)
        return 100 * json.loads(told.stdout)["accuracy"]

    text = ["# 20 Newsgroups", "", "Made by `bench/newsgroups.py`. The by-date edition, 18,846 messages; words of UAX #29 in small letters.", ""]
    text += ["## By date", "", "11,314 messages to learn from, 7,532 later ones to classify, as they are and without headers, quotes and footers.", ""]
    text += ["| model | accuracy, whole | accuracy, stripped |", "| --- | ---: | ---: |"]
    for name, flags in MODELS.items():
        whole, stripped = accuracy(train, "--test", test, *flags), accuracy(train, "--test", test, *flags, *STRIPPED)
        text.append(f"| {name} | {whole:.1f} | {stripped:.1f} |")
        print(text[-1], flush=True)
    text += ["", "## Random thirds", ""]
    text += ["All messages, a third held out at random, headers kept; the 100 most frequent words and those met fewer than 3 times do not"]
    text += [f"count, as in Joachims 1996 and Mitchell 1997. Mean and range over {len(SEEDS)} splits.", ""]
    text += ["| model | accuracy | range |", "| --- | ---: | ---: |"]
    for name, flags in MODELS.items():
        found = [accuracy(train, test, "--holdout", "0.33", "--seed", str(seed), *CHOSEN, *flags) for seed in SEEDS]
        text.append(f"| {name} | {statistics.mean(found):.1f} | {min(found):.1f} to {max(found):.1f} |")
        print(text[-1], flush=True)
    settings.output.write_text("\n".join(text) + "\n")


main()
