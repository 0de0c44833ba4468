"""Every network through every format and back: the same tables to the last bit, hence the same answers.

    cargo build --release
    python3 bench/network_formats.py FOLDER_OF_BIF_FILES [NETWORK ...]

A network is written as BIF, which is what the others are held against; as each other format, read again, and written as BIF once more. `same` means
the same bytes, names, states, tables and their order among them.
"""

import argparse, os, pathlib, subprocess, sys, tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
PROGRAM = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/tunbridge"
FORMATS = ["tbn", "xml", "net", "dsc", "xdsl", "uai"]


def convert(source, target):
    done = subprocess.run([PROGRAM, "convert", source, target, "--quiet"], capture_output=True, text=True, timeout=600)
    return None if done.returncode == 0 else done.stderr.strip().splitlines()[0][:150]


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("folder", type=pathlib.Path)
    options.add_argument("networks", nargs="*")
    chosen = options.parse_args()
    names = chosen.networks or sorted(path.name.removesuffix(".bif.gz") for path in chosen.folder.glob("*.bif.gz"))
    print("| network | " + " | ".join(FORMATS) + " |")
    print("|---" * (len(FORMATS) + 1) + "|", flush=True)
    n_same = 0
    for name in names:
        told = []
        with tempfile.TemporaryDirectory() as scratch:
            scratch = pathlib.Path(scratch)
            fault = convert(chosen.folder / f"{name}.bif.gz", scratch / "first.bif")
            for format in FORMATS:
                there, back = scratch / f"{name}.{format}", scratch / f"back_from_{format}.bif"
                fault_here = fault or convert(scratch / "first.bif", there) or convert(there, back)
                same = not fault_here and back.read_bytes() == (scratch / "first.bif").read_bytes()
                n_same += same
                told.append("same" if same else fault_here or "other bytes")
        print(f"| {name} | " + " | ".join(told) + " |", flush=True)
    print(f"\n{n_same} of {len(names) * len(FORMATS)} came back the same.")
    return 0 if n_same == len(names) * len(FORMATS) else 1


if __name__ == "__main__":
    sys.exit(main())
