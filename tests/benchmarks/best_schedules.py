"""usage: best_schedules.py TERRACE FOLDER [--limit 60] [NAME...]

Solves the instances of FOLDER (text files: machines, jobs, the times) with `epsilon: 0`, one whole command each, and
prints Markdown: seconds of computing, the makespan, what is proved.
"""
import argparse
import json
import pathlib
import subprocess
import tempfile

import h5py


def solved(program, path, limit):
    """Seconds, makespan and lower bound of an instance."""
    machines, jobs = path.read_text().split()[:2]
    with tempfile.TemporaryDirectory() as folder:
        job = pathlib.Path(folder, "job.yaml")
        stage = {"name": "s", "makespan": {"times": "t", "machines": int(machines), "epsilon": 0,
                                           "time_limit": f"{limit}s"}}
        job.write_text(json.dumps({"job": "best", "backend": "cpu", "output": "out.h5", "stages": [stage],
                                   "inputs": {"t": {"text": str(path.absolute()), "skip": 2}}}))
        subprocess.run([program, "run", "--quiet", str(job)], check=True, capture_output=True)
        with h5py.File(pathlib.Path(folder, "out.h5")) as file:
            return (int(machines), int(jobs), float(file["profile/stages/seconds"][0]), int(file["s/makespan"][()]),
                    int(file["s/lower_bound"][()]))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--limit", type=float, default=60)
    given = parser.parse_args()
    print("| instance | machines | jobs | seconds | makespan | lower bound |\n|---|---|---|---|---|---|")
    for path in sorted(given.folder.glob("*.txt")):
        if given.names and path.stem not in given.names:
            continue
        machines, jobs, seconds, best, bound = solved(given.program, path, given.limit)
        print(f"| {path.stem} | {machines} | {jobs} | {seconds:.2f} | {best} | {bound} |", flush=True)


if __name__ == "__main__":
    main()
