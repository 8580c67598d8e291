"""Nine kinds of job, killed at random times: also first commands with --fresh, over a result that is there, end right.

TERRACE_FAILURE_SCALE multiplies the jobs of each kind (four).
"""
import os
import random
import shutil
import time

import runs
from kill_test import kill_randomly
from recursive_jobs import DEVICE, save, write_recursive_job
from runs import DONE, Case, ToyCase, drawn, h5py, main, numpy, run_job, scaled, side_by_side, write_job, write_yaml

JOBS = 4
KILLS = 5


def write_alignments(folder, seed):
    """Alignments of sequences far apart and near each other: phases that follow from results."""
    common = {"rows": "a", "columns": "b", "keep": "alignment"}
    write_job(folder, seed, memory={"host": "4MiB", "device": 120 << 10},
              inputs={"a": {"generate": "dna", "length": 2000 + seed % 7 * 100, "seed": seed},
                      "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}, "seed": seed + 1},
                      "c": {"generate": "dna", "length": 1500, "seed": seed + 2}},
              stages=[{"name": "local", "wavefront": {"problem": "smith_waterman", "match": 1, "mismatch": -3,
                                                      "gap_open": 3, "gap_extend": 2, **common}},
                      {"name": "near", "wavefront": {"problem": "edit_distance", **common}},
                      {"name": "far", "wavefront": {"problem": "lcs", **common, "columns": "c"}}])


def write_grids(folder, seed):
    """Grids from HDF5, stages that read what others wrote, and a result in folders that the run makes."""
    draw = numpy.random.default_rng(seed)
    with h5py.File(os.path.join(folder, "grid.h5"), "w") as file:
        file.create_dataset("plain", data=draw.integers(0, 200, (300, 260)).astype(numpy.uint8))
        file.create_dataset("packed", data=draw.random((280, 240)), chunks=(64, 64), compression="gzip")
    write_yaml(folder, {
        "job": "grids", "backend": "cpu", "memory": {"host": "1MiB"}, "checkpoint": {"every": "1ms"},
        "inputs": {"plain": {"hdf5": "grid.h5", "dataset": "plain"}, "packed": {"hdf5": "grid.h5", "dataset": "packed"}},
        "stages": [{"name": "counts", "wavefront": {"problem": "integral_histogram", "grid": "plain", "bins": 6,
                                                    "range": [0, 256]}},
                   {"name": "sums", "temporary": True, "wavefront": {"problem": "summed_area", "grid": "plain"}},
                   {"name": "again", "wavefront": {"problem": "summed_area", "grid": "sums/table", "type": "i64"}},
                   {"name": "relaxed", "wavefront": {"problem": "sor", "grid": "packed", "sweeps": 20 + seed % 30}},
                   {"name": "smooth", "wavefront": {"problem": "seidel", "grid": "relaxed/grid", "sweeps": 9}}],
        "output": "made/by/the/run/out.h5"})


def write_network(folder, seed):
    """A graph from a list of edges: distances, paths, what is reached, and questions about them."""
    draw = random.Random(seed)
    nodes = draw.randrange(150, 220)
    with open(os.path.join(folder, "edges.txt"), "w") as file:
        for _ in range(nodes * 4):
            file.write(f"{draw.randrange(nodes)} {draw.randrange(nodes)} {draw.randrange(1, 90)}\n")
    pairs = numpy.random.default_rng(seed).integers(0, nodes, (30, 2))
    write_yaml(folder, {
        "job": "network", "backend": "cpu", "memory": {"host": 400 << 10, "device": DEVICE},
        "checkpoint": {"every": "1ms"},
        "inputs": {"roads": {"graph": "edges.txt", "nodes": nodes}, "pairs": save(folder, "pairs", pairs)},
        "stages": [{"name": "ways", "recursive": {"problem": "floyd_warshall", "matrix": "roads", "paths": True}},
                   {"name": "reached", "recursive": {"problem": "transitive_closure", "matrix": "roads", "packed": True}},
                   {"name": "ask", "query": {"matrix": "ways/distance", "next": "ways/next", "pairs": "pairs",
                                             "reduce": ["eccentricity", "sum"]}}],
        "output": "out.h5"})


def write_borders(folder, seed):
    """Warps and kept borders of tables that are not stored."""
    draw = numpy.random.default_rng(seed)
    write_yaml(folder, {
        "job": "borders", "backend": "cpu", "memory": {"host": "2MiB", "device": 200 << 10},
        "checkpoint": {"every": "1ms"},
        "inputs": {"x": save(folder, "x", draw.random(900 + seed % 200)), "y": save(folder, "y", draw.random(1000)),
                   "a": {"generate": "dna", "length": 1300, "seed": seed},
                   "b": {"generate": "dna", "length": 1100, "seed": seed + 1}},
        "stages": [{"name": "warp", "wavefront": {"problem": "dtw", "rows": "x", "columns": "y", "keep": "alignment"}},
                   {"name": "lines", "wavefront": {"problem": "dtw", "rows": "x", "columns": "y", "keep": "borders",
                                                   "every": 97}},
                   {"name": "global", "wavefront": {"problem": "needleman_wunsch", "rows": "a", "columns": "b",
                                                    "match": 2, "mismatch": -1, "gap_open": 3, "gap_extend": 1,
                                                    "keep": "table"}}],
        "output": "out.h5"})


def write_stencils(folder, seed):
    """Stencils in slabs: snapshots, a residual that ends the steps, two fields, three dimensions."""
    draw = numpy.random.default_rng(seed)
    write_yaml(folder, {
        "job": "stencils", "backend": "cpu", "memory": {"host": "2MiB", "device": 300 << 10},
        "checkpoint": {"every": "1ms"},
        "inputs": {"plate": save(folder, "plate", draw.random((300, 130)).astype(numpy.float32)),
                   "block": save(folder, "block", draw.random((60, 24, 26))),
                   "pulse": save(folder, "pulse", draw.random(30))},
        "stages": [{"name": "average", "stencil": {"operator": "star2d", "radius": 2, "grid": "plate",
                                                   "steps": 40 + seed % 20, "snapshots": {"every": 15}}},
                   {"name": "settles", "stencil": {"operator": "heat2d", "grid": "average/grid", "dt": 0.2,
                                                   "diffusivity": 1, "steps": 400, "boundary": "edge",
                                                   "until": {"residual": 2e-3, "every": 20},
                                                   "receivers": {"at": [[3, 4], [299, 0]], "every": 3}}},
                   {"name": "wave", "stencil": {"operator": "wave2d", "fields": {"u": "plate", "previous": "plate"},
                                                "dt": 0.1, "speed": 1, "steps": 30, "boundary": "periodic",
                                                "point_sources": [{"at": [0, 9], "values": "pulse"},
                                                                  {"at": [150, 60], "values": "pulse"}],
                                                "receivers": {"at": [[299, 9], [150, 61], [20, 20]]}}},
                   {"name": "warm", "stencil": {"operator": "heat3d", "grid": "block", "dt": 0.1, "diffusivity": 1,
                                                "steps": 25}}],
        "output": "out.h5"})


def write_dimensions(folder, seed):
    """Tables of many dimensions with a way back, and schedules of jobs."""
    draw = random.Random(seed)
    times = [draw.randrange(20, 90) for _ in range(24)]
    write_yaml(folder, {
        "job": "dimensions", "backend": "cpu", "memory": {"host": "1MiB", "device": 200 << 10},
        "checkpoint": {"every": "1ms"},
        "inputs": {"times": {"values": times}},
        "stages": [{"name": "cheapest", "dp_table": {
                       "extents": [70, 60, 12 + seed % 5], "combine": "min", "keep": ["table", "choice", "solution"],
                       "steps": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [3, 2, 1], [5, 7, 2]], "cost": [4, 3, 5, 7, 9]}},
                   {"name": "ways", "dp_table": {"extents": [300, 200], "combine": "count", "modulus": 1000003,
                                                 "steps": [[1, 0], [0, 1], [2, 3]], "keep": "table"}},
                   {"name": "machines", "makespan": {"times": "times", "machines": 5, "epsilon": 0.25,
                                                     "bounds": False}}],
        "output": "out.h5"})


def write_added(folder, seed):
    """A finished result, and its job with more stages: what is there is taken over."""
    draw = numpy.random.default_rng(seed)
    stages = [{"name": "ways", "recursive": {"problem": "floyd_warshall", "matrix": "roads", "paths": True}},
              {"name": "smooth", "wavefront": {"problem": "sor", "grid": "plate", "sweeps": 12}},
              {"name": "ask", "query": {"matrix": "ways/distance", "reduce": ["eccentricity", "sum"]}},
              {"name": "sums", "wavefront": {"problem": "summed_area", "grid": "smooth/grid"}},
              {"name": "closed", "recursive": {"problem": "transitive_closure", "matrix": "roads"}}]
    inputs = {"roads": save(folder, "roads", draw.integers(1, 90, (130 + seed % 40, 130 + seed % 40)).astype("i4")),
              "plate": save(folder, "plate", draw.random((220, 180)))}
    for count in (2, len(stages)):
        write_yaml(folder, {"job": "added", "backend": "cpu", "memory": {"host": "1MiB", "device": 200 << 10},
                            "checkpoint": {"every": "1ms"}, "inputs": inputs, "stages": stages[:count],
                            "output": "out.h5"})
        if count == 2:
            end = run_job(folder)
            if end.code != DONE:
                raise AssertionError(f"the first stages: {end!r}")


KINDS = {"sequences": write_job, "alignments": write_alignments, "grids": write_grids, "tables": write_recursive_job,
         "network": write_network, "borders": write_borders, "stencils": write_stencils,
         "dimensions": write_dimensions, "added": write_added}


def output_of(kind):
    return "made/by/the/run/out.h5" if kind == "grids" else "out.h5"


def content(folder, kind):
    return runs.results(folder, output_of(kind))


class KindsOfJob(ToyCase):
    def test_killed_at_random_times_each_ends_with_the_same_bytes(self):
        total = {"kills": 0, "fresh": 0, "over a result": 0}
        for seed, kind in [(runs.first_seed + seed, kind) for seed in range(scaled(1)) for kind in KINDS]:
            whole = self.folder()
            KINDS[kind](whole, seed)
            begin = time.monotonic()
            end = run_job(whole)
            took = time.monotonic() - begin
            self.assertEqual(end.code, DONE, f"{kind}, seed {seed}: {end!r}")
            expected = content(whole, kind)

            def disturb(number):
                folder, draw = self.folder(), drawn(kind, seed, number)
                KINDS[kind](folder, seed)
                fresh, there = draw.random() < 0.25, draw.random() < 0.5
                if fresh and there:
                    os.makedirs(os.path.dirname(os.path.join(folder, output_of(kind))), exist_ok=True)
                    shutil.copy(os.path.join(whole, output_of(kind)), os.path.join(folder, output_of(kind)))
                command = [runs.terrace, "run", "job.yaml"]
                kills = kill_randomly(self, command + ["--fresh"] * fresh, folder, draw, took, 1)
                # A first command that was killed before it recorded anything is given again as it was.
                begun = os.path.exists(os.path.join(folder, output_of(kind) + ".run", "plan.json"))
                if kills and (begun or not fresh):
                    for _ in range(KILLS - 1):
                        again = command + ["--fresh"] * (begun and fresh and draw.random() < 0.3)
                        killed = kill_randomly(self, again, folder, draw, took, 1)
                        kills += killed
                        if not killed:
                            break
                lost = kills > 0 and fresh and not begun
                ended = run_job(folder, *["--fresh"] * lost)
                what = f"{kind}, seed {seed}, job {number}"
                self.assertEqual(ended.code, DONE, f"{what}: {ended!r}")
                found = content(folder, kind)
                self.assertEqual([name for name in {*found, *expected} if found.get(name) != expected.get(name)], [],
                                 f"{what}: different")
                self.assertFalse(os.path.exists(os.path.join(folder, output_of(kind) + ".run")), what)
                shutil.rmtree(folder)
                return kills, fresh, fresh and there

            for counts in side_by_side(disturb, range(JOBS)):
                for name, count in zip(total, counts):
                    total[name] += count
            shutil.rmtree(whole)
        print(total, flush=True)


if __name__ == "__main__":
    main()
