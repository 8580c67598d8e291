"""Small inputs as people's tools write them, and what Terrace makes of each: one line a case in the .yaml files here.

A case has `inputs` and `stage` as in a job (files are those of `files/`, and those that `make_files.py` makes),
and what a run must do:
  gives: {DATASET: value}   the run is done, and the dataset of the stage has this value; NaN is written .nan
  warns: TEXT or [TEXTS]    it is done, and standard error has this text; `quiet: true`: it is done without a warning
  wrong: TEXT or [TEXTS]    exit 2: the job or its input is refused before the run, with this text
  fails: TEXT or [TEXTS]    exit 1: the run fails, with this text
`name` says what is tried.
"""
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "end_to_end"))
from terrace_runs import DONE, FAILED, WRONG, JobTest, main, numpy  # noqa: E402

try:
    import yaml
except ImportError as missing:
    print(f"SKIPPED: {missing} (Debian: python3-yaml)")
    sys.exit(0)

import make_files  # noqa: E402

HERE = pathlib.Path(__file__).parent
KEYS = {"name", "inputs", "stage", "gives", "warns", "quiet", "wrong", "fails"}


def texts(value):
    return [value] if isinstance(value, str) else value


class Field(JobTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(HERE / "files", self.folder, dirs_exist_ok=True)
        make_files.make_all(self.folder)

    def check(self, case):
        self.assertLessEqual(set(case), KEYS)
        self.assertTrue({"gives", "warns", "quiet", "wrong", "fails"} & set(case), "the case expects nothing")
        expected = WRONG if "wrong" in case else FAILED if "fails" in case else DONE
        # YAML, as JSON has no infinity.
        job = self.write("job.yaml", yaml.safe_dump({
            "job": "test", "backend": "cpu", "inputs": case["inputs"], "stages": [{"name": "s", **case["stage"]}],
            "output": "result.h5"}, sort_keys=False))
        ended = self.terrace("run", job, "--fresh=all", expect=expected)
        self.assertSays(ended, *texts(case.get("wrong", case.get("fails", case.get("warns", [])))))
        if case.get("quiet"):
            self.assertNotIn("warning", ended.stderr)
        if expected != DONE:
            return
        with make_files.h5py.File(self.folder / "result.h5") as result:
            for dataset, right in case.get("gives", {}).items():
                found = result[f"s/{dataset}"][()]
                if isinstance(right, str):
                    found = found.decode() if isinstance(found, bytes) else str(found)
                    self.assertEqual(found, right, dataset)
                elif isinstance(right, list) and right and isinstance(right[0], str):
                    self.assertEqual([text.decode() for text in found], right, dataset)
                else:
                    numpy.testing.assert_array_equal(numpy.asarray(found, float), numpy.asarray(right, float), dataset)

    def test_cases(self):
        """Every line of every list."""
        lists = sorted(HERE.glob("*.yaml"))
        self.assertTrue(lists)
        for path in lists:
            for case in yaml.safe_load(path.read_text()):
                with self.subTest(list=path.stem, case=case["name"]):
                    self.check(case)


if __name__ == "__main__":
    main()
