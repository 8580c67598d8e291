"""usage: paper_tables.py TERRACE [--backend cpu] [--repeats 5] [--figures 6 7] [--folder FOLDER]

Figures 6 and 7 of Li's dissertation (2020, chapter 5) as whole jobs: milliseconds of a table, the mean of some runs,
under `schedule: auto`, under `partitioned` with 3 to 9 dimensions divided, and under `levels`, which is computed on the
CPU whatever the back end. Figure 6: the tables whose extents tables 1 to 6 print, of equal sizes with different numbers
of dimensions. Figure 7: tables of three ranges of sizes; the paper does not print theirs, so extents are drawn with a
fixed seed. Dimension i has weight 4 + i and steps are all vectors of a weight of at most 16, as for epsilon 0.3. Prints
Markdown.
"""
import argparse
import json
import math
import pathlib
import random
import statistics
import subprocess
import tempfile

PRINTED = [[6, 4, 6, 6, 4], [2, 6, 3, 4, 6, 4], [2, 2, 4, 3, 2, 6, 3, 2], [3, 2, 3, 2, 2, 2, 2, 3, 4],
           [2, 3, 2, 2, 3, 3, 2, 2, 2, 2],
           [5, 3, 6, 3, 4, 4, 2], [5, 6, 2, 3, 2, 2, 4, 3], [3, 3, 4, 3, 2, 2, 5, 2, 2],
           [3, 16, 15, 18], [4, 5, 3, 6, 4, 3, 3], [3, 4, 3, 4, 3, 5, 3, 2], [3, 3, 3, 2, 3, 4, 2, 5, 2],
           [4, 4, 6, 6, 2, 3, 3, 2], [2, 4, 2, 3, 3, 3, 3, 2, 2, 2, 2],
           [5, 6, 3, 7, 6, 4, 8, 3], [3, 3, 3, 4, 5, 7, 2, 3, 4, 4],
           [3, 10, 7, 6, 4, 8, 10], [4, 5, 4, 2, 3, 5, 7, 3, 8]]
RANGES = [(100, 10000), (20000, 100000), (110000, 500000)]
TABLES_A_RANGE = 12
DIVIDED = range(3, 10)
SCHEDULES = {"auto": {"schedule": "auto"}, "levels": {"schedule": "levels"},
             **{f"{n} divided": {"schedule": "partitioned", "partition_dimensions": n} for n in DIVIDED}}


def drawn():
    """Extents of some tables of each range, by size."""
    draw = random.Random(5)
    found = []
    for least, most in RANGES:
        tables = []
        while len(tables) < TABLES_A_RANGE:
            extents = [draw.randint(2, 8) for _ in range(draw.randint(4, 11))]
            if least <= math.prod(extents) <= most:
                tables.append(extents)
        found += sorted(tables, key=math.prod)
    return found


def milliseconds(asked, folder, extents):
    """The mean time of each schedule."""
    weights = [4 + d for d in range(len(extents))]

    def run(backend, schedules):
        stages = [{"name": f"run{number}_{place}",
                   "dp_table": {"extents": extents, "capacity": {"weights": weights, "at_most": 16}, **SCHEDULES[name]}}
                  for number in range(asked.repeats) for place, name in enumerate(schedules)]
        path = pathlib.Path(folder) / "job.yaml"
        path.write_text(json.dumps({"backend": backend, "stages": stages, "output": "tables.h5"}))
        subprocess.run([asked.terrace, "run", "--fresh=all", path], check=True, capture_output=True)
        shown = subprocess.run([asked.terrace, "show", "--json", path.with_name("tables.h5")], check=True,
                               capture_output=True)
        result = json.loads(shown.stdout)
        values = {tuple(found["values"]) for found in result["datasets"] if found["path"].endswith("/value")}
        seconds = [stage["compute_seconds"] for stage in result["stages"]]
        assert len(values) == 1, f"schedules give different values: {values}"
        return {name: 1e3 * statistics.mean(seconds[place::len(schedules)]) for place, name in enumerate(schedules)}

    return {**run(asked.backend, [name for name in SCHEDULES if name != "levels"]), **run("cpu", ["levels"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("terrace")
    parser.add_argument("--backend", default="cpu", choices=["cpu", "cuda"])
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--figures", type=int, nargs="+", default=[6, 7], choices=[6, 7])
    parser.add_argument("--folder")
    asked = parser.parse_args()
    for figure in asked.figures:
        print(f"Figure {figure}, {asked.backend}, ms\n\n| cells | extents | " + " | ".join(SCHEDULES) + " |")
        print("|---" * (len(SCHEDULES) + 2) + "|")
        for extents in PRINTED if figure == 6 else drawn():
            with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
                times = milliseconds(asked, folder, extents)
            print(f"| {math.prod(extents)} | {' x '.join(map(str, extents))} | " +
                  " | ".join(f"{times[name]:.3g}" for name in SCHEDULES) + " |", flush=True)
        print()


if __name__ == "__main__":
    main()
