"""Small real jobs of recursive stages: tables that are several times the host's budget, updated in place in tiles.

A table has at least five tiles in each direction, so that the recursion cuts it twice, and a block's tiles nearly fill
the budgets, so that most of what a block needs comes back from slots of the scratch files, which are used again.
"""
import os
import random

from runs import numpy, write_yaml

DEVICE = 48 << 10  # tiles of 32 x 32 numbers, of 128 x 128 bits
# More threads would take more of the host's budget: they are the same few on every machine.
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:2])
# The least holds the largest block and what OpenBLAS takes beside it in a tile of 32 x 32 doubles, 16 KiB a thread:
# a run that was planned with more memory must be able to go on.
HOST = tuple((kib + 16 * len(os.sched_getaffinity(0))) << 10 for kib in (36, 44, 56))


def save(folder, name, array):
    """Writes an input, and returns how a job names it."""
    numpy.save(os.path.join(folder, name + ".npy"), array)
    return {"npy": name + ".npy"}


def write_inputs(folder, seed, nodes, reached):
    """What the stages read, made from the seed alone."""
    draw = numpy.random.default_rng(seed)
    kind = ("float32", "int32")[seed % 2]
    weights = numpy.where(draw.random((nodes, nodes)) < 0.05, draw.integers(0, 50, (nodes, nodes)), -1).astype(kind)
    square = (nodes, nodes)
    return {
        "weights": save(folder, "weights", weights),
        "edges": save(folder, "edges", (draw.random((reached, reached)) < 1.5 / reached).astype(numpy.uint8)),
        "left": save(folder, "left", draw.normal(size=square).astype(numpy.float32)),
        "right": save(folder, "right", draw.normal(size=square).astype(numpy.float32)),
        "added": save(folder, "added", draw.normal(size=square).astype(numpy.float32)),
        "dominant": save(folder, "dominant", draw.random(square) + nodes * numpy.eye(nodes)),
        "extents": save(folder, "extents", draw.integers(1, 40, nodes)),
        "pairs": save(folder, "pairs", draw.integers(0, nodes, (40, 2))),
        "bases": {"generate": "dna", "length": nodes, "seed": seed},
    }


def write_recursive_job(folder, seed, **keys):
    """A job of every kind of recursive stage and a question about one of them, with a checkpoint whenever one can be
    made. Schedules are drawn."""
    draw = random.Random(seed)
    nodes = draw.randrange(220, 300)

    def recursive(name, problem, **settings):
        schedule = draw.choice(("auto", "two_way", "r_way", "plain"))
        return {"name": name, "recursive": {"problem": problem, "schedule": schedule, **settings}}

    write_yaml(folder, {
        "job": "recursive",
        "backend": "cpu",
        "memory": {"host": draw.choice(HOST), "device": DEVICE},
        "checkpoint": {"every": "1ms"},
        "inputs": write_inputs(folder, seed, nodes, draw.randrange(520, 800)),
        "stages": [
            recursive("paths", "floyd_warshall", matrix="weights", no_edge=-1, paths=True),
            recursive("reached", "transitive_closure", matrix="edges"),
            recursive("product", "semiring_product", left="left", right="right", accumulate="added",
                      semiring=draw.choice(("plus_times", "min_plus"))),
            recursive("factors", "gaussian_elimination", matrix="dominant"),
            recursive("chain", "matrix_chain", dimensions="extents", splits=True, keep="table"),
            recursive("fold", "nussinov", sequence="bases", splits=True),
            {"name": "asked", "query": {"matrix": "paths/distance", "next": "paths/next", "pairs": "pairs",
                                        "reduce": ["eccentricity", "diameter", "sum", "minimum"]}},
        ],
        "output": "out.h5",
        **keys,
    })
