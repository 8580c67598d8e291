"""What the benchmarks of stencils share: their command line, and the rate of a stage."""
import argparse
import json
import math
import os
import subprocess
import sys
import zlib

import h5py


def read_arguments(usage, side_on_cpu):
    """The command line. `side`, by which extents of grids are multiplied, is 1 on a GPU if it is left out."""
    parser = argparse.ArgumentParser(usage=usage)
    parser.add_argument("terrace")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--side", type=float)
    parser.add_argument("--only", default="")
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    arguments.terrace = os.path.abspath(arguments.terrace)
    arguments.side = arguments.side or (1 if arguments.backend == "cuda" else side_on_cpu)
    return arguments


def sized(arguments, shape, steps):
    """The extents and the number of steps that the command line asks for."""
    return [round(extent * arguments.side) for extent in shape], max(2, round(steps * arguments.scale))


def size_in_words(shape, steps):
    return f"{' x '.join(map(str, shape))}, {steps}"


def measure(arguments, folder, shape, kind, steps, keys):
    """Seconds that a stage computed, its method, and the checksums of its fields by name."""
    uniform = {"generate": "uniform", "shape": shape, "type": kind}
    fields = keys.get("fields", {"grid": "a"})
    read = {*fields.values(), *keys.get("arrays", {}).values(), keys.get("diffusivity"), keys.get("speed")}
    inputs = {name: {**uniform, "seed": seed} for seed, name in enumerate("abcd") if name in read}
    if {"drive", "series", "point_sources"} & keys.keys():
        inputs["s"] = {"generate": "ramp", "shape": [steps], "type": kind}
    job = {"job": "rates", "backend": arguments.backend, "inputs": inputs, "output": "result.h5",
           "stages": [{"name": "s", "stencil": {**keys, "steps": steps}}]}
    if arguments.backend == "cuda":
        job["devices"] = [0]
    with open(os.path.join(folder, "job.yaml"), "w") as file:
        json.dump(job, file)
    done = subprocess.run([arguments.terrace, "run", "job.yaml", "--fresh"], cwd=folder, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with h5py.File(os.path.join(folder, "result.h5")) as result:
        stages = result["profile/stages"]
        sums = {field: zlib.crc32(result[f"s/{field}"][()].tobytes()) for field in fields}
        return float(stages["compute_seconds"][0]), stages["method"][0].decode(), sums


def rate_of(arguments, folder, shape, kind, steps, keys):
    """10^9 cells in a second, the better of two runs; the method, and the checksums of the fields."""
    seconds, method, sums = min(measure(arguments, folder, shape, kind, steps, keys) for _ in range(2))
    return math.prod(shape) * steps / seconds / 1e9, method, list(sums.values())
