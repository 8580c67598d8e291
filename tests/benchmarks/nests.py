"""usage: nests.py TERRACE [--backend cpu] [--scale 1] [--folder FOLDER]

Compares the schedules of the nests of Di, Ye, Su, Sui and Xue (PACT 2012), those of configs/nests.yaml: with the
dependences of arrays that keep one value an element (`storage: given`), and with the flow of values alone
(`expanded`). The results have to be the same in every bit. Prints a table in Markdown: 10^9 iterations of statements
in a second. Ends with 1 if a result differs. --scale multiplies the paper's steps and extents (by default 1 on a GPU,
1/16 on the CPU). FOLDER (the system's for temporary files) takes up to 2 GiB.
"""
import argparse
import os
import pathlib
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


def settings_of(scale):
    """The words that give the job its sizes."""
    settings = [f"inputs.pulse.shape=[{smaller(PLANE, scale)[0]}]"]
    for name, size in INPUTS.items():
        settings.append(f"inputs.{name}.shape={smaller(size, scale)[1]}")
    settings += [f"stages.{name}.parameters.T={smaller(size, scale)[0]}" for name, size in NESTS.items()
                 if name != "fdtd_2d"]
    return settings


def measure(program, folder, backend, settings):
    """Of each nest the iterations in a second, the method, and a checksum of its arrays."""
    output = os.path.join(folder, "nests.h5")
    words = [word for setting in [f"output={output}", *settings] for word in ("--set", setting)]
    done = subprocess.run([program, "run", JOB, "--fresh", "--backend", backend, *words], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(done.stderr)
    measured = {}
    with h5py.File(output) as result:
        stages = result["profile/stages"]
        for at, name in enumerate(stages["name"].asstr()[()]):
            arrays = [zlib.crc32(result[name][array][()].tobytes()) for array in ("A", "ey", "ex", "hz")
                      if array in result[name]]
            rate = stages["operations"][at] / max(1e-9, stages["compute_seconds"][at]) / 1e9
            measured[name] = rate, stages["method"].asstr()[at], arrays
    return measured


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("terrace")
    parser.add_argument("--backend", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--scale", type=float)
    parser.add_argument("--folder")
    arguments = parser.parse_args()
    scale = arguments.scale or (1 if arguments.backend == "cuda" else 1 / 16)
    program = os.path.abspath(arguments.terrace)
    columns = []
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for schedule, storage in VARIANTS:
            chosen = [f"stages.{name}.{key}={value}" for name in NESTS
                      for key, value in (("schedule", schedule), ("storage", storage))]
            columns.append(measure(program, folder, arguments.backend, settings_of(scale) + chosen))
    print("| nest | steps, size | method |", " | ".join(f"{schedule}, {storage}" for schedule, storage in VARIANTS), "|")
    print("|---" * (3 + len(VARIANTS)) + "|")
    differ = False
    for name, size in NESTS.items():
        steps, shape = smaller(size, scale)
        _, method, expected = columns[0][name]
        cells = []
        for column in columns:
            rate, _, found = column[name]
            differ |= found != expected
            cells.append(f"{rate:.3g}" + (", DIFFERENT" if found != expected else ""))
        print(f"| {name} | {steps}, {' x '.join(map(str, shape))} | {method} |", " | ".join(cells), "|")
    sys.exit(1 if differ else 0)


if __name__ == "__main__":
    main()
