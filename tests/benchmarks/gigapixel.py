"""usage: gigapixel.py TERRACE [--side N] [--tile N] [--folder FOLDER]

Makes a BigTIFF of N x N bytes (65536: 2^32 pixels), in tiles or, with --tile 0, in strips of 16 rows, and runs
configs/gigapixel.yaml on it: histogram, 5 x 5 filter and threshold within 1 GiB. Where libvips is installed, does the
same with it: one pass for the histogram, and one for filter and threshold that writes a BigTIFF. Prints seconds
and the most memory of each, and compares the pixels of a few rows with NumPy's. FOLDER takes three times N x N bytes.
"""
import argparse
import ctypes
import ctypes.util
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile
import time

import numpy

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "end_to_end"))

from bigtiff import bright, write_bigtiff  # noqa: E402


def rows_of(side, begin, end):
    """Rows of the image: broad waves with grain."""
    i, j = numpy.arange(begin, end, dtype=numpy.uint32)[:, None], numpy.arange(side, dtype=numpy.uint32)[None, :]
    grain = (i * numpy.uint32(2654435761) ^ j * numpy.uint32(2246822519)) * numpy.uint32(3266489917) >> numpy.uint32(27)
    waves = 112 + 80 * numpy.sin(i / 700.0).astype(numpy.float32) * numpy.cos(j / 900.0).astype(numpy.float32)
    return (waves + grain).astype(numpy.uint8)


def timed(name, run):
    os.sync()
    before, begin = os.times(), time.monotonic()
    run()
    seconds, after = time.monotonic() - begin, os.times()
    processors = sum(after[:4]) - sum(before[:4])
    print(f"{name:32} {seconds:8.1f} s, {processors:8.1f} s of processors", flush=True)


class Vips:
    """Calls of libvips by their names. It computes in whole numbers, and its pixels may differ by one."""

    def __init__(self):
        self.library = ctypes.CDLL(ctypes.util.find_library("vips") or "libvips.so.42")
        self.library.vips_init(b"gigapixel")
        for name in ("new_from_file", "new_matrix_from_array"):
            getattr(self.library, "vips_image_" + name).restype = ctypes.c_void_p

    def open(self, path):
        image = self.library.vips_image_new_from_file(str(path).encode(), b"access", ctypes.c_int(1), None)
        return ctypes.c_void_p(image)

    def call(self, name, *arguments):
        if getattr(self.library, name)(*arguments) != 0:
            self.library.vips_error_buffer.restype = ctypes.c_char_p
            raise RuntimeError(f"{name}: {self.library.vips_error_buffer().decode()}")

    def made(self, name, *arguments):
        """The image that a call makes; @param arguments of which the first is its operand"""
        image = ctypes.c_void_p()
        self.call(name, arguments[0], ctypes.byref(image), *arguments[1:], None)
        return image

    def histogram(self, path, output):
        self.call("vips_image_write_to_file", self.made("vips_hist_find", self.open(path)), str(output).encode(), None)

    def filter(self, path, output, tile):
        image = self.open(path)
        mask = ctypes.c_void_p(
            self.library.vips_image_new_matrix_from_array(5, 1, (ctypes.c_double * 5)(1, 4, 6, 4, 1), 5))
        self.library.vips_image_set_double(mask, b"scale", ctypes.c_double(16))
        smooth = self.made("vips_convsep", image, mask, b"precision", ctypes.c_int(0))
        above = ctypes.c_void_p()
        self.call("vips_relational_const1", smooth, ctypes.byref(above), ctypes.c_int(5), ctypes.c_double(128), None)
        black = self.made("vips_linear1", smooth, ctypes.c_double(0), ctypes.c_double(0), b"uchar", ctypes.c_int(1))
        bright = ctypes.c_void_p()
        self.call("vips_ifthenelse", above, smooth, black, ctypes.byref(bright), None)
        options = f"[bigtiff,tile,tile-width={tile},tile-height={tile}]" if tile else "[bigtiff]"
        self.call("vips_image_write_to_file", bright, (str(output) + options).encode(), None)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("terrace")
    parser.add_argument("--side", type=int, default=65536)
    parser.add_argument("--tile", type=int, default=256)
    parser.add_argument("--folder")
    wanted = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=wanted.folder) as name:
        folder = pathlib.Path(name)
        (folder / "configs").mkdir()
        (folder / "build").mkdir()
        shutil.copy(ROOT / "configs" / "gigapixel.yaml", folder / "configs")
        image = folder / "build" / "gigapixel.tif"
        timed("the image", lambda: write_bigtiff(image, (wanted.side, wanted.side), wanted.tile,
                                                 lambda begin, end: rows_of(wanted.side, begin, end)))
        command = [os.path.abspath(wanted.terrace), "run", "configs/gigapixel.yaml", "--backend", "cpu"]
        timed("terrace", lambda: subprocess.run(command, cwd=folder, check=True))
        print(f"most memory {resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024:.0f} MiB")
        import h5py
        with h5py.File(folder / "build" / "gigapixel.h5") as result:
            middle = wanted.side // 2
            expected = bright(rows_of(wanted.side, middle - 2, middle + 18), False, False)
            assert numpy.array_equal(result["slide/bright"][middle:middle + 16], expected), "the pixels are wrong"
            assert result["slide/counts"][:].sum() == wanted.side ** 2, "the counts are wrong"
        (folder / "build" / "gigapixel.h5").unlink()
        try:
            vips = Vips()
        except OSError as error:
            print(f"libvips is not measured: {error}")
            return
        timed("libvips, histogram", lambda: vips.histogram(image, folder / "histogram.v"))
        timed("libvips, filter and threshold", lambda: vips.filter(image, folder / "bright.tif", wanted.tile))
        print(f"most memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MiB")


if __name__ == "__main__":
    sys.exit(main())
