"""usage: scipy_searches.py TERRACE [NODES EDGES [ROWS OF SCIPY]]

All pairs of a generated sparse graph (23000 nodes, 93000 edges, degrees as in a citation network) by
`schedule: searches` as whole jobs on the CPU, without and with weights, and SciPy's `csgraph.dijkstra`, on one core, from
so many of its nodes (400): seconds of the process and of its blocks, and of SciPy's rows as of all, the least of three
turns of each. Distances must be equal. `paths` and distances in f64 are lines of their own.
"""
import pathlib
import subprocess
import sys
import tempfile
import time

import h5py
import numpy
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import dijkstra

JOB = """
job: searches
backend: cpu
inputs:
  g: {{graph: edges.txt, nodes: {nodes}, header: false{unweighted}}}
stages:
  - name: paths
    recursive: {{problem: floyd_warshall, matrix: g, schedule: searches{settings}}}
output: searches.h5
"""


def skewed_edges(nodes, edges):
    """Different edges whose ends are drawn with probabilities that fall as a power of the node's rank."""
    draw = numpy.random.default_rng(1)
    chance = 1 / numpy.arange(1, nodes + 1) ** 0.6
    name = draw.permutation(nodes)
    found = set()
    while len(found) < edges:
        ends = name[draw.choice(nodes, (edges, 2), p=chance / chance.sum())]
        found.update((int(a), int(b)) for a, b in ends[: edges - len(found)] if a != b)
    return numpy.array(sorted(found))


def of_job(terrace, folder, nodes, unweighted, settings):
    """Seconds of the process and from its first block to its last, the method, and the result's path."""
    job = pathlib.Path(folder) / "job.yaml"
    job.write_text(JOB.format(nodes=nodes, unweighted=", unweighted: true" if unweighted else "", settings=settings))
    begin = time.monotonic()
    subprocess.run([terrace, "run", job, "--fresh=all"], check=True, capture_output=True)
    seconds = time.monotonic() - begin
    with h5py.File(job.with_name("searches.h5")) as result:
        profile = result["profile/stages"]
        method = profile["method"][0].decode()
        blocks = result["profile/blocks/end"][()].max() - result["profile/blocks/begin"][()].min()
    return seconds, float(blocks), method, job.with_name("searches.h5")


def check(path, sources, expected):
    with h5py.File(path) as result:
        distance = result["paths/distance"]
        none = distance.attrs.get("_FillValue", numpy.inf)
        for source, row in zip(sources, expected):
            found = distance[source].astype(float)
            found[found == none] = numpy.inf
            numpy.testing.assert_allclose(found, row, rtol=1e-12)


def main():
    terrace = sys.argv[1]
    words = [int(word) for word in sys.argv[2:]]
    nodes, edges = words[:2] if len(words) > 1 else (23000, 93000)
    rows = words[2] if len(words) > 2 else 400
    ends = skewed_edges(nodes, edges)
    weights = numpy.random.default_rng(2).integers(1, 1000, edges)
    sources = numpy.sort(numpy.random.default_rng(3).choice(nodes, min(rows, nodes), replace=False))
    kinds = [("unweighted", True, ""), ("weighted", False, ""), ("weighted, f64", False, ", type: f64"),
             ("unweighted, paths", True, ", paths: true"), ("weighted, paths", False, ", paths: true")]
    graph = csr_matrix((weights.astype(float), (ends[:, 0], ends[:, 1])), (nodes, nodes))
    scipy = {}
    for _ in range(3):
        for unweighted in (True, False):
            begin = time.monotonic()
            found = dijkstra(graph, unweighted=unweighted, indices=sources)
            seconds = (time.monotonic() - begin) * nodes / len(sources)
            scipy[unweighted] = min(scipy.get(unweighted, (1e30, None))[0], seconds), found
    with tempfile.TemporaryDirectory() as folder:
        numpy.savetxt(pathlib.Path(folder) / "edges.txt", numpy.column_stack([ends, weights]), fmt="%d")
        for name, unweighted, settings in kinds:
            best, computing = 1e30, 1e30
            for _ in range(3):
                seconds, blocks, method, path = of_job(terrace, folder, nodes, unweighted, settings)
                best, computing = min(best, seconds), min(computing, blocks)
            check(path, sources, scipy[unweighted][1])
            other = scipy[unweighted][0]
            print(f"{name}: {best:.2f} s, {computing:.2f} s of blocks ({method}); SciPy {other:.1f} s, "
                  f"{other / best:.1f} and {other / computing:.1f} times as long", flush=True)


if __name__ == "__main__":
    main()
