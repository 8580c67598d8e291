#!/usr/bin/env python3
"""usage: sanitize_jobs.py PROGRAM [--jobs N | --numbers 3,5] [--seed S] [--tools memcheck,racecheck,initcheck] [--parallel N]
                        [--seconds N]

Runs random jobs (random_jobs.py) on the GPU under the tools of compute-sanitizer, one tool after another, and prints
every report with the job that made it. A job whose budgets or settings the program refuses (exit 2) is left out and
counted. With --seconds no job begins later than that. Exit code 1 if a tool reported anything, or a job failed.
"""
import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from random_jobs import make_job

REPORTED = 99  # what compute-sanitizer ends with where it reports


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--jobs", type=int, default=100)
    parser.add_argument("--numbers", help="the jobs with these numbers, instead of 0 to N - 1")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tools", default="memcheck,racecheck,initcheck")
    parser.add_argument("--parallel", type=int, default=8)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no job later than that")
    parser.add_argument("--timeout", type=int, default=300, help="seconds of a job under a tool")
    return parser.parse_args()


def run(command, folder, timeout):
    """Ends all that it began when the time is over. @return exit code, or "timeout", and the output"""
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               errors="replace", start_new_session=True)
    try:
        output, _ = process.communicate(timeout=timeout)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return "timeout", process.communicate()[0]


def first_report(output):
    """The first report of a tool without the frames of the host, and its summary."""
    lines = [line for line in output.splitlines() if "Host Frame" not in line]
    return "\n".join(line[:300] for line in lines[:25] + [line for line in lines[25:] if "SUMMARY" in line])


def check(options, number):
    """Runs a job under each tool. @return a list of (tool, outcome, output)"""
    if time.monotonic() > options.end:
        return [("all", "not begun", "")]
    found = []
    with tempfile.TemporaryDirectory(prefix="terrace-") as folder:
        job = pathlib.Path(folder, "job.yaml")
        job.write_text(json.dumps(make_job(options.seed, number)))
        code, output = run([options.program, "check", job], folder, 60)
        if code == 2:
            return [("check", "refused", output)]
        for tool in options.tools.split(","):
            command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", str(REPORTED), "--print-limit", "10",
                       options.program, "run", job, "--fresh=all"]
            code, output = run(command, folder, options.timeout)
            if code == 0:
                outcome = "clean"
            elif code == 2:
                outcome = "refused"
            else:
                outcome = "reported" if code == REPORTED else f"ended with {code}"
            found.append((tool, outcome, output))
    return found


def main():
    options = arguments()
    options.program = str(pathlib.Path(options.program).absolute())
    if not shutil.which("compute-sanitizer"):
        sys.exit("sanitize_jobs: there is no compute-sanitizer in the path")
    counts, bad = collections.Counter(), False
    options.end = time.monotonic() + options.seconds
    numbers = [int(number) for number in options.numbers.split(",")] if options.numbers else range(options.jobs)
    with concurrent.futures.ThreadPoolExecutor(options.parallel) as pool:
        running = {pool.submit(check, options, number): number for number in numbers}
        for done in concurrent.futures.as_completed(running):
            number = running[done]
            for tool, outcome, output in done.result():
                counts[tool, outcome] += 1
                if outcome in ("clean", "refused", "not begun"):
                    continue
                bad = True
                stage = make_job(options.seed, number)["stages"][0]
                print(f"job {number} of seed {options.seed}, {tool}: {outcome}\n{json.dumps(stage)}\n{first_report(output)}",
                      flush=True)
    for (tool, outcome), count in sorted(counts.items()):
        print(f"{tool}: {count} {outcome}")
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
