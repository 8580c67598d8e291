"""Every job in configs/ runs as it is, or smaller where it is for a large machine, and its results open by name."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import unittest
import xml.etree.ElementTree

import terrace_runs
from bigtiff import bright, write_bigtiff
from terrace_runs import JobTest, main, numpy, random_letters, skip


class Configs(JobTest):
    """Each job runs in a copy of the folder, so that its output lands in the test's own."""

    def setUp(self):
        super().setUp()
        shutil.copytree(terrace_runs.root / "configs", self.folder / "configs")
        (self.folder / "build").mkdir()

    def run_config(self, name, **smaller):
        """Runs a job as it is, or with other settings where it is for a large machine."""
        self.terrace("check", f"configs/{name}.yaml")
        self.terrace("plan", f"configs/{name}.yaml")
        settings = [word for key, value in smaller.items() for word in ("--set", key.replace("__", ".") + "=" + value)]
        ended = self.terrace("run", f"configs/{name}.yaml", *settings)
        output = pathlib.Path(ended.stdout.strip())
        self.assertEqual(output.resolve(), (self.folder / "build" / f"{name}.h5").resolve())
        self.terrace("show", output)
        return self.open(output)

    def test_are_each_run_by_a_test_below(self):
        jobs = {path.stem for path in (self.folder / "configs").glob("*.yaml")}
        tested = {name.removeprefix("test_runs_") for name in dir(self) if name.startswith("test_runs_")}
        self.assertEqual(jobs, tested)

    def fetch_genomes(self):
        """The genomes that two of the jobs read, or a test that is skipped."""
        built = terrace_runs.root / "build" / "data" / "mitochondria"
        fetched = self.folder / "build" / "data" / "mitochondria"
        if (built / "humanMito.fa").exists() and (built / "mouseMito.fa").exists():
            shutil.copytree(built, fetched)
        else:
            script = terrace_runs.root / "scripts" / "fetch-mitochondria"
            ended = subprocess.run([script, fetched], capture_output=True, text=True, timeout=300)
            if ended.returncode != 0:
                skip("the genomes cannot be had: " + ended.stderr.strip().split("\n")[-1])

    def test_runs_mitochondria(self):
        self.fetch_genomes()
        result = self.run_config("mitochondria")
        lengths = [16299, 16571]
        self.assertEqual(list(result["align/lengths"]), lengths)
        self.assertEqual((int(result["align/score"][()]), list(result["align/end"])), (6562, [15860, 16571]))
        self.assertEqual(int(result["distance/score"][()]), 5200)

    def test_runs_human_mouse(self):
        self.fetch_genomes()
        result = self.run_config("human_mouse")
        table = result["align/table"]
        self.assertEqual((table.shape, table.dtype), ((16571, 16299), numpy.int32))
        self.assertGreater(table.size * 4, 4 * (256 << 20))
        self.assertLessEqual(result["profile/stages/peak_host"][0], 256 << 20)
        for name in ("align", "path"):
            self.assertEqual((int(result[f"{name}/score"][()]), list(result[f"{name}/end"])), (6562, [16571, 15860]))
        row, column = result["align/end"]
        self.assertEqual(int(table[row - 1, column - 1]), 6562)
        self.assertEqual(list(result["path/start"]), [578, 0])

    def test_runs_gigapixel(self):
        image = numpy.random.default_rng(1).integers(0, 256, (1500, 2100), dtype=numpy.uint8)
        image[400:] = numpy.sort(image[400:], axis=1)
        for tile in (256, 0):
            write_bigtiff(self.folder / "build" / "gigapixel.tif", image.shape, tile,
                          lambda begin, end: image[begin:end])
            # A tenth of the pixels as they are computed, and less than the file.
            result = self.run_config("gigapixel", memory__host="3MiB")
            self.assertLessEqual(result["profile/stages/peak_host"][0], 3 << 20)
            self.assertTrue(numpy.array_equal(result["slide/bright"][()], bright(image, True, True)))
            self.assertEqual(result["slide/bright"].dtype, numpy.uint8)
            self.assertEqual(list(result["slide/counts"]), list(numpy.bincount(image.ravel(), minlength=256)))
            said = self.terrace("verify", "build/gigapixel.h5", "--sample", "0.1").stdout
            self.assertRegex(said, "slide/bright: .* computed again, equal")
            result.close()
            (self.folder / "build" / "gigapixel.h5").unlink()

    def test_runs_table(self):
        result = self.run_config("table")
        table = result["align/table"]
        self.assertEqual((table.shape[1], table.dtype), (8000, numpy.int32))
        self.assertGreater(table.size * 4, 10 * (16 << 20))
        self.assertLessEqual(result["profile/stages/peak_host"][0], 16 << 20)
        row, column = result["align/end"]
        self.assertEqual(table[row - 1, column - 1], result["align/score"][()])
        self.assertEqual(table[()].max(), result["align/score"][()])
        # Each cell comes from its neighbours; with affine gaps it is at least what a linear one of 5 would give.
        part = table[4000:4400, 4000:4400].astype(int)
        around = numpy.maximum(part[:-1, 1:], part[1:, :-1]) - 5
        self.assertTrue((part[1:, 1:] >= around).all())
        most = numpy.maximum(around + 5, part[:-1, :-1])
        self.assertTrue((part[1:, 1:] <= most + 1).all())

    def test_runs_gaps(self):
        self.terrace("check", "configs/gaps.yaml")
        self.terrace("plan", "configs/gaps.yaml")
        outputs = self.terrace("run", "configs/gaps.yaml").stdout.split()
        self.assertEqual(len(outputs), 6)
        scores = [int(self.open(path)["align/score"][()]) for path in outputs]
        # A cheaper mismatch or gap never makes the best score less.
        self.assertEqual(scores[:3], sorted(scores[:3], reverse=True))
        self.assertTrue(all(cheap >= dear for cheap, dear in zip(scores[:3], scores[3:])), scores)
        self.assertIn("done       6: 0-5", self.terrace("show", "configs/gaps.yaml").stdout)

    def test_runs_schedule(self):
        result = self.run_config("schedule")
        for stage, epsilon in (("plan", 0.2), ("table_alone", 0.25)):
            load, bound = result[stage + "/load"][()], result[stage + "/lower_bound"][()]
            self.assertEqual(load.max(), result[stage + "/makespan"][()])
            self.assertEqual(len(result[stage + "/assignment"]), 48)
            self.assertLessEqual(load.max(), (1 + epsilon) * bound)
            self.assertEqual(load.sum(), result["plan/load"][()].sum())
        self.assertGreater(len(result["table_alone/tables/target"]), 3)

    def test_runs_best_schedule(self):
        result = self.run_config("best_schedule")
        load = result["plan/load"][()]
        self.assertEqual(len(load), 12)
        self.assertEqual(load.max(), result["plan/lower_bound"][()])
        self.assertEqual(result["plan/guarantee"][()], 1)

    def test_runs_alignment(self):
        result = self.run_config("alignment")
        for stage, consumed in (("align", result["align/end"][()] - result["align/start"][()]),
                                ("distance", result["distance/lengths"][()])):
            counts = dict.fromkeys("=XID", 0)
            for count, letter in re.findall("([0-9]+)([=XID])", result[stage + "/cigar"][()].decode()):
                counts[letter] += int(count)
            pairs = counts["="] + counts["X"]
            self.assertEqual(list(consumed), [pairs + counts["I"], pairs + counts["D"]])
            line = self.terrace("show", "build/alignment.h5", stage, "--paf").stdout.split("\t")
            self.assertEqual((line[0], line[5], int(line[9])), ("query", "reference", counts["="]))
        self.assertEqual(result["distance/score"][()], counts["X"] + counts["I"] + counts["D"])
        self.assertLessEqual(result["profile/stages/peak_host"][0], 32 << 20)

    def test_runs_summed_area(self):
        result = self.run_config("summed_area")
        sums, again = result["sums/table"][()], result["again/table"][()]
        self.assertEqual((sums.dtype, again.dtype), (numpy.int32, numpy.float64))
        grid = numpy.diff(numpy.diff(sums, axis=0, prepend=0), axis=1, prepend=0)
        self.assertEqual((grid.min(), grid.max(), sums.shape), (0, 255, (1500, 2000)))
        # Sums of whole numbers below 2^53 are exact in any order.
        numpy.testing.assert_array_equal(again, sums.astype(float).cumsum(0).cumsum(1))

    def test_runs_sets(self):
        result = self.run_config("sets")
        self.assertEqual(result["all/score"][()].tolist(), [[613, 364], [364, 408]])
        self.assertEqual(result["hits/hit"][()].tolist(), [[0, 1], [1, 0]])
        self.assertTrue((result["alike/score"][()] <= 22).all())
        self.assertGreater(len(result["alike/pair"]), 0)

    def test_runs_proteins(self):
        result = self.run_config("proteins")
        part, inside, whole = (result[name + "/score"][()] for name in ("part", "inside", "whole"))
        # `second` lies within `first`, so that its best part is all of it; what hangs over costs 9.5 + k / 2 a side.
        self.assertEqual((part, part.dtype, whole.dtype), (inside, numpy.int64, numpy.float64))
        rows, columns = result["inside/lengths"]
        self.assertEqual(list(result["part/end"]), list(result["inside/end"]))
        self.assertEqual((list(result["inside/end"])[0], rows < columns), (rows, True))
        self.assertNotIn("end", result["whole"])
        gaps = 2 * 10.5 + (9.5 + 0.5) * 2
        self.assertTrue(inside - gaps - columns / 2 < whole < inside)

    def test_runs_transitions(self):
        result = self.run_config("transitions")
        lines = [line.split() for line in (self.folder / "configs" / "transitions.mat").read_text().splitlines()]
        scores = {line[0] + letter: int(score) for line in lines[2:] for letter, score in zip(lines[1], line[1:])}
        self.assertEqual((scores["AG"], scores["AC"], scores["NN"]), (-2, -4, -1))
        counts = dict.fromkeys("=XID", 0)
        runs = re.findall("([0-9]+)([=XID])", result["align/cigar"][()].decode())
        for count, letter in runs:
            counts[letter] += int(count)
        gaps = 10 * sum(letter in "ID" for _, letter in runs) + counts["I"] + counts["D"]
        # Equal bases score 5, different ones -2 or -4.
        rest = int(result["align/score"][()]) - 5 * counts["="] + gaps
        self.assertTrue(-4 * counts["X"] < rest < -2 * counts["X"], (rest, counts))
        self.assertIn("scored by 'scores' (transitions.mat)", result["align/score"].attrs["long_name"])

    def test_runs_partitions(self):
        result = self.run_config("partitions")
        values = {int(result[stage + "/value"][()]) for stage in ("auto", "three", "seven")}
        # The far corner's pieces weigh 275 in all, so they take more than 17 bins of 16.
        self.assertEqual(len(values), 1)
        self.assertGreaterEqual(values.pop(), 18)

    def test_runs_knapsack(self):
        result = self.run_config("knapsack")

        def load(stage, costs):
            """The value, the cell, and how often each step is taken."""
            group = result[stage]
            taken = group["solution"][()]
            self.assertEqual(group["steps"][()][taken].sum(axis=0).tolist(), group["end"][()].tolist())
            self.assertEqual(int(group["value"][()]), sum(costs[step] for step in taken))
            return int(group["value"][()]), group["end"][()].tolist(), numpy.bincount(taken, minlength=len(costs))

        weights, values = [3, 4, 7, 9], [40, 55, 98, 127]
        best = [0] * 1001  # of what a capacity holds
        for size in range(1, 1001):
            best[size] = max([best[size - 1]] + [best[size - w] + v for w, v in zip(weights, values) if w <= size])
        self.assertEqual(load("unbounded", values)[0], best[1000])
        self.assertEqual(result["unbounded/table"][()].max(), best[1000])
        weights, values = [11, 7, 9, 14, 5], [62, 35, 48, 80, 21]
        subsets = [[bits >> item & 1 for item in range(5)] for bits in range(32)]
        most = max(numpy.dot(taken, values) for taken in subsets if numpy.dot(taken, weights) <= 30)
        value, end, taken = load("zero_one", values)
        self.assertEqual((value, end), (most, [int(numpy.dot(taken, weights))]))
        self.assertLessEqual(taken.max(), 1)
        most = max(a * 30 + b * 34 + c * 11 + d * 38 for a in range(3) for b in range(4) for c in range(9)
                   for d in range(2) if 12 * a + 9 * b + 5 * c + 20 * d <= 100 and 4 * a + 11 * b + 3 * c + d <= 60)
        value, end, taken = load("bounded", [30, 34, 11, 38])
        self.assertEqual(value, most)
        self.assertTrue((taken <= [2, 3, 8, 1]).all())
        numbers, chosen = result["subset_sum/steps"][()].ravel(), result["subset_sum/solution"][()]
        self.assertEqual((result["subset_sum/value"][()], numbers[chosen].sum()), (1, 1001))
        self.assertEqual(len(set(chosen.tolist())), len(chosen))
        coins = [coin for coin, count in zip((1, 2, 5, 10, 20, 50, 100, 200), (4, 3, 2, 5, 2, 6, 1, 1))
                 for _ in range(count)]
        fewest = [0] + [99] * 388
        for coin in coins:
            for amount in range(388, coin - 1, -1):
                fewest[amount] = min(fewest[amount], 1 + fewest[amount - coin])
        self.assertEqual(result["few_coins/value"][()], fewest[388])
        value, end, _ = load("cargo", [11, 12, 14, 3])
        self.assertTrue((numpy.array(end) <= [120, 80, 60]).all())
        self.assertEqual(value, max(11 * a + 12 * b + 14 * c + 3 * min(120 - 4 * a - 3 * b - 6 * c,
                                                                       80 - 2 * a - 5 * b - c,
                                                                       60 - 3 * a - b - 2 * c)
                                    for a in range(21) for b in range(17) for c in range(21)
                                    if 4 * a + 3 * b + 6 * c <= 120 and 2 * a + 5 * b + c <= 80
                                    and 3 * a + b + 2 * c <= 60))
        self.assertEqual(int(result["ways_to_change/value"][()]), 73682)
        self.assertEqual(len(result["change/solution"]), int(result["change/value"][()]))
        self.assertEqual(int(result["change/value"][()]), 11)  # 999 = 4 x 200 + 100 + 50 + 2 x 20 + 5 + 2 x 2
        bins = result["bins/steps"][()][result["bins/solution"][()]]
        self.assertEqual(bins.sum(axis=0).tolist(), [8, 6, 5, 7])
        self.assertLessEqual((bins @ [7, 9, 11, 13]).max(), 30)
        self.assertGreaterEqual(len(bins) * 30, 8 * 7 + 6 * 9 + 5 * 11 + 7 * 13)
        self.assertGreater(int(result["ways/value"][()]), 0)

    def test_runs_spots(self):
        result = self.run_config("spots")
        u, v = result["spots/u"][()], result["spots/v"][()]
        self.assertEqual(result["spots/u_snapshots"].shape, (4, 240, 320))
        self.assertTrue((0 < u).all() and (u < 1.1).all() and (v >= 0).all() and (v < 1).all())
        self.assertGreater(numpy.ptp(v), 0.1)  # spots, not the state at rest
        self.assertTrue(numpy.array_equal(result["spots/v_snapshots"][3], v))
        wave = result["wave/p"][()]
        self.assertTrue(numpy.isfinite(wave).all() and 0 < abs(wave).max() < 10)

    def test_runs_images(self):
        result = self.run_config("images")
        response, corners = result["corners/response"][()], result["corners/corners"][()]
        self.assertTrue(numpy.array_equal(corners, numpy.where(response < numpy.float32(0.003), 0, response)))
        self.assertTrue(0 < (corners > 0).sum() < corners.size / 4)
        rows, columns = result["corners/list"][()].T
        self.assertTrue(0 < len(rows) < (corners > 0).sum() and (corners[rows, columns] > 0).all())
        response, (rows, columns) = result["harris/response"][()], result["harris/corners"][()].T
        self.assertTrue((response[rows, columns] >= numpy.float32(float(response.max()) * 0.1)).all())
        image = result["blend/image"][()]
        self.assertEqual((image.dtype, image.shape), (numpy.uint8, (480, 640)))

    def test_runs_flow(self):
        result = self.run_config("flow", inputs__noise__shape="[256, 256]")
        first, second = result["frames/first"][()], result["frames/second"][()]
        self.assertTrue(numpy.array_equal(second[1:, 2:], first[:-1, :-2]))
        u, v = result["flow/u"][()], result["flow/v"][()]
        self.assertEqual((u.shape, u.dtype), ((256, 256), numpy.float32))
        apart = numpy.hypot(u - 2, v - 1)[32:-32, 32:-32]
        self.assertLess(apart.mean(), 0.2 * numpy.hypot(2, 1))

    def test_runs_nests(self):
        result = self.run_config("nests")
        self.assertEqual(result["sor_1d/A"].shape, (2000,))
        self.assertEqual(result["jacobi_3d_27/A"].shape, (14, 16, 18))
        self.assertEqual(list(result["fdtd_2d/ey"][0]), [19] * 80)

    def test_runs_recurrences(self):
        result = self.run_config("recurrences")
        self.assertEqual(result["edits/D_corner"][()], result["edits/D"][-1, -1])
        self.assertTrue(15 < result["edits/D_corner"][()] < 45)
        self.assertEqual(result["relaxed/A"].shape, (80, 100))
        self.assertTrue(20 < result["three/L_corner"][()] <= 40)
        self.assertEqual(result["states/V"].shape, (300, 3))

    def test_runs_heat(self):
        result = self.run_config("heat")
        snapshots, diffused = result["diffused/snapshots"], result["diffused/grid"][()]
        self.assertEqual(snapshots.shape, (4, 1200, 1600))
        self.assertEqual(list(result["diffused/time"]), [50, 100, 150, 200])
        numpy.testing.assert_array_equal(snapshots[3], diffused)
        # Heat is kept: nothing leaves a grid that is periodic and insulated. Differences become smaller.
        means = [float(snapshot.astype(float).mean()) for snapshot in snapshots]
        self.assertLess(max(means) - min(means), 1e-6)
        self.assertTrue(all(a.std() > b.std() for a, b in zip(snapshots[:-1], snapshots[1:])))
        self.assertLess(result["blurred/grid"][()].std(), diffused.std())
        for rim in (numpy.s_[0], numpy.s_[-1], numpy.s_[:, 0], numpy.s_[:, -1]):
            numpy.testing.assert_array_equal(result["wave/u"][()][rim], result["blurred/grid"][()][rim])
        xdmf = self.terrace("show", "build/heat.h5", "diffused", "--xdmf").stdout
        grids = xml.etree.ElementTree.fromstring(xdmf).findall("./Domain/Grid")
        self.assertEqual([grid.get("Name") for grid in grids], ["diffused/grid", "diffused/snapshots"])
        self.assertEqual([time.get("Value") for time in grids[1].findall("./Grid/Time")], ["50", "100", "150", "200"])
        for item in grids[0].iter("DataItem"):
            if item.get("Format") == "HDF":
                self.assertEqual(item.text, "heat.h5:/diffused/grid")
                self.assertEqual(item.get("Dimensions"), "1200 1600")

    def test_runs_shot(self):
        result = self.run_config("shot")
        received = result["shot/receivers"][()].astype(float)
        self.assertEqual(received.shape, (300, 15))
        self.assertEqual(list(result["shot/receiver_time"][:3]), [2, 4, 6])
        self.assertEqual(list(result["shot/column"][:3]), [0, 10, 20])
        # The ground is the same on both sides of the source; roundings differ.
        largest = abs(received).max()
        self.assertLess(abs(received - received[:, ::-1]).max(), 1e-4 * largest)
        # The wave goes outwards, 200 m from receiver to receiver at 1500 m/s; records are 3 ms apart.
        first, second = (int(abs(received[:200, number]).argmax()) for number in (9, 10))
        self.assertAlmostEqual(second - first, 200 / 1500 / 0.003, delta=4)
        # An echo of the layer 500 m below comes to the nearest receiver when the direct wave has gone.
        nearest = abs(received[:, 7])
        self.assertLess(nearest[170:190].max(), 1e-4)
        self.assertAlmostEqual(170 + int(nearest[170:].argmax()), (0.1 + 2 * 500 / 1500) / 0.003, delta=10)
        self.assertGreater(nearest[170:].max(), 0.1)

    def test_runs_relaxation(self):
        result = self.run_config("relaxation")
        relaxed, smoothed = result["relaxed/grid"][()], result["smoothed/grid"][()]
        self.assertEqual((relaxed.shape, relaxed.dtype, smoothed.dtype), ((1200, 1600), numpy.float32, numpy.float32))
        # The rim stays as it was; far inside, sweeps leave little of what was random.
        for rim in (numpy.s_[0], numpy.s_[-1], numpy.s_[:, 0], numpy.s_[:, -1]):
            numpy.testing.assert_array_equal(relaxed[rim], smoothed[rim])
        self.assertGreater(relaxed[0].std(), 0.5)
        self.assertLess(smoothed[300:-300, 300:-300].std(), 0.1)

    def test_runs_time_warping(self):
        result = self.run_config("time_warping")
        self.assertEqual((list(result["distance/lengths"]), list(result["warp/lengths"])), ([30000, 20000], [10, 12]))
        self.assertNotIn("normalized", result["distance"])
        # Every one of the 30000 rows costs something, and at most 1.
        self.assertTrue(0 < float(result["distance/score"][()]) < 30000)
        table = result["warp/table"][()]
        self.assertEqual((table.shape, table.dtype, table[0, 0]), ((10, 12), numpy.float64, 0))
        self.assertEqual(table[-1, -1], result["warp/score"][()])
        self.assertEqual(result["warp/normalized"][()], table[-1, -1] / 22)
        path = result["found/path"][()]
        self.assertEqual((list(path[0]), list(path[-1] + 1)), (list(result["found/start"]), list(result["found/end"])))
        self.assertEqual((path[0, 0], path[-1, 0]), (0, 9))

    def test_runs_paths(self):
        result = self.run_config("paths")
        distances = result["paths/distance"]
        self.assertEqual((distances.shape, distances.dtype), ((4096, 4096), numpy.int64))
        self.assertLessEqual(result["profile/stages/peak_host"][0], 100_000_000)
        # Updates alone: that no weight is negative is stated by what generates them.
        # The back ends choose different tiles.
        self.assertIn(result["profile/stages/blocks"][0], (729, 1728))
        # With so many edges of random weights from 1 to 1000 no node is far from any other.
        part = distances[1000:1064]
        self.assertEqual((part.min(), list(part[:, 1000:1064].diagonal())), (0, [0] * 64))
        self.assertTrue(0 < part.max() < 30)
        through = (part[:, 1000:1064, None] + part[None, :, :]).min(axis=1)
        self.assertTrue((part <= through).all())

    def test_runs_all_pairs(self):
        # A matrix of 16 MiB with budgets of the same shares.
        result = self.run_config("all_pairs", inputs__weights__shape="[2048, 2048]", memory__host="8MiB",
                                 memory__device="2MiB")
        distances = result["paths/distance"]
        self.assertEqual((distances.shape, distances.dtype), ((2048, 2048), numpy.int32))
        self.assertLessEqual(result["profile/stages/peak_host"][0], 8 << 20)
        self.assertGreater(result["profile/stages/blocks"][0], 100)
        part = distances[1000:1032]
        self.assertEqual((part.min(), list(part[:, 1000:1032].diagonal())), (0, [0] * 32))
        through = (part[:, 1000:1032, None] + part[None, :, :]).min(axis=1)
        self.assertTrue((part <= through).all())
        self.assertTrue(0 < part.max() < 60)

    def test_runs_states(self):
        result = self.run_config("states")
        distances = result["drive/distance"][()]
        # 49 nodes, of which Maine and Washington lie as far apart as any two: 11 borders.
        self.assertEqual((distances.shape, distances.dtype, distances.max()), ((49, 49), numpy.int16, 11))
        self.assertEqual((distances == distances.T).all(), True)
        self.assertEqual((distances[19, 45], (distances == 1).sum()), (11, 2 * 107))
        asked = {name: result["ask/" + name][()] for name in ("distance", "path", "path_begin", "eccentricity")}
        self.assertEqual(asked["distance"].tolist(), [11, distances[8, 45]])
        numpy.testing.assert_array_equal(asked["eccentricity"], distances.max(axis=1))
        self.assertEqual(int(result["ask/diameter"][()]), 11)
        names = result["drive/node"].asstr()[()].tolist()
        self.assertEqual(result["drive/node_id"][()].tolist(), list(range(1, 50)))
        asked["path"] = numpy.array([names.index(state.decode()) for state in asked["path"]])
        for begin, end, ends in zip(asked["path_begin"], asked["path_begin"][1:], (["ME", "WA"], ["FL", "WA"])):
            path = asked["path"][begin:end]
            self.assertEqual([names[path[0]], names[path[-1]]], ends)
            self.assertTrue((distances[path[:-1], path[1:]] == 1).all())

    def test_runs_rivers(self):
        result = self.run_config("rivers")["flow/closure"][()]
        text = (self.folder / "configs" / "rivers.gml").read_text()
        into = {int(river): int(water) for river, water in re.findall("source ([0-9]+) target ([0-9]+)", text)}
        for river in range(28):
            waters, at = set(), river
            while at in into:
                at = into[at]
                waters.add(at)
            self.assertEqual(set(numpy.nonzero(result[river])[0].tolist()), waters)
        self.assertEqual(len(into), 26)

    def test_runs_elimination(self):
        result = self.run_config("elimination")
        lu = result["factors/lu"][()]
        self.assertEqual((lu.shape, lu.dtype), ((1200, 1200), numpy.float64))
        self.assertLessEqual(result["profile/stages/peak_host"][0], 4 << 20)
        lower, upper = numpy.tril(lu, -1) + numpy.eye(1200), numpy.triu(lu)
        again = lower @ upper
        # Drawn from -1 to 1; each element is off by at most what 1200 products are rounded by.
        bound = 1200 * 2 ** -52 * (abs(lower) @ abs(upper))
        self.assertTrue((abs(again) <= 1 + bound).all())
        self.assertLess(bound.max(), 1e-3)
        self.assertAlmostEqual(again.std(), 3 ** -0.5, 2)

    def test_runs_folding(self):
        result = self.run_config("folding")
        structure, score = result["fold/structure"].asstr()[()], result["fold/score"][()]
        self.assertEqual((len(structure), structure.count("("), structure.count(")")), (3000, score, score))
        depth = numpy.cumsum([{"(": 1, ")": -1, ".": 0}[letter] for letter in structure])
        self.assertEqual((depth.min(), depth[-1]), (0, 0))
        self.assertTrue(1100 < score <= 1500)
        self.assertLessEqual(result["profile/stages/peak_host"][0], 8 << 20)
        self.assertEqual((result["chain/cost"][()], result["chain/expression"].asstr()[()]),
                         (15125, "((0 (1 2)) ((3 4) 5))"))
        self.assertEqual((result["chain/table"][0, 6], result["chain/split"][0, 6]), (15125, 3))

    def test_runs_integral_histogram(self):
        result = self.run_config("integral_histogram")
        table, edges = result["counts/table"], result["counts/edges"][()]
        self.assertEqual((table.shape, table.dtype), ((16, 600, 800), numpy.int32))
        self.assertEqual(edges.tolist(), list(range(0, 257, 16)))
        # Every value lies in one of the bins.
        cells = numpy.arange(1, 601)[:, None] * numpy.arange(1, 801)
        numpy.testing.assert_array_equal(table[()].sum(0), cells)


class Readers(JobTest):
    def test_open_groups_by_name_in_xarray(self):
        try:
            import xarray
        except ImportError as missing:
            skip(f"{missing} (Debian: python3-xarray, python3-h5netcdf)")
        stage = {"wavefront": {"problem": "lcs", "rows": "a", "columns": "b", "keep": "table"}}
        inputs = {"a": random_letters(30, 1), "b": random_letters(40, 2)}
        self.run_job(inputs, [{"name": "align", **stage}]).close()
        path = str(self.folder / "result.h5")
        for group in ("align", "/align"):
            with xarray.open_dataset(path, group=group) as align:
                self.assertEqual(align["table"].dims, ("row", "column"))
                self.assertEqual(align["table"].shape, (30, 40))
                self.assertEqual(int(align["table"][-1, -1]), int(align["score"]))
                self.assertIn("lcs", align["table"].attrs["long_name"])
        with xarray.open_dataset(path, group="profile/blocks") as blocks:
            self.assertEqual(blocks["begin"].dims, ("block",))
            self.assertTrue(bool((blocks["end"] >= blocks["begin"]).all()))
            self.assertEqual(blocks["begin"].attrs["units"], "s")
        with xarray.open_dataset(path, group="profile/stages") as stages:
            self.assertEqual([str(name) for name in stages["name"].values], ["align"])
            self.assertEqual(float(stages["operations"][0]), 1200)
            self.assertEqual(stages["seconds"].dtype, float)


def page(name):
    return (terrace_runs.root / name).read_text()


class ProblemsPage(unittest.TestCase):
    def test_has_a_line_for_each_stage_and_problem_as_the_program_describes_it(self):
        lines = ["| problem | what it computes |", "|---|---|"]
        for command in ("problems", "operators"):
            printed = subprocess.run([terrace_runs.program, command, "--json"], capture_output=True, text=True,
                                     check=True).stdout
            for stage in json.loads(printed)["stages"]:
                lines.append(f"| **{stage['name']}** | {stage['help']} |")
                lines += [f"| `{problem['name']}` | {problem['summary']} |" for problem in stage.get("problems", [])]
        self.assertGreater(len(lines), 30)
        self.assertIn("\n".join(["", *lines, ""]), page("configs/problems.md"), "a line is missing or another one")


class LargerExample(unittest.TestCase):
    def test_shows_a_job_of_configs(self):
        """A test above runs it."""
        shown = re.findall(r"```yaml\n(.*?)```", page("configs/human_mouse.md"), re.DOTALL)
        self.assertEqual(shown, [page("configs/human_mouse.yaml")])


class Guide(unittest.TestCase):
    """The page about jobs, configs/README.md."""

    def test_names_every_job(self):
        jobs = {path.name for path in (terrace_runs.root / "configs").glob("*.yaml")}
        self.assertEqual(set(re.findall(r"^\| \[([^\]]*)\]\(\1\) \|", page("configs/README.md"), re.MULTILINE)), jobs)

    def test_shows_jobs_that_are_right_and_python_that_runs(self):
        jobs = re.findall(r"```yaml\n(.*?)```", page("configs/README.md"), re.DOTALL)
        snippets = re.findall(r"```python\n(.*?)```", page("configs/README.md"), re.DOTALL)
        self.assertTrue(jobs and snippets)
        test = JobTest()
        test.setUp()
        self.addCleanup(test.doCleanups)
        test.write("humanMito.fa", ">human\n" + "ACGTTGCAAC" * 40 + "\n")
        test.write("mouseMito.fa", ">mouse\n" + "ACGTGCAACC" * 41 + "\n")
        for name in ("reference.fa", "reads/first.fa", "reads/second.fa"):
            test.write(name, ">letters\n" + "ACGTGCAACC" * 8 + "\n")
        for number, job in enumerate(jobs):
            test.terrace("run", test.write(f"job{number}.yaml", job))
        for snippet in snippets:
            ran = subprocess.run([sys.executable, "-c", snippet], cwd=test.folder, capture_output=True, text=True,
                                 env={**os.environ, **terrace_runs.python_environment()})
            self.assertEqual(ran.returncode, 0, snippet + ran.stderr)


class Pages(unittest.TestCase):
    def test_name_files_that_are_there(self):
        for name in ("README.md", "configs/README.md", "configs/problems.md", "configs/human_mouse.md"):
            for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page(name)):
                if not target.startswith("http"):
                    with self.subTest(page=name, target=target):
                        self.assertTrue(((terrace_runs.root / name).parent / target).exists())


if __name__ == "__main__":
    main()
