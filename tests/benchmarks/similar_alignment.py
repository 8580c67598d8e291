"""usage: similar_alignment.py TERRACE [--backend cpu] [--problem edit_distance] [--length 1000000] [--rate 0.1]
                            [--edlib PYTHON]

Alignments of similar sequences beside their scores: a job of the score alone and a job of the alignment, of a generated
sequence and a copy with that rate of mutations. Seconds of the process, of its stage and of both threads' processor
time, how much of the table was left out, and how often the score's stage the alignment's takes; the best of three
turns of each, in turn.

With --edlib: the score alone, of a pair of FASTA files, beside edlib's (one thread, by a Python that has it), in turn,
as processor time in user mode; of the job also that of a job of 100 letters, which starts and measures the machine, too.

On a GPU, for sequences 1% apart: similar_alignment.py TERRACE --backend cuda --rate 0.01
"""
import argparse
import pathlib
import random
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


def mutated(sequence, rate, generator):
    """Letters changed, left out and put in, a third of the rate each."""
    letters = []
    for letter in sequence:
        kind = generator.random() / rate
        if kind < 1 / 3:
            letters.append(generator.choice([other for other in "ACGT" if other != letter]))
        elif kind >= 2 / 3:
            letters.append(letter)
            if kind < 1:
                letters.append(generator.choice("ACGT"))
    return "".join(letters)


PAIR = """
job: pair
backend: cpu
inputs: {a: {fasta: a.fa}, b: {fasta: b.fa}}
stages:
  - name: pair
    wavefront: {problem: edit_distance, rows: a, columns: b}
output: pair.h5
"""


def user_seconds(command):
    """Of a process: seconds in user mode, and what it prints."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - used, said


def job_of(terrace, folder, a, b):
    """User seconds of a job of the pair, and its distance."""
    for name, letters in (("a", a), ("b", b)):
        (folder / f"{name}.fa").write_text(f">{name}\n{letters}\n")
    (folder / "pair.yaml").write_text(PAIR)
    used, _ = user_seconds([terrace, "run", "--fresh", "--quiet", folder / "pair.yaml"])
    with h5py.File(folder / "pair.h5") as result:
        return used, int(result["pair/score"][()])


EDLIB = """
import sys, time, edlib
a, b = (open(name).read().split()[1] for name in sys.argv[1:])
begin = time.process_time()
found = edlib.align(a, b, mode="NW", task="distance")["editDistance"]
print(time.process_time() - begin, found)
"""


def beside_edlib(arguments):
    generator = random.Random(1)
    a = "".join(generator.choices("ACGT", k=arguments.length))
    b = mutated(a, arguments.rate, generator)
    with tempfile.TemporaryDirectory() as name:
        folder, ours, small, theirs = pathlib.Path(name), [], [], []
        for _ in range(3):
            small.append(job_of(arguments.terrace, folder, a[:100], b[:100])[0])
            used, distance = job_of(arguments.terrace, folder, a, b)
            ours.append(used)
            _, said = user_seconds([arguments.edlib, "-c", EDLIB, folder / "a.fa", folder / "b.fa"])
            theirs.append(float(said.split()[0]))
            if int(said.split()[1]) != distance:
                raise SystemExit(f"distances differ: {distance}, edlib {said.split()[1]}")
    print(f"distance {distance}: job {min(ours):.3f} s, of it {min(small):.3f} s as a job of 100 letters; edlib "
          f"{min(theirs):.3f} s, {min(theirs) / (min(ours) - min(small)):.1f} times as much")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("terrace", type=pathlib.Path)
    parser.add_argument("--backend", default="cpu")
    parser.add_argument("--problem", default="edit_distance")
    parser.add_argument("--length", type=int, default=1000000)
    parser.add_argument("--rate", type=float, default=0.1)
    parser.add_argument("--edlib", metavar="PYTHON")
    arguments = parser.parse_args()
    arguments.terrace = arguments.terrace.absolute()
    if arguments.edlib:
        return beside_edlib(arguments)
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
