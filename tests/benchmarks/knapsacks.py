"""usage: knapsacks.py TERRACE [--backend cpu] [--folder FOLDER] [--names NAME ...]

Runs knapsacks and a subset sum with `each: 1`: items of random weights, values that are the weight and a tenth of the
largest. Prints a line each: the seconds of the stage, and its cells a second. Instances are the same at every run.
FOLDER (the system's for temporary files) takes the scratch of solutions: 130 MB, of subset_sum_solution 2 GiB.
"""
import argparse
import json
import pathlib
import random
import re
import subprocess
import tempfile

# Items, capacity, the largest weight, keys of the stage in addition.
LOAD = {"combine": "max", "fill": "at_most", "type": "i64"}
INSTANCES = {"million": (1000, 10**6, 1000, LOAD), "million_wide": (1000, 10**6, 100000, LOAD),
             "million_solution": (1000, 10**6, 1000, {**LOAD, "keep": "solution"}),
             "million_little": (1000, 10**6, 1000, {**LOAD, "keep": "solution"}),
             "subset_sum": (10000, 10**8, 10000, {"combine": "any"}),
             "subset_sum_solution": (10000, 10**8, 40000, {"combine": "any", "keep": "solution"}),
             "ten_million": (10000, 10**7, 1000, LOAD), "ten_million_wide": (10000, 10**7, 100000, LOAD)}
# Scratch that does not hold a bit for each cell and item.
SCRATCH = {"million_little": "90MiB", "subset_sum_solution": "2GiB"}
ON_CPU = ("million", "million_wide", "million_solution", "subset_sum")


def job_of(name):
    count, capacity, largest, keys = INSTANCES[name]
    draw = random.Random(1)
    weights = [draw.randrange(1, largest + 1) for _ in range(count)]
    stage = {"extents": [capacity + 1], "steps": [[w] for w in weights], "each": 1, **keys}
    if keys["combine"] == "max":
        stage["cost"] = [w + largest // 10 for w in weights]
    job = {"job": name, "stages": [{"name": name, "dp_table": stage}], "output": name + ".h5"}
    return {**job, "scratch": {"size": SCRATCH[name]}} if name in SCRATCH else job


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--backend", default="cuda")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--names", nargs="+", choices=INSTANCES)
    arguments = parser.parse_args()
    names = arguments.names or (ON_CPU if arguments.backend == "cpu" else tuple(INSTANCES))
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for name in names:
            path = pathlib.Path(folder) / (name + ".yaml")
            path.write_text(json.dumps(job_of(name)))
            ended = subprocess.run([arguments.program.resolve(), "run", path, "--backend", arguments.backend],
                                   capture_output=True, text=True, check=True)
            print(re.findall(rf"{name}: [^%\n]*cells in .*", ended.stderr + ended.stdout)[-1], flush=True)


if __name__ == "__main__":
    main()
