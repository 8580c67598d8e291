"""Profiles that tests of pictures write into results, in place of those of a run."""
import os
import subprocess
import time

import terrace_runs
from terrace_runs import DONE, JobTest, affine, h5py, numpy, random_letters

MOVEMENTS = ("read", "copy up", "copy down", "write", "peer", "assemble")


def many(count, devices=2, seed=1):
    """Columns of so many blocks and as many copies, which overlap, in two attempts, of two stages."""
    draw = numpy.random.default_rng(seed)
    begin = numpy.sort(draw.random(count)) * count * 1e-5 + numpy.where(numpy.arange(count) < count // 3, 0, 500)
    second = numpy.arange(count) >= count // 3
    blocks = {"stage": (numpy.arange(count) > count // 2).astype("i8"), "phase": draw.integers(0, 9, count),
              "first": numpy.arange(count), "count": numpy.ones(count, "i8"),
              "device": draw.integers(0, devices, count).astype("i4"), "attempt": 1 + second.astype("i8"),
              "attempts": numpy.ones(count, "i4"), "operations": draw.random(count) * 1e9, "begin": begin,
              "end": begin + draw.random(count) * 1e-4}
    movement = draw.integers(0, len(MOVEMENTS), count)
    device = numpy.where(numpy.isin(movement, (0, 3)), -1, draw.integers(0, devices, count)).astype("i4")
    between = (movement == MOVEMENTS.index("peer")) & (devices > 1)
    begin = 500 + numpy.sort(draw.random(count)) * count * 1e-5
    copies = {"stage": blocks["stage"], "array": ["table"] * count, "tile": draw.integers(-1, 99, count),
              "generation": draw.integers(0, 9, count), "movement": [MOVEMENTS[i] for i in movement],
              "device": device, "from": numpy.where(between, (device + 1) % devices, -1).astype("i4"),
              "bytes": draw.integers(1, 1 << 30, count), "begin": begin, "end": begin + draw.random(count) * 1e-4}
    return blocks, copies


class PictureTest(JobTest):
    """A test of commands that make pictures of results."""

    def made_result(self, name="result.h5", stages=("align", "other"), **keys):
        """Makes a small result of that name, with tables."""
        keys.setdefault("memory", {"host": 4 << 20, "device": 1 << 18})
        inputs = {"a": random_letters(900, 1), "b": random_letters(1000, 2)}
        stages = [affine(stage, "a", "b", keep="table") for stage in stages]
        self.run_job(inputs, stages, output=name, backend="cpu", **keys).close()

    def with_profile(self, blocks, copies, name="result.h5", **tables):
        """Writes columns of the profile in place of those of a result."""
        with h5py.File(self.folder / name, "r+") as result:
            for table, columns in {"blocks": blocks, "copies": copies, **tables}.items():
                for column, values in columns.items():
                    path = f"profile/{table}/{column}"
                    if path in result:
                        del result[path]
                    result[path] = values

    def columns_of(self, table, name="result.h5"):
        """The columns of a table of the profile."""
        with h5py.File(self.folder / name) as result:
            group = result["profile"][table]
            return {column: group[column].asstr()[()] if h5py.check_string_dtype(group[column].dtype)
                    else group[column][()] for column in group if group[column].dtype.kind != "V"
                    and "This is a netCDF dimension" not in str(group[column].attrs.get("NAME", ""))}

    def check_bounds(self, *arguments, seconds=10, mebibytes=500):
        """Runs the program, which must succeed within a time and a memory."""
        began = time.monotonic()
        process = subprocess.Popen([terrace_runs.program, *map(str, arguments)], cwd=self.folder,
                                   stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
        said = process.stderr.read().decode()
        process.stderr.close()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, DONE, said)
        self.assertLess(used.ru_maxrss / 1024, mebibytes)
        self.assertLess(min(time.monotonic() - began, used.ru_utime + used.ru_stime), seconds)
