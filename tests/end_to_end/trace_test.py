"""The command `trace`: the profile of a result as JSON for trace viewers."""
import json
import unittest

from made_profiles import PictureTest, many
from terrace_runs import FAILED, WRONG, h5py, main, numpy


class Traces(PictureTest):
    def events(self, name="trace.json"):
        """The events of a trace, by kind: names of processes, names of threads, complete events."""
        trace = json.loads((self.folder / name).read_text())
        processes = {e["pid"]: e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "process_name"}
        threads = {(e["pid"], e["tid"]): e["args"]["name"] for e in trace["traceEvents"] if e["name"] == "thread_name"}
        return trace, processes, threads, [e for e in trace["traceEvents"] if e["ph"] == "X"]

    def check_equal_to_profile(self):
        self.terrace("trace", "result.h5", "-o", "trace.json")
        _, processes, threads, events = self.events()
        stages = self.columns_of("stages")["name"]
        for category, columns in (("block", self.columns_of("blocks")), ("copy", self.columns_of("copies"))):
            found = sorted(((e["ts"], e["dur"], e["args"]["stage"]) for e in events if e["cat"] == category))
            expected = sorted(zip(columns["begin"] * 1e6, (columns["end"] - columns["begin"]) * 1e6,
                                  stages[columns["stage"]]))
            self.assertEqual(len(found), len(expected))
            for one, other in zip(found, expected):
                self.assertEqual(one[2], other[2])
            numpy.testing.assert_allclose([e[0] for e in found], [e[0] for e in expected], rtol=0, atol=2e-3)
            self.assertAlmostEqual(sum(e[1] for e in found), sum(e[1] for e in expected), delta=1e-3 * len(found) + 1)
        blocks, copies = self.columns_of("blocks"), self.columns_of("copies")
        of_blocks = [e["args"] for e in events if e["cat"] == "block"]
        self.assertAlmostEqual(sum(e["operations"] for e in of_blocks) / max(1.0, blocks["operations"].sum()),
                               min(1.0, blocks["operations"].sum()), places=9)
        of_copies = [e["args"] for e in events if e["cat"] == "copy"]
        self.assertEqual(sum(e["bytes"] for e in of_copies), copies["bytes"].sum())
        for event in events:
            amount = event["args"].get("bytes_per_second", event["args"].get("operations_per_second", 0))
            done = event["args"].get("bytes", event["args"].get("operations", 0))
            if event["dur"] > 100:
                self.assertAlmostEqual(amount * event["dur"] * 1e-6 / done, 1, places=4)
            self.assertIn(event["pid"], processes)
            self.assertIn((event["pid"], event["tid"]), threads)
        return processes, threads, events

    def check_threads_do_one_thing_at_a_time(self, events):
        until = {}
        for event in sorted(events, key=lambda e: e["ts"]):
            thread = event["pid"], event["tid"]
            self.assertGreaterEqual(event["ts"], until.get(thread, 0) - 2e-3)
            until[thread] = event["ts"] + event["dur"]

    def test_of_a_run_hold_its_profile(self):
        self.made_result()
        processes, threads, events = self.check_equal_to_profile()
        self.check_threads_do_one_thing_at_a_time(events)
        device = self.columns_of("devices")["name"][0]
        self.assertEqual(processes[1], f"device 0: {device}")
        self.assertIn("host and disk", processes.values())
        self.assertTrue(any(name.startswith("blocks") for (place, _), name in threads.items() if place == 1))
        self.assertTrue(any(name.startswith("write") for (place, _), name in threads.items() if place == 0))

    def test_of_several_devices_have_a_process_each_and_threads_without_overlaps(self):
        self.made_result()
        self.with_profile(*many(2000, devices=3))
        processes, threads, events = self.check_equal_to_profile()
        self.assertEqual(sorted(processes), [0, 1, 2, 3])
        self.assertEqual(processes[3], "device 2")
        self.check_threads_do_one_thing_at_a_time(events)
        names = {name.split(" ")[0] for (place, _), name in threads.items() if place == 2}
        self.assertEqual(names, {"blocks", "copy", "peer", "assemble"})
        for event in events:
            if event["cat"] == "block":
                self.assertEqual(threads[event["pid"], event["tid"]].rstrip("0123456789 "), "blocks")
                self.assertEqual(event["name"], f"{event['args']['stage']} {event['args']['first']}")

    def test_of_many_blocks_take_little_time_and_memory(self):
        self.made_result()
        self.with_profile(*many(100_000))
        self.check_bounds("trace", "result.h5", "-o", "trace.json")
        self.assertEqual(len(self.events()[3]), 200_000)

    def test_hold_any_name(self):
        self.made_result(stages=("align",))
        names = ['"}]\\\n\x01</script>é', "x" * 300]
        copies = {"array": [names[0]] * 2, "movement": ["read", names[1]], "stage": [0, 0], "tile": [1, -1],
                  "generation": [0, 0], "device": [-1, -1], "from": [-1, -1], "bytes": [1, 2], "begin": [0.0, 1.0], "end": [1.0, 2.0]}
        with h5py.File(self.folder / "result.h5", "r+") as file:
            file.attrs["title"] = names[0]
        self.with_profile({}, copies)
        self.terrace("trace", "result.h5", "-o", "trace.json")
        trace, _, _, events = self.events()
        self.assertEqual(trace["otherData"]["job"], names[0])
        self.assertEqual({e["name"] for e in events if e["cat"] == "copy"},
                         {f"read {names[0]}[1]", f"{names[1]} {names[0]}"})


class Errors(PictureTest):
    def test_of_results_name_what_is_wrong(self):
        self.made_result(stages=("align",))
        cases = {"end": ([0.0, 2.0], "holds 2 in row 1, which begins at 3"),
                 "device": ([0, -3], "holds -3 in row 1"), "stage": ([0, 7], "holds 7 in row 1"),
                 "operations": ([1.0], "has 1 rows, and begin has 2")}
        sound = {"stage": [0, 0], "device": [0, 0], "begin": [0.0, 3.0], "end": [1.0, 4.0], "operations": [1.0, 1.0],
                 "phase": [0, 0], "first": [0, 1], "count": [1, 1], "attempt": [1, 1], "attempts": [1, 1]}
        self.with_profile(sound, {})
        self.terrace("trace", "result.h5", "-o", "trace.json")
        for column, (values, said) in cases.items():
            with self.subTest(column=column):
                self.with_profile({**sound, column: values}, {})
                ended = self.terrace("trace", "result.h5", "-o", "other.json", expect=FAILED)
                self.assertIn(f"/profile/blocks/{column}: {said}", ended.stderr)
                self.assertFalse((self.folder / "other.json").exists())
                self.assertFalse((self.folder / "other.json.new").exists())

    def test_of_senders_name_what_is_wrong_and_earlier_results_have_none(self):
        self.made_result(stages=("align",))
        self.with_profile({}, {"from": numpy.where(self.columns_of("copies")["from"] < 0, 9000, 0)})
        self.assertIn("/profile/copies/from: holds 9000 in row 0",
                      self.terrace("trace", "result.h5", "-o", "trace.json", expect=FAILED).stderr)
        with h5py.File(self.folder / "result.h5", "r+") as file:
            del file["profile/copies/from"]
        self.terrace("trace", "result.h5", "-o", "trace.json")

    def test_of_files_leave_them_as_they_are(self):
        self.made_result(stages=("align",))
        self.write("notes.txt", "mine")
        self.write("plain.h5", "no HDF5")
        for result, output, code, said in (("result.h5", "result.h5", WRONG, "is not a trace"),
                                           ("result.h5", "notes.txt", WRONG, "is not a trace"),
                                           ("result.h5", ".", WRONG, "is a folder"),
                                           ("result.h5", "no/trace.json", WRONG, "No such file"),
                                           ("plain.h5", "trace.json", FAILED, "no HDF5 file"),
                                           ("gone.h5", "trace.json", WRONG, "is not there"),
                                           (".", "trace.json", WRONG, "is a folder")):
            with self.subTest(result=result, output=output):
                files = {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
                self.assertSays(self.terrace("trace", result, "-o", output, expect=code), said)
                self.assertEqual(files, {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()})
        for _ in range(2):  # a trace is replaced
            self.terrace("trace", "result.h5", "-o", "trace.json")
        self.assertIn("-o", self.terrace("trace", "result.h5", expect=WRONG).stderr)
        self.assertIn("-o", self.terrace("trace", "result.h5", "-o", "", expect=WRONG).stderr)
        self.terrace("trace", "result.h5", "-o", "/dev/null")


if __name__ == "__main__":
    main()
