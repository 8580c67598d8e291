"""Whole jobs on real inputs give the scores and sums that others published or computed."""
import json
import unittest

from terrace_runs import JobTest, affine, data, main, numpy, wavefront


def dna(*names):
    return {"fasta": data("dna", *names)}


def edit(name, rows, columns):
    return wavefront(name, "edit_distance", rows=rows, columns=columns, ambiguous="literal")


def lcs(name, rows, columns):
    return wavefront(name, "lcs", rows=rows, columns=columns, ambiguous="literal")


class Sequences(JobTest):
    def check(self, inputs, stages, expected):
        result = self.run_job(inputs, stages)
        self.assertEqual({name: int(result[name + "/score"][()]) for name in expected}, expected)
        return result

    def check_pair(self, rows, columns, **expected):
        problems = {"align": affine, "distance": edit, "common": lcs}
        stages = [problems[name](name, "a", "b") for name in expected]
        return self.check({"a": rows, "b": columns}, stages, expected)

    def test_of_mitochondria(self):
        self.check_pair(dna("mitochondria", "MT-human.fa"), dna("mitochondria", "MT-orang.fa"), align=6680,
                        distance=3315, common=13966)

    def test_of_two_assemblies_of_a_human_region(self):
        self.check_pair(dna("human_p59", "hg38.fa"), dna("human_p59", "chm13.fa"), align=50980, distance=10,
                        common=51017)

    def test_of_slices_of_two_bacteria(self):
        self.check_pair(dna("mummer_slices", "H_pylori26695_Bslice.fasta"),
                        dna("mummer_slices", "H_pyloriJ99_Bslice.fasta"), align=33581, distance=12128)

    def test_of_longer_slices_with_ambiguous_letters(self):
        self.check_pair(dna("mummer_slices", "H_pylori26695_Eslice.fasta"),
                        dna("mummer_slices", "H_pyloriJ99_Eslice.fasta"), align=73272, distance=86309, common=219521)

    def test_of_a_phage_and_its_mutants(self):
        distances = {99: 990, 97: 2977, 94: 6042, 90: 9506, 80: 20333, 70: 30147, 60: 39829}
        inputs = {"ref": dna("edlib_phage", "ref.fasta")}
        inputs |= {f"m{kept}": dna("edlib_phage", f"mutated_{kept}.fasta") for kept in distances}
        stages = [edit(f"edit{kept}", f"m{kept}", "ref") for kept in distances]
        expected = {f"edit{kept}": distance for kept, distance in distances.items()}
        self.check(inputs, [*stages, lcs("common", "m90", "ref")], {**expected, "common": 87903})

    def pairs(self):
        """Pairs of sequences, and inputs of a job that hold them: pair i is `ai` and `bi`."""
        with open(data("dna", "wfa", "wfa.utest.seq")) as file:
            sequences = [line[1:].strip() for line in file if line.strip()]
        pairs, inputs = list(zip(sequences[::2], sequences[1::2])), {}
        self.assertEqual(len(pairs), 305)
        for number, (rows, columns) in enumerate(pairs):
            for side, letters in (("a", rows), ("b", columns)):
                inputs[f"{side}{number}"] = {"fasta": self.write(f"{side}{number}.fa", f">{side}\n{letters}\n")}
        return pairs, inputs

    def test_of_many_pairs_in_one_job(self):
        pairs, inputs = self.pairs()
        stages, expected = [], {}
        for number in range(len(pairs)):
            stages.append(edit(f"edit{number}", f"a{number}", f"b{number}"))
            stages.append(lcs(f"lcs{number}", f"a{number}", f"b{number}"))
        for number, (distance, indel) in enumerate(zip(self.scores("edit"), self.scores("indel"))):
            expected[f"edit{number}"] = distance
            expected[f"lcs{number}"] = (len(pairs[number][0]) + len(pairs[number][1]) - indel) // 2
        self.assertEqual(len(expected), 610)
        self.check(inputs, stages, expected)

    def test_of_many_global_alignments_in_one_job(self):
        penalties = {"affine": (4, 6, 2), "affine.p0": (1, 2, 1), "affine.p1": (3, 1, 4), "affine.p2": (5, 3, 2)}
        pairs, inputs = self.pairs()
        for kind, (mismatch, gap_open, gap_extend) in penalties.items():
            costs = self.scores(kind)
            self.assertEqual(len(costs), len(pairs))
            stages = [wavefront(f"align{number}", "needleman_wunsch", rows=f"a{number}", columns=f"b{number}", match=0,
                                mismatch=-mismatch, gap_open=gap_open, gap_extend=gap_extend)
                      for number in range(len(pairs))]
            self.check(inputs, stages, {f"align{number}": -cost for number, cost in enumerate(costs)})
            (self.folder / "result.h5").unlink()

    def test_of_two_globins(self):
        """By EMBOSS, which counts the first letter of a gap once less."""
        inputs = {"a": {"fasta": data("protein", "alpha.faa")}, "b": {"fasta": data("protein", "beta.faa")}}
        def stage(name, problem, gap_open, gap_extend, **settings):
            return wavefront(name, problem, rows="a", columns="b", matrix="blosum62", gap_open=gap_open,
                             gap_extend=gap_extend, **settings)
        stages = [stage("matcher", "smith_waterman", 10, 4), stage("water", "smith_waterman", 9.5, 0.5),
                  stage("needle", "needleman_wunsch", 9.5, 0.5, free_ends="both")]
        result = self.run_job(inputs, stages)
        found = {name: float(result[name + "/score"][()]) for name in ("matcher", "water", "needle")}
        self.assertEqual(found, {"matcher": 264, "water": 293.5, "needle": 292.5})

    def scores(self, kind):
        """The costs that the file of this kind has, as positive numbers."""
        with open(data("dna", "wfa", f"test.score.{kind}.alg")) as file:
            return [abs(int(line.split()[0])) for line in file if line.strip()]


class TimeWarping(JobTest):
    def test_of_series_of_the_ucr_archive(self):
        known = {"Beef": 54.507092, "Coffee": 1.34249922, "ECG200": 13.7910669, "GunPoint": 20.0570772,
                 "Lightning7": 105.024782, "Plane": 4.14659529, "SyntheticControl": 25.9561081}
        inputs = {name + side: {"text": data("timeseries", f"{name}_{side}.txt"), "row": 0, "skip": 1}
                  for name in known for side in ("TEST", "TRAIN")}
        stages = [wavefront(name, "dtw", rows=name + "TEST", columns=name + "TRAIN", cost="squared")
                  for name in known]
        result = self.run_job(inputs, stages)
        for name, distance in known.items():
            # Given to nine digits.
            self.assertAlmostEqual(float(result[name + "/score"][()]) / distance, 1, delta=5e-9)

    def test_of_the_series_of_dtw_python(self):
        inputs = {side: {"csv": data("timeseries", f"dtwpy_{side}.csv")} for side in ("query", "reference")}
        steps = {"plain": "symmetric1", "weighted": "symmetric2"}
        stages = [wavefront(name, "dtw", rows="query", columns="reference", cost="absolute", steps=steps[name])
                  for name in steps]
        result = self.run_job(inputs, stages)
        self.assertAlmostEqual(float(result["plain/score"][()]), 24.6979961051, delta=5e-11)
        self.assertAlmostEqual(float(result["weighted/normalized"][()]), 0.129214609847, delta=5e-13)
        self.assertNotIn("normalized", result["plain"])

    def test_of_a_million_values_in_a_window_takes_the_work_of_the_window(self):
        n, window = 1_000_000, 1000
        inputs = {name: {"generate": "uniform", "shape": [n], "type": "f32", "seed": seed}
                  for name, seed in (("a", 1), ("b", 2))}
        stages = [wavefront("warp", "dtw", rows="a", columns="b", window=window)]
        result = self.run_job(inputs, stages)
        self.assertEqual(result["profile/stages/operations"][0], (2 * window + 1) * n - window * (window + 1))
        small = self.run_job(inputs, stages, output="small.h5", memory={"host": 4 << 20, "device": 4 << 20})
        self.assertGreater(small["profile/stages/blocks"][0], result["profile/stages/blocks"][0])
        self.assertEqual(small["warp/score"][()], result["warp/score"][()])


class SummedAreas(JobTest):
    def check(self, image, known, **settings):
        result = self.run_job({"image": {"image": data("images", image), **settings}},
                              [wavefront("sums", "summed_area", grid="image")])
        table = result["sums/table"]
        height, width = known["shape_hw"]
        fits = height * width * 255 < 2**31
        self.assertEqual((table.shape, table.dtype), ((height, width), numpy.int32 if fits else numpy.int64))
        sums = numpy.zeros((height + 1, width + 1), numpy.int64)
        sums[1:, 1:] = table[()]
        self.assertEqual(sums[-1, -1], known["SAT_last"])
        self.assertEqual(sums[height // 2, width // 2], known["SAT_mid[h/2-1][w/2-1]"])
        self.assertEqual(int(sums.sum()) % 2**64, known["sum_of_SAT_mod_2^64"])
        boxes = {"[0,0,h,w)": (0, 0, height, width), "last row": (height - 1, 0, height, width),
                 "centre [h/4,w/4,3h/4,3w/4)": (height // 4, width // 4, 3 * height // 4, 3 * width // 4),
                 "[7,11,1031,2053)": (7, 11, min(1031, height), min(2053, width))}
        self.assertEqual(set(boxes), set(known["rect_sums"]))
        for name, (top, left, bottom, right) in boxes.items():
            with self.subTest(image=image, rectangle=name):
                found = sums[bottom, right] - sums[top, right] - sums[bottom, left] + sums[top, left]
                self.assertEqual(found, known["rect_sums"][name])

    def test_of_images(self):
        with open(data("images", "EXPECTED_sat_hist.json")) as file:
            images = json.load(file)
        self.assertGreater(len(images), 3)
        for name, known in images.items():
            image, _, channel = name.partition("#ch")
            self.check(image, known, **({"channel": ["red", "green", "blue"][int(channel)]} if channel else {}))
            (self.folder / "result.h5").unlink()


if __name__ == "__main__":
    main()
