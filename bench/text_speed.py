"""How fast: raw files of 20 Newsgroups to a model and the test part classified, beside peers in the same run; and one large file.

    python3 bench/text_speed.py --data FOLDER [--repeat 3] [--tunbridge target/release/tunbridge] [--output bench/text_speed.md]

FOLDER holds 20news-bydate-train and 20news-bydate-test, unpacked. Needs scikit-learn, fasttext and vowpalwabbit, and
`cargo build --release -p tunbridge-data --example word_count`. Every case is a process of its own; the best of the repeats is told, with the
processor's seconds (user and system, of all threads), which a busy machine disturbs less. Files are in the page cache: every case is run once before. fastText and Vowpal Wabbit want a document a line, with its words marked off by
spaces: their times are given with and without that conversion.
"""

import json
import random
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

from corpora import Program, arguments, documents

TOKEN = re.compile(r"(?u)\b\w\w+\b")
WEIGHED = ["--text-model", "complement", "--weigh-words", "log,idf,unit", "--class-prior", "uniform"]
GIGABYTE = 1 << 30


def processor(who):
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def load(folder):
    found = documents(folder)
    return [path.read_text(encoding="latin-1") for _, path in found], [label for label, _ in found]


def scikit_learn(train, test, _):
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    start = time.perf_counter()
    texts, labels = load(train)
    vectorizer = CountVectorizer()
    model = MultinomialNB().fit(vectorizer.fit_transform(texts), labels)
    texts, truth = load(test)
    told = model.predict(vectorizer.transform(texts))
    return {"seconds": time.perf_counter() - start, "accuracy": sum(a == b for a, b in zip(told, truth)) / len(truth)}


def lines(folder, target, line):
    """A document a line, in random order, which learners that go by one document after another need."""
    texts, labels = load(folder)
    order = random.Random(1).sample(range(len(texts)), len(texts))
    with open(target, "w") as out:
        for place in order:
            out.write(line(labels[place], " ".join(TOKEN.findall(texts[place].lower()))) + "\n")
    return [labels[place] for place in order]


def fast_text(train, test, folder):
    import fasttext

    begun = time.perf_counter()
    for part, name in ((train, "train"), (test, "test")):
        lines(part, folder / f"ft-{name}.txt", lambda label, text: f"__label__{label} {text}")
    start = time.perf_counter()
    model = fasttext.train_supervised(str(folder / "ft-train.txt"), epoch=25, lr=1.0, thread=2, verbose=0)
    _, accuracy, _ = model.test(str(folder / "ft-test.txt"))
    done = time.perf_counter()
    return {"seconds": done - begun, "without_conversion": done - start, "accuracy": accuracy}


def vowpal_wabbit(train, test, folder):
    from vowpalwabbit import pyvw

    names = {path.name: nth + 1 for nth, path in enumerate(sorted(train.iterdir()))}
    begun = time.perf_counter()
    lines(train, folder / "vw-train.txt", lambda label, text: f"{names[label]} | {text}")
    truth = lines(test, folder / "vw-test.txt", lambda label, text: f"{names[label]} | {text}")
    (folder / "vw.cache").unlink(missing_ok=True)
    start = time.perf_counter()
    learn = f"--oaa {len(names)} -d {folder}/vw-train.txt -b 22 --passes 5 --cache_file {folder}/vw.cache -f {folder}/vw.model --quiet"
    pyvw.Workspace(learn).finish()
    pyvw.Workspace(f"-t -i {folder}/vw.model -d {folder}/vw-test.txt -p {folder}/vw-told.txt --quiet").finish()
    done = time.perf_counter()
    told = [int(float(line.split()[0])) for line in (folder / "vw-told.txt").read_text().splitlines()]
    right = sum(said == names[label] for said, label in zip(told, truth)) / len(truth)
    return {"seconds": done - begun, "without_conversion": done - start, "accuracy": right}


PEERS = {"scikit-learn, CountVectorizer and MultinomialNB": scikit_learn, "Vowpal Wabbit, 5 passes": vowpal_wabbit, "fastText, 25 epochs": fast_text}


def ours(program, train, test, flags):
    start, before = time.perf_counter(), processor(resource.RUSAGE_CHILDREN)
    program.run("learn", train, "--evaluate", "none", "-o", "m.tb", *flags)
    learned = time.perf_counter()
    program.run("classify", "m.tb", test, "--answers-only", "--format", "csv", "-o", "told.csv")
    done, used = time.perf_counter(), processor(resource.RUSAGE_CHILDREN) - before
    return {"seconds": done - start, "processor": used, "learn": learned - start, "accuracy": program.accuracy("m.tb", test) / 100}


def one_process(program, train, test):
    """Learned and judged without a model or answers being written, which is what the peers' steps are."""
    start, before = time.perf_counter(), processor(resource.RUSAGE_CHILDREN)
    told = program.json("evaluate", train, "--test", test)
    return {"seconds": time.perf_counter() - start, "processor": processor(resource.RUSAGE_CHILDREN) - before, "accuracy": told["accuracy"]}


def best(repeat, case):
    case()
    return min((case() for _ in range(repeat)), key=lambda found: found["seconds"])


def one_file(program, messages, folder):
    """Learning from one file of a gigabyte in one thread, beside a plain word count of it."""
    corpus = folder / "corpus.tsv"
    written = 0
    with open(corpus, "w") as out:
        out.write("class\ttext\n")
        while written < GIGABYTE:
            for label, path in messages:
                text = path.read_text(encoding="latin-1").replace("\t", " ").replace("\n", " ").replace("\r", " ").replace('"', "'")
                written += out.write(f"{label}\t{text}\n")
                if written >= GIGABYTE:
                    break
    size = corpus.stat().st_size / 1e6
    found = {}
    word_count = str(Path(program.path).parent / "examples" / "word_count")
    for name, command in {
        "learn, 1 thread": [program.path, "learn", str(corpus), "--text", "text", "--target", "class", "--evaluate", "none", "-o", str(folder / "c.tb"), "--threads", "1", "-q"],
        "learn, 2 threads": [program.path, "learn", str(corpus), "--text", "text", "--target", "class", "--evaluate", "none", "-o", str(folder / "c.tb"), "--threads", "2", "-q"],
        "plain word count, 1 thread": [word_count, str(corpus)],
    }.items():
        times = []
        for _ in range(2):
            start = time.perf_counter()
            done = subprocess.run(["/usr/bin/time", "-f", "%U %S %M", *command], capture_output=True, text=True, check=True)
            user, system, memory = map(float, done.stderr.split()[-3:])
            times.append((time.perf_counter() - start, user + system))
        found[name] = (*(size / min(of) for of in zip(*times)), memory / 1024)
    corpus.unlink()
    return found


def main():
    parser = arguments(__doc__, "text_speed.md")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--peer", help=argparse_suppressed())
    parser.add_argument("--folder", type=Path, help=argparse_suppressed())
    settings = parser.parse_args()
    train, test = (settings.data.resolve() / f"20news-bydate-{part}" for part in ("train", "test"))
    if settings.peer:
        before = processor(resource.RUSAGE_SELF)
        found = PEERS[settings.peer](train, test, settings.folder)
        return print(json.dumps(found | {"processor": processor(resource.RUSAGE_SELF) - before}))
    with Program(settings.tunbridge) as program:
        peer = lambda name: json.loads(
            subprocess.run([sys.executable, __file__, "--data", settings.data, "--peer", name, "--folder", program.folder], check=True, capture_output=True, text=True).stdout.splitlines()[-1]
        )
        found = {"tunbridge, multinomial": best(settings.repeat, lambda: ours(program, train, test, []))}
        found["tunbridge, multinomial, in one process"] = best(settings.repeat, lambda: one_process(program, train, test))
        found["tunbridge, complement of weighed words"] = best(settings.repeat, lambda: ours(program, train, test, WEIGHED))
        for name in PEERS:
            found[name] = best(1, lambda: peer(name))
            print(name, found[name], flush=True)
        fastest, least = (found["tunbridge, multinomial"][what] for what in ("seconds", "processor"))
        text = ["# Speed of texts", "", "Made by `bench/text_speed.py`. Raw files of 20 Newsgroups, by date (36 MB, page cache warm), to a model and the later messages"]
        text += ["classified; words of UAX #29 for ours, runs of two letters and more for the peers. The ratio is to our first line."]
        text += ["The second line learns and judges in one process, which writes neither a model nor answers; no more do the peers.", ""]
        text += ["| | seconds | ratio | without conversion | ratio | processor's seconds | ratio | accuracy |", "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"]
        for name, of in found.items():
            bare = of.get("without_conversion")
            more = f"{bare:.2f} | {bare / fastest:.1f}" if bare else " | "
            used = f"{of['processor']:.2f} | {of['processor'] / least:.1f}"
            text.append(f"| {name} | {of['seconds']:.2f} | {of['seconds'] / fastest:.1f} | {more} | {used} | {100 * of['accuracy']:.1f} |")
            print(text[-1], flush=True)
        text += ["", "One file of 1 GiB, the messages over and over, `class` and `text` with a tab between:", "", "| | MB/s | MB a second of the processor | memory, MB |", "| --- | ---: | ---: | ---: |"]
        for name, (speed, busy, memory) in one_file(program, documents(train) + documents(test), program.folder).items():
            text.append(f"| {name} | {speed:.0f} | {busy:.0f} | {memory:.0f} |")
            print(text[-1], flush=True)
    settings.output.write_text("\n".join(text) + "\n")


def argparse_suppressed():
    import argparse

    return argparse.SUPPRESS


main()
