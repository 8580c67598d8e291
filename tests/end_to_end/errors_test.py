"""Bad input ends with the right code and a message that says what, where and what to do; nothing is left behind."""
import os
import socket
import struct
import subprocess
import unittest
import zlib

import terrace_runs
from terrace_runs import DONE, FAILED, WRONG, JobTest, affine, h5py, main, numpy, random_letters, wavefront

SUMS = [wavefront("sums", "summed_area", grid="grid")]


def png(rows, columns):
    """A gray PNG of noise, as bytes."""
    random = numpy.random.default_rng(1).integers(0, 256, (rows, columns + 1), numpy.uint8)
    random[:, 0] = 0

    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    header = struct.pack(">IIBBBBB", columns, rows, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(random.tobytes())) + \
        chunk(b"IEND", b"")


class Errors(JobTest):
    def job(self, lines, output="out.h5"):
        return self.write("job.yaml", lines + f"output: {output}\n")

    def pair(self, a="{fasta: a.fa}", stage="rows: a, columns: b", more=""):
        self.write("b.fa", ">b\nACGT\n")
        return self.job(f"job: t\n{more}inputs:\n  a: {a}\n  b: {{fasta: b.fa}}\nstages:\n  - name: s\n"
                        f"    wavefront: {{problem: lcs, {stage}}}\n")

    def check(self, job, code, *said, arguments=()):
        ended = self.terrace("run", job, *arguments, expect=code)
        self.assertSays(ended, *said)
        self.assertEqual(ended.stdout, "")
        self.assertFalse((self.folder / "out.h5").exists())
        self.assertFalse((self.folder / "out.h5.run").exists())
        return ended

    def test_of_a_missing_job_and_a_missing_command(self):
        self.assertSays(self.terrace("run", "none.yaml", expect=WRONG), "none.yaml")
        self.write("job.yaml", "job: t\n")
        self.assertSays(self.terrace("run", "job.yml", expect=WRONG), "did you mean 'job.yaml'?")
        with h5py.File(self.folder / "result.h5", "w") as file:
            file["x"] = 1
        self.assertSays(self.terrace("run", "result.h5", expect=WRONG), "is an HDF5 file, not a job", "terrace show")
        self.assertSays(self.terrace("runn", "none.yaml", expect=WRONG), "runn", "did you mean 'run'")
        self.assertSays(self.terrace("run", expect=WRONG), "JOB")

    def test_of_a_missing_file_name_the_place_in_the_job(self):
        self.check(self.pair(), WRONG, "job.yaml:3:", "a.fa")

    def test_of_a_damaged_image_name_the_file(self):
        whole = png(60, 70)
        for length in (0, 20, len(whole) // 2, len(whole) - 20):
            with self.subTest(length=length):
                self.write("grid.png", whole[:length])
                job = self.job("job: t\ninputs:\n  grid: {image: grid.png}\nstages:\n  - name: s\n"
                               "    wavefront: {problem: summed_area, grid: grid}\n")
                self.check(job, WRONG, "job.yaml:3:", "grid.png", "is empty" if length == 0 else "ends too soon")
        self.write("grid.png", whole)
        self.terrace("run", job)

    def test_of_a_file_with_several_records_list_them(self):
        self.write("a.fa", ">first\nAC\n>second\nGT\n")
        self.check(self.pair(), WRONG, "job.yaml:3:", "first", "second", "record")
        self.terrace("run", self.pair("{fasta: a.fa, record: second}"))

    def test_of_a_file_without_records(self):
        for content, place in (("", "a.fa: "), ("ACGT\n", "a.fa:1:1: ")):
            with self.subTest(content=content):
                self.write("a.fa", content)
                self.check(self.pair(), WRONG, "job.yaml:3:", place)

    def test_of_unknown_keys_suggest_the_near_one(self):
        self.write("a.fa", ">a\nAC\n")
        self.check(self.pair(stage="rows: a, colums: b"), WRONG, "job.yaml:7:", "colums", "columns")
        self.check(self.pair(more="memori: {host: 1GiB}\n"), WRONG, "job.yaml:2:1", "memori", "memory")

    def test_of_values_of_the_wrong_kind(self):
        self.write("a.fa", ">a\nAC\n")
        self.check(self.pair(stage="rows: a, columns: b, keep: all"), WRONG, "job.yaml:7:", "keep", "score", "table")
        self.check(self.pair(more="memory: {host: much}\n"), WRONG, "job.yaml:2:", "memory.host", "4GiB")
        self.check(self.pair(stage="rows: a, columns: c"), WRONG, "job.yaml:7:", "'c'")

    def warp(self, values, more=""):
        self.write("b.npy", numpy.arange(5, dtype=numpy.float32))
        return self.job(f"job: t\ninputs:\n  a: {values}\n  b: {{npy: b.npy}}\nstages:\n  - name: s\n"
                        f"    wavefront: {{problem: dtw, rows: a, columns: b{more}}}\n")

    def test_of_series_that_are_none(self):
        self.check(self.warp("{values: []}"), WRONG, "job.yaml:7:", "'a' is empty")
        self.check(self.warp("{values: [1, 2, 3, 4], shape: [2, 2]}"), WRONG, "job.yaml:7:", "2 dimensions")
        self.write("a.fa", ">a\nACGT\n")
        for letters in ("{fasta: a.fa}", "{generate: dna, length: 9}"):
            self.check(self.warp(letters), WRONG, "job.yaml:7:", "'a' holds letters", "`npy`")
        self.check(self.warp("{values: [1, 2]}", ", keep: tables"), WRONG, "job.yaml:7:", "keep")

    def test_of_windows_without_a_path(self):
        self.check(self.warp("{values: [1, 2]}", ", window: 2"), WRONG, "job.yaml:7:", "at least 3")
        self.check(self.warp("{values: [1, 2]}", ", window: -1"), WRONG, "job.yaml:7:", "window")
        self.terrace("run", self.warp("{values: [1, 2]}", ", window: 3"))

    def test_of_values_that_cannot_be_warped_name_their_index(self):
        for value, keys, said in ((".nan", "", ":3:22): nan is no finite number"),
                                  ("-.inf", "", ":3:22): -inf is no finite number"),
                                  ("1e300", ", cost: squared", ":3:22): 1e+300 is too large for costs in f64"),
                                  ("2e19", ", cost: squared, type: f32", "2e+19 is too large for costs in f32: say")):
            with self.subTest(value=value):
                job = self.warp(f"{{values: [1, 2, {value}]}}", keys)
                self.assertSays(self.terrace("run", job, "--fresh", expect=FAILED), said)
                self.assertFalse((self.folder / "out.h5").exists())

    def test_of_costs_that_leave_their_type(self):
        job = self.warp("{generate: constant, shape: [100], value: -4e37}", ", type: f32")
        ended = self.terrace("run", job, expect=FAILED)
        self.assertSays(ended, "has left type f32", "type: f64")
        self.terrace("run", self.warp("{generate: constant, shape: [100], value: -4e37}"), "--fresh=all")

    def test_come_all_at_once(self):
        ended = self.check(self.pair(stage="rows: a, colums: b, keep: all"), WRONG, "colums", "keep", "errors")
        self.assertGreaterEqual(ended.stderr.count("job.yaml:"), 2)

    def test_of_settings_name_the_setting(self):
        self.write("a.fa", ">a\nAC\n")
        self.check(self.pair(), WRONG, "--set", "memory.host", arguments=["--set", "memory.host=much"])

    def test_of_letters_name_the_place(self):
        self.write("a.fa", ">a\nAC\nG!T\n")
        self.check(self.pair(), WRONG, "a.fa:3:2", "'!'")
        self.write("a.fa", ">a\nAC\nGJT\n")
        ended = self.terrace("run", self.pair(), expect=FAILED)
        self.assertSays(ended, "job.yaml:7:", "stage 's': a[3] (", "a.fa:3:2): 'J'", "no DNA letter")
        self.assertFalse((self.folder / "out.h5").exists())

    def test_of_letters_that_a_matrix_lacks_name_the_place(self):
        inputs = {"a": {"fasta": self.write("a.fa", ">a\nMKTJW\n")}, "b": {"fasta": self.write("b.fa", ">b\nmkbzx*\n")}}
        stage = {"problem": "needleman_wunsch", "matrix": "blosum62", "gap": 1}
        ended = self.terrace("run", self.write_job(inputs, [{"name": "s", "wavefront": {"rows": "a", "columns": "b",
                                                                                          **stage}}]), expect=FAILED)
        self.assertSays(ended, "stage 's': a[3] (", "a.fa:2:4): 'J' is no letter of the matrix blosum62")
        # M and K score 5 each.
        result = self.run_job(inputs, [{"name": "s", "wavefront": {"rows": "b", "columns": "b", **stage}}])
        self.assertEqual(int(result["s/score"][()]), 5 + 5 + 4 + 4 - 1 + 1)

    def test_of_input_of_the_wrong_shape(self):
        self.write("grid.npy", numpy.zeros((2, 3, 4), numpy.int32))
        self.check(self.write_job({"grid": {"npy": "grid.npy"}}, SUMS, output="out.h5"), WRONG, "3 dimensions")
        row = {"grid": {"values": [1, 2]}}
        self.check(self.write_job(row, SUMS, output="out.h5"), WRONG, "'grid' has 1 dimension; a grid has two")
        self.write("grid.npy", numpy.zeros((2, 3), numpy.uint64))
        self.check(self.write_job({"grid": {"npy": "grid.npy"}}, SUMS, output="out.h5"), WRONG, "grid of u64", "f32 or f64", "convert it to i64")

    def test_of_a_device_that_is_not_there(self):
        self.write("a.fa", ">a\nAC\n")
        self.check(self.pair(more="backend: cpu\ndevices: [7]\n"), WRONG, "no device 7")

    def test_of_an_output_that_cannot_be_made(self):
        self.write("a.fa", ">a\nAC\n")
        self.pair()
        job = self.job((self.folder / "job.yaml").read_text().replace("output: out.h5\n", ""), output="b.fa/out.h5")
        self.assertSays(self.terrace("run", job, expect=WRONG), "job.yaml:8:9: ", "b.fa: cannot be made",
                        "Not a directory; name another output", "output: b.fa/out.h5\n")
        job = self.job((self.folder / "job.yaml").read_text().replace("output: b.fa/out.h5\n", ""), output="x" * 300)
        self.assertSays(self.terrace("run", job, expect=WRONG), "job.yaml:8:9: ", "File name too long")


class Shown(JobTest):
    def test_are_results_with_their_profile_in_words(self):
        # A rate is said of what takes a tenth of a second.
        heat = {"name": "heat", "stencil": {"operator": "heat2d", "grid": "g", "steps": 3000, "dt": 0.1, "diffusivity": 1}}
        self.run_job({"a": random_letters(900, 1), "b": random_letters(800, 2),
                      "g": {"generate": "uniform", "shape": [700, 700], "type": "f64", "seed": 1}},
                     [affine("align", "a", "b", keep="table"), wavefront("common", "lcs", rows="a", columns="b"), heat],
                     backend="cpu").close()
        said = self.terrace("show", "result.h5").stdout
        for part in ("test: made by Terrace", "/align\n", "table", "900 x 800", "one value", "/profile\n",
                     "stage align: 720 kcells in", "stage common:", "rate", "predicted", "computing", "bound by",
                     "2.75 MiB written", "checkpoint"):
            self.assertIn(part, said)

    def test_are_no_files_of_others(self):
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["x"] = numpy.zeros(3)
        whole = (self.folder / "other.h5").read_bytes()
        for name, content, part in (("text.h5", b"no HDF5\n", "is no HDF5 file"), ("empty.h5", b"", "is no HDF5 file"),
                                    ("other.h5", whole, "that Terrace did not make"),
                                    ("cut.h5", whole[:200], "cut.h5: ")):
            with self.subTest(name=name):
                self.write(name, content)
                ended = self.terrace("show", name, expect=FAILED)
                self.assertSays(ended, name, part)
                self.assertEqual(ended.stdout, "")
        self.assertSays(self.terrace("show", "none.h5", expect=WRONG), "none.h5", "is not there")
        self.assertSays(self.terrace("show", self.folder, expect=FAILED), "is a folder that holds no run; name a result")
        (self.folder / "none.h5.run").mkdir()
        self.assertSays(self.terrace("show", "none.h5.run", expect=FAILED), "none.h5.run: holds no run: it has no plan")

    def test_of_a_job_in_place_of_its_result_name_the_result(self):
        (self.folder / "jobs").mkdir()
        for name, text in (("jobs/a.yaml", "stages: []\noutput: ../out.h5\n"),
                           ("jobs/b.json", '{"stages": [], "output": "../out.h5"}')):
            self.write(name, text)
            for command in (("verify",), ("plot", "-o", "x.png"), ("report", "-o", "x.html"), ("trace", "-o", "x.json")):
                with self.subTest(name=name, command=command):
                    self.assertSays(self.terrace(command[0], name, *command[1:], expect=WRONG),
                                    f"{name}: is a job, not a result; its result is out.h5")
            self.assertSays(self.terrace("show", name, expect=WRONG), "out.h5: is not there, and neither is a run out.h5.run")
        self.write("notes.yaml", "stages: to do\n")
        self.assertSays(self.terrace("show", "notes.yaml", expect=FAILED), "notes.yaml: is no HDF5 file")

    def test_of_a_damaged_profile_name_file_dataset_and_row(self):
        cases = {"stages/seconds": (numpy.array([1.0, numpy.nan]), "holds nan in row 1"),
                 "stages/unit": (numpy.array(["cell"], dtype=h5py.string_dtype()), "has 1 rows, and name has 2"),
                 "stages/limit": (numpy.zeros(5), "has 5 rows, and name has 2"),
                 "copies/stage": (None, "holds 99 in row 0"), "parts/stage": (None, "holds 99 in row 0"),
                 "copies/end": (None, "in row 0, which begins at"),
                 "copies/bytes": (numpy.zeros(1), "has 1 rows")}
        pair = {"a": random_letters(900, 1), "b": random_letters(800, 2)}
        self.run_job(pair, [affine("way", "a", "b", keep="alignment"), affine("table", "a", "b", keep="table")],
                     memory={"host": 4 << 20, "device": 1 << 18}, backend="cpu").close()
        whole = (self.folder / "result.h5").read_bytes()
        for path, (values, says) in cases.items():
            (self.folder / "result.h5").write_bytes(whole)
            with h5py.File(self.folder / "result.h5", "r+") as file:
                if values is None:
                    values = file["profile/" + path][()]
                    values[0] = -1 if path.endswith("end") else 99
                del file["profile/" + path]
                file["profile/" + path] = values
            for command in (["show", "result.h5"], ["report", "result.h5", "-o", "page.html"]):
                if command[0] == "report" and path == "parts/stage" or command[0] == "show" and path == "copies/bytes":
                    continue
                with self.subTest(path=path, command=command[0]):
                    ended = self.terrace(*command, expect=FAILED)
                    self.assertSays(ended, "result.h5, dataset /profile/" + path, says, "the profile is damaged")
                    self.assertNotIn("range_check", ended.stderr)
                    self.assertFalse((self.folder / "page.html").exists())

    def test_of_a_job_are_those_of_its_result(self):
        self.run_job({"a": random_letters(90, 1), "b": random_letters(80, 2)}, [affine("align", "a", "b")]).close()
        self.assertEqual(self.terrace("show", "job.yaml").stdout, self.terrace("show", str(self.folder / "result.h5")).stdout)
        self.assertEqual(self.terrace("show", "job.yaml", "align").stdout, self.terrace("show", "result.h5", "align").stdout)

    def test_are_damaged_results_as_such(self):
        self.run_job({"a": random_letters(90, 1), "b": random_letters(80, 2)},
                     [affine("align", "a", "b")]).close()
        whole = bytearray((self.folder / "result.h5").read_bytes())
        random = numpy.random.default_rng(9)
        for number in range(12):
            damaged = bytearray(whole)
            for at in random.integers(0, len(whole), 200):
                damaged[at] ^= int(random.integers(1, 256))
            self.write("damaged.h5", bytes(damaged))
            ended = subprocess.run([terrace_runs.program, "show", "damaged.h5"], cwd=self.folder, capture_output=True,
                                   timeout=120)
            self.assertIn(ended.returncode, (DONE, FAILED), ended.stderr)


# Fails every read of a file of that name, as a broken disk does.
BROKEN_RESULT = """
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static ssize_t at(int file, void* bytes, size_t count, long offset) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path);
  if (length > 9 && memcmp(path + length - 9, "result.h5", 9) == 0) return errno = EIO, -1;
  return syscall(SYS_pread64, file, bytes, count, offset);
}
ssize_t pread(int file, void* bytes, size_t count, off_t offset) { return at(file, bytes, count, offset); }
ssize_t pread64(int file, void* bytes, size_t count, off64_t offset) { return at(file, bytes, count, offset); }
"""


class Unreadable(JobTest):
    """A file with the name of the output that cannot be read: the error says why, and nothing replaces the file."""

    def setUp(self):
        super().setUp()
        self.job = self.write_job({"a": random_letters(90, 1), "b": random_letters(80, 2)}, [affine("align", "a", "b")])
        self.terrace("run", self.job)
        self.result = self.folder / "result.h5"

    def check(self, code, *says, **more):
        for arguments in ([], ["--fresh"]):
            ended = subprocess.run([terrace_runs.program, "run", self.job, *arguments], cwd=self.folder, timeout=120,
                                   capture_output=True, text=True, **more)
            self.assertEqual(ended.returncode, code, ended.stderr)
            self.assertSays(ended, "result.h5", *says)
            self.assertNotIn("not made by Terrace", ended.stderr)
            self.assertFalse((self.folder / "result.h5.run").exists())

    def test_is_a_result_that_was_cut_short(self):
        whole = self.result.read_bytes()
        self.write("result.h5", whole[:len(whole) // 2])
        self.check(WRONG, "job.yaml:", "output", "damaged, cut short", "it is not replaced", "move it away")
        self.assertEqual(self.result.read_bytes(), whole[:len(whole) // 2])

    def test_is_a_result_that_this_user_may_not_read(self):
        self.result.chmod(0)
        self.folder.chmod(0o777)
        other = {"user": 65534} if os.geteuid() == 0 else {}
        self.check(WRONG, "job.yaml:", "Permission denied", "it is not replaced", "move it away", **other)

    def test_is_a_file_whose_disk_fails(self):
        whole = self.result.read_bytes()
        for arguments in ([], ["--fresh"]):
            ended = self.terrace_with(BROKEN_RESULT, "run", self.job, *arguments, expect=FAILED)
            self.assertSays(ended, "result.h5", "Input/output error")
            self.assertNotIn("made by", ended.stderr)
        self.assertEqual(self.result.read_bytes(), whole)
        self.assertFalse((self.folder / "result.h5.run").exists())


class NoFiles(JobTest):
    """What is to be written into something that is no file is refused: opening a pipe would wait for ever."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.folder / "pipe.h5")
        listening = socket.socket(socket.AF_UNIX)
        self.addCleanup(listening.close)
        listening.bind(str(self.folder / "socket.h5"))
        (self.folder / "folder.h5").mkdir()
        self.kinds = {"pipe.h5": "a pipe", "socket.h5": "a socket", "/dev/null": "a device", "folder.h5": "a folder"}

    def job(self, **keys):
        return self.write_job({"a": random_letters(90, 1), "b": random_letters(80, 2)}, [affine("align", "a", "b")],
                              backend="cpu", **keys)

    def test_outputs(self):
        for name, kind in self.kinds.items():
            for command in ("check", "plan", "run"):
                with self.subTest(name=name, command=command):
                    ended = self.terrace(command, self.job(output=name), expect=WRONG, timeout=60)
                    self.assertSays(ended, "job.yaml:", f"'output' names {kind}", f'"output": "{name}"')
                    ended = self.terrace(command, self.job(), "--set", f"output={name}", expect=WRONG, timeout=60)
                    self.assertSays(ended, f"--set output={name}: 'output' names {kind}")

    def test_scratch(self):
        for name, kind in self.kinds.items():
            if kind != "a folder":
                with self.subTest(name=name):
                    ended = self.terrace("run", self.job(scratch={"path": name}), expect=WRONG, timeout=60)
                    self.assertSays(ended, "job.yaml:", f"'scratch.path' names {kind}; name a folder", name)
        for command in ("check", "plan", "run"):
            with self.subTest(command=command):
                ended = self.terrace(command, self.job(scratch={"path": "absent/folder"}), expect=WRONG)
                self.assertSays(ended, "job.yaml:", "absent/folder, which is not there; make the folder")
                ended = self.terrace(command, self.job(scratch={"path": "job.yaml/below"}), expect=WRONG)
                self.assertSays(ended, "job.yaml:", "below: Not a directory; name another folder")
                ended = self.terrace(command, self.job(scratch={"path": "/proc"}), expect=WRONG)
                self.assertSays(ended, "job.yaml:", "/proc, where this user cannot make files: ", "name another folder")

    def test_logs(self):
        for name, kind in self.kinds.items():
            with self.subTest(name=name):
                ended = self.terrace("run", self.job(), "--log", name, expect=WRONG, timeout=60)
                self.assertSays(ended, f"--log {name} is {kind}")

    def test_results_that_are_shown(self):
        for name, kind in self.kinds.items():
            if kind != "a folder":
                with self.subTest(name=name):
                    ended = self.terrace("show", name, expect=WRONG, timeout=30)
                    self.assertSays(ended, f"{name}: is {kind}, which holds no result")


if __name__ == "__main__":
    main()
