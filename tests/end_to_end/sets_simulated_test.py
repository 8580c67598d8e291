"""Sets of sequences and series on a simulated GPU: what it gives is what the CPU gives, at any budget, on any number of
devices, after any kill."""
import os
import unittest.mock

from on_simulated_gpu import device_counts
from set_runs import GAPS, LINEAR, SetTest, sequences, stages_of
from terrace_runs import main, numpy, random_text, wavefront

# Settings of every problem on letters, beside those that fit no kernel of CUDA.
KINDS = ("local", "local_linear", "decimals", "whole", "ends", "found", "edit", "common")
PROTEINS = {"matrix": "blosum62", "gap_open": 11, "gap_extend": 1}


class OnSimulatedGpu(SetTest):
    always = {}

    def on_devices(self, count):
        return unittest.mock.patch.dict(os.environ, TERRACE_SIMULATED_DEVICES=str(count))

    def check_same(self, inputs, stages, *names, device=None, backends=("cuda",), blocks=1, devices=1, host="64MiB"):
        """Datasets of every stage are those of the CPU. @param blocks of each stage, at least"""
        expected = self.run_job(inputs, stages, "--backend", "cpu", "--fresh", output="cpu.h5", name="cpu.yaml")
        memory = {"host": host, **({} if device is None else {"device": device})}
        with self.on_devices(devices):
            result = self.run_job(inputs, stages, "--backend", *backends, "--fresh", output="cuda.h5", memory=memory)
        self.assertEqual(set(result["profile/stages/backend"].asstr()[()]), {"cuda"})
        for number, stage in enumerate(stages):
            self.assertGreaterEqual(result["profile/stages/blocks"][number], blocks, stage["name"])
            there, here = result[stage["name"]], expected[stage["name"]]
            self.assertEqual(sorted(there), sorted(here))
            for name in names or here:
                with self.subTest(stage=stage["name"], name=name):
                    self.assertEqual(there[name].dtype, here[name].dtype)
                    numpy.testing.assert_array_equal(there[name][()], here[name][()])
        return result

    def letters(self, rows=9, columns=8, longest=60):
        return {"a": self.set_of("a", sequences(rows, longest, 1)),
                "b": self.set_of("b", sequences(columns, longest, 2))}

    def table(self, name, kind, rows, columns, seed, ends=False):
        draw = numpy.random.default_rng(seed)
        values = (draw.normal(size=(rows, columns)) * 100).astype(kind)
        for row in values if ends else ():
            row[int(draw.integers(1, columns + 1)):] = numpy.nan
        return {"npy": self.write(f"{name}.npy", values), "each": "row", **({"end": "nan"} if ends else {})}


class Scores(OnSimulatedGpu):
    def test_of_all_problems_on_letters(self):
        result = self.check_same(self.letters(), stages_of(KINDS))
        devices = result["profile/devices/name"].asstr()[()]
        computed = {int(device) for device in result["profile/blocks/device"]}
        self.assertIn("simulated GPU", devices[0])
        self.assertEqual(computed, {0, 1})  # the CPU makes decimals of whole numbers

    def test_of_proteins(self):
        letters = [sequences(6, 50, seed) for seed in (3, 4)]
        inputs = {name: self.set_of(name, of) for name, of in zip("ab", letters)}
        stages = [wavefront("local", "smith_waterman", rows="a", columns="b", **PROTEINS),
                  wavefront("whole", "needleman_wunsch", rows="a", columns="b", **PROTEINS)]
        self.check_same(inputs, stages)

    def test_of_long_ones_among_short_ones(self):
        inputs = {"a": self.set_of("a", sequences(3, 700, 5)), "b": self.set_of("b", sequences(3, 80, 6))}
        self.check_same(inputs, stages_of(["local", "ends", "edit"]))

    def test_of_series(self):
        for kind, settings, ends in (("f4", {}, True), ("f8", {"steps": "symmetric2", "cost": "squared"}, True),
                                     ("f4", {"window": 40}, False), ("i2", {}, False)):
            inputs = {"a": self.table("a", kind, 5, 40, 1, ends), "b": self.table("b", kind, 6, 40, 2, ends)}
            self.check_same(inputs, [wavefront("s", "dtw", rows="a", columns="b", **settings)])
        pairs = {**inputs, "p": {"values": [0, 1, 4, 5, 2, 2]}}
        self.check_same(pairs, [wavefront("s", "dtw", rows="a", columns="b", pairs="p"),
                                wavefront("t", "dtw", rows="a", columns="b", at_most=2000),
                                wavefront("u", "dtw", rows="a", columns="b", best=2)])

    def test_a_cost_that_leaves_its_type_is_an_error(self):
        values = numpy.full((2, 100), 4e37, "f4")
        values[1] = -values[1]
        inputs = {"a": {"npy": self.write("a.npy", values), "each": "row"}}
        job = self.write_job(inputs, [wavefront("s", "dtw", rows="a", columns="a")], backend="cuda")
        self.assertSays(self.terrace("run", job, expect=1), "the total cost of item 0 and item 1 has left type f32")

    def test_a_small_device_has_more_blocks(self):
        inputs = self.letters(120, 100, 30)
        few = self.check_same(inputs, stages_of(["local", "edit"]))["profile/stages/blocks"][()]
        many = self.check_same(inputs, stages_of(["local", "edit"]), device="200KiB")
        self.assertTrue((many["profile/stages/blocks"][()] > few).all())
        for peak in many["profile/stages/peak_device"]:
            self.assertLessEqual(peak, 200 << 10)

    def test_least_budgets(self):
        job = self.write_job(self.letters(40, 40), stages_of(["local"], best=3), backend="cuda")
        self.check_least_budgets(job, "memory.device")


class Kept(OnSimulatedGpu):
    def test_lists_of_pairs(self):
        inputs = self.letters(9, 9)
        draw = numpy.random.default_rng(3)
        inputs["p"] = {"npy": self.write("p.npy", draw.integers(0, 9, (40, 2)))}
        for pairs in ("same", "p"):
            self.check_same(inputs, stages_of(["local", "decimals", "edit"], pairs=pairs))
        upper = [{**stage, "wavefront": {**stage["wavefront"], "columns": "a"}}
                 for stage in stages_of(["local", "edit"], pairs="upper")]
        self.check_same({"a": inputs["a"]}, upper)
        del inputs["p"]
        self.check_same(inputs, [wavefront("none", "lcs", rows="a", columns="b", pairs="same", at_least=1000)])

    def test_lists_of_sets_that_are_read_in_parts(self):
        inputs = {"a": self.set_of("a", sequences(120, 250, 61)), "b": self.set_of("b", sequences(120, 250, 62)),
                  "c": self.set_of("c", sequences(4, 250, 63))}
        inputs["p"] = {"npy": self.write("p.npy", numpy.random.default_rng(6).integers(0, 120, (130, 2)))}
        stages = [wavefront("given", "edit_distance", rows="a", columns="b", pairs="p"),
                  wavefront("same", "edit_distance", rows="a", columns="b", pairs="same"),
                  wavefront("all", "edit_distance", rows="a", columns="c")]
        self.check_same(inputs, stages, blocks=8, device="100KiB", host="2MiB")

    def test_hits_and_pairs_within_limits(self):
        inputs = self.letters(70, 60, 30)
        stages = stages_of(["local", "decimals"], best=5) + [
            wavefront("edit", "edit_distance", rows="a", columns="b", best=70, at_most=20),
            wavefront("above", "smith_waterman", rows="a", columns="b", at_least=20, **GAPS),
            wavefront("tenths", "smith_waterman", rows="a", columns="b", at_least=2.5, match=0.1, mismatch=-0.1,
                      gap=0.2),
            wavefront("below", "edit_distance", rows="a", columns="b", at_most=12),
            wavefront("same", "edit_distance", rows="a", columns="a", pairs="upper", at_most=12)]
        self.check_same(inputs, stages, blocks=2)
        self.check_same(inputs, stages, blocks=4, device="200KiB", host="2MiB")

    def test_alignments_are_made_by_the_cpu(self):
        inputs = self.letters(8, 9, 50)
        stages = stages_of(["local", "edit"], keep="alignment", best=3) + [
            wavefront("above", "smith_waterman", rows="a", columns="b", at_least=20, keep="alignment", **GAPS),
            wavefront("listed", "needleman_wunsch", rows="a", columns="b", keep="alignment",
                      pairs=[[0, 0], [7, 8], [3, 3]], **LINEAR)]
        self.check_same(inputs, stages)
        plan = self.terrace("plan", self.write_job(inputs, stages, backend="cuda")).stdout
        self.assertIn("analysis      the device computes scores, the CPU aligns", plan)


class Long(OnSimulatedGpu):
    """Pairs with an item too long for lanes are swept by the device."""

    def setUp(self):
        super().setUp()
        rows, columns = sequences(5, 60, 41), sequences(4, 30, 42)
        rows.insert(3, (rows[1] + random_text(65600, 43))[:65600])
        self.inputs = {"a": self.set_of("a", rows), "b": self.set_of("b", columns)}

    def test_of_all_problems_on_letters(self):
        result = self.check_same(self.inputs, stages_of(KINDS))
        parts = [name.decode() for name in result["profile/parts/name"]]
        self.assertEqual(parts.count("long pairs"), len(KINDS))

    def test_kept(self):
        upper = wavefront("upper", "edit_distance", rows="b", columns="b", pairs="upper")
        stages = stages_of(["decimals"], best=3) + stages_of(["edit"], best=3, at_most=70000) + [
            wavefront("above", "smith_waterman", rows="a", columns="b", at_least=12, **GAPS), upper,
            wavefront("given", "needleman_wunsch", rows="a", columns="b", pairs=[[3, 1], [0, 0], [3, 3]],
                      free_ends="both", **GAPS)]
        self.check_same(self.inputs, stages)
        self.check_same(self.inputs, stages, devices=2, device="1MiB", host="40MiB")

    def test_series(self):
        values = numpy.full((4, 65600), numpy.nan, "f4")
        for row, length in zip(values, (30, 65600, 20, 1)):
            row[:length] = numpy.random.default_rng(length).normal(size=length)
        inputs = {"a": {"npy": self.write("a.npy", values), "each": "row", "end": "nan"},
                  "b": {"npy": self.write("b.npy", values[[0, 2], :30].copy()), "each": "row", "end": "nan"}}
        self.check_same(inputs, [wavefront("whole", "dtw", rows="a", columns="b"),
                                 wavefront("part", "dtw", rows="b", columns="a", free_ends="columns"),
                                 wavefront("near", "dtw", rows="a", columns="b", at_most=40)])

    def test_survives_kills(self):
        memory = {"host": "60MiB", "device": "2MiB"}
        with self.on_devices(2):
            self.check_survives_kills(self.inputs, stages_of(["found"])[0], "score", "end", backend="cuda", jobs=1,
                                      memory=memory)


class Choices(OnSimulatedGpu):
    def test_auto_takes_the_gpu(self):
        self.check_same(self.letters(), stages_of(["local"]), backends=("auto",))

    def test_what_fits_no_kernel_is_computed_on_the_cpu_and_plan_says_why(self):
        inputs = self.letters()
        stages = [wavefront("s", "smith_waterman", rows="a", columns="b", match=2, mismatch=1, gap=2)]
        expected = self.run_job(inputs, stages, "--backend", "cpu", output="cpu.h5")
        for backend in ("cuda", "auto"):
            result = self.run_job(inputs, stages, "--backend", backend, "--fresh", output="cuda.h5")
            self.assertEqual(result["profile/stages/backend"].asstr()[0], "cpu")
            numpy.testing.assert_array_equal(result["s/score"][()], expected["s/score"][()])
            plan = self.terrace("plan", "job.yaml", "--explain", "--backend", backend, "--fresh").stdout
            self.assertIn("analysis      computed on the CPU: a mismatch adds to the score", plan)
            self.assertRegex(plan, r"lanes on cuda +no: a mismatch adds to the score")

    def test_plan_names_the_kernel_and_its_rate(self):
        job = self.write_job(self.letters(), stages_of(["local"]), backend="cuda")
        plan = self.terrace("plan", job, "--explain").stdout
        self.assertRegex(plan, r"lanes on cuda +3.00 Tcell/s, chosen")
        self.assertRegex(plan, r"plain on cpu +")
        self.assertIn("method        lanes\n", plan)


class Devices(OnSimulatedGpu):
    def check_devices(self, stages, inputs, counts=device_counts(2, 3, 5)):
        for count in counts:
            with self.subTest(devices=count):
                result = self.check_same(inputs, stages, devices=count, device="200KiB")
                used = {int(device) for device in result["profile/blocks/device"]}
                self.assertTrue(set(range(count)) <= used, used)

    def test_all_compute_blocks(self):
        stages = stages_of(["local"]) + stages_of(["edit"], best=4) + [
            wavefront("above", "smith_waterman", rows="a", columns="b", at_least=20, **GAPS)]
        self.check_devices(stages, self.letters(120, 100, 30))

    def test_all_compute_blocks_of_lists(self):
        inputs = self.letters(70, 70, 200)
        inputs["p"] = {"npy": self.write("p.npy", numpy.random.default_rng(6).integers(0, 70, (300, 2)))}
        self.check_devices([wavefront("given", "edit_distance", rows="a", columns="b", pairs="p")], inputs)

    def test_a_stage_without_sets_uses_one(self):
        inputs = {"a": self.fasta("a", "ACGT"), "b": self.fasta("b", "ACCT")}
        job = self.write_job(inputs, [wavefront("s", "edit_distance", rows="a", columns="b")])
        with self.on_devices(2):
            self.assertSays(self.terrace("plan", job), "2 devices are here; a run uses one, device 0")


class Kills(OnSimulatedGpu):
    def test_are_survived(self):
        memory = {"host": "4MiB", "device": "200KiB"}
        inputs = self.letters(60, 60, 60)
        self.check_survives_kills(inputs, stages_of(["local"])[0], "score", "end", backend="cuda", jobs=1,
                                  memory=memory)
        self.check_survives_kills(inputs, stages_of(["edit"], best=5)[0], "hit", "hit_score", backend="cuda", jobs=1,
                                  memory=memory)
        with self.on_devices(3):
            self.check_survives_kills(inputs, stages_of(["decimals"], at_least=8)[0], "pair", "score", backend="cuda",
                                      jobs=1, memory=memory)
            self.check_survives_kills(inputs, stages_of(["common"], pairs="same", keep="alignment")[0], "score",
                                      "cigar", backend="cuda", jobs=1, memory=memory)


if __name__ == "__main__":
    main()
