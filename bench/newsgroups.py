"""How good on 20 Newsgroups: the given split by date, and random thirds held out.

    python3 bench/newsgroups.py --data FOLDER [--tunbridge target/release/tunbridge] [--output bench/newsgroups.md]

FOLDER holds 20news-bydate-train and 20news-bydate-test, unpacked: the by-date edition, 18,846 messages without duplicates. Words
are those of UAX #29 in small letters. Python's own library is all it needs.
"""

import random
import statistics

from corpora import Program, arguments, documents

TWCNB = ["--text-model", "normalised-complement", "--weigh-words", "log,idf,unit", "--class-prior", "uniform"]
MODELS = {
    "multinomial, laplace:1": [],
    "multinomial, laplace:0.01": ["--estimate", "laplace:0.01"],
    "Bernoulli, laplace:1": ["--text-model", "bernoulli"],
    "Dirichlet-compound, laplace:0.01": ["--text-model", "dirichlet-compound", "--estimate", "laplace:0.01"],
    "complement, laplace:1": ["--text-model", "complement"],
    "complement, laplace:0.1": ["--text-model", "complement", "--estimate", "laplace:0.1"],
    "normalised complement, laplace:1": ["--text-model", "normalised-complement"],
    "TWCNB, laplace:1": TWCNB,
    "TWCNB, laplace:0.1": [*TWCNB, "--estimate", "laplace:0.1"],
}
# Those that have a leave-one-out, by which one of them is chosen on the messages learned from.
CHOICE = [name for name in MODELS if not name.startswith("Dirichlet")]
STRIPPED = ["--strip", "headers,quotes,footers"]
FREQUENT = ["--drop-frequent", "100", "--min-times", "3"]
SPLITS = 5


def main():
    settings = arguments(__doc__, "newsgroups.md").parse_args()
    train, test = (settings.data.resolve() / f"20news-bydate-{part}" for part in ("train", "test"))
    text = ["# 20 Newsgroups", "", "Made by `bench/newsgroups.py`. The by-date edition, 18,846 messages; words of UAX #29 in small letters."]
    text += ["TWCNB is the normalised complement of words weighed by `--weigh-words log,idf,unit`, Rennie et al. 2003.", ""]
    with Program(settings.tunbridge) as program:
        text += ["## By date", "", "11,314 messages to learn from, 7,532 later ones to classify, as they are and without headers, quotes and footers.", ""]
        text += ["| model | accuracy, whole | accuracy, stripped |", "| --- | ---: | ---: |"]
        for name, flags in MODELS.items():
            whole, stripped = (program.accuracy(train, "--test", test, *flags, *more) for more in ([], STRIPPED))
            text.append(f"| {name} | {whole:.1f} | {stripped:.1f} |")
            print(text[-1], flush=True)
        text += ["", "## Random thirds", ""]
        text += ["All messages, a third held out at random, headers kept; the 100 most frequent words and those met fewer than 3 times do not"]
        text += [f"count, as in Joachims 1996 and Mitchell 1997. Mean and range over {SPLITS} splits.", ""]
        text += ["| model | accuracy | range |", "| --- | ---: | ---: |"]
        messages = documents(train) + documents(test)
        found, by_choice, chosen = {name: [] for name in MODELS}, [], []
        for split in range(SPLITS):
            shuffled = random.Random(split).sample(messages, len(messages))
            part = len(shuffled) // 3
            held_out, learned = program.tree("test", shuffled[:part]), program.tree("train", shuffled[part:])
            for name, flags in MODELS.items():
                found[name].append(program.accuracy(learned, "--test", held_out, *flags, *FREQUENT))
            best = max(CHOICE, key=lambda name: program.accuracy(learned, "--folds", "loo", *MODELS[name], *FREQUENT))
            by_choice.append(found[best][-1])
            chosen.append(best)
            print(f"split {split + 1} of {SPLITS}: {best}", flush=True)
        rows = {**found, "the best on the part learned from": by_choice}
        text += [f"| {name} | {statistics.mean(of):.1f} | {min(of):.1f} to {max(of):.1f} |" for name, of in rows.items()]
        text += ["", f"The last line takes, in each split, the model of best leave-one-out accuracy on the two thirds learned from: {', '.join(sorted(set(chosen)))}."]
    settings.output.write_text("\n".join(text) + "\n")


main()
