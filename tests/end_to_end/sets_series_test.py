"""Sets of series: every pair is as a stage of its own computes it."""
import itertools
import re

from set_runs import SetTest
from terrace_runs import WRONG, main, numpy, wavefront


class Series(SetTest):
    def test_pairs_of_rows_are_those_of_stages_of_their_own(self):
        draw = numpy.random.default_rng(1)
        for kind, settings in (("f4", {}), ("f8", {"steps": "symmetric2", "cost": "squared"}), ("i2", {"window": 40})):
            left, right = ((draw.normal(size=(count, 40)) * 100).astype(kind) for count in (5, 6))
            lengths = [draw.integers(1, 41, count) for count in (5, 6)]
            files = {"a": self.write("a.npy", left), "b": self.write("b.npy", right)}
            ends = {}
            if kind != "i2":
                for name, table, all_lengths in (("a", left, lengths[0]), ("b", right, lengths[1])):
                    for row, length in zip(table, all_lengths):
                        row[length:] = numpy.nan
                    self.write(f"{name}.npy", table)
                ends = {"end": "nan"}
            inputs = {name: {"npy": path, "each": "row", **ends} for name, path in files.items()}
            stage = wavefront("s", "dtw", rows="a", columns="b", **settings)
            result = self.run_job(inputs, [stage], "--fresh")["s"]
            named, stages = {}, []
            for i, j in itertools.product(range(5), range(6)):
                length = [40, 40] if kind == "i2" else [int(lengths[0][i]), int(lengths[1][j])]
                named[f"a{i}"] = {"npy": files["a"], "select": [i, [0, length[0]]]}
                named[f"b{j}"] = {"npy": files["b"], "select": [j, [0, length[1]]]}
                stages.append(wavefront(f"s_{i}_{j}", "dtw", rows=f"a{i}", columns=f"b{j}", **settings))
            singles = self.run_job(named, stages, "--fresh", output="single.h5", name="single.yaml")
            for i, j in itertools.product(range(5), range(6)):
                self.assertEqual(result["score"][i, j], singles[f"s_{i}_{j}/score"][()], (kind, i, j))
            self.assertEqual(result["row"][()].tolist(), list(range(5)))


    def test_least_budgets(self):
        self.write("a.raw", numpy.random.default_rng(2).normal(size=(40, 300)).tobytes())
        table = {"external": "a.raw", "type": "f64", "shape": [40, 300], "each": "row"}
        job = self.write_job({"a": table}, [wavefront("s", "dtw", rows="a", columns="a")])
        ended = self.terrace("plan", job, "--set", "memory.host=20KiB", expect=WRONG)
        least = re.search(r"memory.host is too small for any plan of this stage: the least is ([0-9.]+) (\w+)",
                          ended.stderr)
        self.assertIsNotNone(least, ended.stderr)
        self.terrace("run", job, "--set", "memory.host=" + "".join(least.groups()))


if __name__ == "__main__":
    main()
