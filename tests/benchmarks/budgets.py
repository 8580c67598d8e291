"""usage: budgets.py TERRACE [FOLDER]

Processor time (user and system) and wall time of six kinds of job at the default memory and at three smaller budgets,
each the least of three runs, which take turns. FOLDER (the system's for temporary files) takes up to 2 GiB. Ends with 1 where the default
takes more than 1.2 times the processor time of the best of the others. A run before those of each job, at the default,
is not counted: it may pay for memory that a virtual machine's host gives back slowly.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

BUDGETS = (None, "256MiB", "512MiB", "1GiB")


def dna(length, seed):
    return {"generate": "dna", "length": length, "seed": seed}


def matrix(side, kind, seed=1):
    return {"generate": "uniform", "shape": [side, side], "type": kind, "seed": seed}


JOBS = {
    "integral_histogram": ({"a": matrix(5800, "u8")},
                           {"wavefront": {"problem": "integral_histogram", "grid": "a", "bins": 16, "type": "i32"}}),
    "summed_area": ({"a": matrix(12000, "u8")},
                    {"wavefront": {"problem": "summed_area", "grid": "a", "type": "i64"}}),
    "smith_waterman": ({"a": dna(20000, 1), "b": dna(20000, 2)},
                       {"wavefront": {"problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1,
                                      "mismatch": -3, "gap_open": 3, "gap_extend": 2, "keep": "table"}}),
    "floyd_warshall": ({"a": matrix(4096, "f32")}, {"recursive": {"problem": "floyd_warshall", "matrix": "a"}}),
    "semiring_product": ({"a": matrix(6000, "f32"), "b": matrix(6000, "f32", 2)},
                         {"recursive": {"problem": "semiring_product", "left": "a", "right": "b"}}),
    "sor": ({"a": matrix(12000, "f32")}, {"wavefront": {"problem": "sor", "grid": "a", "sweeps": 16}}),
}


def measure(terrace, folder, budget):
    """Seconds of the processors, seconds on the clock."""
    arguments = [terrace, "run", "job.yaml"] + ([] if budget is None else ["--set", f"memory.host={budget}"])
    before, begin = os.times(), time.monotonic()
    subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after, end = os.times(), time.monotonic()
    os.unlink(os.path.join(folder, "result.h5"))
    return (after.children_user + after.children_system - before.children_user - before.children_system, end - begin)


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    terrace, slow = os.path.abspath(sys.argv[1]), []
    print("job                 " + "".join(f"{budget or 'default':>22}" for budget in BUDGETS))
    with tempfile.TemporaryDirectory(dir=sys.argv[2] if len(sys.argv) == 3 else None) as folder:
        for name, (inputs, stage) in JOBS.items():
            job = {"job": name, "backend": "cpu", "inputs": inputs, "stages": [{"name": "s", **stage}],
                   "output": "result.h5"}
            with open(os.path.join(folder, "job.yaml"), "w") as file:
                json.dump(job, file)
            measure(terrace, folder, None)
            turns = [[measure(terrace, folder, budget) for budget in BUDGETS] for _ in range(3)]
            taken = [min(runs) for runs in zip(*turns)]
            print(f"{name:20}" + "".join(f"{cpu:9.2f} s, {wall:7.2f} s" for cpu, wall in taken), flush=True)
            if taken[0][0] > 1.2 * min(cpu for cpu, _ in taken[1:]):
                slow.append(name)
    if slow:
        sys.exit("slower at the default memory: " + ", ".join(slow))


if __name__ == "__main__":
    main()
