"""usage: nests.py TERRACE [--backend cpu] [--scale 1] [--folder FOLDER] [NEST...]

Compares the schedules of the nests of Di, Ye, Su, Sui and Xue (PACT 2012), those of configs/nests.yaml: with the
dependences of arrays that keep one value an element (`storage: given`), and with the flow of values alone
(`expanded`). The results have to be the same in every bit. Prints a table in Markdown, a row as soon as it is
measured: 10^9 iterations of statements in a second. Ends with 1 if a result differs. --scale multiplies the paper's
steps and extents (by default 1 on a GPU, 1/16 on the CPU). FOLDER (the system's for temporary files) takes up to 2 GiB.
NEST: a nest of the job; all of them if none is given.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

import h5py

JOB = pathlib.Path(__file__).resolve().parents[2] / "configs" / "nests.yaml"
# Steps and extents of the paper's table II, by the input that is swept.
LINE, PLANE, BOX = (65536, [65536]), (1000, [4096, 4096]), (256, [256, 256, 256])
NESTS = {"jacobi_1d": LINE, "jacobi_2d": PLANE, "jacobi_3d": BOX, "jacobi_3d_27": BOX, "sor_1d": LINE, "sor_2d": PLANE,
         "fdtd_2d": PLANE, "heat_2d": PLANE, "figure_2": LINE}
INPUTS = {"line": LINE, "plane": PLANE, "other": PLANE, "third": PLANE, "box": BOX}
VARIANTS = [(schedule, storage) for storage in ("given", "expanded")
            for schedule in ("communication_minimal", "balanced", "auto")]


def smaller(size, scale):
    """Steps and extents of another scale: a grid has at least one cell inside its rim."""
    steps, shape = size
    return max(2, round(steps * scale)), [max(3, round(extent * scale)) for extent in shape]


def job_of(nest):
    """The job with one nest alone, and the inputs that it reads."""
    inputs, stages = JOB.read_text().split("stages:\n")
    (stage,) = (text for text in re.split(r"(?m)^(?=  - name:)", stages) if re.match(rf"  - name: {nest}\s", text))
    kept = [line for line in inputs.splitlines()
            if not line.startswith("  ") or re.search(rf"\b{line.split(':')[0].strip()}\b", stage)]
    return "\n".join([*kept, "stages:", stage])


def settings_of(nest, scale, job):
    """The words that give the job its sizes."""
    settings = []
    for name, size in INPUTS.items():
        if f"\n  {name}:" in job:
            settings.append(f"inputs.{name}.shape={smaller(size, scale)[1]}")
    if nest == "fdtd_2d":
        settings.append(f"inputs.pulse.shape=[{smaller(PLANE, scale)[0]}]")
    else:
        settings.append(f"stages.{nest}.parameters.T={smaller(NESTS[nest], scale)[0]}")
    return settings


def measure(program, folder, backend, nest, settings):
    """The iterations in a second, the method, and a checksum of its arrays."""
    output = os.path.join(folder, "nests.h5")
    words = [word for setting in [f"output={output}", *settings] for word in ("--set", setting)]
    done = subprocess.run([program, "run", os.path.join(folder, "nests.yaml"), "--fresh", "--backend", backend, *words],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    with h5py.File(output) as result:
        stages = result["profile/stages"]
        arrays = [zlib.crc32(result[nest][array][()].tobytes()) for array in ("A", "ey", "ex", "hz")
                  if array in result[nest]]
        rate = stages["operations"][0] / max(1e-9, stages["compute_seconds"][0]) / 1e9
        return rate, stages["method"].asstr()[0], arrays


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("terrace")
    parser.add_argument("nests", nargs="*", metavar="NEST")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--scale", type=float)
    parser.add_argument("--folder")
    arguments = parser.parse_intermixed_args()
    unknown = set(arguments.nests) - set(NESTS)
    if unknown:
        parser.error(f"there is no nest {', '.join(sorted(unknown))}; there are {', '.join(NESTS)}")
    scale = arguments.scale or (1 if arguments.backend == "cuda" else 1 / 16)
    program = os.path.abspath(arguments.terrace)
    print("| nest | steps, size | method |", " | ".join(f"{schedule}, {storage}" for schedule, storage in VARIANTS), "|")
    print("|---" * (3 + len(VARIANTS)) + "|")
    differ = False
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for nest in arguments.nests or NESTS:
            job = job_of(nest)
            pathlib.Path(folder, "nests.yaml").write_text(job)
            measured = [measure(program, folder, arguments.backend, nest,
                                settings_of(nest, scale, job) + [f"stages.{nest}.schedule={schedule}",
                                                                 f"stages.{nest}.storage={storage}"])
                        for schedule, storage in VARIANTS]
            _, method, expected = measured[0]
            steps, shape = smaller(NESTS[nest], scale)
            rates = [f"{rate:.3g}" + (", DIFFERENT" if arrays != expected else "") for rate, _, arrays in measured]
            differ |= any(arrays != expected for _, _, arrays in measured)
            print(f"| {nest} | {steps}, {' x '.join(map(str, shape))} | {method} |", " | ".join(rates), "|", flush=True)
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
