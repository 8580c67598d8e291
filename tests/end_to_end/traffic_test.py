"""What moves between disk and memory: as the program counts it, as the kernel does, and as the plan had said."""
import mmap
import os
import re
import subprocess

import terrace_runs
from terrace_runs import ON_DISK, JobTest, affine, main, numpy, random_letters, skip, wavefront

MIB = 1 << 20
# What a run reads and writes beside tiles: its code, the ledger, what the HDF5 library writes at the end.
BESIDE = 3 * MIB


def kernel_counts(process, *names):
    """Counts that the kernel has of a process: bytes that it had read from and written to disks, or those of the names."""
    with open(f"/proc/{process}/io") as file:
        counts = dict(line.split(": ") for line in file)
    return [int(counts[name]) for name in names or ("read_bytes", "write_bytes")]


class Traffic(JobTest):
    place = ON_DISK

    def write_closure(self, nodes, tile, share, kind="f32", **settings):
        """A job of distances in tiles of that side, with memory for that share of the table."""
        element = numpy.dtype(kind.replace("f", "float").replace("i", "int")).itemsize
        tables, block = (2, 8) if settings.get("paths") else (1, 4)
        memory = {"host": int(tables * nodes * nodes * element * share), "device": block * tile * tile * element + 4096}
        stage = {"name": "d", "recursive": {"problem": "floyd_warshall", "matrix": "m", **settings}}
        matrix = {"generate": "uniform", "shape": [nodes, nodes], "type": kind, "seed": 1}
        job = self.write_job({"m": matrix}, [stage], backend="cpu", memory=memory)
        self.assertIn(f"of {tile} x {tile} x {tile} relaxations", self.terrace("plan", job).stdout)
        return job

    def sizes(self, pattern, text):
        """The sizes that the pattern finds, in bytes."""
        units = {"B": 1, "KiB": 1 << 10, "MiB": MIB, "GiB": 1 << 30}
        size = r"([\d.]+) (\w+)"
        found = re.search(pattern.replace("SIZE", size), text).groups()
        return [float(number) * units[unit] for number, unit in zip(found[::2], found[1::2])]


    def counts_of(self, *arguments, counts=()):
        """Runs the program, which must succeed; what the kernel has counted of it."""
        process = subprocess.Popen([terrace_runs.program, *arguments], cwd=self.folder, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        found = kernel_counts(process.pid, *counts)
        self.assertEqual(process.wait(), 0)
        return found

    def bytes_read(self, *arguments):
        """Bytes that all reads of a command came to, from disks or from memory."""
        return self.counts_of(*arguments, counts=("rchar",))[0]


class ReadBack(Traffic):
    def run_chain(self, memory, **stage):
        """A table, and the sums of it; returns what was read, and the result."""
        stages = [affine("align", "a", "b", keep="table"), wavefront("sums", "summed_area", grid="align/table")]
        # Rows of tiles so far apart that nothing is read between them.
        letters = {"a": random_letters(800, 1), "b": random_letters(12000, 2)}
        job = self.write_job(letters, stages[:stage.get("stages", 2)], backend="cpu", memory=memory)
        read = self.bytes_read("run", job)
        return read, self.open()

    def test_a_run_that_nothing_disturbs_reads_nothing_of_its_result(self):
        read, result = self.run_chain({"host": 256 * MIB}, stages=1)
        table = result["align/table"].nbytes
        self.assertGreater(table, 8 * BESIDE)
        self.assertIn("/align/table", result.attrs["checksums"])
        self.assertEqual(result["profile/stages/bytes_read"][0], 800 + 12000)  # the letters
        self.assertLess(read, BESIDE)
        result.close()
        # The same count sees what is read.
        self.assertGreater(self.bytes_read("verify", "result.h5"), table)

    def test_what_is_read_of_an_earlier_stage_is_counted_whatever_the_tiles(self):
        rereads = 0
        for memory in ({"host": 4 * MIB, "device": 300 << 10}, {"host": 16 * MIB, "device": 1 * MIB}):
            with self.subTest(memory=memory):
                (self.folder / "result.h5").unlink(missing_ok=True)
                read, result = self.run_chain(memory)
                stages = {name: column[()] for name, column in result["profile/stages"].items()}
                copies = {name: column[()] for name, column in result["profile/copies"].items()}
                table = result["align/table"].nbytes
                counted = stages["bytes_read"][1]
                moved = (copies["movement"] == b"read") & (copies["stage"] == 1)
                self.assertEqual(counted, copies["bytes"][moved].sum())
                again = moved & (copies["array"] == b"align/table")
                self.assertTrue((copies["tile"][again] == -1).all())
                self.assertTrue((copies["end"][again] > copies["begin"][again]).all())
                self.assertLessEqual(counted, 2.2 * table)
                self.assertGreaterEqual(counted, table)
                self.assertLess(abs(read - stages["bytes_read"].sum()), BESIDE, (read, counted, table))
                rereads += again.sum()
                result.close()
        self.assertGreater(rereads, 0)


class CountedByTheKernel(Traffic):
    def check_direct(self):
        """Skips the test where direct writes are not possible, or not counted."""
        path = str(self.folder / "direct")
        try:
            before = kernel_counts("self")[1]
            file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_DIRECT)
            os.write(file, mmap.mmap(-1, MIB))
            os.close(file)
        except OSError as error:
            skip(f"no direct I/O in {self.folder}, or no counters: {error}")
        if kernel_counts("self")[1] - before < MIB:
            skip(f"the kernel does not count what is written in {self.folder}")

    def test_what_a_closure_moves_is_what_the_kernel_counts(self):
        self.check_direct()
        nodes, tile = 2048, 256
        job = self.write_closure(nodes, tile, 0.25, "f64")
        read, written = self.counts_of("run", job)
        result = self.open()
        stage = {name: column[0] for name, column in result["profile/stages"].items()}
        copies = {name: column[()] for name, column in result["profile/copies"].items()}

        def moved(movement, chosen):
            return int(copies["bytes"][(copies["movement"] == movement) & chosen].sum())

        every = copies["bytes"] >= 0
        self.assertEqual(stage["bytes_read"], moved(b"read", every))
        self.assertEqual(stage["bytes_written"], moved(b"write", every))
        said = self.terrace("show", "result.h5").stdout
        for counted, shown in zip((stage["bytes_read"], stage["bytes_written"]),
                                  self.sizes("moved +SIZE read, SIZE written", said)):
            self.assertAlmostEqual(counted, shown, delta=0.01 * counted)
        # Slots are moved directly, to the byte. The input is computed; the last generation lies in the result: its
        # rows are halves of pages, go through the page cache, and may be read from there.
        table = copies["array"] == b"distance"
        last = copies["generation"] == nodes // tile
        from_slots, from_result = moved(b"read", table & ~last), moved(b"read", table & last)
        to_slots, to_result = moved(b"write", table & ~last), moved(b"write", table & last)
        self.assertGreater(from_slots, nodes * nodes * 8)
        self.assertEqual(to_result, nodes * nodes * 8)
        self.assertGreaterEqual(read, from_slots)
        self.assertLessEqual(read, from_slots + from_result + BESIDE)
        self.assertGreaterEqual(written, to_slots + to_result)
        self.assertLessEqual(written, to_slots + 2 * to_result + BESIDE)


class Planned(Traffic):
    def test_a_closure_moves_no_more_than_the_plan_says_and_not_much_less(self):
        for share, kind, settings in ((0.5, "f32", {}), (0.25, "f32", {}), (0.25, "i32", {}),
                                      (0.25, "f32", {"schedule": "r_way"}), (0.5, "f32", {"schedule": "plain"}),
                                      (0.5, "f32", {"paths": True})):
            with self.subTest(share=share, kind=kind, **settings):
                job = self.write_closure(512, 32, share, kind, **settings)
                planned = self.sizes("disk +SIZE to read, SIZE to write", self.terrace("plan", job).stdout)
                self.terrace("run", job, "--fresh")
                stage = self.open()["profile/stages"]
                for counted, most in zip((stage["bytes_read"][0], stage["bytes_written"][0]), planned):
                    self.assertLess(counted, most)
                    self.assertGreater(3 * counted, most)

    def test_a_product_moves_what_the_plan_says_and_less_than_by_halves(self):
        size, tile = 768, 32
        matrix = {"generate": "uniform", "shape": [size, size], "type": "f32"}
        inputs = {"a": {**matrix, "seed": 1}, "b": {**matrix, "seed": 2}}
        moved = {}
        for share in (1 / 4, 1 / 16):
            memory = {"host": int(3 * size * size * 4 * share), "device": 4 * tile * tile * 4 + 4096}
            for schedule in ("auto", "two_way"):
                stage = {"problem": "semiring_product", "semiring": "min_plus", "left": "a", "right": "b"}
                job = self.write_job(inputs, [{"name": "c", "recursive": {**stage, "schedule": schedule}}],
                                     backend="cpu", memory=memory)
                planned = self.sizes("disk +SIZE to read, SIZE to write", self.terrace("plan", job).stdout)
                self.terrace("run", job, "--fresh")
                stage = self.open()["profile/stages"]
                moved[schedule] = stage["bytes_read"][0] + stage["bytes_written"][0]
                if schedule == "auto":
                    self.assertLess(abs(moved[schedule] - sum(planned)), 0.1 * sum(planned))
            self.assertLess(moved["auto"], 0.8 * moved["two_way"])


if __name__ == "__main__":
    main()
