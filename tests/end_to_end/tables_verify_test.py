"""`verify --sample` of tables with many dimensions and of schedules."""
from dp_table_test import dp_table
from makespan_test import makespan
from terrace_runs import FAILED, main, numpy
from verify_test import VerifyTest


class OfTables(VerifyTest):
    def test_cells_choices_and_solutions(self):
        capacity = {"weights": [3, 2, 4], "at_most": 9}
        both = ["table", "choice", "solution"]
        stages = [dp_table("bins", extents=[9, 12, 7], capacity=capacity, keep=both),
                  dp_table("most", extents=[40, 30], steps=[[1, 0], [0, 2], [3, 1]], cost=[2, -1, 4], combine="max",
                           keep=both),
                  dp_table("real", extents=[500], steps=[[3], [7], [110]], cost=[0.1, 2.5, 3.25], type="f32", keep=both),
                  dp_table("ways", extents=[20, 20, 5], steps=[[1, 0, 0], [0, 1, 1], [2, 1, 0]], combine="count",
                           modulus=1000003, keep="table"),
                  dp_table("any", extents=[3000, 2], steps=[[17, 0], [5, 1]], combine="any", keep=both),
                  dp_table("best", extents=[50, 40], steps=[[7, 3], [4, 5], [9, 1]], cost=[5, 4, 5], combine="max",
                           fill="at_most", keep=both),
                  dp_table("path", extents=[50, 40], steps=[[7, 3], [4, 5], [9, 1]], cost=[5, 4, 5], combine="max",
                           fill="at_most", keep="solution"),
                  dp_table("change", extents=[5000], steps=[[1], [2], [5], [5], [100]], combine="count",
                           order="unordered", keep="table"),
                  dp_table("pairs", extents=[60, 50], steps=[[1, 0], [0, 1], [2, 3]], combine="count",
                           order="unordered", modulus=65536, keep="table"),
                  dp_table("long", extents=[30000], steps=[[1], [29000]], combine="count", modulus=99, keep="table")]
        flips = [(f"{name}/table", point) for name, point in
                 (("bins", (0, 0, 0)), ("bins", (8, 11, 6)), ("bins", (4, 5, 6)), ("most", (20, 3)), ("real", (499,)),
                  ("real", (1,)), ("ways", (3, 3, 3)), ("any", (2999, 1)), ("long", (29500,)))]
        self.check_finds({}, stages, *flips, ("bins/choice", (8, 0, 6)), ("any/choice", (17, 0)), "bins/value",
                         "best/value", ("best/end", (0,)), ("best/end", (1,)), ("best/table", (3, 3)), "best/solution",
                         ("path/end", (1,)), "path/value", "path/solution", ("change/table", (0,)),
                         ("change/table", (4999,)), "change/value", ("pairs/table", (30, 20)), "pairs/value",
                         "real/value", "bins/steps", "bins/solution", "most/solution", "ways/value")

    def test_says_what_is_kept_and_what_is_not(self):
        steps = {"extents": [50, 50], "steps": [[1, 2], [2, 1]]}
        self.run_stages({}, [dp_table("value", **steps), dp_table("choice", keep="choice", **steps),
                             dp_table("way", keep="solution", **steps), dp_table("all", keep="table", **steps)])
        said = self.verify("--sample", "1").stdout
        for line in ("value/value: not sampled: the cells that it depends on are not kept",
                     "choice/choice: not sampled", "way/solution, value: the costs of its steps added up, equal",
                     "all/table, value: 1 of 1 tiles computed again, equal", "all/steps: compared with the job, equal"):
            self.assertIn(line, said)
        self.flip("all/table", (30, 31))
        self.assertRegex(self.verify("--sample", "1", expect=FAILED).stdout,
                         r"all/table, value: .*DIFFERENT: cell 30 x 31: [0-9]+ is stored, [0-9]+ was computed")


class OfSchedules(VerifyTest):
    def test_assignments_searches_and_bounds(self):
        draw = numpy.random.default_rng(3)
        inputs = {"t": {"values": [int(time) for time in draw.integers(20, 90, 30)]}, "one": {"values": [5]}}
        stages = [makespan("t", 13, 0.3, name="free", bounds=False), makespan("t", 13, 0.25, name="bound"),
                  makespan("one", 3, 0.5, name="short")]
        inputs["many"] = {"values": [int(time) for time in draw.integers(500, 1000, 90)]}
        stages += [makespan("many", 40, 0.4, name="known"), makespan("many", 40, 0.001, name="left"),
                   makespan("t", 13, 0, name="best")]
        self.check_finds(inputs, stages, *(f"free/{name}" for name in (
            "assignment", "load", "makespan", "lower_bound", "guarantee", "tables/target", "tables/extents",
            "tables/cells", "tables/steps", "tables/feasible")), "bound/assignment", "short/makespan",
            *(f"{stage}/{name}" for stage in ("known", "left") for name in ("assignment", "lower_bound", "guarantee")),
            *(f"best/{name}" for name in ("assignment", "load", "makespan", "lower_bound", "guarantee")))

    def test_says_what_is_checked(self):
        times = [int(time) for time in numpy.random.default_rng(3).integers(20, 90, 30)]
        self.run_stages({"t": {"values": times}}, [makespan("t", 13, 0.3, bounds=False)])
        said = self.verify("--sample", "1").stdout
        for line in ("s/load: added up from the assignment, equal", "s/makespan: the largest load, equal",
                     "tables that are not too large computed again, equal", "s/guarantee: divided again, equal"):
            self.assertIn(line, said)


if __name__ == "__main__":
    main()
