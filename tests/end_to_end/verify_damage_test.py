"""Results that are not as they were written, or are none: damage is found, and takes neither the program nor memory."""
import os
import random
import re
import subprocess

import terrace_runs
import verify_test
from terrace_runs import FAILED, WRONG, affine, h5py, main, random_letters, wavefront


class Checksums(verify_test.VerifyTest):
    always = {"backend": "cpu"}

    def setUp(self):
        super().setUp()
        self.inputs = {"a": random_letters(300, 1), "b": random_letters(280, 2)}
        self.stage = affine("align", "a", "b", keep="table")

    def test_are_compared(self):
        result = self.run_job(self.inputs, [self.stage])
        self.assertIn("checksums", result.attrs)
        result.close()
        self.assertIn("all equal", self.verify().stdout)
        self.flip("align/table", (200, 100))
        self.assertIn("/align/table, box [", self.verify(expect=FAILED).stdout)
        self.flip("align/table", (200, 100))
        self.flip("align/score")
        self.assertIn("/align/score", self.verify(expect=FAILED).stdout)

    def test_of_earlier_versions_are_missing_which_is_said(self):
        self.run_stages(self.inputs, [self.stage])
        ended = self.verify(expect=FAILED)
        self.assertSays(ended, "holds no checksums", "--sample")
        self.assertIn("equal", self.verify("--sample", "0.5").stdout)

    def test_of_a_pipe_is_refused_at_once(self):
        os.mkfifo(self.folder / "pipe.h5")
        ended = self.terrace("verify", "pipe.h5", expect=WRONG, timeout=60)
        self.assertSays(ended, "pipe.h5", "is a pipe, which holds no result")

    def test_of_damaged_files_never_end_the_program(self):
        stages = [self.stage, affine("way", "a", "b", keep="alignment"),
                  wavefront("sums", "summed_area", grid="align/table")]
        self.run_job(self.inputs, stages).close()
        whole = (self.folder / "result.h5").read_bytes()
        draw, codes = random.Random(3), set()
        record = whole.find(b'"kind"')
        for _ in range(40):
            damaged = bytearray(whole)
            for _ in range(draw.choice((1, 2, 5))):
                at = draw.choice((draw.randrange(len(whole)), record + draw.randrange(-1000, 2000)))
                damaged[at] = draw.choice((0, 255, ord("0"), ord('"'), damaged[at] ^ 1))
            (self.folder / "damaged.h5").write_bytes(damaged)
            ended = subprocess.run([terrace_runs.program, "verify", "damaged.h5", "--sample", "0.2"], cwd=self.folder,
                                   capture_output=True, timeout=120)
            self.assertIn(ended.returncode, (terrace_runs.DONE, FAILED), ended.stderr)
            self.assertNotIn(b"json.exception", ended.stderr)
            codes.add(ended.returncode)
        self.assertIn(FAILED, codes)

    def test_of_a_text_that_is_longer_than_the_file_fail(self):
        self.run_job(self.inputs, [self.stage]).close()
        damaged = bytearray((self.folder / "result.h5").read_bytes())
        length = damaged.index(b'{"inputs"') - 8  # of the record of the job, before it in the heap of texts
        damaged[length:length + 8] = (1 << 40).to_bytes(8, "little")
        (self.folder / "result.h5").write_bytes(damaged)
        self.assertSays(self.verify(expect=FAILED), "result.h5", "it is damaged")

    def test_of_texts_with_any_length_take_no_memory(self):
        """A text is stored as its length, which the library believes, and its place."""
        self.run_job(self.inputs, [self.stage]).close()
        whole = (self.folder / "result.h5").read_bytes()
        heaps = [match.start() for match in re.finditer(b"GCOL\x01\0\0\0", whole)]
        lengths = [match.start() - 4 for heap in heaps
                   for match in re.finditer(re.escape(heap.to_bytes(8, "little")), whole)]
        self.assertGreater(len(lengths), 50)
        job = (self.folder / "job.yaml").read_text()
        self.assertIn("result.h5", job)
        self.write("again.yaml", job.replace("result.h5", "damaged.h5"))
        codes = set()
        for number, at in enumerate(lengths):
            # A run reads a few texts of the root, one after another in the file.
            commands = [("run", "again.yaml")] if number % 3 == 0 else []
            if number % max(1, len(lengths) // 25) == 0:
                commands += [("verify", "damaged.h5"), ("show", "damaged.h5")]
            if not commands:
                continue
            damaged = bytearray(whole)
            damaged[at:at + 4] = (2391 << 20).to_bytes(4, "little")
            (self.folder / "damaged.h5").write_bytes(damaged)
            for command, file in commands:
                process = subprocess.Popen([terrace_runs.program, command, file], cwd=self.folder,
                                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
                _, status, used = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                self.assertLess(used.ru_maxrss, 300 << 10, f"{command}, length at byte {at}")
                codes.add((command, process.returncode))
        self.assertIn(("verify", FAILED), codes)
        self.assertIn(("run", terrace_runs.WRONG), codes)
        self.assertLessEqual({code for _, code in codes}, {terrace_runs.DONE, FAILED, terrace_runs.WRONG})

    def test_of_files_that_are_no_results_fail(self):
        self.write("text.h5", "not HDF5\n")
        with h5py.File(self.folder / "other.h5", "w") as file:
            file["x"] = [1, 2, 3]
        self.run_job(self.inputs, [self.stage]).close()
        whole = (self.folder / "result.h5").read_bytes()
        self.write("cut.h5", whole[:len(whole) // 2])
        self.write("empty.h5", b"")
        for name, what in (("text.h5", "is no HDF5 file"), ("other.h5", "Terrace did not make"),
                           ("cut.h5", "cut short"), ("empty.h5", "is no HDF5 file"), ("none.h5", "is not there"),
                           (".", "is a folder")):
            for more in ((), ("--sample", "1"), ("--all",)):
                with self.subTest(name=name, more=more):
                    code = WRONG if name in ("none.h5", ".") else FAILED
                    self.assertSays(self.verify(*more, expect=code, result=name), name, what)


if __name__ == "__main__":
    main()
