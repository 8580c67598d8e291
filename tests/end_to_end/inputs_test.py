"""Inputs of every kind: what help says of them, files that are none, and what damaged or hostile ones cost."""
import gzip
import json
import os
import re
import struct
import subprocess
import unittest
import zlib

import terrace_runs
from terrace_runs import DONE, FAILED, WRONG, JobTest, h5py, main, numpy, wavefront

# Reads whatever there is, with the stage that takes such an array.
SUMS = ("summed_area", "grid")
WARPING = ("dtw", "rows")
LETTERS = ("edit_distance", "rows")
STAGES = {"hdf5": SUMS, "external": SUMS, "values": WARPING, "npy": SUMS, "npz": SUMS, "csv": WARPING, "text": SUMS,
          "fasta": LETTERS, "fastq": LETTERS, "flo": SUMS, "image": SUMS, "generate": LETTERS}

# Fails every listing of a folder behind its first entry, as a broken disk does.
BROKEN_LISTING = """
#include <dirent.h>
#include <errno.h>
struct dirent* readdir(DIR* folder) { (void)folder; errno = EIO; return 0; }
struct dirent64* readdir64(DIR* folder) { (void)folder; errno = EIO; return 0; }
"""


def png(rows, columns, depth=8, colour=2, pixels=b""):
    """A PNG with that header, and whatever pixels."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", columns, rows, depth, colour, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


class InputTest(JobTest):
    def stage(self, kind):
        if kind == "graph":
            return {"name": "s", "recursive": {"problem": "floyd_warshall", "matrix": "name"}}
        if kind == "substitution":
            return wavefront("s", "smith_waterman", rows="reference", columns="reference", matrix="name", gap=2)
        problem, key = STAGES[kind]
        return wavefront("s", problem, **{key: "name"}, **({"columns": "name"} if key == "rows" else {}))

    def job(self, given, **keys):
        """A job that reads one input."""
        kind = next(iter(given))
        return self.write_job({"name": given}, [self.stage(kind)], **{"backend": "cpu", **keys})

    def measured(self, *arguments):
        """Runs the program. @return exit code, what it said, seconds of processor time, bytes of memory"""
        with open(self.folder / "said", "w+") as said:
            process = subprocess.Popen([terrace_runs.program, *map(str, arguments)], cwd=self.folder, stdout=said,
                                       stderr=said)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            said.seek(0)
            return process.returncode, said.read(), usage.ru_utime + usage.ru_stime, usage.ru_maxrss << 10


def tiff(width, height, pixels):
    """A TIFF of one band of bytes."""
    tags = ((256, 4, width), (257, 4, height), (258, 3, 8), (259, 3, 1), (262, 3, 1), (273, 4, 8), (277, 3, 1),
            (278, 4, height), (279, 4, len(pixels)))
    entries = b"".join(struct.pack("<HHII", tag, kind, 1, value) for tag, kind, value in tags)
    return (b"II" + struct.pack("<HI", 42, 8 + len(pixels)) + pixels +
            struct.pack("<H", len(tags)) + entries + bytes(4))


class Help(InputTest):
    def files(self):
        """The files that the examples name."""
        with h5py.File(self.folder / "measurements.h5", "w") as file:
            file["run/temperature"] = numpy.arange(400.0).reshape(20, 20)
        self.write("field.raw", numpy.arange(64 * 64, dtype=">f4").tobytes())
        self.write("grid.npy", numpy.arange(12).reshape(3, 4))
        numpy.savez(self.folder / "grids.npz", height=numpy.arange(12).reshape(3, 4), depth=numpy.zeros(3),
                    series=numpy.ones((3, 4)))
        self.write("series.npy", numpy.array([[1, 2, numpy.nan], [3, 4, 5]]))
        self.write("series.csv", "1.5,2\n3,4\n")
        self.write("series.txt", "1.5 2\n3 4\n")
        self.write("reads.fq.gz", gzip.compress(b"@read7\nACGT\n+\nIIII\n@read8\nAC\n+\nII\n"))
        self.write("prices.csv", "day,close\n1,2.5\n2,3\n")
        self.write("pairs.csv", "chr1,chr2\n")
        self.write("pairs.txt", "chr1 chr2\n")
        self.write("numbers.txt", "1 2 3\n4 5 6\n")
        self.write("genome.fa", ">chr1\n" + "ACGTTGCA" * 200 + "\n>chr2\nAC\n")
        self.write("photo.png", png(3, 2, pixels=bytes(3 * 7)))
        self.write("flow.flo", b"PIEH" + struct.pack("<ii", 4, 3) + numpy.arange(24, dtype="<f4").tobytes())
        self.write("scan.tif", tiff(3, 2, bytes(6)))
        self.write("roads.txt", "10 20 3\n20 35 4\n")
        self.write("NUC.4.4", "   A  C\nA  5 -4\nC -4  5\n")

    def test_has_examples_of_every_kind_and_key_that_run(self):
        self.files()
        kinds = json.loads(self.terrace("inputs", "--json").stdout)["inputs"]
        self.assertEqual({kind["name"] for kind in kinds}, {*STAGES, "graph", "substitution"})
        for kind in kinds:
            for key in kind["keys"]:
                self.assertIn("example", key, (kind["name"], key["name"]))
            self.assertTrue(kind["examples"])
            for number, example in enumerate(kind["examples"]):
                with self.subTest(example=example):
                    self.assertTrue(example.startswith("{" + kind["name"] + ": "), example)
                    self.write("job.yaml", f"inputs: {{name: {example}, reference: {{generate: dna, length: 90}}}}\n"
                                           "stages: [{name: s, dp_table: {extents: [9], steps: [[1]]}}]\noutput: x.h5")
                    self.terrace("check", "job.yaml")
                    if number == 0:
                        self.run_with(example, self.stage(kind["name"]))
                    self.assertIn(example, self.terrace("inputs", kind["name"]).stdout)

    def run_with(self, example, stage):
        self.write("job.yaml", f"inputs: {{name: {example}, reference: {{values: [65, 67], type: u8}}}}\n"
                               f"stages: [{json.dumps(stage)}]\noutput: result.h5")
        self.terrace("run", "job.yaml", "--fresh=all")

    def test_names_every_key_with_type_and_default(self):
        said = self.terrace("inputs", "external").stdout
        for words in (("external", "file", "required"), ("shape", "list", "required"), ("offset", "size", "0"),
                      ("endian", "word", "little"), ("type", "element type", "required")):
            self.assertRegex(said, r"\n +" + r" +".join(map(re.escape, words)) + " ")
        self.assertIn("| key | type | default | example | meaning |", self.terrace("inputs", "--markdown").stdout)
        self.assertSays(self.terrace("inputs", "fsta", expect=WRONG), "no kind of input 'fsta'", "did you mean 'fasta'")
        self.assertIn("terrace inputs", (terrace_runs.root / "README.md").read_text())


class NoFiles(InputTest):
    """A pipe that nobody writes to would be waited for."""

    def test_pipes_and_devices_are_refused(self):
        os.mkfifo(self.folder / "pipe")
        for name in ("pipe", "/dev/zero", "/dev/tty"):
            for kind in ("hdf5", "npy", "npz", "fastq", "csv", "text", "fasta", "image", "graph", "substitution"):
                with self.subTest(name=name, kind=kind):
                    self.assertSays(self.terrace("run", self.job({kind: name}), expect=WRONG, timeout=20),
                                    "job.yaml:", name, "is no regular file")
        self.assertSays(self.terrace("run", "pipe", expect=WRONG, timeout=20), "pipe: this is a pipe, a device")
        self.write("a.fa", ">a\nAC\n")
        job = self.job({"fasta": "a.fa"})
        self.assertSays(self.terrace("run", job, "--set", "inputs.name.fasta=pipe", expect=WRONG, timeout=20),
                        "--set inputs.name.fasta=pipe", "is no regular file")

    def test_a_virtual_dataset_does_not_wait_for_a_pipe(self):
        os.mkfifo(self.folder / "pipe")
        layout = h5py.VirtualLayout(shape=(4, 4), dtype="f4")
        layout[:] = h5py.VirtualSource("pipe", "x", shape=(4, 4))
        with h5py.File(self.folder / "virtual.h5", "w") as file:
            file.create_virtual_dataset("x", layout)
        self.assertSays(self.terrace("check", self.job({"hdf5": "virtual.h5"}), expect=WRONG, timeout=20), "pipe")


class Failures(InputTest):
    def test_a_disk_that_fails_while_an_input_is_opened_is_no_wrong_job(self):
        # Reading there at byte 0 fails as a broken disk does, and everybody has it.
        ended = self.terrace("check", self.job({"image": "/proc/self/mem"}), expect=FAILED)
        self.assertSays(ended, "/proc/self/mem: reading at byte 0 failed: Input/output error")
        self.assertSays(self.terrace("check", "/proc/self/mem", expect=FAILED), "/proc/self/mem", "Input/output error")

    def test_a_folder_that_cannot_be_listed_is_not_blamed_for_a_missing_file(self):
        ended = self.terrace_with(BROKEN_LISTING, "check", self.job({"fasta": "none.fa"}), expect=WRONG)
        self.assertSays(ended, "job.yaml:", "none.fa: there is no such file")

    def test_control_characters_of_files_do_not_reach_the_terminal(self):
        odd = b"\x1b[31m\x07\xc2\x9b\x80\r"
        self.write("a.txt", b"1 2 " + odd + b"\n")
        self.write("a.fa", b">x\nAC\n>" + b"y\xc2\x9b31m" + b"\nAC\n")
        self.write("a.gml", b'graph [ node [ id "' + odd + b'" ] ]')
        self.write("a.npy", b"\x93NUMPY\x01\x00\x20\x00{'descr': '" + odd + b"', 'x': 1}".ljust(32))
        with h5py.File(self.folder / "a.h5", "w") as file:
            file[b"x\x1b[31m"] = file["y"] = numpy.zeros(3)
        (self.folder / "b\x1b[31m.csv").write_text("1\n")
        for given in ({"text": "a.txt"}, {"fasta": "a.fa"}, {"graph": "a.gml"}, {"graph": "a.txt"}, {"npy": "a.npy"},
                      {"hdf5": "a.h5"}, {"csv": "b[31m.csv"}):
            with self.subTest(given=given):
                ended = subprocess.run([terrace_runs.program, "check", self.job(given), "--log", "said.log"],
                                       cwd=self.folder, capture_output=True, timeout=60)
                self.assertEqual(ended.returncode, WRONG, ended.stderr)
                said = (ended.stdout + ended.stderr).decode()
                self.assertEqual([letter for letter in said + (self.folder / "said.log").read_text()
                                  if letter != "\n" and (letter < " " or "\x7f" <= letter < "\xa0")], [])


class Elements(InputTest):
    """Letters and numbers that a stage cannot compute with."""

    def said_of(self, job, code=FAILED):
        ended = self.terrace("run", job, "--fresh=all", expect=code)
        self.assertRegex(ended.stderr, r"job\.yaml:\d+:\d+: stage 's': ")
        self.assertIn("  | ", ended.stderr)
        self.assertIn("\n  |", ended.stderr)
        return ended

    def pair(self, **keys):
        return self.write_job({"name": keys}, [wavefront("s", "lcs", rows="name", columns="name")], backend="cpu")

    def test_letters_have_their_line_and_column(self):
        lines = b"\xef\xbb\xbf; a comment\n>first\nACGT\n>second x\nAC GT\nAC\n\n JGTA\n"
        for name, content in (("a.fa", lines), ("a.fa.gz", gzip.compress(lines))):
            self.write(name, content)
            self.assertSays(self.said_of(self.pair(fasta=name, record="second")),
                            f"name[6] ({self.folder}/{name}:8:2): 'J' is no DNA letter", "`alphabet: protein`")
        self.assertSays(self.said_of(self.pair(fasta="a.fa", record=1, range=[5, 9])), "name[1] (", "a.fa:8:2): 'J'")
        self.write("b.fa", ">b\nAC\nGT*A\n")
        self.assertSays(self.said_of(self.pair(fasta="b.fa")), "b.fa:3:3): '*'", "`alphabet: protein`")
        self.write("b.fa", ">b\nAC\nG.TA\n")
        self.assertSays(self.said_of(self.pair(fasta="b.fa")), "b.fa:3:2): '.'", "`alphabet: text`")

    def test_numbers_have_their_file_and_index(self):
        values = numpy.arange(9.0)
        values[4] = numpy.nan
        self.write("line.npy", values)
        self.write("square.npy", values.reshape(3, 3))
        self.write("swapped.raw", values.reshape(3, 3).astype(">f8").tobytes())
        with h5py.File(self.folder / "all.h5", "w") as file:
            file["in/square"] = values.reshape(3, 3)
        warped = {"wavefront": {"problem": "dtw", "rows": "name", "columns": "name"}}
        self.assertSays(self.said_of(self.write_job({"name": {"npy": "line.npy"}}, [{"name": "s", **warped}])),
                        "name[4] (", "line.npy): nan is no finite number")
        chain = {"recursive": {"problem": "matrix_chain", "dimensions": "name"}}
        self.assertSays(self.said_of(self.write_job({"name": {"npy": "line.npy"}}, [{"name": "s", **chain}]), WRONG),
                        "name[4] (", "line.npy): is no number (NaN)")
        product = {"problem": "semiring_product", "left": "name", "right": "name"}
        for given, place in (({"npy": "square.npy"}, "square.npy"),
                             ({"hdf5": "all.h5", "dataset": "/in/square"}, "all.h5, dataset /in/square"),
                             ({"external": "swapped.raw", "type": "f64", "shape": [3, 3], "endian": "big"},
                              "swapped.raw")):
            for problem in ({"problem": "floyd_warshall", "matrix": "name"},
                            {"problem": "transitive_closure", "matrix": "name"},
                            {"problem": "gaussian_elimination", "matrix": "name"},
                            {**product, "semiring": "min_plus"}, {**product, "semiring": "plus_times"},
                            {**product, "semiring": "or_and"}):
                with self.subTest(given=given, problem=problem):
                    job = self.write_job({"name": given}, [{"name": "s", "recursive": problem}], backend="cpu")
                    self.assertSays(self.said_of(job), "'name', row 1, column 1 (", place + "): is no number (NaN)")


class Bombs(InputTest):
    """Small files that say they are large."""

    def test_images_are_refused_before_memory_is_taken(self):
        self.write("a.png", png(1, (1 << 28), depth=16, colour=2))
        self.assertLess((self.folder / "a.png").stat().st_size, 100)
        code, said, _, memory = self.measured("check", self.job({"image": "a.png"}))
        self.assertEqual(code, WRONG, said)
        self.assertIn("bytes cannot hold 1 x 268435456 pixels", said)
        self.assertLess(memory, 200 << 20)
        self.write("a.ppm", "P6 2000000000 0 65535\n")
        code, said, _, memory = self.measured("check", self.job({"image": "a.ppm"}))
        self.assertLess(memory, 200 << 20)
        # 64 MiB of black, which deflate makes small: too much for the job, though not for the machine.
        self.write("b.png", png(8192, 8192, colour=0, pixels=bytes(8192 * 8193)))
        code, said, _, memory = self.measured("check", self.job({"image": "b.png"}, memory={"host": 16 << 20}))
        self.assertEqual(code, WRONG, said)
        self.assertIn("takes 64.0 MiB of memory", said)
        self.assertIn("the least is more than 64.0 MiB", said)

    def test_sequences_that_unpack_to_more_than_the_budget_are_refused_on_the_way(self):
        with gzip.open(self.folder / "a.fa.gz", "wb", compresslevel=1) as file:
            file.write(b">a\n")
            for _ in range(200):
                file.write(b"ACGT\n" * (1 << 18))
        code, said, _, memory = self.measured("check", self.job({"fasta": "a.fa.gz"}, memory={"host": 16 << 20}))
        self.assertEqual(code, WRONG, said)
        self.assertIn("of memory and more, and memory.host is 16.0 MiB", said)
        self.assertLess(memory, 120 << 20)

    def test_text_that_unpacks_to_more_than_the_budget_is_refused_on_the_way(self):
        for kind, text in (("csv", b"1\n"), ("csv", b" "), ("graph", b"0 1 4\n"), ("graph", b"0" * 64)):
            with self.subTest(kind=kind, text=text):
                with gzip.open(self.folder / "a.gz", "wb", compresslevel=1) as file:
                    for _ in range(100):
                        file.write(text * ((1 << 21) // len(text)))
                code, said, _, memory = self.measured("check", self.job({kind: "a.gz"}, memory={"host": 16 << 20}))
                self.assertEqual(code, WRONG, said)
                self.assertIn("of memory and more, and memory.host is 16.0 MiB", said)
                self.assertLess(memory, 150 << 20)

    def test_headers_of_arrays_are_short(self):
        with open(self.folder / "a.npy", "wb") as file:
            file.write(b"\x93NUMPY\x02\x00" + struct.pack("<I", 3 << 30))
            file.truncate(4 << 30)
        code, said, _, memory = self.measured("check", self.job({"npy": "a.npy"}))
        self.assertEqual(code, WRONG, said)
        self.assertIn("the file is damaged", said)
        self.assertLess(memory, 200 << 20)

    def test_a_check_makes_no_letters(self):
        inputs = {"a": {"generate": "dna", "length": 1 << 31},
                  "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}}}
        stages = [wavefront("s", "edit_distance", rows="a", columns="b")]
        code, said, seconds, _ = self.measured("check", self.write_job(inputs, stages, backend="cpu"))
        self.assertEqual(code, DONE, said)
        self.assertLess(seconds, 10)
        inputs["a"]["length"] = 1 << 36
        job = self.write_job(inputs, stages, backend="cpu", memory={"host": 64 << 20})
        for command in ("check", "run"):
            code, said, seconds, _ = self.measured(command, job)
            self.assertEqual(code, WRONG, said)
            self.assertIn("memory.host is 64.0 MiB: the least is more than 128 MiB", said)
            self.assertLess(seconds, 10)


class Warnings(InputTest):
    def warned(self, job, *says, command="check"):
        ended = self.terrace(command, job, *(["--fresh=all"] if command == "run" else []))
        self.assertSays(ended, *says)
        if not says:
            self.assertNotIn("warning", ended.stderr)

    def test_of_budgets_above_the_memory_of_the_machine(self):
        self.write("grid.npy", numpy.ones((4, 4)))
        self.warned(self.job({"npy": "grid.npy"}, memory={"host": 900 << 40}), "warning: ", "job.yaml:",
                    "memory.host is 900 TiB, and there are")
        self.warned(self.job({"npy": "grid.npy"}, memory={"host": 64 << 20}))

    def test_of_sums_that_their_type_may_not_hold(self):
        self.write("grid.npy", numpy.ones((300, 300), numpy.uint8))
        sums = {"problem": "summed_area", "grid": "g"}
        for type_of, says in (("f32", ["warning: ", "2^24 (16,777,216)"]), ("auto", []), ("f64", []), ("i64", [])):
            self.warned(self.write_job({"g": {"npy": "grid.npy"}},
                                       [{"name": "s", "wavefront": {**sums, "type": type_of}}], backend="cpu"), *says)
        self.write("small.npy", numpy.ones((200, 200), numpy.uint8))
        self.warned(self.write_job({"g": {"npy": "small.npy"}},
                                   [{"name": "s", "wavefront": {**sums, "type": "f32"}}], backend="cpu"))
        product = {"problem": "semiring_product", "left": "g", "right": "g", "type": "f32"}
        self.write("wide.npy", numpy.ones((300, 300), numpy.int32))
        warning = ["warning: ", "2^24"]
        for grid, semiring, says in (("grid", "plus_times", warning), ("grid", "min_plus", []), ("grid", "max_times", []),
                                     ("wide", "min_plus", warning), ("wide", "max_plus", warning),
                                     ("wide", "max_times", warning), ("wide", "max_min", [])):
            self.warned(self.write_job({"g": {"npy": grid + ".npy"}},
                                       [{"name": "s", "recursive": {**product, "semiring": semiring}}],
                                       backend="cpu"), *says)

    def test_of_whole_numbers_that_are_read_as_f32_and_are_none_of_its_numbers(self):
        # 2^24 + 2 is a number of f32, 2^24 + 1 is none, and half the largest value means no edge.
        grid = numpy.eye(60, dtype=numpy.int64) * (2 ** 24 + 2)
        self.write("even.npy", grid)
        grid[20, 30], grid[20, 40], grid[50, 3] = 2 ** 24 + 1, -2 ** 24 - 1, 2 ** 40 + 1
        self.write("odd.npy", grid)
        grid[grid == 0], grid[20, 40] = numpy.iinfo(numpy.int64).max // 2, 2 ** 24 + 1
        self.write("paths.npy", grid)
        self.write("row.npy", grid[20])
        for name, stage, where, type_of in (
                ("odd", {"wavefront": {"problem": "sor", "grid": "g"}}, "'g', row 20, column 30", "auto"),
                ("odd", {"stencil": {"operator": "star2d", "grid": "g", "steps": 1}}, "'g', row 20, column 30", "auto"),
                ("odd", {"recursive": {"problem": "gaussian_elimination", "matrix": "g"}}, "'g', row 20, column 30", "input"),
                ("odd", {"recursive": {"problem": "semiring_product", "left": "g", "right": "g"}},
                 "'g', row 20, column 30", "f64"),
                ("paths", {"recursive": {"problem": "floyd_warshall", "matrix": "g"}}, "'g', row 20, column 30", "input"),
                ("paths", {"recursive": {"problem": "semiring_product", "semiring": "min_plus", "left": "g", "right": "g"}},
                 "'g', row 20, column 30", "input"),
                ("row", {"wavefront": {"problem": "dtw", "rows": "g", "columns": "g"}}, "g[0]", "auto")):
            settings = next(iter(stage.values()))
            with self.subTest(problem=settings.get("problem", "stencil")):
                said = "16777217 and was read as 16777216"
                if name == "row":
                    said = "4611686018427387903 and was read as 4611686018427387904"

                def job(of, kind):
                    settings["type"] = kind
                    return self.write_job({"g": {"npy": of + ".npy"}}, [{"name": "s", **stage}], backend="cpu",
                                          memory={"host": 8 << 20, "device": 128 << 10})
                self.warned(job(name, "f32"), "warning: ", "job.yaml:", "stage 's'", f"{where} is {said}",
                            "say `type: f64`", command="run")
                self.assertEqual(self.terrace("run", "job.yaml", "--fresh").stderr.count("was read as"), 1)
                self.assertNotIn("was read as", self.terrace("check", "job.yaml").stderr)
                wide = [f"{where} is {said}", "2^53"] if name == "row" else []
                self.warned(job(name, type_of), *wide, command="run")
                if name == "odd":
                    self.assertNotIn("was read as", self.terrace("run", job("even", "f32"), "--fresh").stderr)

    def test_of_whole_numbers_that_are_read_as_f64_and_are_none_of_its_numbers(self):
        grid = numpy.eye(60, dtype=numpy.int64) * 2 ** 53
        self.write("even.npy", grid)
        grid[20, 30] = 2 ** 53 + 1
        self.write("odd.npy", grid)
        for stage in ({"stencil": {"operator": "star2d", "grid": "g", "steps": 1}},
                      {"wavefront": {"problem": "sor", "grid": "g"}},
                      {"recursive": {"problem": "gaussian_elimination", "matrix": "g"}}):
            def job(of):
                return self.write_job({"g": {"npy": of + ".npy"}}, [{"name": "s", **stage}], backend="cpu",
                                      memory={"host": 8 << 20})
            self.warned(job("odd"), "warning: ", "job.yaml:", "stage 's'", "2^53 (9,007,199,254,740,992)",
                        "'g', row 20, column 30 is 9007199254740993 and was read as 9007199254740992", command="run")
            self.warned(job("even"), command="run")

    def test_of_distances_of_whole_numbers_that_f32_may_not_hold(self):
        stage = {"name": "s", "recursive": {"problem": "floyd_warshall", "matrix": "m", "type": "f32"}}
        for weight, says in ((2 ** 21, []), (2 ** 22, ["warning: ", "job.yaml:", "kept as f32", "2^24 (16,777,216)"])):
            line = numpy.full((6, 6), 2 ** 30 - 1, numpy.int32)
            line[numpy.arange(5), numpy.arange(1, 6)] = weight
            self.write("m.npy", line)
            self.warned(self.write_job({"m": {"npy": "m.npy"}}, [stage], backend="cpu"), *says, command="run")
        self.write("m.npy", line.astype(numpy.float32))
        self.warned(self.write_job({"m": {"npy": "m.npy"}}, [stage], backend="cpu"), command="run")

    def test_of_a_matrix_of_neighbours_taken_for_distances(self):
        edges = (numpy.random.default_rng(2).random((90, 90)) < 0.1).astype(numpy.int32)
        self.write("m.npy", edges)
        stage = {"name": "s", "recursive": {"problem": "floyd_warshall", "matrix": "m"}}
        job = self.write_job({"m": {"npy": "m.npy"}}, [stage], backend="cpu", memory={"host": 64 << 10})
        share = int(100 * (edges[~numpy.eye(90, dtype=bool)] == 0).mean())
        self.warned(job, "warning: ", "job.yaml:", f"{share}% of the elements of 'm' off the diagonal are 0",
                    "`no_edge: 0`", command="run")
        stage["recursive"]["no_edge"] = 0
        self.warned(self.write_job({"m": {"npy": "m.npy"}}, [stage], backend="cpu"), command="run")
        del stage["recursive"]["no_edge"]
        self.write("m.npy", 1 - edges)
        self.warned(self.write_job({"m": {"npy": "m.npy"}}, [stage], backend="cpu"), command="run")
        graph = {"graph": self.write("g.txt", "0 1 0\n1 0 0\n")}
        self.warned(self.write_job({"m": graph}, [stage], backend="cpu"), command="run")


if __name__ == "__main__":
    main()
