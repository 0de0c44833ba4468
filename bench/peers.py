"""One case of a peer: python peers.py CASE, run in the folder with the data.

Prints one line of JSON: {"version": text, "phases": {name: {"wall": seconds, "cpu": seconds}}}. Imports come before the
first phase, so the phases are the work alone.
"""

import contextlib
import json
import resource
import sys
import time

COLUMNS = ["class"] + [f"x{i:02d}" for i in range(20)]
PHASES = {}


def cpu_seconds():
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@contextlib.contextmanager
def phase(name):
    cpu, wall = cpu_seconds(), time.perf_counter()
    yield
    PHASES[name] = {"wall": time.perf_counter() - wall, "cpu": cpu_seconds() - cpu}


def load_reader(kind):
    """Imports what reading will need, no more: pyarrow.dataset is what read_table would load at its first call."""
    if kind == "csv":
        import pyarrow.csv
    else:
        import pyarrow.dataset
        import pyarrow.parquet


def read_dictionaries(kind):
    """The categorical table with every column as an Arrow dictionary."""
    if kind == "parquet":
        import pyarrow.parquet as pq

        return pq.read_table("categorical.parquet")
    import pyarrow as pa
    import pyarrow.csv as pc

    types = {name: pa.dictionary(pa.int32(), pa.string()) for name in COLUMNS}
    return pc.read_csv("categorical.csv", convert_options=pc.ConvertOptions(column_types=types))


def merely_read(kind):
    import pyarrow as pa

    load_reader(kind)
    with phase("read"):
        read_dictionaries(kind)
    return f"pyarrow {pa.__version__}"


def encoder(kind):
    """The way of the manual: a pandas frame of text, OrdinalEncoder, CategoricalNB."""
    import numpy as np
    import pandas as pd
    import pyarrow
    import sklearn
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.preprocessing import OrdinalEncoder

    load_reader(kind)
    with phase("read"):
        frame = pd.read_csv("categorical.csv", engine="pyarrow") if kind == "csv" else pd.read_parquet("categorical.parquet")
        label = frame.pop("class")
    with phase("encode"):
        code = OrdinalEncoder(dtype=np.int64).fit_transform(frame)
    del frame
    with phase("fit"):
        CategoricalNB().fit(code, label)
    return f"scikit-learn {sklearn.__version__}, pandas {pd.__version__}, pyarrow {pyarrow.__version__}"


def arrow_codes(kind, classify=False):
    """The short cut: Arrow's dictionary codes are the integers that CategoricalNB wants."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.csv
    import sklearn
    from sklearn.naive_bayes import CategoricalNB

    load_reader(kind)

    def codes(name):
        return table[name].unify_dictionaries().combine_chunks()

    with phase("read"):
        table = read_dictionaries(kind)
    with phase("encode"):
        code = np.empty((len(table), len(COLUMNS) - 1), np.int64, order="F")
        for i, name in enumerate(COLUMNS[1:]):
            code[:, i] = codes(name).indices.to_numpy(zero_copy_only=False)
        target = codes("class")
        label = target.indices.to_numpy(zero_copy_only=False)
    with phase("fit"):
        model = CategoricalNB().fit(code, label)
    if classify:
        with phase("predict"):
            probability = model.predict_proba(code)
        with phase("write"):
            names = np.array(target.dictionary.to_pylist())[model.classes_]
            out = {"predicted": pa.array(names).take(pa.array(probability.argmax(axis=1)))}
            out |= {str(name): pa.array(probability[:, k]) for k, name in enumerate(names)}
            pa.csv.write_csv(pa.table(out), "out/peer.csv")
    return f"scikit-learn {sklearn.__version__}, pyarrow {pa.__version__}"


def gaussian_memory():
    import numpy as np
    import sklearn
    from sklearn.naive_bayes import GaussianNB

    x, y = np.load("gaussian.npy"), np.load("labels.npy")
    with phase("fit"):
        model = GaussianNB().fit(x, y)
    with phase("predict"):
        model.predict(x)
    return f"scikit-learn {sklearn.__version__}, numpy {np.__version__}"


def gaussian_parquet():
    """From file to file: read, learn, give every row's class probabilities, write them."""
    import numpy as np
    import pandas as pd
    import pyarrow as pa
    import sklearn
    from sklearn.naive_bayes import GaussianNB

    load_reader("parquet")
    with phase("read"):
        frame = pd.read_parquet("gaussian.parquet")
        label = frame.pop("class")
    with phase("fit"):
        model = GaussianNB().fit(frame, label)
    with phase("predict"):
        probability = model.predict_proba(frame)
    with phase("write"):
        names = [str(name) for name in model.classes_]
        out = {"predicted": pa.array(names).take(pa.array(np.argmax(probability, axis=1)))}
        out |= {name: pa.array(probability[:, k]) for k, name in enumerate(names)}
        pa.parquet.write_table(pa.table(out), "out/peer.parquet")
    return f"scikit-learn {sklearn.__version__}, pandas {pd.__version__}, pyarrow {pa.__version__}"


def gaussian_read():
    import pyarrow as pa

    load_reader("parquet")
    with phase("read"):
        pa.parquet.read_table("gaussian.parquet")
    return f"pyarrow {pa.__version__}"


CASES = {
    "csv-encoder": lambda: encoder("csv"),
    "csv-codes": lambda: arrow_codes("csv"),
    "csv-read": lambda: merely_read("csv"),
    "csv-classify": lambda: arrow_codes("csv", classify=True),
    "parquet-encoder": lambda: encoder("parquet"),
    "parquet-codes": lambda: arrow_codes("parquet"),
    "parquet-read": lambda: merely_read("parquet"),
    "gaussian-memory": gaussian_memory,
    "gaussian-parquet": gaussian_parquet,
    "gaussian-read": gaussian_read,
}

if __name__ == "__main__":
    version = CASES[sys.argv[1]]()
    print(json.dumps({"version": version, "phases": PHASES}))
