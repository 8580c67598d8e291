"""usage: similar_alignment.py TERRACE [--backend cpu] [--problem edit_distance] [--length 1000000] [--rate 0.1]

Alignments of similar sequences beside their scores: a job of the score alone and a job of the alignment, of a generated
sequence and a copy with that rate of mutations. Seconds of the process, of its stage and of both threads' processor
time, how much of the table was left out, and how often the score's stage the alignment's takes; the best of three
turns of each, in turn.

On a GPU, for sequences 1% apart: similar_alignment.py TERRACE --backend cuda --rate 0.01
"""
import argparse
import pathlib
import resource
import subprocess
import tempfile
import time

import h5py

JOB = """
job: similar
backend: {backend}
inputs:
  a: {{generate: dna, length: {length}, seed: 1}}
  b: {{generate: dna, seed: 2, mutate: {{of: a, rate: {rate}}}}}
stages:
  - name: pair
    wavefront: {{problem: {problem}, rows: a, columns: b, keep: {keep}}}
output: {keep}.h5
"""


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def measured(arguments, keep, folder):
    """Of one run: seconds of its stage, of the process, of its threads, and the share that was left out."""
    job = folder / f"{keep}.yaml"
    job.write_text(JOB.format(keep=keep, **vars(arguments)))
    begin, used = time.monotonic(), processor_seconds()
    subprocess.run([arguments.terrace, "run", "--fresh", "--quiet", job], check=True)
    process, used = time.monotonic() - begin, processor_seconds() - used
    with h5py.File(folder / f"{keep}.h5") as result:
        stages = result["profile/stages"]
        return stages["seconds"][0], process, used, stages["skipped"][0]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("terrace", type=pathlib.Path)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--problem", default="edit_distance")
    parser.add_argument("--length", type=int, default=1000000)
    parser.add_argument("--rate", type=float, default=0.1)
    arguments = parser.parse_args()
    arguments.terrace = arguments.terrace.absolute()
    with tempfile.TemporaryDirectory() as folder:
        turns = [{keep: measured(arguments, keep, pathlib.Path(folder)) for keep in ("score", "alignment")}
                 for _ in range(3)]
    best = {keep: min(turn[keep] for turn in turns) for keep in ("score", "alignment")}
    for keep, (stage, process, used, skipped) in best.items():
        print(f"{keep}: stage {stage:.3f} s, process {process:.3f} s, processors {used:.3f} s, "
              f"{100 * skipped:.1f}% left out")
    print(f"the alignment's stage takes {best['alignment'][0] / best['score'][0]:.2f} times the score's")


if __name__ == "__main__":
    main()
