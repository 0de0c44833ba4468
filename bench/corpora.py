"""What the scripts about texts share: documents linked into folders, and the program run on them."""

import argparse
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path


def arguments(description, output):
    """The arguments every script has."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--tunbridge", type=Path, default=Path("target/release/tunbridge"))
    parser.add_argument("--output", type=Path, default=Path("bench") / output)
    return parser


class Program:
    """The program, in a folder of its own that goes away with it."""

    def __init__(self, path):
        self.path = str(path.resolve())
        self.folder = Path(tempfile.mkdtemp(prefix="tunbridge-"))

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder)

    def run(self, *words):
        done = subprocess.run([self.path, *map(str, words), "--quiet"], cwd=self.folder, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"tunbridge {' '.join(map(str, words))}\n{done.stderr}")
        return done.stdout

    def json(self, *words):
        return json.loads(self.run(*words, "--format", "json"))

    def accuracy(self, *words):
        """Of `evaluate`, in percent."""
        return 100 * self.json("evaluate", *words)["accuracy"]

    def tree(self, name, documents):
        """A folder of links to documents, given as (class or None, path); what was there before is gone."""
        root = self.folder / name
        shutil.rmtree(root, ignore_errors=True)
        root.mkdir()
        for nth, (label, path) in enumerate(documents):
            folder = root / label if label else root
            folder.mkdir(exist_ok=True)
            os.symlink(path.resolve(), folder / f"{nth}-{path.name[:80]}")
        return root


def documents(root):
    """All documents below a folder of folders, as (class, path), in a fixed order."""
    return [(folder.name, path) for folder in sorted(root.iterdir()) for path in sorted(folder.rglob("*")) if path.is_file()]


def draw(shuffled, classes, size, unlabelled):
    """So many labelled documents, evenly from the classes, and others without their classes."""
    labelled = [d for label in classes for d in [d for d in shuffled if d[0] == label][: size // len(classes)]]
    taken = {path for _, path in labelled}
    return labelled, [(None, path) for _, path in shuffled if path not in taken][:unlabelled]
