"""Inputs that state the range of their values: what is then not read, and statements that are wrong."""
import h5py
from closure_test import as_type, distances, floyd_warshall, random_graph, recursive
from terrace_runs import FAILED, main, numpy
from traffic_test import BESIDE, MIB, Traffic

INFINITY = numpy.iinfo("int32").max // 2


class Stated(Traffic):
    def matrix(self, name, values, **attributes):
        """An input from an HDF5 file with those attributes of its dataset."""
        with h5py.File(self.folder / f"{name}.h5", "w") as file:
            dataset = file.create_dataset("weights", data=values)
            for key, value in attributes.items():
                dataset.attrs[key] = value
        return {"hdf5": f"{name}.h5", "dataset": "/weights"}

    def random_weights(self, nodes, least=1, most=1000, seed=1):
        return numpy.random.default_rng(seed).integers(least, most, (nodes, nodes), endpoint=True, dtype="int32")

    def moved_of_input(self, result, name="input"):
        copies = {key: column[()] for key, column in result["profile/copies"].items()}
        chosen = (copies["movement"] == b"read") & (copies["array"] == name.encode())
        return int(copies["bytes"][chosen].sum())

    def finished(self, output="result.h5"):
        return (self.folder / output).exists()


class ReadOnce(Stated):
    NODES = 1600

    def run_with(self, number, memory, stage, **attributes):
        """Runs a stage over a matrix of 10 MB with those attributes; returns bytes read, and the result."""
        values = self.random_weights(self.NODES)
        values[3, 5] = values[700, 9] = INFINITY
        name = f"m{number}"
        inputs = {"m": self.matrix(name, values, **attributes)}
        job = self.write_job(inputs, [stage], output=f"{name}-out.h5", name=f"{name}.yaml", backend="cpu",
                             memory={"host": memory})
        read = self.bytes_read("run", job)
        return read, self.open(f"{name}-out.h5")

    def test_a_matrix_that_states_its_range_is_read_once(self):
        size = self.NODES ** 2 * 4
        self.assertGreater(size, 3 * BESIDE)
        stage = distances("d", "m", type="auto")
        plain, expected = self.run_with(0, 256 * MIB, stage)
        # To choose the type, and to compute.
        self.assertGreater(plain, 2 * size)
        statements = [{"actual_range": numpy.array([1, 1000], "int32")}, {"valid_range": [0, 1 << 14]},
                      {"valid_min": 0, "valid_max": 5000}, {"actual_range": [1, INFINITY], "_FillValue": INFINITY}]
        for number, attributes in enumerate(statements, 1):
            with self.subTest(attributes=attributes):
                read, result = self.run_with(number, 256 * MIB, stage, **attributes)
                self.assertEqual(result["d/distance"].dtype, expected["d/distance"].dtype)
                numpy.testing.assert_array_equal(result["d/distance"][()], expected["d/distance"][()])
                if attributes.get("_FillValue") is None:
                    self.assertLess(read, size + BESIDE)
                self.assertEqual(self.moved_of_input(result), size)

    def test_one_that_does_not_fit_in_memory_is_read_once_by_the_blocks(self):
        for number, attributes in enumerate([{"valid_range": [1, 1000]}, {}]):
            _, result = self.run_with(number, 6 * MIB, distances("d", "m", type="i32"), **attributes)
            size = self.NODES ** 2 * 4
            moved = self.moved_of_input(result)
            if attributes:
                self.assertLess(moved, 1.1 * size)
            else:
                self.assertGreater(moved, 1.5 * size)

    def test_products_do_not_look_at_their_factors_first(self):
        values = self.random_weights(900, 0, 50)
        size = values.nbytes
        stage = recursive("p", "semiring_product", left="a", right="a", semiring="min_plus")
        found = []
        for number, attributes in enumerate([{}, {"valid_range": [0, 50]}]):
            inputs = {"a": self.matrix(f"a{number}", values, **attributes)}
            job = self.write_job(inputs, [stage], output=f"p{number}.h5", name=f"p{number}.yaml", backend="cpu",
                                 memory={"host": 2 * MIB})
            self.terrace("run", job)
            result = self.open(f"p{number}.h5")
            found.append((self.moved_of_input(result, "left"), result["p/product"][()]))
        self.assertGreater(found[0][0] - found[1][0], 0.5 * size)
        numpy.testing.assert_array_equal(found[0][1], found[1][1])


class Wrong(Stated):
    def refuse(self, values, stage, *parts, **attributes):
        """The job fails, leaves no result, and says the parts."""
        job = self.write_job({"m": self.matrix("m", values, **attributes)}, [stage], backend="cpu")
        for memory in ("64MiB", "200KiB"):
            ended = self.terrace("run", job, "--set", f"memory.host={memory}", expect=FAILED)
            self.assertSays(ended, "m.h5", "/weights", *parts)
            self.assertFalse(self.finished())

    def test_statements_are_errors_that_name_the_element(self):
        for row, column in ((0, 0), (17, 3), (199, 199)):
            values = self.random_weights(200, 1, 40)
            values[row, column] = -1
            where = f"'m', row {row}, column {column}"
            self.refuse(values, distances("d", "m", type="auto"), where, "-1 is outside of 1 to 40", "`actual_range`",
                        actual_range=[1, 40])
            values[row, column] = 41
            self.refuse(values, distances("d", "m", type="i32"), where, "41 is outside of 0 to 40", "`actual_range`",
                        actual_range=[0, 40])
            product = recursive("p", "semiring_product", left="m", right="m", type="i64")
            # An element outside of the valid range has no value.
            for stage in (distances("d", "m", type="i32"), product):
                self.refuse(values, stage, where, "41 is no value, outside of its attribute `valid_max`",
                            "unpack: true", valid_min=0, valid_max=40)

    def test_that_nothing_relies_on_hurt_nothing(self):
        values = self.random_weights(60, 1, 40).astype("float32")
        result = self.run_job({"m": self.matrix("m", values, actual_range=[5, 6])}, [distances("d", "m")],
                              backend="cpu")
        numpy.fill_diagonal(values, 0)
        numpy.testing.assert_array_equal(result["d/distance"][()], floyd_warshall(values))

    def test_of_another_form_are_passed_over(self):
        matrix = random_graph(70, 4, 3)
        wanted = as_type(floyd_warshall(matrix), "int16")
        for attributes in ({"valid_range": "1, 2"}, {"valid_range": [1, 2, 3]}, {"valid_range": [9, 2]},
                           {"actual_range": [1, 2], "_Unsigned": "true"}):
            stored = as_type(matrix, "int16")
            result = self.run_job({"m": self.matrix("m", stored, **attributes)}, [distances("d", "m")], "--fresh",
                                  backend="cpu")
            numpy.testing.assert_array_equal(result["d/distance"][()], wanted)
            result.close()


class Results(Stated):
    def test_with_negative_weights_are_those_without_a_statement(self):
        for kind in ("int32", "int64"):
            matrix = random_graph(120, 5, 7, negative=True)
            stored, wanted = as_type(matrix, kind), as_type(floyd_warshall(matrix), kind)
            for attributes in ({"valid_range": [-30, 60]}, {"valid_range": [-(10 ** 8), 10 ** 8]}):
                job = self.write_job({"m": self.matrix("m", stored, **attributes)},
                                     [distances("d", "m", type="input")], backend="cpu", memory={"host": 90 << 10})
                self.terrace("run", job, "--fresh")
                result = self.open()
                numpy.testing.assert_array_equal(result["d/distance"][()], wanted)
                result.close()

    def test_that_leave_a_stated_type_are_found(self):
        # One way from each node to the next: no range of weights says that the type holds the distances.
        values = numpy.full((90, 90), INFINITY, "int32")
        for node in range(89):
            values[node, node + 1] = INFINITY // 80
        job = self.write_job({"m": self.matrix("m", values, actual_range=[INFINITY // 80] * 2, _FillValue=INFINITY)},
                             [distances("d", "m", type="i32")], backend="cpu")
        self.assertSays(self.terrace("run", job, expect=FAILED), "distances of 'm' leave i32")

    def test_survive_kills(self):
        matrix = self.matrix("m", self.random_weights(500), valid_range=[1, 1000])
        self.check_survives_kills({"m": matrix}, distances("d", "m"), "distance", memory={"host": 600 << 10})


class Planned(Stated):
    def test_a_graph_is_planned_without_its_matrix(self):
        # 10^10 elements, which a scan would take minutes for.
        self.write("roads.txt", "\n".join(f"{n} {n + 1} {1 + n % 7}" for n in range(99999)))
        job = self.write_job({"m": {"graph": "roads.txt", "format": "edges"}}, [distances("d", "m")], backend="cpu")
        self.terrace("plan", job, timeout=60)

    def test_a_generated_matrix_is_planned_without_it(self):
        weights = {"generate": "uniform", "shape": [65536, 65536], "type": "i32", "minimum": 1, "maximum": 1000}
        job = self.write_job({"m": weights}, [distances("d", "m", type="auto")], backend="cpu",
                             memory={"host": 256 * MIB})
        self.terrace("plan", job, timeout=60)

    def test_the_type_is_that_of_a_scan_where_a_statement_leaves_it_open(self):
        for wide in ({}, {"valid_range": [0, 10 ** 9]}):
            values = self.random_weights(50, 0, 9)
            result = self.run_job({"m": self.matrix("m", values, **wide)}, [distances("d", "m", type="auto")],
                                  "--fresh", backend="cpu")
            self.assertEqual(result["d/distance"].dtype, numpy.dtype("int16"))
            result.close()


if __name__ == "__main__":
    main()
