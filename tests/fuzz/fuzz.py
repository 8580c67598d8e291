#!/usr/bin/env python3
"""usage: fuzz.py PROGRAM [--seconds N] [--targets a,b] [--keep FOLDER] [--parallel N]

Runs libFuzzer on every target of terrace_fuzz for N seconds each, from the small files of the tests. A crash, more
than 1 GiB of memory, more than 5 s for one input, or a message that is not fit for users is a fault: the input that
made it is put into FOLDER. Closes with a line `N passed, N failed`.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "failure"))

# Files of the tests that a target begins with, by how their names end.
SEEDS = {"fasta": (".fa",), "fastq": (".fq",), "edges": (".txt", ".csv"), "matrix_market": (".mtx",), "dimacs": (".gr",),
         "gml": (".gml",), "graphml": (".graphml",), "csv": (".csv",), "text": (".txt",), "npy": (".npy",),
         "npz": (".npz",), "pnm": (".pgm", ".ppm"), "png": (".png",), "substitution": (".mat",), "job": (".yaml",),
         "ledger": (".log",)}
MEMORY, SECONDS_OF_INPUT = 1024, 5


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", type=pathlib.Path)
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--targets", default=",".join(SEEDS))
    parser.add_argument("--keep", type=pathlib.Path, default=pathlib.Path("fuzz-faults"))
    parser.add_argument("--parallel", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=0, help="0: another one each time")
    return parser.parse_args()


def gather(folder):
    """Puts the small files of the tests into the folder."""
    try:
        import runs  # noqa: F401
        from fuzz_corpus import job_text, write_files
        for name, (inputs, stages) in write_files(folder).items():
            pathlib.Path(folder, f"{name}.yaml").write_text(job_text(name, inputs, stages))
    except ImportError as missing:
        print(f"fuzz: without the files of fuzz_corpus.py: {missing}")
    for root in (HERE.parent / "field" / "files", HERE.parent.parent / "configs", HERE / "seeds"):
        for file in sorted(root.rglob("*")):
            if file.is_file() and file.stat().st_size < 20000:
                shutil.copy(file, pathlib.Path(folder, f"{root.name}-{file.name}"))


def run(options, target, files):
    """@return what was wrong, or None; and what libFuzzer said last"""
    with tempfile.TemporaryDirectory(prefix="fuzz-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None) as folder:
        corpus = pathlib.Path(folder, "corpus")
        corpus.mkdir()
        for number, file in enumerate(sorted(pathlib.Path(files).iterdir())):
            if file.name.endswith(SEEDS[target]):
                for choice in range(10):
                    (corpus / f"{number}-{choice}").write_bytes(bytes([choice]) + file.read_bytes())
        options.keep.mkdir(parents=True, exist_ok=True)
        command = [options.program, corpus, f"-max_total_time={options.seconds}", f"-timeout={SECONDS_OF_INPUT}",
                   f"-rss_limit_mb={MEMORY}", "-max_len=4096", "-print_final_stats=1", f"-seed={options.seed}",
                   f"-artifact_prefix={options.keep}/{target}-"]
        ended = subprocess.run(list(map(str, command)), capture_output=True, text=True, errors="replace",
                               env={**os.environ, "TERRACE_FUZZ_TARGET": target, "TMPDIR": folder,
                                    "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0:quarantine_size_mb=16"})
        return ended.returncode, ended.stderr


def main():
    options = arguments()
    options.program = options.program.resolve()
    options.keep = options.keep.resolve()
    failed = 0
    targets = options.targets.split(",")
    with tempfile.TemporaryDirectory(prefix="fuzz-") as files:
        gather(files)
        with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
            for target, (code, said) in zip(targets, pool.map(lambda name: run(options, name, files), targets)):
                executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", said)
                covered = re.findall(r"cov: (\d+)", said)
                print(f"{target}: {executed.group(1) if executed else '?'} inputs, "
                      f"{covered[-1] if covered else '?'} edges covered{', FAULT' if code else ''}", flush=True)
                if code:
                    failed += 1
                    print(said[-6000:], flush=True)
    print(f"{len(targets) - failed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
