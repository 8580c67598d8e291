"""One job under every schedule: results do not depend on it."""
import re
import subprocess
import unittest

import terrace_runs
from terrace_runs import WRONG, JobTest, affine, main, numpy, random_letters, wavefront


def schedule_names():
    """The names that `terrace problems` gives."""
    text = subprocess.run([terrace_runs.program, "problems", "--markdown"], capture_output=True, text=True,
                          check=True).stdout
    return re.search(r"`schedule` \(([^)]*)\)", text).group(1).split(", ")


class Schedules(JobTest):
    def check_all(self, inputs, stages, prefix, **keys):
        """Runs the job under every schedule; every dataset of every stage is the same."""
        names = schedule_names()
        self.assertEqual(names[0], "auto")
        self.assertEqual(len(names), 8)
        expected = None
        for name in names:
            for stage in stages:
                stage["wavefront"]["schedule"] = name
            result = self.run_job(inputs, stages, output=f"{prefix}-{name}.h5", **keys)
            found = {stage["name"]: {key: value[()] for key, value in result[stage["name"]].items()}
                     for stage in stages}
            if expected is None:
                expected = found
                continue
            with self.subTest(schedule=name):
                self.assertEqual({stage: sorted(values) for stage, values in found.items()},
                                 {stage: sorted(values) for stage, values in expected.items()})
                for stage, values in found.items():
                    for key, value in values.items():
                        numpy.testing.assert_array_equal(value, expected[stage][key], f"{stage}/{key}")

    def test_all_give_the_same_results_in_one_block_and_in_many(self):
        grid = numpy.random.default_rng(3).integers(0, 256, (500, 700), numpy.uint8)
        series = numpy.random.default_rng(4).normal(size=(2, 400)).astype(numpy.float32)
        inputs = {"a": random_letters(700, 1), "b": random_letters(900, 2), "g": {"npy": self.write("g.npy", grid)},
                  "x": {"npy": self.write("x.npy", series[0, :350])}, "y": {"npy": self.write("y.npy", series[1])}}
        stages = [affine("align", "a", "b"), affine("table", "a", "b", keep="table"),
                  wavefront("distance", "edit_distance", rows="a", columns="b"),
                  wavefront("common", "lcs", rows="a", columns="b", keep="table"),
                  wavefront("warping", "dtw", rows="x", columns="y", cost="squared", window=100, keep="table"),
                  wavefront("sums", "summed_area", grid="g")]
        self.check_all(inputs, stages, "whole")
        self.check_all(inputs, stages, "cut", memory={"host": 4 << 20, "device": 1 << 20})

    def test_unknown_ones_are_errors_that_name_the_others(self):
        job = self.write_job({"g": {"npy": self.write("g.npy", numpy.zeros((5, 7), numpy.uint8))}},
                             [wavefront("sums", "summed_area", grid="g", schedule="peer_squares")])
        self.assertSays(self.terrace("run", job, expect=WRONG), "job.yaml:", "peer_squares", "peer_square")


if __name__ == "__main__":
    main()
