"""usage: budgets.py TERRACE [FOLDER] [JOB...]

Wall time of whole jobs of ten kinds, with the processor time (user and system), at the default memory and at four
smaller budgets, each the least of three runs, which take turns. FOLDER (the system's for temporary files) takes up to
2 GiB; names of jobs choose some. Ends with 1 where the default takes more than 1.1 times the wall time of the best of
the others. A run before those of each job, at the default, is not counted: it may pay for memory that a virtual
machine's host gives back slowly.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

BUDGETS = (None, "256MiB", "512MiB", "1GiB", "2GiB")


def dna(length, seed):
    return {"generate": "dna", "length": length, "seed": seed}


def uniform(shape, kind, seed=1):
    return {"generate": "uniform", "shape": shape, "type": kind, "seed": seed}


def matrix(side, kind, seed=1):
    return uniform([side, side], kind, seed)


JOBS = {
    "star2d": ({"a": matrix(16384, "f32")}, {"stencil": {"operator": "star2d", "radius": 1, "grid": "a", "steps": 16}}),
    "heat3d": ({"a": uniform([512, 512, 512], "f32")},
               {"stencil": {"operator": "heat3d", "grid": "a", "diffusivity": 1, "dt": 0.1, "steps": 16}}),
    "summed_area": ({"a": matrix(12000, "u8")},
                    {"wavefront": {"problem": "summed_area", "grid": "a", "type": "i64"}}),
    "integral_histogram": ({"a": matrix(5800, "u8")},
                           {"wavefront": {"problem": "integral_histogram", "grid": "a", "bins": 16, "type": "i32"}}),
    "semiring_product": ({"a": matrix(6000, "f32"), "b": matrix(6000, "f32", 2)},
                         {"recursive": {"problem": "semiring_product", "left": "a", "right": "b"}}),
    "floyd_warshall": ({"a": matrix(4096, "f32")}, {"recursive": {"problem": "floyd_warshall", "matrix": "a"}}),
    "smith_waterman": ({"a": dna(20000, 1), "b": dna(20000, 2)},
                       {"wavefront": {"problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1,
                                      "mismatch": -3, "gap_open": 3, "gap_extend": 2, "keep": "table"}}),
    "sor": ({"a": matrix(12000, "f32")}, {"wavefront": {"problem": "sor", "grid": "a", "sweeps": 16}}),
    "dp_table": ({}, {"dp_table": {"extents": [16000, 16000], "steps": [[1, 0], [0, 1], [1, 1], [2, 3]],
                                   "cost": [3, 4, 5, 7], "keep": "table"}}),
    "kernel_graph": ({"a": matrix(12000, "f32")},
                     {"kernel_graph": {"nodes": {"gx": {"sobel": "a", "axis": "x"}, "gy": {"sobel": "a", "axis": "y"},
                                                 "xx": {"product": ["gx", "gx"]}, "yy": {"product": ["gy", "gy"]},
                                                 "square": {"add": ["xx", "yy"]}}, "keep": ["square"]}}),
}


def measure(terrace, folder, budget):
    """Seconds on the clock, and of the processors: user and system."""
    arguments = [terrace, "run", "job.yaml"] + ([] if budget is None else ["--set", f"memory.host={budget}"])
    before, begin = os.times(), time.monotonic()
    subprocess.run(arguments, cwd=folder, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after, end = os.times(), time.monotonic()
    os.unlink(os.path.join(folder, "result.h5"))
    return (end - begin, after.children_user - before.children_user, after.children_system - before.children_system)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    terrace, slow = os.path.abspath(sys.argv[1]), []
    parent = sys.argv[2] if len(sys.argv) > 2 else None
    chosen = sys.argv[3:] or list(JOBS)
    print("wall (user + system)" + "".join(f"{budget or 'default':>22}" for budget in BUDGETS))
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        for name in chosen:
            inputs, stage = JOBS[name]
            job = {"job": name, "backend": "cpu", "inputs": inputs, "stages": [{"name": "s", **stage}],
                   "output": "result.h5"}
            with open(os.path.join(folder, "job.yaml"), "w") as file:
                json.dump(job, file)
            measure(terrace, folder, None)
            turns = [[measure(terrace, folder, budget) for budget in BUDGETS] for _ in range(3)]
            taken = [min(runs) for runs in zip(*turns)]
            print(f"{name:20}" + "".join(f"{wall:6.2f} s ({user:5.2f} + {system:4.2f})" for wall, user, system in taken),
                  flush=True)
            if taken[0][0] > 1.1 * min(wall for wall, _, _ in taken[1:]):
                slow.append(name)
    if slow:
        sys.exit("slower at the default memory: " + ", ".join(slow))


if __name__ == "__main__":
    main()
