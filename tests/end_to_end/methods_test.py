"""The kernels that compute stages: listed, explained for a job, recorded in its result."""
import json
import re

from terrace_runs import WRONG, JobTest, affine, main, random_letters, wavefront


def stencil(name, operator, **settings):
    return {"name": name, "stencil": {"operator": operator, **settings}}


class Methods(JobTest):
    def setUp(self):
        super().setUp()
        self.inputs = {"g": {"generate": "uniform", "shape": [60, 64], "type": "f32", "seed": 1},
                       "m": {"generate": "uniform", "shape": [50, 50], "type": "f32", "seed": 2},
                       "a": random_letters(200, 1), "b": random_letters(260, 2)}
        self.stages = [stencil("s", "star2d", grid="g", steps=4), affine("w", "a", "b"),
                       wavefront("t", "edit_distance", rows="a", columns="b"),
                       wavefront("i", "sor", grid="g", sweeps=3),
                       {"name": "r", "recursive": {"problem": "floyd_warshall", "matrix": "m", "paths": True}},
                       {"name": "d", "dp_table": {"extents": [9, 9], "steps": [[1, 0], [0, 2]]}}]
        self.names = ["tiles", "cells", "bits", "bands", "paths", "parts"]

    def test_are_listed_by_stage(self):
        listed = json.loads(self.terrace("methods", "--json").stdout)["methods"]
        cpu = {(method["stage"], method["name"]) for method in listed if method["backend"] == "cpu"}
        self.assertLessEqual({("stencil", "tiles"), ("stencil", "steps"), ("wavefront", "bits"),
                              ("wavefront", "peer_flexible")}, cpu)
        one = self.terrace("methods", "stencil").stdout
        self.assertIn("tiles", one)
        self.assertNotIn("bits", one)
        ended = self.terrace("methods", "stencils", expect=WRONG)
        self.assertSays(ended, "there is no stage 'stencils'", "stencil")
        self.assertLessEqual({("query", "reductions"), ("makespan", "bins")}, cpu)

    def test_of_a_job_are_explained_before_it_runs(self):
        job = self.write_job(self.inputs, self.stages, backend="cpu")
        plan = json.loads(self.terrace("plan", job, "--explain", "--json").stdout)
        self.assertEqual([stage["method"] for stage in plan["stages"]], self.names)
        for stage in plan["stages"]:
            chosen = [method for method in stage["methods"] if method["chosen"]]
            self.assertEqual([method["name"] for method in chosen], [stage["method"]])
            for method in stage["methods"]:
                self.assertEqual(method["unfit"] is None, method["per_second"] is not None, method)
        words = self.terrace("plan", job, "--explain").stdout
        self.assertRegex(words, r"bits +\S+ \S+, chosen")
        self.assertRegex(words, r"bits +no: the problem has no bit-parallel form")
        self.assertNotIn("no: ", self.terrace("plan", job).stdout)

    def test_are_recorded_in_the_result(self):
        result = self.run_job(self.inputs, self.stages, backend="cpu")
        names = [name.decode() for name in result["profile/stages/method"][()]]
        self.assertEqual(names, self.names)
        result.close()
        self.assertEqual(re.findall(r"^  method +(\w+)$", self.terrace("show", "result.h5").stdout, re.M), names)

    def test_that_a_schedule_names_are_taken(self):
        stages = [stencil("s", "star2d", grid="g", steps=4, schedule="plain"),
                  affine("w", "a", "b", schedule="square_barrier")]
        job = self.write_job(self.inputs, stages, backend="cpu")
        plan = json.loads(self.terrace("plan", job, "--json").stdout)
        self.assertEqual([stage["method"] for stage in plan["stages"]], ["steps", "square_barrier"])


if __name__ == "__main__":
    main()
