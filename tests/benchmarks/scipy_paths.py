"""usage: scipy_paths.py TERRACE [NODES [NODES OF SCIPY]]

`floyd_warshall` in f32 as a whole job on the CPU (4096 nodes), and SciPy's (2048), which computes in f64 on one core:
seconds and updates of an element a second, the best of three turns of each, in turn.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy
from scipy.sparse.csgraph import floyd_warshall

JOB = """
job: paths
backend: cpu
inputs:
  weights: {npy: weights.npy}
stages:
  - name: paths
    recursive: {problem: floyd_warshall, matrix: weights}
output: paths.h5
"""


def weights(nodes):
    return numpy.random.default_rng(1).integers(1, 1000, (nodes, nodes)).astype(numpy.float32)


def show(what, nodes, seconds, note=""):
    print(f"{what}, {nodes} nodes: {seconds:.3f} s, {nodes ** 3 / seconds * 1e-9:.2f} G/s{note}", flush=True)


def of_job(terrace, matrix):
    """Seconds of the process, its stage's rate while computing, and the distances."""
    with tempfile.TemporaryDirectory() as folder:
        numpy.save(pathlib.Path(folder) / "weights.npy", matrix)
        job = pathlib.Path(folder) / "job.yaml"
        job.write_text(JOB)
        begin = time.monotonic()
        subprocess.run([terrace, "run", job], check=True, capture_output=True)
        seconds = time.monotonic() - begin
        with h5py.File(job.with_name("paths.h5")) as result:
            return seconds, result["profile/stages/rate"][0], result["paths/distance"][()]


def main():
    terrace = sys.argv[1]
    nodes, scipy_nodes = (int(word) for word in (sys.argv[2:] + ["4096", "2048"][len(sys.argv) - 2:])[:2])
    large, small = weights(nodes), weights(scipy_nodes)
    job, rate, scipy = 1e30, 0, 1e30
    for _ in range(3):
        seconds, computing, _ = of_job(terrace, large)
        job, rate = min(job, seconds), max(rate, computing)
        begin = time.monotonic()
        expected = floyd_warshall(small)
        scipy = min(scipy, time.monotonic() - begin)
    show("terrace", nodes, job, f", {rate * 1e-9:.2f} G/s while computing")
    show("SciPy", scipy_nodes, scipy)
    numpy.fill_diagonal(expected, 0)
    assert (of_job(terrace, small)[2] == expected).all(), "the distances differ"


if __name__ == "__main__":
    main()
