"""The memory that stages take, and the pieces in which they read, compute and write, are chosen by the expected time."""
import json
import signal
import subprocess
import time

import terrace_runs
from terrace_runs import STOPPED, JobTest, main, random_letters, wavefront

MIB = 1 << 20
LARGE = {"host": 8192 * MIB}


def uniform(*shape, kind="f32", seed=1):
    return {"generate": "uniform", "shape": list(shape), "type": kind, "seed": seed}


def stencil(**settings):
    return {"name": "s", "stencil": {"operator": "star2d", "radius": 1, "grid": "a", **settings}}


# Of each kind of job one whose arrays fit the memory.
JOBS = {
    "star2d": ({"a": uniform(16384, 16384)}, stencil(steps=16)),
    "star2d in many passes": ({"a": uniform(16384, 16384)}, stencil(steps=4000)),
    "heat3d": ({"a": uniform(512, 512, 512)},
               {"name": "s", "stencil": {"operator": "heat3d", "grid": "a", "diffusivity": 1, "dt": 0.1, "steps": 16}}),
    "summed_area": ({"a": uniform(12000, 12000, kind="u8")}, wavefront("s", "summed_area", grid="a", type="i64")),
    "integral_histogram": ({"a": uniform(5800, 5800, kind="u8")},
                           wavefront("s", "integral_histogram", grid="a", bins=16, type="i32")),
    "semiring_product": ({"a": uniform(6000, 6000), "b": uniform(6000, 6000, seed=2)},
                         {"name": "s", "recursive": {"problem": "semiring_product", "left": "a", "right": "b"}}),
    "floyd_warshall": ({"a": uniform(4096, 4096)},
                       {"name": "s", "recursive": {"problem": "floyd_warshall", "matrix": "a"}}),
    "smith_waterman": ({"a": random_letters(20000, 1), "b": random_letters(20000, 2)},
                       wavefront("s", "smith_waterman", rows="a", columns="b", match=1, mismatch=-3, gap=3, keep="table")),
    "sor": ({"a": uniform(12000, 12000)}, wavefront("s", "sor", grid="a", sweeps=16)),
    "dp_table": ({}, {"name": "s", "dp_table": {"extents": [16000, 16000], "steps": [[1, 0], [0, 1], [2, 3]],
                                                "cost": [3, 4, 5], "keep": "table"}}),
    "kernel_graph": ({"a": uniform(12000, 12000)},
                     {"name": "s", "kernel_graph": {"nodes": {"x": {"sobel": "a", "axis": "x"},
                                                              "xx": {"product": ["x", "x"]}}, "keep": ["xx"]}}),
}


class Plans(JobTest):
    always = {"backend": "cpu"}

    def planned(self, name, host):
        inputs, stage = JOBS[name]
        job = self.write_job(inputs, [stage], memory={"host": host})
        return json.loads(self.terrace("plan", job, "--json").stdout)

    def test_more_memory_is_never_expected_to_take_longer(self):
        for name in JOBS:
            with self.subTest(name):
                large = self.planned(name, 8192 * MIB)["predicted_seconds"]
                for smaller in (256, 512, 1024, 2048):
                    self.assertLessEqual(large, 1.1 * self.planned(name, smaller * MIB)["predicted_seconds"])

    def test_what_passes_through_memory_once_takes_little_of_it(self):
        for name in ("star2d", "heat3d", "summed_area", "integral_histogram", "smith_waterman", "dp_table", "sor"):
            with self.subTest(name):
                plan = self.planned(name, 8192 * MIB)
                self.assertGreaterEqual(plan["stages"][0]["blocks"], 4)
                self.assertLess(plan["memory"]["expected"], 0.6 * plan["disk"]["result"])

    def test_a_grid_of_many_passes_stays_in_memory(self):
        stage = self.planned("star2d in many passes", 8192 * MIB)["stages"][0]
        self.assertEqual((stage["bytes_read"], stage["bytes_written"]), (1 << 30, 1 << 30))
        self.assertTrue(stage["block_shape"].startswith("16384 x 16384"), stage["block_shape"])

    def test_reals_of_the_recursive_stage_keep_their_tiles(self):
        for name in ("semiring_product", "floyd_warshall"):
            plans = [self.planned(name, host * MIB)["stages"][0] for host in (8192, 1024)]
            self.assertEqual(plans[0]["block_shape"], plans[1]["block_shape"])


class Runs(JobTest):
    always = {"backend": "cpu"}

    def test_what_was_chosen_holds_after_a_stop(self):
        inputs, steps = {"a": uniform(6144, 8192)}, 64
        jobs = [self.write_job(inputs, [stencil(steps=steps)], output=name + ".h5", name=name + ".yaml", memory=LARGE)
                for name in ("whole", "stopped")]
        self.terrace("run", jobs[0])
        process = subprocess.Popen([terrace_runs.program, "run", jobs[1]], cwd=self.folder, stderr=subprocess.PIPE)
        plan = self.folder / "stopped.h5.run" / "plan.json"
        while process.poll() is None and not plan.exists():
            time.sleep(0.005)
        stage = json.loads(plan.read_text())["plan"]["stages"][0]
        self.assertLess(stage["host_budget"], 2 * 6144 * 8192 * 4)
        process.send_signal(signal.SIGTERM)
        process.communicate()
        self.assertIn(process.returncode, (0, STOPPED))
        self.terrace("run", jobs[1])
        whole, stopped = self.open("whole.h5"), self.open("stopped.h5")
        self.assertTrue((whole["s/grid"][()] == stopped["s/grid"][()]).all())
        self.assertEqual(int(stopped["profile/stages/budget_host"][0]), stage["host_budget"])

    def test_less_memory_gives_the_same(self):
        results = []
        for number, memory in enumerate((LARGE, {"host": 100 * MIB})):
            results.append(self.run_job({"a": uniform(6144, 8192)}, [stencil(steps=8)], output=f"{number}.h5",
                                        memory=memory)["s/grid"][()])
        self.assertTrue((results[0] == results[1]).all())


if __name__ == "__main__":
    main()
