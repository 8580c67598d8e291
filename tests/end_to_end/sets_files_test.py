"""Sets of files as people have them: FASTA and FASTQ, plain, packed and damaged; tables of names."""
import gzip

from set_runs import SetTest, sequences, stages_of
from terrace_runs import WRONG, h5py, main, numpy, wavefront


class Files(SetTest):
    """Files of sequences as people have them."""

    def distances(self, given, **keys):
        """Names of a set, and the edit distances of all its pairs."""
        result = self.run_job({"a": {**given, "records": "all", **keys}}, stages_of(["edit"], columns="a"), "--fresh")
        return [name.decode() for name in result["edit/row"][()]], result["edit/score"][()].tolist()

    def refuse(self, kind, content, *parts):
        name = "bad." + ("fa" if kind == "fasta" else "fq") + (".gz" if content[:2] == b"\x1f\x8b" else "")
        job = self.write_job({"a": {kind: self.write(name, content), "records": "all"}},
                             stages_of(["edit"], columns="a"))
        ended = self.terrace("check", job, expect=WRONG)
        self.assertSays(ended, "job.yaml:4:3: input 'a': ", name, *parts)

    def test_fasta(self):
        expected = (["x", "y", "z"], [[0, 1, 5], [1, 0, 4], [5, 4, 0]])
        plain = ">x\nACGTA\n>y\nACGT\n>z\n"
        for content in (plain, plain.lower(), plain.replace("\n", "\r\n"), "\n\n" + plain.replace("\n", "\n\n"),
                        plain[:-1], "\ufeff" + plain, ";of\n" + plain.replace("CG", "C G\t\n;comment\n"),
                        plain.replace(">x", ">x a\tlong header").replace(">y", ">\t y\tz").replace(">z", "> z")):
            for name, written in (("a.fa", content.encode()), ("a.fa.gz", gzip.compress(content.encode()))):
                with self.subTest(content=content, name=name):
                    self.assertEqual(self.distances({"fasta": self.write(name, written)}), expected)

    def test_fastq(self):
        expected = (["x", "y", "z"], [[0, 1, 5], [1, 0, 4], [5, 4, 0]])
        plain = "@x 1\nACGTA\n+\n@>+I;\n@y\nACGT\n+y\n@@@@\n@z\n\n+\n\n"
        for content in (plain, plain.replace("\n", "\r\n"), plain[:-1], plain + "\n\n", plain.replace("ACGT", "AC\nGT"),
                        plain.replace("@@@@", "@@\n@@")):
            for name, written in (("a.fq", content.encode()), ("a.fq.gz", gzip.compress(content.encode()))):
                with self.subTest(content=content, name=name):
                    self.assertEqual(self.distances({"fastq": self.write(name, written)}), expected)

    def test_opposite_strands(self):
        for name, content in (("a.fa", ">x\nAAC\nG\n>y\n>z\nACGN\n"),
                              ("a.fq", "@x\nAAC\nG\n+\nIIII\n@y\n\n+\n@z\nACGN\n+\nIIII\n")):
            for written in (content.encode(), gzip.compress(content.encode())):
                kind = "fasta" if name == "a.fa" else "fastq"
                given = {"a": {kind: self.write(name, written), "records": "all", "reverse_complement": True},
                         "b": self.set_of("b", ["CGTT", "", "NCGT"])}
                result = self.run_job(given, stages_of(["edit"], pairs="same"), "--fresh")
                self.assertEqual(result["edit/score"][()].tolist(), [0, 0, 0])
                self.assertEqual([name.decode() for name in result["edit/row"][()]], ["x/rc", "y/rc", "z/rc"])

    def test_bad_fasta(self):
        for content, parts in ((b"", ["has no record: no line begins with '>'"]), (b"\n\n", ["has no record"]),
                               (gzip.compress(b""), ["has no record"]),
                               (b"ACGT\n", [":1:1: letters before the first record"]),
                               (b">x\nACGT\n>y\nAC1\n", [":4:3: '1' has no place in FASTA"]),
                               (b">x\rACGT\r>y\rAC\r", [":1:3: a carriage return in a line", "mac2unix"]),
                               (">x\nACGT\n".encode("utf-16"), ["is UTF-16: write it as UTF-8"]),
                               (gzip.compress(b">x\n" + b"ACGTGA\n" * 999)[:-9], ["the gzip data end too soon"]),
                               (b"BZh91AY", ["is compressed with bzip2", "bunzip2 -k"])):
            with self.subTest(content=content[:20]):
                self.refuse("fasta", content, *parts)

    def test_bad_fastq(self):
        good = b"@x\nACGT\n+\nIIII\n"
        longer = ": the record of line 1 has 4 letters, and with this line 5 qualities"
        short = ":5: the record that begins here has no end; the file was cut short"
        for content, parts in ((b"", ["has no record: no line begins with '@'"]),
                               (b">x\nAC\n", [":1:1: a FASTQ file begins with"]),
                               (good + b"@y\nAC\n", [short]),
                               (good + b"@y\nAC\n+\nI", [":5: the record that begins here has no end"]),
                               (b"@x\nACGT\n+\nIIIII\n", [":4:1" + longer]),
                               (b"@x\nACGT\n+\nIII\n" + good, [":5:1" + longer]),
                               (good + b"@y\nAC\n+z\nII\n", [":7:2: behind '+' stands another header"]),
                               (good + b"@y\nA1\n+\nII\n", [":6:2: '1' has no place in a sequence"]),
                               (good + b"@y\nAC\n+\nI \n", [":8:2: ' ' is no quality"]),
                               (gzip.compress(good * 999)[:-9], ["the gzip data end too soon"])):
            with self.subTest(content=content[:60]):
                self.refuse("fastq", content, *parts)


class Names(SetTest):
    """Pairs by the names of a table."""

    def setUp(self):
        super().setUp()
        self.inputs = {"a": self.set_of("a", ["ACGT", "AC", "G"]), "b": self.set_of("b", ["ACG", "", "T"])}

    def job(self, kind, content, **keys):
        table = {kind: self.write("pairs", content), "names": True, **keys}
        return {**self.inputs, "p": table}, [wavefront("s", "edit_distance", rows="a", columns="b", pairs="p")]

    def refuse(self, *parts, table):
        self.assertSays(self.terrace("check", self.write_job(*table), expect=WRONG), *parts)

    def test_tables_as_people_have_them(self):
        for table in (self.job("csv", "a0,b2\na2,b0\na0,b1\n"),
                      self.job("csv", "row,column\na0,b2\na2,b0\na0,b1\n", header=True),
                      self.job("csv", "query\tsubject\r\na0\tb2\r\n\r\na2\tb0\r\na0\tb1\r\n", header=True,
                               separator="tab"),
                      self.job("csv", ',q,s\n0,"a0",b2\n1,a2,"b0"\n2,a0,b1\n', header=True),
                      self.job("text", "# of two sets\na0 b2\na2   b0\na0\tb1\n"),
                      self.job("csv", gzip.compress(b"a0,b2\na2,b0\na0,b1\n")),
                      self.job("csv", "a0,b2\n", shape=[1, 2])):
            self.terrace("run", self.write_job(*table), "--fresh")
            expected = [[0, 2], [2, 0], [0, 1]]
            pairs = self.open()["s/pair"][()].tolist()
            self.assertEqual(pairs, expected[:len(pairs)])
            self.assertEqual(self.open()["s/score"][()].tolist(), [3, 2, 4][:len(pairs)])

    def test_arrays_of_texts_are_names(self):
        texts = numpy.array([["a0", "b2"], ["a2", "b0"], ["a0", "b1"]])
        self.write("p.npy", texts)
        numpy.save(self.folder / "bytes.npy", numpy.asfortranarray(texts.astype("S")))
        numpy.savez_compressed(self.folder / "p.npz", texts)
        numpy.savez(self.folder / "plain.npz", texts)
        with h5py.File(self.folder / "p.h5", "w") as file:
            file["fixed"] = texts.astype("S")
            file.create_dataset("strings", data=texts.astype(object), dtype=h5py.string_dtype())
        for given in ({"npy": "p.npy"}, {"npy": "bytes.npy"}, {"npz": "p.npz"}, {"npz": "plain.npz"},
                      {"hdf5": "p.h5", "dataset": "fixed"}, {"hdf5": "p.h5", "dataset": "strings"}):
            result = self.run_job({**self.inputs, "p": given}, self.job("csv", "")[1], "--fresh")
            self.assertEqual(result["s/pair"][()].tolist(), [[0, 2], [2, 0], [0, 1]], given)
            self.assertEqual(result["s/score"][()].tolist(), [3, 2, 4], given)
        texts[1, 1] = "b3"
        self.write("p.npy", texts)
        self.refuse("'p', row 1, column 1 (", "p.npy): 'b3' is the name of none of the 3 items of the columns",
                    table=({**self.inputs, "p": {"npy": "p.npy"}}, self.job("csv", "")[1]))

    def test_numbers_are_names_if_the_table_has_names(self):
        self.inputs = {name: {"fasta": self.write(name + ".fa", ">1\nA\n>0\nACG\n"), "records": "all"} for name in "ab"}
        inputs, stages = self.job("csv", "0,1\n1,1\n")
        self.assertEqual(self.run_job(inputs, stages)["s/pair"][()].tolist(), [[1, 0], [0, 0]])
        del inputs["p"]["names"]
        self.assertEqual(self.run_job(inputs, stages, "--fresh")["s/pair"][()].tolist(), [[0, 1], [1, 1]])

    def test_wrong(self):
        self.refuse("'p', row 1, column 1 (",
                    "pairs:2:4): 'b22' is the name of none of the 3 items of the columns; did you mean",
                    table=self.job("csv", "a0,b2\na2,b22\n"))
        self.refuse("row 0, column 0 (", "'query' is the name of none of the 3 items of the rows; "
                    "if the first line of a text names the columns, say `header: true`",
                    table=self.job("csv", "query,subject\na0,b2\n"))
        self.refuse("pairs:1:1: 'a0\\x09b2' has a tab", "`separator: tab`", table=self.job("csv", "a0\tb2\n"))
        self.refuse("pairs:2:4: a name is missing", table=self.job("csv", "a0,b2\na2,\n"))
        self.refuse("pairs:2:7: this line has 3 values, and line 1 has 2", table=self.job("csv", "a0,b2\na2,b0,b1\n"))
        self.refuse("'p' is 2 x 3; give pairs as n x 2, an index or a name",
                    table=self.job("csv", "a0,b2,b1\na2,b0,b1\n"))
        self.refuse("type: is of numbers, and `names: true` makes names", table=self.job("csv", "a0,b2\n", type="i32"))
        inputs, stages = self.job("csv", "a0,b2\n")
        del inputs["p"]["names"]
        self.refuse("pairs:1:1: 'a0' is no number", "say `header: true`", "`names: true`", table=(inputs, stages))
        inputs, _ = self.job("csv", "a0,b2\n")
        self.refuse("'p' holds names, and `grid` takes numbers",
                    table=(inputs, [wavefront("s", "summed_area", grid="p")]))

    def test_names_that_are_there_twice(self):
        self.inputs["b"] = {"fasta": self.write("b.fa", ">b0\nA\n>b1\nC\n>b0\nG\n"), "records": "all"}
        self.refuse("'p', row 1, column 1 (", "pairs:2:4): 'b0' is the name of several records of the columns: "
                    "give the records names of their own, or pair them by index",
                    table=self.job("csv", "a0,b1\na2,b0\n"))
        self.terrace("check", self.write_job(*self.job("csv", "a0,b1\na2,b0#2\n")))

    def test_another_table_is_another_result(self):
        self.terrace("run", self.write_job(*self.job("csv", "a0,b2\na2,b0\n")))
        self.write("pairs", "a0,b1\na2,b0\n")
        self.assertSays(self.terrace("run", "job.yaml", expect=WRONG), "result.h5")
        self.terrace("run", "job.yaml", "--fresh")
        self.assertEqual(self.open()["s/pair"][()].tolist(), [[0, 1], [2, 0]])


if __name__ == "__main__":
    main()
