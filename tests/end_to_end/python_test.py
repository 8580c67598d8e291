"""terrace.py: jobs over NumPy arrays, from Python."""
import functools
import importlib
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from unittest import mock

import h5py

import terrace_runs
from terrace_runs import JobTest, affine, main, numpy, python_environment, random_letters, skip

SUMS = {"stages": [{"name": "sums", "wavefront": {"problem": "summed_area", "grid": "grid"}}]}
LONG = {"memory": {"host": "64MiB", "device": "8MiB"}, "backend": "cpu", "checkpoint": {"every": "100ms"},
        "inputs": {"a": random_letters(60_000, 1), "b": random_letters(60_000, 2)},
        "stages": [affine("align", "a", "b", keep="score")]}


class PythonTest(JobTest):
    def setUp(self):
        super().setUp()
        self.enterContext(mock.patch.dict(os.environ, {**python_environment(), "TMPDIR": str(self.folder)}))
        self.enterContext(mock.patch.object(tempfile, "tempdir", None))
        self.enterContext(mock.patch.object(sys, "path", [python_environment()["PYTHONPATH"], *sys.path]))
        self.enterContext(mock.patch.object(sys, "stderr", self.enterContext(open(self.folder / "said", "w"))))
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)
        self.terrace_py = importlib.import_module("terrace")

    def enterContext(self, context):
        """That of Python 3.11, for earlier ones."""
        self.addCleanup(context.__exit__, None, None, None)
        return context.__enter__()

    def run_python(self, *arguments, job=SUMS, **keys):
        result = self.terrace_py.run(job, *arguments, **keys)
        self.addCleanup(result.close)
        return result

    def inputs_of(self, result):
        """The files that the program read."""
        with h5py.File(result.path) as file:
            return file.attrs["inputs"]

    def temporary(self):
        """Folders that runs have made and not removed."""
        return [path for path in self.folder.iterdir() if path.name.startswith("terrace-")]


class Arrays(PythonTest):
    def test_of_every_type_and_layout_are_inputs(self):
        numbers = numpy.random.default_rng(1).integers(0, 100, (30, 41))
        for type_name in ("?", "i1", "u1", "i2", "u2", "i4", "i8", "f4", "f8", ">i4", ">f8", "f2"):
            array = numbers.astype(type_name)
            for layout in (array, numpy.asfortranarray(array), array[::2, ::-3], array[:0]):
                with self.subTest(type=type_name, shape=layout.shape):
                    result = self.run_python(grid=layout, progress=False)
                    sums = layout.astype("f8").cumsum(0).cumsum(1)
                    numpy.testing.assert_array_equal(result["sums/table"], sums)
                    result.close()

    def test_take_the_place_of_inputs_of_a_file(self):
        job = self.write_job({"grid": {"npy": "none.npy"}}, SUMS["stages"], output="sums.h5")
        result = self.run_python(job=job, grid=numpy.ones((3, 4)))
        self.assertEqual(result["sums/table"][-1, -1], 12)
        self.assertEqual(result.path, str(self.folder / "sums.h5"))
        job = self.write("bare.yaml", json.dumps({**SUMS, "output": "bare.h5"}))
        self.assertEqual(self.run_python(job=job, grid=[[1, 2], [3, 4]])["sums/table"].tolist(), [[1, 3], [4, 10]])

    def test_may_stand_in_the_job(self):
        job = {**SUMS, "inputs": {"grid": numpy.full((2, 2), 5)}, "memory": {"host": numpy.int64(1 << 30)}}
        self.assertEqual(self.run_python(job=job)["sums/table"].tolist(), [[5, 10], [10, 20]])

    def test_in_files_have_paths_of_the_current_folder(self):
        numpy.save("grid.npy", numpy.eye(3))
        job = {**SUMS, "inputs": {"grid": {"npy": "grid.npy"}}, "output": "sums.h5"}
        result = self.run_python(job=job)
        self.assertEqual((result["sums/table"][-1, -1], result.path), (3, str(self.folder / "sums.h5")))

    def test_mapped_from_whole_files_are_read_from_these(self):
        numpy.save("mapped.npy", numpy.arange(20.0).reshape(4, 5))
        for mode in ("r", "r+"):
            mapped = numpy.load("mapped.npy", mmap_mode=mode)
            if mode == "r+":
                mapped[0, 0] = 7
            result = self.run_python(grid=mapped)
            self.assertIn(str(self.folder / "mapped.npy"), self.inputs_of(result))
            self.assertEqual(result["sums/table"][-1, -1], mapped.sum())

    def test_mapped_otherwise_are_written(self):
        numpy.save("mapped.npy", numpy.arange(16.0).reshape(4, 4))
        mapped = numpy.load("mapped.npy", mmap_mode="r")
        changed = numpy.load("mapped.npy", mmap_mode="c")
        changed[0, 0] = 100
        raw = numpy.memmap("mapped.npy", numpy.float64, "r", offset=128, shape=(2, 4))
        replaced = numpy.load("mapped.npy", mmap_mode="r")
        for array in (mapped[:2], mapped[::-1], mapped.T, changed, raw, mapped[:, :2]):
            result = self.run_python(grid=array)
            self.assertNotIn("mapped.npy", self.inputs_of(result))
            numpy.testing.assert_array_equal(result["sums/table"], numpy.array(array).cumsum(0).cumsum(1))
        numpy.save("other.npy", numpy.zeros((5, 5)))
        os.replace("other.npy", "mapped.npy")
        self.assertEqual(self.run_python(grid=replaced)["sums/table"][-1, -1], 120)

    def test_that_are_none_of_numbers_are_refused(self):
        for wrong in ([None], [1j], numpy.ma.masked_array([1, 2], [0, 1])):
            with self.assertRaises(TypeError) as raised:
                self.terrace_py.run(SUMS, grid=wrong)
            self.assertIn("'grid'", str(raised.exception))
        with self.assertRaises(self.terrace_py.JobError) as raised:
            self.terrace_py.run(SUMS, grid=["a"])
        self.assertIn("'grid' holds names", str(raised.exception))
        with self.assertRaises(ValueError):
            self.terrace_py.run({**SUMS, "memory": {"host": float("nan")}}, grid=[[1]])
        with self.assertRaises(TypeError):
            self.terrace_py.run({**SUMS, "memory": {"host": {1, 2}}}, grid=[[1]])
        self.assertEqual(self.temporary(), [])

    def test_are_in_shared_memory_where_there_is_room(self):
        module = self.terrace_py
        with mock.patch.object(module.shutil, "disk_usage", lambda _: mock.Mock(free=1000)):
            self.assertEqual(module._folder_for(501, "scratch"), "scratch")
            self.assertEqual(module._folder_for(500, "scratch"), "/dev/shm")
            with mock.patch.object(module, "_free_memory", lambda: 999):
                self.assertEqual(module._folder_for(500, None), None)
        self.assertGreater(module._free_memory(), 1 << 20)


class Results(PythonTest):
    def test_live_as_long_as_they_are_used(self):
        result = self.run_python(grid=numpy.ones((3, 4)))
        folder = pathlib.Path(result.path).parent
        self.assertEqual(self.temporary(), [folder])
        table = result["sums/table"]
        result.close()
        self.assertEqual((table[-1, -1], self.temporary()), (12, []))
        result = self.terrace_py.run(SUMS, grid=numpy.ones((3, 4)))
        del result
        self.assertEqual(self.temporary(), [])
        with self.terrace_py.run(SUMS, grid=numpy.ones((3, 4)), output="kept.h5") as kept:
            self.assertEqual(kept.path, str(self.folder / "kept.h5"))
        self.assertTrue(os.path.exists("kept.h5"))

    def test_have_datasets_by_name(self):
        result = self.run_python(job={"inputs": {"a": random_letters(30, 1), "b": random_letters(40, 2)},
                                      "stages": [affine("align", "a", "b", keep="alignment")]})
        self.assertEqual(set(result), {"align/score", "align/end", "align/start", "align/lengths", "align/identity",
                                       "align/cigar"})
        self.assertIsInstance(result["align/cigar"], (str, numpy.ndarray))
        self.assertEqual(result["align/lengths"].tolist(), [30, 40])
        for name in ("align", "align/none", "profile/stages", "job", ""):
            with self.assertRaises(KeyError):
                result[name]

    def test_are_groups_of_xarray_or_of_h5py(self):
        result = self.run_python(grid=numpy.ones((3, 4)))
        with mock.patch.object(self.terrace_py.importlib.util, "find_spec", lambda _: None):
            plain = self.run_python(grid=numpy.ones((3, 4)))
            self.assertIsInstance(plain.datasets["sums"], h5py.Group)
            self.assertEqual(plain.datasets["sums"]["table"][-1, -1], 12)
        try:
            import xarray
        except ImportError as missing:
            skip(f"{missing} (Debian: python3-xarray, python3-h5netcdf)")
        self.assertIsInstance(result.datasets["sums"], xarray.Dataset)
        self.assertEqual(result.datasets["sums"]["table"].dims, ("row", "column"))
        self.assertEqual(int(result.datasets["sums"]["table"][-1, -1]), 12)
        self.assertEqual(list(result.datasets), ["sums"])

    def test_have_a_profile_that_pandas_takes(self):
        profile = self.run_python(grid=numpy.ones((3, 4))).profile
        self.assertEqual((list(profile["name"]), profile["operations"].tolist()), (["sums"], [12]))
        try:
            import pandas
        except ImportError as missing:
            skip(str(missing))
        self.assertEqual(pandas.DataFrame(profile).loc[0, "unit"], "cell")

    def test_are_drawn(self):
        result = self.run_python(grid=numpy.ones((30, 40)))
        page = result.report("page.html")
        self.assertEqual(page, (self.folder / "page.html").read_bytes())
        self.assertRegex(page._repr_html_(), r"^<iframe [^<>]* srcdoc=\"&lt;!")
        with self.assertRaises(self.terrace_py.JobError) as raised:
            result.plot("sums/none")
        self.assertIn("none", str(raised.exception))
        try:
            picture = result.plot("sums/table", reduce="max")
        except self.terrace_py.Error as error:
            if "gnuplot" in str(error):
                skip("there is no gnuplot (Debian: gnuplot-nox)")
            raise
        self.assertTrue(picture._repr_png_().startswith(b"\x89PNG"))
        self.assertIn("<svg", result.plot(output="table.svg")._repr_svg_())


class Questions(PythonTest):
    WRONG = {"stages": [{"name": "sums", "wavefront": {"problem": "summed_aera", "grid": "grid"}}]}

    def test_are_answered(self):
        grid = numpy.ones((3, 4))
        self.assertEqual(self.terrace_py.plan(SUMS, grid=grid)["stages"][0]["operations"], 12)
        self.assertEqual(self.terrace_py.check(SUMS, grid=grid)["valid"], True)
        wrong = self.terrace_py.check(self.WRONG, grid=grid)
        self.assertEqual((wrong["valid"], wrong["errors"][0]["line"]), (False, 6))
        [stage] = self.terrace_py.problems("lcs")["stages"]
        self.assertEqual([problem["name"] for problem in stage["problems"]], ["lcs"])
        self.assertGreater(len(self.terrace_py.problems()["stages"]), 5)
        self.assertEqual(self.temporary(), [])

    def test_and_runs_of_wrong_jobs_have_errors_with_places(self):
        for ask in (self.terrace_py.run, self.terrace_py.plan):
            with self.assertRaises(self.terrace_py.JobError) as raised:
                ask(self.WRONG, grid=numpy.ones((3, 4)))
            error = raised.exception
            self.assertIn("did you mean 'summed_area'?", str(error))
            [place] = error.errors
            self.assertIn("summed_aera", error.job.split("\n")[place["line"] - 1][place["column"] - 1:])
        with self.assertRaises(self.terrace_py.JobError) as raised:
            self.terrace_py.problems("lsc")
        self.assertIn("did you mean 'lcs'?", str(raised.exception))
        self.assertEqual(self.temporary(), [])

    def test_of_another_result_in_its_place_are_errors(self):
        self.run_python(grid=numpy.ones((3, 4)), output="sums.h5").close()
        with self.assertRaises(self.terrace_py.JobError):
            self.run_python(grid=numpy.zeros((3, 4)), output="sums.h5")
        result = self.run_python(grid=numpy.zeros((3, 4)), output="sums.h5", fresh=True)
        self.assertEqual(result["sums/table"].sum(), 0)

    def test_runs_that_fail_say_why(self):
        job = {"stages": [{"name": "warp", "wavefront": {"problem": "dtw", "rows": "a", "columns": "a"}}]}
        with self.assertRaises(self.terrace_py.Error) as raised:
            self.terrace_py.run(job, a=numpy.array([1.0, numpy.nan]))
        self.assertIn("nan is no finite number", str(raised.exception))
        self.assertEqual(self.temporary(), [])


class Stops(PythonTest):
    def signal_soon(self, number, whom):
        """Sends a signal to a process once a run has computed blocks."""
        def send():
            while not list(self.folder.rglob("*.run/ledger/*.log")):
                time.sleep(0.01)
            time.sleep(0.3)
            os.kill(whom(), number)
        sender = threading.Thread(target=send, daemon=True)
        sender.start()
        self.addCleanup(sender.join)

    def child(self):
        """The program that this process runs."""
        listed = subprocess.run(["ps", "-o", "pid=,args=", "--ppid", str(os.getpid())], capture_output=True, text=True)
        [line] = [line for line in listed.stdout.splitlines() if " run " in line]
        return int(line.split()[0])

    def assertResumes(self, error):
        self.assertIn("stopped at a checkpoint", str(error))
        with error.resume() as result, self.terrace_py.run(LONG) as whole:
            self.assertEqual(result["align/score"], whole["align/score"])
            self.assertEqual(result["align/end"].tolist(), whole["align/end"].tolist())
        self.assertIn("going on with the run", (self.folder / "said").read_text())

    def test_by_ctrl_c_are_interruptions_that_go_on(self):
        self.signal_soon(signal.SIGINT, os.getpid)
        with self.assertRaises(KeyboardInterrupt) as raised:
            self.terrace_py.run(LONG)
        self.assertIsInstance(raised.exception, self.terrace_py.Interrupted)
        self.assertEqual(signal.getsignal(signal.SIGINT), signal.default_int_handler)
        self.assertResumes(raised.exception)
        del raised
        self.assertEqual(self.temporary(), [])

    def test_by_a_scheduler_are_exceptions_that_go_on(self):
        self.signal_soon(signal.SIGTERM, self.child)
        with self.assertRaises(self.terrace_py.Stopped) as raised:
            self.terrace_py.run(LONG)
        self.assertResumes(raised.exception)

    def test_by_a_time_limit_are_exceptions_that_go_on(self):
        limits = [0.05, "50ms"]
        stops = []
        for limit in limits:
            with self.assertRaises(self.terrace_py.Stopped) as raised:
                self.terrace_py.run(LONG, time_limit=limit)
            stops.append(raised.exception)
        self.assertIn("stopped at a checkpoint", str(stops[0]))
        with self.assertRaises(self.terrace_py.Stopped) as raised:
            stops[0].resume()
        stops[1].resume = functools.partial(stops[1].resume, time_limit=None)
        self.assertResumes(stops[1])
        with self.assertRaises(self.terrace_py.JobError) as raised:
            self.terrace_py.run(LONG, time_limit="soon")
        self.assertIn("a time is such as 3h50m", str(raised.exception))

    def test_go_on_by_the_same_call(self):
        grid = numpy.random.default_rng(3).random((6000, 3000))
        job = {**SUMS, "memory": {"host": "64MiB", "device": "1MiB"}, "backend": "cpu", "checkpoint": {"every": "1ms"}}
        self.signal_soon(signal.SIGTERM, self.child)
        try:
            self.terrace_py.run(job, grid=grid, output="sums.h5").close()
            skip("the run was done before it was stopped")
        except self.terrace_py.Stopped as error:
            stopped = error
        result = self.run_python(job=job, grid=grid, output="sums.h5")
        with self.assertRaises(self.terrace_py.Error) as raised:
            stopped.resume()
        self.assertIn("has taken its place", str(raised.exception))
        self.assertIn("going on with the run", (self.folder / "said").read_text())
        numpy.testing.assert_allclose(result["sums/table"], grid.cumsum(0).cumsum(1))

    def test_keep_others_from_the_same_arrays(self):
        call = self.terrace_py._Call(SUMS, "sums.h5", {"grid": [[1]]})
        with self.assertRaises(self.terrace_py.Error) as raised:
            self.terrace_py.run(SUMS, grid=[[2]], output="sums.h5")
        self.assertIn("another call with this output is under way", str(raised.exception))
        self.assertEqual(call.ask("check")["valid"], True)
        self.assertEqual(self.run_python(grid=[[2]], output="sums.h5")["sums/table"].tolist(), [[2]])
        for folder in call.folders.values():
            os.mkdir(folder.path, 0o777)
            os.chmod(folder.path, 0o777)
            self.addCleanup(os.rmdir, folder.path)
        with self.assertRaises(self.terrace_py.Error) as raised:
            self.terrace_py.run(SUMS, grid=[[2]], output="sums.h5")
        self.assertIn("others may write to it", str(raised.exception))

    def test_progress_is_drawn_on_terminals_and_kept_out_of_messages(self):
        shown = self.terrace_py._Shown(True)
        with mock.patch("sys.stderr") as stderr:
            shown.draws = True
            for piece in (b"note\r\n\r\x1b[Kali", b"gn: 5%\r\x1b", b"[Kalign: 10%", b"\r\x1b[Kwarning: w\r\n", b"end"):
                shown.feed(piece)
            text = shown.end()
        self.assertEqual(text, "note\nwarning: w\nend")
        drawn = "".join(call.args[0] for call in stderr.write.call_args_list)
        self.assertEqual([line.rstrip() for line in re.split(r"[\r\n]+", drawn) if line.strip()],
                         ["note", "ali", "align: 5%", "align: 10%", "warning: w", "end"])


class Programs(PythonTest):
    def test_are_found_by_name_beside_the_module_and_in_the_path(self):
        self.assertEqual(self.terrace_py.program(), str(terrace_runs.program))
        os.environ["TERRACE"] = str(self.folder / "none")
        with self.assertRaises(self.terrace_py.Error):
            self.terrace_py.program()
        del os.environ["TERRACE"]
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "terrace").symlink_to(terrace_runs.program)
        os.environ["PATH"] = str(programs)
        self.assertEqual(self.terrace_py.program(), str(programs / "terrace"))
        for place, module in (("prefix/bin", "prefix/lib/python3/dist-packages"),
                              ("site/terrace_program/bin", "site")):
            (self.folder / place).mkdir(parents=True)
            (self.folder / place / "terrace").symlink_to(terrace_runs.program)
            with mock.patch.object(self.terrace_py, "__file__", str(self.folder / module / "terrace.py")):
                self.assertEqual(self.terrace_py.program(), str(self.folder / place / "terrace"))
        os.environ["PATH"] = ""
        with self.assertRaises(self.terrace_py.Error) as raised:
            self.terrace_py.program()
        self.assertIn("TERRACE", str(raised.exception))

    def test_the_example_of_the_module_runs(self):
        example = re.search(r"(?:^    .*\n)+", self.terrace_py.__doc__, re.MULTILINE)[0]
        ran = subprocess.run([sys.executable, "-c", "if True:\n" + example.replace("4000", "400")], capture_output=True,
                             text=True)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertTrue(ran.stdout.startswith("(400, 400) ["), ran.stdout)


if __name__ == "__main__":
    main()
