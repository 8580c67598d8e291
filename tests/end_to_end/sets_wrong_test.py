"""Sets, pairs and items that are wrong or hardly meant: what is said, and where."""
from set_runs import SetTest, stages_of
from terrace_runs import DONE, FAILED, WRONG, main, mutated, numpy, wavefront


class Wrong(SetTest):
    def check(self, inputs, stage, *parts):
        self.assertSays(self.terrace("check", self.write_job(inputs, [stage]), expect=WRONG), *parts)

    def test_a_set_where_one_array_is_wanted(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]),
                  "t": {"npy": self.write("t.npy", numpy.zeros((3, 4), "f4")), "each": "row"}}
        self.check(inputs, wavefront("s", "summed_area", grid="t"),
                   "'t' is a set of 3 items, and `grid` takes one array", "without `each`")
        self.check(inputs, wavefront("s", "summed_area", grid="a"),
                   "'a' is a set of 2 items, and `grid` takes one array", "`record: NAME`")

    def test_kinds_that_do_not_fit(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]),
                  "t": {"npy": self.write("t.npy", numpy.zeros((3, 4), "f4")), "each": "row"}}
        self.check(inputs, wavefront("edit", "edit_distance", rows="a", columns="t"),
                   "'t' is a set of series of f32")
        self.check(inputs, wavefront("s", "dtw", rows="t", columns="a"), "'a' holds letters of a sequence")

    def test_keys(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]), "b": self.set_of("b", ["ACGT"])}
        self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="b", keep="table"),
                   "`keep: table` is of one table")
        self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="b", schedule="tiles"), "schedule")
        self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="b", at_most=-1), "at_most", "0")
        for key, value in (("record", "a0"), ("range", [0, 1])):
            self.check({**inputs, "b": {**inputs["b"], key: value}}, stages_of(["edit"])[0],
                       f"{key}: is of one record, and `records: all` makes a set of all")

    def test_keys_of_sets_for_one_pair(self):
        inputs = {"a": self.fasta("a", "ACGT")}
        for key, value in (("best", 2), ("pairs", "same"), ("at_most", 3)):
            self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="a", **{key: value}),
                       f"`{key}` is of sets, and rows and columns are one pair")

    def test_series(self):
        inputs = {"a": {"npy": self.write("a.npy", numpy.array([[1, numpy.nan], [numpy.nan] * 2])), "each": "row",
                        "end": "nan"}}
        self.check(inputs, wavefront("s", "dtw", rows="a", columns="a"), "item 1 of 'a' is empty")
        self.check({"a": {"values": [1, 2, 3], "each": "row"}}, wavefront("s", "dtw", rows="a", columns="a"),
                   "each: a set of series is made of the rows of an array of two dimensions")
        self.check({"a": {"npy": self.write("b.npy", numpy.zeros((0, 3))), "each": "row"}},
                   wavefront("s", "dtw", rows="a", columns="a"), "each: the array has no rows")
        self.check({"a": {"npy": self.write("c.npy", numpy.zeros((2, 3), "i4")), "each": "row", "end": "nan"}},
                   wavefront("s", "dtw", rows="a", columns="a"), "end: the array is of i32, which has no NaN")
        self.check({"a": {"npy": self.write("c.npy", numpy.zeros((2, 3))), "end": "nan"}},
                   wavefront("s", "dtw", rows="a", columns="a"), "end: say `each: row`, too")

    def test_values_that_are_no_numbers(self):
        table = numpy.array([[1, 2, 3, 4], [1, numpy.nan, 3, numpy.nan]])
        stage = wavefront("s", "dtw", rows="a", columns="a")
        for ends, element in (({"end": "nan"}, 1), ({}, 1)):
            job = self.write_job({"a": {"npy": self.write("a.npy", table), "each": "row", **ends}}, [stage])
            ended = self.terrace("run", job, "--fresh", expect=FAILED)
            self.assertSays(ended, f"stage 's': 'a', item 1, element {element} (", "a.npy): nan is no finite number",
                            "`end: nan` takes it away from their ends")

    def test_a_letter_that_is_none(self):
        path = self.write("a.fa", ">x\nACGT\n>y\nAC\nET\n")
        job = self.write_job({"a": {"fasta": path, "records": "all"}}, stages_of(["edit"], columns="a"))
        self.assertSays(self.terrace("run", job, expect=FAILED), "'a', item 'y', element 2 (",
                        "a.fa:5:1): 'E' is no DNA letter")
        job = self.write_job({"a": {"fasta": path, "records": "all", "reverse_complement": True}},
                             stages_of(["edit"], columns="a", alphabet="protein"))
        self.assertSays(self.terrace("check", job, expect=WRONG), "reverse_complement: ",
                        "a.fa:5:1: the letter 'E' has no complement")

    def test_one_sequence_is_made_of_one(self):
        inputs = {"a": self.set_of("a", ["ACGT", "AC"]), "b": {"generate": "dna", "mutate": {"of": "a", "rate": 0.1}}}
        self.check(inputs, wavefront("s", "edit_distance", rows="b", columns="a"),
                   "mutate.of: 'a' is a set of 2 items, and one sequence is mutated", "`record: NAME`")

    def test_lists_of_pairs(self):
        inputs = {"a": self.set_of("seq_", ["ACGT", "AC", "G"])}
        for pairs, part in (([["seq_0", "seq_9_"]], "pair 0: 'seq_9_' is neither the name nor the index of one of the "
                             "3 items of the columns; did you mean 'seq_0' or 'seq_1' or 'seq_2'?"),
                            ([["0", "1"], ["3", "0"]], "pair 1: '3' is neither"),
                            ([["0", "-1"]], "pair 0: '-1' is neither")):
            self.check(inputs, wavefront("s", "edit_distance", rows="a", columns="a", pairs=pairs), part)

    def test_names_that_are_there_twice_get_numbers(self):
        path = self.write("a.fa", ">x\nAC\n>y\nA\n>x\nACG\n>x#2\nT\n>x\nG\n")
        ended = self.terrace("run", self.write_job({"a": {"fasta": path, "records": "all"}},
                                                   [wavefront("s", "lcs", rows="a", columns="a")]))
        self.assertSays(ended, "names of records in ", "(2 names changed): 'x' at ",
                        "a.fa:5 is there again, and becomes 'x#3'")
        self.assertEqual([name.decode() for name in self.open()["s/row"][()]], ["x", "y", "x#3", "x#2", "x#4"])
        for name in ("x", "x#3"):
            job = self.write_job({"a": {"fasta": path, "records": "all"}},
                                 [wavefront("s", "lcs", rows="a", columns="a", pairs=[["y", name], ["2", "2"]])])
            ended = self.terrace("check", job, expect=WRONG if name == "x" else DONE)
            if name == "x":
                self.assertSays(ended, "pair 0: 'x' is the name of several records of the columns: give the records "
                                       "names of their own, or pair them by index")

    def test_records_without_a_name_are_called_by_their_index(self):
        path = self.write("a.fa", ">\nAC\n>y\nA\n> \nACG\n")
        ended = self.terrace("run", self.write_job({"a": {"fasta": path, "records": "all"}},
                                                   [wavefront("s", "lcs", rows="a", columns="a")]))
        self.assertSays(ended, "2 records of ", "have no name, and are called by their index", "a.fa:1 becomes '0'")
        self.assertEqual([name.decode() for name in self.open()["s/row"][()]], ["0", "y", "2"])


if __name__ == "__main__":
    main()
