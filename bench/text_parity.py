"""Word for word beside scikit-learn: the same tokens, the same probabilities.

    python3 bench/text_parity.py --data FOLDER [--tunbridge target/release/tunbridge]

FOLDER holds 20news-bydate-train and 20news-bydate-test, unpacked. Needs scikit-learn and numpy. Learns on the first with
MultinomialNB, BernoulliNB and ComplementNB and with Tunbridge, classifies the second with both, and prints the largest difference
of a probability. Python's \\w takes all letters and numbers, which Tunbridge's pattern says in full.
"""

import argparse
import csv
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB

UNDEFINED = {0x81, 0x8D, 0x8F, 0x90, 0x9D}


def text(path):
    """UTF-8, else Windows-1252 as browsers read it: its five undefined bytes are control characters."""
    data = path.read_bytes()
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return "".join(chr(byte) if byte in UNDEFINED else bytes([byte]).decode("cp1252") for byte in data)


def load(folder):
    files = [file for group in sorted(folder.iterdir()) for file in sorted(group.iterdir())]
    return [text(file) for file in files], np.array([file.parent.name for file in files])


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--data", type=Path, required=True)
    arguments.add_argument("--tunbridge", default="target/release/tunbridge")
    settings = arguments.parse_args()
    train, test = (settings.data / f"20news-bydate-{part}" for part in ("train", "test"))
    (texts, labels), (more, truth) = load(train), load(test)
    vectorizer = CountVectorizer()
    counts, asked = vectorizer.fit_transform(texts), vectorizer.transform(more)
    print("| model | words | accuracy, scikit-learn | accuracy, Tunbridge | predictions that differ | largest difference of a probability |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    # ComplementNB has no class prior.
    for name, peer, flags in [("multinomial", MultinomialNB(), []), ("bernoulli", BernoulliNB(), []), ("complement", ComplementNB(), ["--class-prior", "uniform"])]:
        peer.fit(counts, labels)
        with tempfile.TemporaryDirectory() as folder:
            model, answers = f"{folder}/model.tb", f"{folder}/answers.csv"
            learn = ["learn", train, "--tokens", r"regex:[\p{L}\p{N}_]{2,}", "--text-model", name, "--evaluate", "none", "--quiet", "-o", model]
            subprocess.run([settings.tunbridge, *learn, *flags], check=True, stdout=subprocess.DEVNULL)
            subprocess.run([settings.tunbridge, "classify", model, test, "--answers-only", "--quiet", "-o", answers], check=True)
            rows = list(csv.reader(open(answers)))[1:]
        told = np.array([row[0] for row in rows])
        p = np.array([[float(cell) for cell in row[1:]] for row in rows])
        theirs = peer.predict(asked)
        apart = np.abs(p - peer.predict_proba(asked)).max()
        print(f"| {name} | {len(vectorizer.vocabulary_)} | {(theirs == truth).mean():.4f} | {(told == truth).mean():.4f} | {(told != theirs).sum()} | {apart:.1e} |")


main()
