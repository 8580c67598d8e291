"""The peak memory of whole processes stays within the job's budget, whatever the input and however large the table.

What is compared is the peak of resident memory, as the system counts it, with that of a command that opens inputs of
a few letters and does nothing with them. A run is confined to one core: before anything else it measures how fast
memory is, with 48 MiB for every core, and gives them back, so that on many cores the peak would say nothing.
"""
import gzip
import os
import struct
import subprocess
import sys
import unittest
import zlib

import terrace_runs
from terrace_runs import ON_DISK, WRONG, JobTest, h5py, main, numpy, random_letters, wavefront

MIB = 1 << 20
HOST, DEVICE = 64 * MIB, 32 * MIB
LARGE = max(4 * HOST, 8 * DEVICE)
SET_HOST = 19 * MIB  # of sets that are read in parts
# What only a run touches, whatever its size: code of the libraries that compute and write results (5 MiB where it was
# measured), stacks of its threads, a megabyte for each thread that reads, blocks in sight, the profile's records.
ALLOWANCE = 12 * MIB

# A small process between this one and the program: a process's peak counts what its parent held when it was made.
LAUNCHER = """
import os, sys
os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss * 1024)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def png(grid):
    """A gray PNG, stored without compression."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    rows = numpy.zeros((grid.shape[0], grid.shape[1] + 1), numpy.uint8)
    rows[:, 1:] = grid
    header = struct.pack(">IIBBBBB", grid.shape[1], grid.shape[0], 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.tobytes(), 0)) + \
        chunk(b"IEND", b"")


class PeakMemory(JobTest):
    place = ON_DISK

    def job(self, inputs, stage, host=HOST, **keys):
        return self.write_job(inputs, [stage], backend="cpu", memory={"host": host, "device": DEVICE}, **keys)

    def peak(self, command, job):
        """Bytes that were resident at most while a command that succeeds was at work."""
        ended = subprocess.run([sys.executable, "-S", "-c", LAUNCHER, terrace_runs.program, command, job],
                               cwd=self.folder, capture_output=True, text=True, timeout=300)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return int(ended.stdout.split()[-1])

    def check(self, inputs, stage, least_table, host=HOST):
        """Runs a job and returns its result: the memory beyond an empty command is within the budget."""
        empty = self.peak("check", self.job({"a": random_letters(8, 1), "b": random_letters(8, 2)},
                                            wavefront("empty", "lcs", rows="a", columns="b"), name="empty.yaml"))
        taken = self.peak("run", self.job(inputs, stage, host)) - empty
        self.assertLessEqual(taken, host + ALLOWANCE, f"{taken / MIB:.1f} MiB")
        result = self.open()
        self.assertLessEqual(result["profile/stages/peak_host"][0], host)
        self.assertLessEqual(result["profile/stages/peak_device"][0], DEVICE)
        if least_table:
            self.assertGreaterEqual(result[stage["name"] + "/table"].nbytes, least_table)
            # A plan that leaves its budget unused would show nothing.
            self.assertGreater(result["profile/stages/peak_host"][0], HOST // 4)
        return result

    def check_sums(self, grid, source, least_table=LARGE):
        stage = wavefront("sums", "summed_area", grid="grid", type="i64")
        result = self.check({"grid": source}, stage, least_table)
        expected = grid[:, :100].cumsum(0, numpy.int64)[-1].cumsum()
        numpy.testing.assert_array_equal(result["sums/table"][-1, :100], expected)
        self.assertEqual(result["sums/table"][-1, -1], grid.sum(dtype=numpy.int64))

    def grid(self, side=5800):
        return numpy.random.default_rng(1).integers(0, 200, (side, side), numpy.uint8)

    def test_holds_a_table_of_letters(self):
        stage = wavefront("common", "lcs", rows="a", columns="b", keep="table")
        self.check({"a": random_letters(8300, 1), "b": random_letters(8300, 2)}, stage, LARGE)

    def test_holds_sums_of_a_numpy_file(self):
        grid = self.grid()
        self.check_sums(grid, {"npy": self.write("grid.npy", grid)})

    def test_holds_sums_of_a_numpy_file_in_fortran_order(self):
        grid = self.grid()
        self.check_sums(grid, {"npy": self.write("grid.npy", numpy.asfortranarray(grid))})

    def test_holds_sums_of_a_compressed_dataset(self):
        grid = self.grid()
        with h5py.File(self.folder / "grid.h5", "w") as file:
            file.create_dataset("grid", data=grid, chunks=(300, 700), compression="gzip", compression_opts=1)
        self.check_sums(grid, {"hdf5": "grid.h5"})

    def test_holds_sums_of_an_image_which_is_in_memory_as_a_whole(self):
        grid = self.grid(4200)
        self.check_sums(grid, {"image": self.write("grid.png", png(grid))}, 2 * HOST)

    def test_holds_a_long_sequence_which_is_in_memory_as_a_whole(self):
        letters = numpy.frombuffer(b"ACGT", numpy.uint8)[numpy.random.default_rng(2).integers(0, 4, (300_000, 70))]
        lines = numpy.concatenate([letters, numpy.full((len(letters), 1), 10, numpy.uint8)], axis=1)
        inputs = {"a": {"fasta": self.write("a.fa", b">a\n" + lines.tobytes())}, "b": random_letters(10, 3)}
        stage = wavefront("common", "lcs", rows="a", columns="b")
        self.check(inputs, stage, 0)
        job = self.job(inputs, stage, output="other.h5")
        ended = self.terrace("run", job, "--set", "memory.host=20MiB", expect=WRONG)
        self.assertSays(ended, "fasta: takes 20.0 MiB of memory and more, and memory.host is 20.0 MiB: the least is "
                        "more")
        self.assertEqual(ended.stderr.count("job.yaml:"), 1, ended.stderr)
        self.assertFalse((self.folder / "other.h5.run").exists())

    def records(self, count, lines, mark=b">", behind=b""):
        """Records of `lines` lines of 100 letters as the text of a file, and their letters."""
        drawn = numpy.random.default_rng(count).integers(0, 4, (count * lines, 100))
        letters = numpy.frombuffer(b"ACGT", numpy.uint8)[drawn]
        text = numpy.concatenate([letters, numpy.full((len(letters), 1), 10, numpy.uint8)], axis=1).reshape(count, -1)
        parts = (part for number, one in enumerate(text) for part in (mark + b"r%d\n" % number, one.tobytes(), behind))
        return b"".join(parts)

    def check_set(self, given, query, host=SET_HOST):
        """A set against one sequence: the memory of a run, and the same scores with all memory there is."""
        self.write("q.fa", f">q\n{query}\n")
        inputs = {"set": {**given, "records": "all"}, "query": {"fasta": "q.fa"}}
        stage = wavefront("s", "edit_distance", rows="query", columns="set")
        scores = self.check(inputs, stage, 0, host)["s/score"][()]
        self.terrace("run", self.write_job(inputs, [stage], backend="cpu", output="whole.h5"))
        numpy.testing.assert_array_equal(scores, self.open("whole.h5")["s/score"][()])

    def test_holds_parts_of_a_set_of_sequences(self):
        for count, lines in ((60_000, 10), (120, 5000)):
            given = {"fasta": self.write("set.fa", self.records(count, lines))}
            self.assertGreater((self.folder / "set.fa").stat().st_size, 3 * SET_HOST)
            self.check_set(given, "ACGTTGCAACGGATATTACG" * 3)
            for name in ("result.h5", "whole.h5"):
                (self.folder / name).unlink()

    def test_holds_parts_of_a_set_of_reads(self):
        content = self.records(60_000, 10, b"@", b"+\n" + b"I" * 1000 + b"\n")
        self.check_set({"fastq": self.write("set.fq", content)}, "ACGTTGCAACGGATATTACG" * 3)

    def test_holds_a_row_of_cells_of_long_items(self):
        # Items are read from a file of which parts are held; of each pair under way a row of cells is kept.
        self.check_set({"fasta": self.write("set.fa", self.records(3, 25_000))}, "ACGTTGCAACGGATATTACG", HOST)

    def test_a_compressed_set_that_does_not_fit_is_refused(self):
        content = b"".join(b">r%d\n" % number + b"A" * 999_999 + b"\n" for number in range(70))
        inputs = {"set": {"fasta": self.write("set.fa.gz", gzip.compress(content, 1)), "records": "all"}}
        job = self.job(inputs, wavefront("s", "edit_distance", rows="set", columns="set", pairs="same"))
        self.assertSays(self.terrace("check", job, expect=WRONG), "fasta: takes ",
                        "of memory and more, and memory.host is 64.0 MiB", "unpack the file, which is then read in parts")

    def test_holds_no_more_of_a_result_than_its_way_to_disk_takes_however_much_is_allowed(self):
        # Fresh memory costs the system's zeroes, and what is written home gives its own back.
        stage = wavefront("counts", "integral_histogram", grid="grid", bins=16, type="i32")
        grid = {"generate": "uniform", "shape": [5000, 5000], "type": "u8", "seed": 1}
        result = self.run_job({"grid": grid}, [stage], backend="cpu", memory={"host": 8 << 30})
        self.assertGreater(result["counts/table"].nbytes, 1500 * MIB)
        self.assertLess(result["profile/stages/peak_host"][0], 900 * MIB)


if __name__ == "__main__":
    main()
