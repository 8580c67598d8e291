"""Bytes of a partial result that change between two attempts: the run ends with an error that names the tile."""
import os
import time

import runs
from recursive_jobs import write_inputs
from runs import DONE, FAILED, KILLED, Case, h5py, ledger, main, run_job, side_by_side, start, wait, write_job

SEQUENCES = {"problem": "smith_waterman", "rows": "a", "columns": "b", "match": 1, "mismatch": -3, "gap_open": 3,
             "gap_extend": 2}

# Half a second or more, so that the stages before it are complete when the run is killed, and it is not.
LATER = {"name": "later", "wavefront": {**SEQUENCES, "problem": "needleman_wunsch", "rows": "long", "columns": "long",
                                        "keep": "score"}}


def write_kind(folder, stages):
    """The stages and one that takes a while, on small budgets."""
    inputs = {
        **write_inputs(folder, 3, 260, 600),
        "a": {"generate": "dna", "length": 800, "seed": 1},
        "b": {"generate": "dna", "length": 900, "seed": 2},
        "image": {"generate": "uniform", "shape": [300, 400], "type": "u8", "seed": 3},
        "long": {"generate": "dna", "length": 70000, "seed": 4},
    }
    write_job(folder, 1, inputs=inputs, stages=[*stages, LATER], memory={"host": "1MiB"})


def wavefront(problem, **settings):
    return {"name": "kind", "wavefront": {"problem": problem, **settings}}


def recursive(problem, **settings):
    return {"name": "kind", "recursive": {"problem": problem, **settings}}


KINDS = {
    "table": [wavefront(**{**SEQUENCES, "keep": "table"})],
    "borders": [wavefront(**{**SEQUENCES, "keep": "borders", "every": 100})],
    "sums": [wavefront("summed_area", grid="image")],
    "sweeps": [wavefront("sor", grid="image", sweeps=40)],
    "paths": [recursive("floyd_warshall", matrix="weights", no_edge=-1, paths=True)],
    "product": [recursive("semiring_product", left="left", right="right")],
    "intervals": [recursive("matrix_chain", dimensions="extents", splits=True, keep="table")],
    "read": [wavefront(**{**SEQUENCES, "keep": "table"}),
             {"name": "reader", "wavefront": {"problem": "summed_area", "grid": "kind/table"}}],
}


class Flipped(Case):
    def kill_when(self, folder, complete):
        """Starts the job and kills it when that many of its stages are complete."""
        process = start([runs.terrace, "run", "job.yaml"], folder)
        self.addCleanup(process.kill)
        end = time.monotonic() + 120
        while time.monotonic() < end and process.poll() is None:
            if os.path.exists(os.path.join(folder, "out.h5.run", "ledger")):
                records = ledger(folder)
                if sum(record.get("complete", False) for record in records) >= complete:
                    process.kill()
                    break
            time.sleep(0.002)
        ended = wait(process)
        self.assertEqual(ended.code, KILLED, repr(ended))

    def flip(self, folder, dataset, share):
        """Flips a bit of the dataset in the partial result, at that share of it. Returns its index."""
        path = os.path.join(folder, "out.h5.run", "result.h5")
        with h5py.File(path, "r") as file:
            found = file[dataset]
            offset, bytes_of = found.id.get_offset(), found.id.get_storage_size()
        at = min(int(bytes_of * share), bytes_of - 1)
        with open(path, "r+b") as file:
            file.seek(offset + at)
            byte = file.read(1)[0]
            file.seek(offset + at)
            file.write(bytes([byte ^ 4]))

    def datasets(self, folder):
        names = []
        with h5py.File(os.path.join(folder, "out.h5.run", "result.h5"), "r") as file:
            file["kind"].visititems(lambda name, node: names.append("kind/" + name))
        return names

    def test_a_bit_of_each_kind_of_result_is_found_and_named_and_put_back_the_run_goes_on(self):
        def check(kind):
            folder = self.folder()
            write_kind(folder, KINDS[kind])
            self.kill_when(folder, 1)
            names = self.datasets(folder)
            self.assertTrue(names)
            for number, name in enumerate(names):
                share = (0, 0.5, 0.999999)[number % 3]
                self.flip(folder, name, share)
                end = run_job(folder)
                self.assertEqual(end.code, FAILED, f"{kind}, {name}: {end!r}")
                for text in ("result.h5, dataset /" + name + ", [", "different from what was written", "--fresh"):
                    self.assertIn(text, end.err, f"{kind}, {name}")
                self.assertFalse(os.path.exists(os.path.join(folder, "out.h5")))
                self.flip(folder, name, share)
            end = run_job(folder)
            self.assertEqual(end.code, DONE, f"{kind}: {end!r}")

        side_by_side(check, list(KINDS))

    def test_flips_outside_of_the_datasets_change_nothing(self):
        folder = self.folder()
        write_kind(folder, KINDS["paths"])
        self.kill_when(folder, 1)
        path = os.path.join(folder, "out.h5.run", "result.h5")
        with open(path, "r+b") as file:
            for at in (0, 3, 9, 40, 97, 200, 600):  # of the superblock, and of what follows it
                file.seek(at)
                byte = file.read(1)[0]
                file.seek(at)
                file.write(bytes([byte ^ 64]))
        end = run_job(folder)
        self.assertEqual(end.code, DONE, repr(end))
        whole = self.folder()
        write_kind(whole, KINDS["paths"])
        self.assertEqual(run_job(whole).code, DONE)
        self.assertGives(folder, runs.results(whole), "flips in the metadata")


if __name__ == "__main__":
    main()
