"""What tests of whole jobs on simulated GPUs share: stages, inputs, and the comparison with the CPU."""
import os
import unittest.mock

from terrace_runs import JobTest, numpy, random_letters


def recursive(name, problem, **settings):
    return {"name": name, "recursive": {"problem": problem, **settings}}


def stencil(name, operator, **settings):
    return {"name": name, "stencil": {"operator": operator, **settings}}


def dp_table(name, **settings):
    return {"name": name, "dp_table": settings}


def values(group):
    return {key: value[()] for key, value in group.items()}


def product_of_triangles(rows, seed):
    """A matrix that is eliminated without rounding."""
    draw = numpy.random.default_rng(seed)
    lower = numpy.tril(draw.integers(-3, 4, (rows, rows)), -1) + numpy.eye(rows, dtype=int)
    return lower @ (numpy.triu(draw.integers(-3, 4, (rows, rows)), 1) + numpy.diag(draw.choice([-2, -1, 1, 2], rows)))


class OnSimulatedGpu(JobTest):
    def setUp(self):
        super().setUp()
        self.jobs = 0
        random = numpy.random.default_rng(3)
        grid = random.integers(0, 256, (130, 170), numpy.uint8)
        plane = random.normal(size=(90, 110)).astype(numpy.float32)
        series = random.normal(size=(2, 150)).astype(numpy.float32)
        self.inputs = {"a": random_letters(200, 1), "b": random_letters(260, 2),
                       "w": {"npy": self.write("w.npy", random.integers(0, 99, (60, 60)).astype(numpy.int32))},
                       "g": {"npy": self.write("g.npy", grid)}, "f": {"npy": self.write("f.npy", plane)},
                       "x": {"npy": self.write("x.npy", series[0, :120])},
                       "y": {"npy": self.write("y.npy", series[1])}}

    def used(self, stages):
        kinds = ("wavefront", "recursive", "query", "stencil", "dp_table", "makespan", "nest", "kernel_graph")
        settings = [stage[kind] for stage in stages for kind in kinds if kind in stage]
        given = [value for setting in settings for value in setting.values()]
        given += [name for value in given if isinstance(value, dict) for name in value.values()]
        given += [name for setting in settings for node in setting.get("nodes", {}).values() for name in node.values()]
        given += [source["values"] for setting in settings for source in setting.get("point_sources", [])]
        read = {value for value in given if isinstance(value, str)}
        return {name: what for name, what in self.inputs.items() if name in read}

    def check_same(self, stages, budgets, host=64 << 20, **keys):
        """Each budget of the device, on the GPU, gives what the CPU gives with a large one."""
        self.jobs += 1
        expected = self.run_job(self.used(stages), stages, "--backend", "cpu", output=f"{self.jobs}-cpu.h5", **keys)
        for budget in budgets:
            result = self.run_job(self.used(stages), stages, "--backend", "cuda", output=f"{self.jobs}-{budget}.h5",
                                  memory={"host": host, "device": budget}, **keys)
            self.assertIn("simulated GPU", str(result["profile/devices/name"][()]))
            for stage in stages:
                name = stage["name"]
                with self.subTest(stage=name, budget=budget):
                    there, here = values(result[name]), values(expected[name])
                    self.assertEqual(sorted(there), sorted(here))
                    for key in here:
                        numpy.testing.assert_array_equal(there[key], here[key], key)


def device_counts(*usual):
    """The numbers of devices on which a test runs: those of TERRACE_TEST_DEVICES, as "4 8", or the usual ones."""
    given = os.environ.get("TERRACE_TEST_DEVICES", "").split()
    return tuple(int(count) for count in given) or usual


def on(devices):
    return unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=str(devices))


class OnSlowDevices(OnSimulatedGpu):
    """A stage that is dealt where it is worth it: the devices are so slow that small ones are."""

    environment = {"TERRACE_SIMULATED_KILOHERTZ": "1"}

    def setUp(self):
        super().setUp()
        self.inputs["few"] = {"npy": self.write("few.npy", numpy.eye(3, dtype="u1"))}
        clock = unittest.mock.patch.dict(os.environ, self.environment)
        clock.start()
        self.addCleanup(clock.stop)

    def write_job(self, inputs, stages, **keys):
        """With a stage for which a run opens all devices: small stages alone are not worth it."""
        opens = recursive("opens", "transitive_closure", matrix="few")
        return super().write_job({**inputs, "few": self.inputs["few"]}, [*stages, opens], **keys)

    def check_dealt(self, devices, stage, budget=64 << 20, **keys):
        """All devices compute."""
        with on(devices):
            self.check_same([stage], (budget,), **keys)
        blocks = self.open(f"{self.jobs}-{budget}.h5")["profile/blocks"]
        self.assertEqual(set(blocks["device"][()][blocks["stage"][()] == 0]), set(range(devices)))

    def check_survives_kills_on(self, devices, stage, *datasets, **keys):
        """Attempts run on so many devices, in turn; the last one, and the undisturbed run, on three."""
        with on(3):
            self.check_survives_kills(self.used([stage]), stage, *datasets, backend="cuda",
                                      memory={"host": 64 << 20, "device": 64 << 20},
                                      environments=[{"TERRACE_SIMULATED_DEVICES": str(number)} for number in devices],
                                      **keys)
        blocks = self.open(f"{stage['name']}-whole.h5")["profile/blocks"]
        self.assertGreater(max(blocks["device"][()][blocks["stage"][()] == 0]), 0)

    def plan_on(self, devices, stage, **keys):
        """What `plan` says of a stage."""
        job = self.write_job(self.used([stage]), [stage], backend="cuda", devices=list(range(devices)), **keys)
        with on(devices):
            return self.terrace("plan", job).stdout
