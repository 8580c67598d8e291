"""usage: predictions.py TERRACE [--backend cpu] [--scale 1] [--only TEXT] [--every 1] [--folder FOLDER]

Compares the computing time that `terrace plan` expects of a stage with the one that a run measures, for stages of all
families, and prints a table in Markdown. Ends with 1 if a run failed, or took another method than the plan names.
Sizes are such that a GPU, or two threads, compute most stages for 0.3 to 3 s; --scale multiplies that. --only takes
the stages whose names hold TEXT, --every 2 the first one of two. FOLDER (the system's for temporary files) takes up to
8 GiB, with the sizes of a GPU: a disk in memory is best.
"""
import argparse
import concurrent.futures
import json
import os
import string
import subprocess
import sys
import tempfile
from typing import NamedTuple

import h5py

LONGEST = 60  # seconds of a command


class Job(NamedTuple):
    name: str
    cuda: tuple     # $n, and $t where the stage has it, on a GPU
    cpu: tuple      # the same on the CPU
    inputs: tuple   # YAML
    stage: str      # YAML
    order: int = 2  # power of $n that the work goes with


def numbers(kind, shape="$n, $n", names="a", least=0, most=1):
    return tuple(f"{name}: {{generate: uniform, shape: [{shape}], type: {kind}, minimum: {least}, maximum: {most}, "
                 f"seed: {seed}}}" for seed, name in enumerate(names))


def stencil(name, cuda, cpu, keys, kind="f32", shape="$n, $n", arrays=""):
    """One of $t steps, which reads array a and others."""
    inputs = numbers(kind, shape, "a" + arrays) + numbers(kind, "$t", "z" if "drive" in keys else "")
    return Job(name, cuda, cpu, inputs, f"stencil: {{steps: $t, {keys}}}", shape.count("$n"))


def letters(name, cuda, cpu, keys):
    inputs = ("a: {generate: dna, length: $n, seed: 1}", "b: {generate: dna, length: $n, seed: 2}")
    return Job(name, (cuda,), (cpu,), inputs, f"wavefront: {{rows: a, columns: b, {keys}}}")


def series(name, cuda, cpu, keys, kind="f32"):
    return Job(name, (cuda,), (cpu,), numbers(kind, "$n", "ab"),
               f"wavefront: {{problem: dtw, rows: a, columns: b, {keys}}}", 1 if "window" in keys else 2)


def grid(name, cuda, cpu, keys, kind="f32", most=1):
    return Job(name, (cuda,), (cpu,), numbers(kind, most=most), f"wavefront: {{grid: a, {keys}}}")


def tiles(name, cuda, cpu, keys, kind="f32", least=1, most=100, names="a"):
    return Job(name, (cuda,), (cpu,), numbers(kind, "$n, $n", names, least, most), f"recursive: {{{keys}}}", 3)


def intervals(name, cuda, cpu, keys, inputs):
    return Job(name, (cuda,), (cpu,), inputs, f"recursive: {{{keys}}}", 3)


def table(name, cuda, cpu, extents, keys, order=1):
    return Job(name, (cuda,), (cpu,), (), f"dp_table: {{extents: [{extents}], {keys}}}", order)


HEAT = "operator: heat2d, grid: a, dt: 0.1, diffusivity:"
HEAT3 = "operator: heat3d, grid: a, dt: 0.1, diffusivity:"
WAVE = "fields: {u: a, previous: b}, dt: 0.1, speed: 0.5"
LINEAR, AFFINE = "match: 1, mismatch: -3, gap: 2", "match: 1, mismatch: -3, gap_open: 3, gap_extend: 2"
WIDE = "match: 999, mismatch: -2999, gap_open: 3001, gap_extend: 2001"
ITEMS = "steps: [[4, 2, 3], [3, 5, 1], [6, 1, 2], [1, 1, 1]], cost: [11, 12, 14, 3], combine: max, fill: at_most"
BINS = "capacity: {weights: [7, 9, 11, 13, 15, 17, 19, 21], at_most: 50}"
SIZES, RNA = numbers("i32", "$n", least=1, most=9), ("a: {generate: dna, length: $n, seed: 1}",)
COINS = "steps: [[1], [2], [5], [10], [20], [50], [100], [200]]"

JOBS = (
    # Sums in two dimensions.
    stencil("star2d", (8192, 30000), (4096, 800), "operator: star2d, grid: a"),
    stencil("star2d, f64", (8192, 15000), (4096, 400), "operator: star2d, grid: a", "f64"),
    stencil("star2d, radius 3", (8192, 10000), (4096, 300), "operator: star2d, grid: a, radius: 3"),
    stencil("star2d, radius 8", (8192, 4000), (4096, 80), "operator: star2d, grid: a, radius: 8"),
    stencil("star2d, periodic", (8192, 20000), (4096, 800), "operator: star2d, grid: a, boundary: periodic"),
    stencil("star2d, edge", (8192, 20000), (4096, 800), "operator: star2d, grid: a, boundary: edge"),
    stencil("star2d, mask", (8192, 10000), (4096, 400), "operator: star2d, grid: a, mask: b", arrays="b"),
    stencil("star2d, source, f64", (8192, 5000), (4096, 200), "operator: star2d, grid: a, source: b", "f64",
            arrays="b"),
    stencil("star2d, radius 2, edge", (8192, 1500), (4096, 300),
            "operator: star2d, grid: a, radius: 2, boundary: edge"),
    stencil("star2d, 100000 x 64", (100000, 60000), (100000, 1500), "operator: star2d, grid: a", shape="$n, 64"),
    stencil("star2d, plain", (8192, 1600), (4096, 200), "operator: star2d, grid: a, schedule: plain"),
    stencil("box2d", (8192, 18000), (4096, 500), "operator: box2d, grid: a"),
    stencil("box2d, edge", (8192, 12000), (4096, 500), "operator: box2d, grid: a, boundary: edge"),
    stencil("box2d, radius 3", (8192, 3600), (4096, 50), "operator: box2d, grid: a, radius: 3"),
    stencil("box2d, radius 3, fast", (8192, 9000), (4096, 200),
            "operator: box2d, grid: a, radius: 3, arithmetic: fast"),
    stencil("box2d, radius 6", (8192, 1000), (2048, 60), "operator: box2d, grid: a, radius: 6"),
    stencil("box2d, radius 8, f64", (8192, 500), (2048, 20), "operator: box2d, grid: a, radius: 8", "f64"),
    stencil("offsets", (8192, 1500), (4096, 200), "operator: offsets, grid: a, offsets: [[-1, 0], [0, -2], [1, 1]]"),
    stencil("star1d", (1 << 26, 2000), (1 << 24, 500), "operator: star1d, grid: a", shape="$n"),
    # Formulas in two dimensions.
    stencil("heat2d", (8192, 20000), (4096, 600), HEAT + " 0.5"),
    stencil("heat2d, edge, f64", (8192, 10000), (4096, 300), HEAT + " 0.5, boundary: edge", "f64"),
    stencil("heat2d, array", (8192, 10000), (4096, 400), HEAT + " b", arrays="b"),
    stencil("heat2d, array, 8190 columns", (8192, 1500), (4096, 200), HEAT + " b", shape="$n, 8190", arrays="b"),
    stencil("wave2d", (8192, 12000), (4096, 300), "operator: wave2d, " + WAVE, arrays="b"),
    stencil("wave2d, f64", (8192, 6000), (4096, 150), "operator: wave2d, " + WAVE, "f64", arrays="b"),
    stencil("fdtd2d", (8192, 8000), (4096, 180), "operator: fdtd2d, fields: {ex: a, ey: b, hz: c}, drive: z",
            arrays="bc"),
    stencil("hotspot", (8192, 4500), (4096, 300), "operator: hotspot, grid: a, power: b", arrays="b"),
    # Formulas that a job writes.
    stencil("formula, two fields", (8192, 8000), (4096, 200), "operator: formula, fields: {u: a, v: b}, cells: "
            "{u: 'u + 0.16*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u) - u*v*v + 0.035*(1 - u)', "
            "v: 'v + 0.08*(v[-1,0] + v[1,0] + v[0,-1] + v[0,1] - 4*v) + u*v*v - 0.1*v'}", arrays="b"),
    stencil("formula, two arrays", (8192, 5000), (4096, 200), "operator: formula, fields: {u: a, w: b}, "
            "arrays: {q: c, r: d}, cells: {u: 'r*(2*u - w + q*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u))', "
            "w: 'r*u'}, nan: allow", arrays="bcd"),
    stencil("formula, place and step", (8192, 8000), (4096, 100), "operator: formula, fields: {u: a}, cells: "
            "{u: 'if((i + j + t) % 2 == 0, 0.25*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1]), u)'}"),
    # Three dimensions.
    stencil("star3d", (512, 3200), (256, 200), "operator: star3d, grid: a", shape="$n, $n, $n"),
    stencil("star3d, f64", (512, 2000), (256, 100), "operator: star3d, grid: a", "f64", "$n, $n, $n"),
    stencil("star3d, radius 2", (512, 1600), (256, 80), "operator: star3d, grid: a, radius: 2", shape="$n, $n, $n"),
    stencil("box3d", (512, 1900), (256, 80), "operator: box3d, grid: a", shape="$n, $n, $n"),
    stencil("heat3d", (512, 3600), (256, 200), HEAT3 + " 0.5", shape="$n, $n, $n"),
    stencil("heat3d, edge", (512, 700), (256, 200), HEAT3 + " 0.5, boundary: edge", shape="$n, $n, $n"),
    stencil("heat3d, array, mask", (512, 400), (256, 100), HEAT3 + " b, mask: c", shape="$n, $n, $n", arrays="bc"),
    stencil("heat3d, last axis of 12", (2048, 700), (1024, 200), HEAT3 + " 0.5", shape="$n, $n, 12"),
    stencil("wave3d", (512, 900), (256, 100), "operator: wave3d, " + WAVE, shape="$n, $n, $n", arrays="b"),
    # Two sequences. WIDE scores do not fit 16 bits.
    letters("smith_waterman, affine", 1500000, 100000, "problem: smith_waterman, " + AFFINE),
    letters("smith_waterman, affine, shorter", 400000, 40000, "problem: smith_waterman, " + AFFINE),
    letters("smith_waterman, affine, 32 bits", 1200000, 70000, "problem: smith_waterman, " + WIDE),
    letters("smith_waterman, linear", 1700000, 120000, "problem: smith_waterman, " + LINEAR),
    letters("smith_waterman, table", 24000, 8000, f"problem: smith_waterman, {AFFINE}, keep: table"),
    letters("smith_waterman, alignment", 400000, 60000, f"problem: smith_waterman, {AFFINE}, keep: alignment"),
    letters("smith_waterman, square_barrier", 150000, 16000,
            f"problem: smith_waterman, {AFFINE}, schedule: square_barrier"),
    letters("needleman_wunsch, affine", 1000000, 80000, "problem: needleman_wunsch, " + AFFINE),
    letters("needleman_wunsch, linear", 1000000, 100000, "problem: needleman_wunsch, " + LINEAR),
    letters("needleman_wunsch, shorter", 300000, 40000, "problem: needleman_wunsch, " + AFFINE),
    letters("needleman_wunsch, alignment", 300000, 50000, f"problem: needleman_wunsch, {AFFINE}, keep: alignment"),
    letters("edit_distance", 4000000, 200000, "problem: edit_distance"),
    letters("edit_distance, alignment", 1000000, 150000, "problem: edit_distance, keep: alignment"),
    letters("edit_distance, table", 24000, 8000, "problem: edit_distance, keep: table"),
    letters("lcs", 4000000, 250000, "problem: lcs"),
    letters("lcs, table", 24000, 8000, "problem: lcs, keep: table"),
    # Series and grids.
    series("dtw", 1000000, 60000, "cost: absolute"),
    series("dtw, f64", 500000, 40000, "cost: squared", "f64"),
    series("dtw, window of 20000", 2000000, 40000, "window: 20000"),
    grid("summed_area, u8", 20000, 8000, "problem: summed_area", "u8", 9),
    grid("summed_area, f32 in f64", 16384, 6000, "problem: summed_area"),
    grid("integral_histogram", 4096, 3000, "problem: integral_histogram, bins: 16, range: [0, 16]", "u8", 15),
    grid("sor, 1 sweep", 16384, 10000, "problem: sor, sweeps: 1"),
    grid("sor, 4 sweeps", 16384, 8000, "problem: sor, sweeps: 4"),
    grid("sor, 64 sweeps", 16384, 5000, "problem: sor, sweeps: 64"),
    grid("sor, 64 sweeps, f64", 16384, 4000, "problem: sor, sweeps: 64", "f64"),
    grid("sor, 1024 sweeps", 16384, 1500, "problem: sor, sweeps: 1024"),
    grid("seidel, 1 sweep", 16384, 8000, "problem: seidel, sweeps: 1"),
    grid("seidel, 4 sweeps", 16384, 6000, "problem: seidel, sweeps: 4"),
    grid("seidel, 64 sweeps", 16384, 4000, "problem: seidel, sweeps: 64"),
    # Tiles that others update.
    tiles("floyd_warshall, f32", 16384, 3000, "problem: floyd_warshall, matrix: a"),
    tiles("floyd_warshall, i16", 18000, 4000, "problem: floyd_warshall, matrix: a", "i16"),
    tiles("floyd_warshall, f64", 8192, 2500, "problem: floyd_warshall, matrix: a", "f64"),
    tiles("floyd_warshall, paths", 16384, 1800, "problem: floyd_warshall, matrix: a, paths: true"),
    tiles("transitive_closure", 40000, 10000, "problem: transitive_closure, matrix: a", "u8", 0),
    tiles("transitive_closure, packed", 40000, 10000, "problem: transitive_closure, matrix: a, packed: true", "u8", 0),
    tiles("plus_times, f32", 18000, 5000, "problem: semiring_product, left: a, right: b", names="ab"),
    tiles("plus_times, f64", 16384, 4000, "problem: semiring_product, left: a, right: b", "f64", names="ab"),
    tiles("min_plus, i32", 16384, 3000, "problem: semiring_product, left: a, right: b, semiring: min_plus", "i32",
          names="ab"),
    tiles("max_min, f32", 16384, 3000, "problem: semiring_product, left: a, right: b, semiring: max_min", names="ab"),
    tiles("count, u8", 20000, 5000, "problem: semiring_product, left: a, right: b, semiring: count", "u8", 0, 1,
          "ab"),
    tiles("or_and, u8", 20000, 5000, "problem: semiring_product, left: a, right: b, semiring: or_and", "u8", 0, 1,
          "ab"),
    tiles("gaussian_elimination, f32", 20000, 5000, "problem: gaussian_elimination, matrix: a"),
    intervals("matrix_chain", 16384, 4500, "problem: matrix_chain, dimensions: a, type: i32", SIZES),
    intervals("matrix_chain, f64, splits", 16384, 3000, "problem: matrix_chain, dimensions: a, type: f64, splits: true",
              SIZES),
    intervals("optimal_bst", 16384, 4000, "problem: optimal_bst, keys: a", SIZES),
    intervals("nussinov", 18000, 6000, "problem: nussinov, sequence: a", RNA),
    # Tables of many dimensions.
    table("knapsack of 3 capacities", 1200, 600, "$n, 700, 500", ITEMS),
    table("knapsack of 3 capacities, choice", 600, 300, "$n, 600, 400", ITEMS + ", keep: [choice]"),
    table("knapsack of 1 capacity", 300000, 3000000, "$n",
          "steps: [[30], [47], [71], [93]], cost: [40, 55, 98, 127], combine: max"),
    table("bins of 8 sizes", 60, 10, "$n, 16, 12, 10, 9, 9, 8, 8", BINS),
    table("bins of 8 sizes, partitioned", 12, 6, "$n, 12, 10, 10, 8, 8, 8, 6", BINS + ", schedule: partitioned"),
    table("ways on a lattice", 500, 250, "$n, $n, $n",
          "steps: [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], combine: count, modulus: 1000000007", 3),
    table("ways to change", 2000000, 30000000, "$n", COINS + ", combine: count, order: unordered, modulus: 1000003"),
)


def text_of(job, backend, scale):
    """The job as YAML. Its stage is temporary, so that little is written; another one makes a result."""
    n, *t = job.cuda if backend == "cuda" else job.cpu
    shares = 2 if t else 1  # the scale is shared by $n and $t
    values = {"n": max(32 if job.inputs else 2, round(n * scale ** (1 / shares / job.order)))}
    if t:
        values["t"] = max(1, round(t[0] * scale ** (1 / shares)))
    lines = ["job: prediction", f"backend: {backend}", "inputs:", *(f"  {one}" for one in job.inputs), "stages:",
             "- name: measured", "  temporary: true", f"  {job.stage}",
             "- {name: kept, dp_table: {extents: [2], steps: [[1]]}}", "output: result.h5"]
    if not job.inputs:
        lines.remove("inputs:")
    if backend == "cuda":
        lines.append("devices: [0]")
    return string.Template("\n".join(lines) + "\n").substitute(values)


def terrace(folder, program, *arguments):
    """What it printed. @throws RuntimeError if it failed"""
    try:
        done = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, check=False,
                              timeout=LONGEST)
    except subprocess.TimeoutExpired as error:
        raise RuntimeError(f"not done after {LONGEST} s") from error
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return done.stdout


def make_plan(program, folder, text):
    """The method that computes the stage, and the seconds that it is expected to compute."""
    with open(os.path.join(folder, "job.yaml"), "w") as file:
        file.write(text)
    try:
        stage = json.loads(terrace(folder, program, "plan", "job.yaml", "--json"))["stages"][0]
    except RuntimeError as error:
        return None, str(error)
    return stage["method"], stage["compute_seconds"]


def measure(program, folder):
    """The same of a run."""
    terrace(folder, program, "run", "job.yaml")
    result = os.path.join(folder, "result.h5")
    with h5py.File(result) as file:
        stages = file["profile/stages"]
        measured = stages["method"][0].decode(), float(stages["compute_seconds"][0])
    os.unlink(result)
    return measured


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("terrace")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--scale", type=float, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    program = os.path.abspath(arguments.terrace)
    jobs = [job for job in JOBS if arguments.only in job.name][::arguments.every]
    ratios, faults = [], []
    print("| stage | method | predicted | measured | measured / predicted |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=arguments.folder) as base:
        folders = [os.path.join(base, str(number)) for number in range(len(jobs))]
        for folder in folders:
            os.mkdir(folder)
        # On the CPU a plan measures the processor, which has to be free for it.
        with concurrent.futures.ThreadPoolExecutor(8 if arguments.backend == "cuda" else 1) as pool:
            plans = list(pool.map(lambda job, folder: make_plan(
                program, folder, text_of(job, arguments.backend, arguments.scale)), jobs, folders))
        for job, folder, (planned, expected) in zip(jobs, folders, plans):
            try:
                if planned is None:
                    raise RuntimeError(expected)
                method, seconds = measure(program, folder)
            except RuntimeError as error:
                faults.append(f"{job.name}: {error}")
                continue
            if method != planned:
                faults.append(f"{job.name}: planned {planned}, computed by {method}")
            ratio = seconds / expected if expected else 0
            ratios.append(max(ratio, 1 / ratio) if ratio else float("inf"))
            cells = [f"{1000 * time:.4g} ms" if time else "-" for time in (expected, seconds)]
            cells.append(f"{ratio:.2f}" if ratio else "-")
            print("| " + " | ".join([job.name, method, *cells]) + " |", flush=True)
    for bound in (1.5, 1.3):
        within = sum(ratio <= bound for ratio in ratios)
        print(f"{'' if bound == 1.3 else chr(10)}{within} of {len(ratios)} within a factor of {bound}, "
              f"{100 * within / max(1, len(ratios)):.0f}%")
    if faults:
        sys.exit("\n".join(faults))


if __name__ == "__main__":
    main()
