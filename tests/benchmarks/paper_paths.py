"""usage: paper_paths.py TERRACE [--backend cpu] [--powers 10 11 12 13] [--types i64 f32] [--folder FOLDER]

The table of Ramachandran and Sivaraman (2017, section 6.1): seconds of whole jobs of `floyd_warshall` on generated
weights, 2^10 to 2^15 nodes, with the paper's budgets and schedule and with all of the memory, beside the paper's own.
Prints Markdown. FOLDER, the system's temporary one by default, takes results of up to 8 GiB.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import time

import h5py

# Seconds by the power of two: 16 cores of two Xeon E5-2680, and a Tesla K20m; 64-bit numbers.
PAPER = {10: ("5.9", "1.66"), 11: ("42", "2.4"), 12: ("325.7", "12.66"), 13: ("2487", "132.1"),
         14: ("19339.3", "474.8"), 15: ("", "3800.29")}
BUDGETS = {"the paper's": {"memory": {"host": "100MB", "device": "7MB"}}, "free": {}}
SCHEDULES = {"the paper's": "r_way", "free": "auto"}


def run(terrace, folder, backend, power, kind, budgets):
    """One job. @returns its seconds from start to end, its stage's, and the stage's rate while computing"""
    nodes = 2 ** power
    job = {"job": "paths", "backend": backend, **BUDGETS[budgets],
           "inputs": {"weights": {"generate": "uniform", "shape": [nodes, nodes], "type": kind, "minimum": 1,
                                  "maximum": 1000, "seed": 1}},
           "stages": [{"name": "paths", "recursive": {"problem": "floyd_warshall", "matrix": "weights",
                                                      "schedule": SCHEDULES[budgets]}}],
           "output": "paths.h5"}
    path = pathlib.Path(folder) / "job.yaml"
    # YAML takes JSON as it is, but for sizes, which are no text.
    path.write_text(re.sub(r'"(\d+MB)"', r"\1", json.dumps(job)))
    begin = time.monotonic()
    subprocess.run([terrace, "run", "--fresh", path], check=True, capture_output=True)
    seconds = time.monotonic() - begin
    with h5py.File(path.with_name("paths.h5")) as result:
        stage, rate = (result["profile/stages/" + name][0] for name in ("seconds", "rate"))
    return seconds, stage, rate


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("terrace")
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--powers", type=int, nargs="+", default=[10, 11, 12, 13])
    parser.add_argument("--types", nargs="+", default=["i64", "f32"])
    parser.add_argument("--folder")
    asked = parser.parse_args()
    columns = [(kind, budgets) for kind in asked.types for budgets in BUDGETS]
    print("| nodes | " + " | ".join(f"{kind}, {budgets} budgets" for kind, budgets in columns) +
          " | the paper's 16 cores | its K20m |")
    print("|---" * (len(columns) + 3) + "|")
    for power in asked.powers:
        cells = []
        for kind, budgets in columns:
            with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
                seconds, stage, rate = run(asked.terrace, folder, asked.backend, power, kind, budgets)
            cells.append(f"{seconds:.3g} s ({rate * 1e-9:.3g} G)")
            print(f"2^{power} {kind} {budgets}: {seconds:.2f} s, the stage {stage:.2f} s", file=sys.stderr, flush=True)
        paper = [value and value + " s" for value in PAPER[power]]
        print(f"| 2^{power} | " + " | ".join(cells + paper) + " |", flush=True)


if __name__ == "__main__":
    main()
