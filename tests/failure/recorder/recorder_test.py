"""usage: recorder_test.py RECORDER SAMPLE: tests of the recorder and of rebuild.py, by the sample program."""
import os
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rebuild  # noqa: E402  (its folder is known only now)

KILLED = -9
ENOSPC, EIO, ENOSYS = 28, 5, 38


class Case(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = os.path.join(self.temporary.name, "folder")
        self.log = os.path.join(self.temporary.name, "log")
        self.target = os.path.join(self.temporary.name, "target")
        os.mkdir(self.folder)

    def tearDown(self):
        self.temporary.cleanup()

    def run_sample(self, *commands, **faults):
        """What the sample says, with faults by their variable's name."""
        environment = dict(os.environ, LD_PRELOAD=recorder, RECORD_FOLDER=self.folder, RECORD_LOG=self.log)
        environment.update({name: str(value) for name, value in faults.items()})
        self.result = subprocess.run([sample], input="\n".join(commands) + "\n", cwd=self.folder, env=environment,
                                     capture_output=True, text=True, timeout=60)
        return self.result.stdout.split("\n")[:-1]

    def record(self, *commands, **faults):
        said = self.run_sample(*commands, **faults)
        self.assertEqual((self.result.returncode, said, self.result.stderr), (0, [], ""))
        return rebuild.Recording(self.log)

    def start_over(self):
        """An empty folder and no log."""
        rebuild.write_tree({}, self.folder)
        for log in (self.log, self.log + ".data"):
            if os.path.exists(log):
                os.unlink(log)

    def read(self, name):
        with open(os.path.join(self.folder, name), "rb") as file:
            return file.read()

    def states(self, recording, at=None, count=300):
        at = len(recording) if at is None else at
        return [recording.state(at, seed) for seed in range(count)]


class TheRecorder(Case):
    def test_records_calls_in_order_with_their_numbers_and_bytes(self):
        recording = self.record("create 1 a", "write 1 100 x*5", "sync 1", "rename a b", "close 1")
        self.assertEqual([event["n"] for event in recording.events], [1, 2, 3, 4, 5])
        self.assertEqual([event["call"] for event in recording.events], ["open", "pwrite", "fsync", "rename", "close"])
        write = recording.events[1]
        self.assertEqual((write["offset"], write["bytes"], recording.data), (100, 5, b"xxxxx"))
        self.assertEqual((recording.events[3]["path"], recording.events[3]["to"]), ("a", "b"))

    def test_sees_every_way_to_change_a_file(self):
        recording = self.record(
            "create 1 a", "append 1 a*10", "writev 1 b*11", "write 1 30 c*12", "pwritev 1 60 d*13", "async 1 4096 e*512",
            "append_to 2 a", "append 2 f*3", "writev 2 g*4", "dup 1 3", "append 3 h*5", "resize 1 4700", "reserve 1 5000",
            "reserve_posix 1 6000", "create_synced 4 s", "append 4 i*6", "stream t j*7", "copy t u", "link u v",
            "mkdir m", "mkdir m/n", "rename u m/n/w", "create 5 m/o", "remove_all m", "unlink v", "sync_all",
            "datasync 1", "folder 6 .", "sync 6")
        self.assertEqual(recording.differences(self.folder), [])
        seen = {event["call"] for event in recording.events}
        self.assertLessEqual({"write", "writev", "pwrite", "pwritev", "io_submit", "io_getevents", "ftruncate",
                              "fallocate", "posix_fallocate", "link", "rename", "mkdir", "unlinkat", "sync", "fdatasync",
                              "fsync"}, seen)
        self.assertEqual(len(self.read("a")), 6000)

    def test_takes_files_from_elsewhere_for_none_of_its_own(self):
        outside = os.path.join(self.temporary.name, "outside")
        recording = self.record(f"create 1 {outside}", "append 1 x*10", "sync 1", "close 1", "create 2 a", "append 2 y*3")
        self.assertEqual([event["kind"] for event in recording.events], ["open", "write"])
        self.assertEqual(recording.data, b"yyy")

    def test_finds_names_through_links_and_relative_folders(self):
        link = os.path.join(self.temporary.name, "link")
        os.symlink(self.folder, link)
        recording = self.record(f"create 1 {link}/a", "mkdir d", f"rename {link}/d/../a d//b")
        self.assertEqual([event["path"] for event in recording.events], ["a", "d", "a"])
        self.assertEqual(recording.events[2]["to"], "d/b")

    def test_says_nothing_of_calls_that_fail(self):
        said = self.run_sample("open 1 absent", "rename absent b", "mkdir d", "mkdir d", "unlink absent")
        self.assertEqual(said, ["open 2", "rename 2", "mkdir 17", "unlink 2"])
        self.assertEqual([event["kind"] for event in rebuild.Recording(self.log).events], ["mkdir"])

    def test_kills_right_after_a_call_or_instead_of_it(self):
        commands = ["create 1 a", "append 1 x*1", "append 1 y*1", "append 1 z*1"]
        for at, expected in (("1", b""), ("3", b"xy"), ("3:after", b"xy"), ("3:before", b"x"), ("2:before", b"")):
            with self.subTest(at=at):
                self.start_over()
                self.run_sample(*commands, RECORD_KILL_AT=at)
                self.assertEqual(self.result.returncode, KILLED)
                self.assertEqual(self.read("a"), expected)
                recording = rebuild.Recording(self.log)
                self.assertEqual(len(recording), int(at[0]) - at.endswith("before"))
                self.assertEqual(recording.differences(self.folder), [])

    def test_kills_without_a_log(self):
        self.run_sample("create 1 a", "append 1 x*1", "append 1 y*1", RECORD_KILL_AT=2, RECORD_LOG="")
        self.assertEqual((self.result.returncode, self.read("a")), (KILLED, b"x"))
        self.assertFalse(os.path.exists(self.log))

    def test_lets_a_program_end_that_makes_fewer_calls(self):
        self.record("create 1 a", RECORD_KILL_AT=100)

    def test_fails_one_sync(self):
        said = self.run_sample("create 1 a", "sync 1", "append 1 x*1", "datasync 1", "sync 1", RECORD_FAIL_SYNC_AT=2)
        self.assertEqual(said, [f"datasync {EIO}"])
        kinds = [event["kind"] for event in rebuild.Recording(self.log).events]
        self.assertEqual(kinds, ["open", "sync", "write", "sync_failed", "sync"])

    def test_has_no_space_from_a_write_on(self):
        said = self.run_sample("create 1 a", "append 1 x*1", "write 1 9 y*1", "writev 1 z*2", "async 1 0 z*1", "reserve 1 9",
                               "reserve_posix 1 9", "resize 1 1", "sync 1", RECORD_NO_SPACE_AT=2)
        names = ["write", "writev", "async", "reserve", "reserve_posix"]
        self.assertEqual(said, [f"{name} {ENOSPC}" for name in names])
        self.assertEqual(self.read("a"), b"x")

    def test_refuses_what_is_no_number(self):
        self.run_sample("create 1 a", RECORD_KILL_AT="soon")
        self.assertNotEqual(self.result.returncode, 0)
        self.assertIn("RECORD_KILL_AT=soon", self.result.stderr)

    def test_does_not_go_on_with_a_log_that_is_there(self):
        self.record("create 1 a")
        self.run_sample("create 1 a")
        self.assertIn("cannot make the log", self.result.stderr)
        self.assertNotEqual(self.result.returncode, 0)

    def test_is_begun_by_threads_that_call_it_at_once(self):
        # The longer the path, the longer the others wait for the first to find the folder.
        name = os.path.basename(self.folder)
        roundabout = self.folder + f"/../{name}" * ((4000 - len(self.folder)) // (len(name) + 4))
        for _ in range(20):
            said = self.run_sample("at_once 2", RECORD_FOLDER=roundabout)
            self.assertEqual((self.result.returncode, said, self.result.stderr), (0, [], ""))

    def test_ignores_a_child_that_reads(self):
        recording = self.record("create 1 a", "append 1 x*1", "read_in_child a", "append 1 y*1")
        self.assertEqual([event["kind"] for event in recording.events], ["open", "write", "write"])
        self.assertEqual(recording.differences(self.folder), [])

    def test_kills_no_child_in_place_of_the_program(self):
        self.run_sample("create 1 a", "append 1 x*1", "read_in_child a", "append 1 y*1", "append 1 z*1", RECORD_KILL_AT=3)
        self.assertEqual((self.result.returncode, self.read("a")), (KILLED, b"xy"))

    def test_ends_a_child_that_changes_the_folder(self):
        self.run_sample("create 1 a", "in_child d")
        self.assertIn("child process", self.result.stderr)


class TheRebuilder(Case):
    def test_finds_what_the_recorder_could_not_see(self):
        recording = self.record("create 1 a", "unseen b x*100")
        self.assertEqual(recording.differences(self.folder), ["b"])

    def test_refuses_mappings_that_are_written(self):
        recording = self.record("create 1 a", "resize 1 4096", "map 1")
        with self.assertRaises(rebuild.Unsupported):
            recording.state(3, 0)

    def test_loses_what_was_not_synced_and_keeps_what_was(self):
        recording = self.record("folder 9 .", "create 1 a", "append 1 x*4", "sync 1", "sync 9", "append 1 y*4")
        self.assertEqual(recording.state(6, 0), {"a": b"xxxx"})
        self.assertEqual(recording.state(6, 1), {"a": b"xxxxyyyy"})
        found = {bytes(state["a"]) for state in self.states(recording)}
        self.assertEqual(found, {b"xxxx", b"xxxxyyyy", b"xxxx\0\0\0\0"})

    def test_a_name_is_not_durable_by_a_sync_of_its_file(self):
        recording = self.record("create 1 a", "append 1 x*4", "sync 1")
        self.assertEqual({tuple(state) for state in self.states(recording)}, {(), ("a",)})
        self.assertTrue(all(state.get("a", b"xxxx") == b"xxxx" for state in self.states(recording)))

    def test_a_renamed_file_without_a_sync_may_be_empty_under_its_new_name(self):
        recording = self.record("folder 9 .", "create 1 a", "sync 9", "append 1 x*4", "rename a b", "sync 9")
        self.assertEqual(recording.state(len(recording), 0), {"b": b""})

    def test_names_of_a_folder_change_in_order(self):
        recording = self.record("create 1 a", "create 2 b", "create 3 c", "unlink a")
        found = {tuple(sorted(state)) for state in self.states(recording)}
        self.assertEqual(found, {(), ("a",), ("a", "b"), ("a", "b", "c"), ("b", "c")})

    def test_folders_change_independently(self):
        recording = self.record("folder 9 .", "mkdir d", "mkdir e", "sync 9", "create 1 d/a", "create 2 e/b")
        found = {tuple(sorted(state)) for state in self.states(recording)}
        self.assertEqual(found, {("d", "e"), ("d", "d/a", "e"), ("d", "e", "e/b"), ("d", "d/a", "e", "e/b")})

    def test_a_rename_between_folders_never_loses_both_names(self):
        prepare = ["folder 9 .", "mkdir d", "folder 8 d", "create 1 d/a", "append 1 x*1", "sync 1", "sync 8", "sync 9"]
        recording = self.record(*prepare, "rename d/a b")
        found = {tuple(sorted(state)) for state in self.states(recording)}
        self.assertEqual(found, {("d", "d/a"), ("b", "d", "d/a"), ("b", "d")})
        self.start_over()
        recording = self.record(*prepare, "rename d/a b", "sync 8")
        self.assertEqual({tuple(sorted(state)) for state in self.states(recording)}, {("b", "d")})

    def test_writes_tear_at_sectors(self):
        recording = self.record("folder 9 .", "create 1 a", "append 1 x*2048", "sync 1", "sync 9", "write 1 256 y*1024")
        found = {bytes(state["a"]) for state in self.states(recording, count=600)}
        sectors = [(256, 512), (512, 1024), (1024, 1280)]
        expected = set()
        for chosen in range(8):
            content = bytearray(b"x" * 2048)
            for index, (begin, end) in enumerate(sectors):
                if chosen >> index & 1:
                    content[begin:end] = b"y" * (end - begin)
            expected.add(bytes(content))
        self.assertEqual(found, expected)

    def test_any_subset_of_later_writes_happened(self):
        recording = self.record("folder 9 .", "create 1 a", "append 1 .*3", "sync 1", "sync 9", "write 1 0 a*1", "write 1 1 b*1",
                                "write 1 2 c*1")
        found = {bytes(state["a"]) for state in self.states(recording, count=600)}
        self.assertEqual(found, {(a + b + c).encode() for a in ".a" for b in ".b" for c in ".c"})

    def test_sizes_change_in_order_and_writes_after_a_shrinking_need_it(self):
        recording = self.record("folder 9 .", "create 1 a", "append 1 x*8", "sync 1", "sync 9", "resize 1 2", "write 1 0 y*2",
                                "resize 1 4")
        found = {bytes(state["a"]) for state in self.states(recording)}
        self.assertEqual(found, {b"x" * 8, b"xx", b"yy", b"xx\0\0", b"yy\0\0"})

    def test_a_failed_sync_makes_nothing_durable_nor_does_a_later_one(self):
        self.run_sample("folder 9 .", "create 1 a", "sync 9", "append 1 x*4", "sync 1", "write 1 0 y*2", "sync 1",
                        RECORD_FAIL_SYNC_AT=2)
        recording = rebuild.Recording(self.log)
        self.assertEqual(recording.state(len(recording), 0), {"a": b"yy"})
        self.assertEqual(recording.state(len(recording), 1), {"a": b"yyxx"})

    def test_writes_of_a_synced_descriptor_are_durable_at_once(self):
        recording = self.record("folder 9 .", "create_synced 1 a", "sync 9", "append 1 x*4")
        self.assertEqual(recording.state(len(recording), 0), {"a": b"xxxx"})

    def test_an_asynchronous_write_is_synced_only_once_its_end_was_seen(self):
        recording = self.record("folder 9 .", "create 1 a", "sync 9", "async 1 0 x*4", "sync 1")
        self.assertEqual(recording.state(len(recording), 0), {"a": b"xxxx"})
        self.start_over()
        recording = self.record("folder 9 .", "create 1 a", "sync 9", "submit 1 0 x*4", "sync 1")
        self.assertEqual(recording.state(len(recording), 0), {"a": b""})

    def test_goes_on_from_what_was_there_before(self):
        before = os.path.join(self.temporary.name, "before")
        rebuild.write_tree({"d": None, "d/a": b"xx"}, before)
        rebuild.write_tree({"d": None, "d/a": b"xx"}, self.folder)
        self.record("open 1 d/a", "write 1 1 y*1")
        recording = rebuild.Recording(self.log, before)
        self.assertEqual(recording.differences(self.folder), [])
        self.assertEqual(recording.state(2, 0), {"d": None, "d/a": b"xx"})
        with self.assertRaises(rebuild.Unsupported):
            rebuild.Recording(self.log).state(2, 0)

    def test_the_same_state_comes_from_the_same_numbers(self):
        recording = self.record("create 1 a", "append 1 x*5000", "create 2 b", "append 2 y*5000")
        first = [recording.state(at, seed) for at in range(5) for seed in range(10)]
        again = rebuild.Recording(self.log)
        self.assertEqual(first, [again.state(at, seed) for at in range(5) for seed in range(10)])

    def test_cuts_cover_every_call(self):
        recording = self.record("create 1 a", "append 1 x*1", "close 1")
        self.assertEqual(len(recording.cuts(22)), 22)
        self.assertEqual({at for at, _ in recording.cuts(4)}, {0, 1, 2, 3})
        self.assertEqual(recording.cuts(22), recording.cuts(22))

    def test_thousands_of_states_of_a_small_run_take_seconds(self):
        commands = ["folder 9 .", "create 1 a", "reserve 1 100000"]
        for index in range(60):
            commands += [f"write 1 {index * 1500} x*1500"] + (["sync 1"] if index % 5 == 4 else [])
        recording = self.record(*commands)
        begin = time.monotonic()
        for at, seed in recording.cuts(3000):
            rebuild.write_tree(recording.state(at, seed), self.target)
        self.assertLess(time.monotonic() - begin, 60)


class TheCommand(Case):
    def run_command(self, *arguments):
        return subprocess.run([sys.executable, rebuild.__file__, *arguments], capture_output=True, text=True, timeout=120)

    def test_verify_tells_a_whole_record_from_one_with_gaps(self):
        self.record("create 1 a", "append 1 x*3")
        self.assertEqual(self.run_command("verify", self.log, self.folder).returncode, 0)
        with open(os.path.join(self.folder, "a"), "ab") as file:
            file.write(b"y")
        result = self.run_command("verify", self.log, self.folder)
        self.assertEqual((result.returncode, result.stdout), (1, "a: the log does not lead to what is there\n"))

    def test_state_writes_one_state(self):
        self.record("create 1 a", "append 1 x*3", "append 1 y*3")
        rebuild.write_tree({"old": None, "old/b": b"1"}, self.target)
        self.assertEqual(self.run_command("state", self.log, self.target, "--at", "2", "--seed", "1").returncode, 0)
        self.assertEqual(os.listdir(self.target), ["a"])
        with open(os.path.join(self.target, "a"), "rb") as file:
            self.assertEqual(file.read(), b"xxx")

    def test_a_log_that_cannot_be_rebuilt_is_an_error_of_its_own(self):
        self.record("create 1 a", "resize 1 4096", "map 1")
        result = self.run_command("verify", self.log, self.folder)
        self.assertEqual(result.returncode, 2)
        self.assertIn("mmap", result.stderr)

    def test_explore_counts_a_command_that_hangs_as_failed(self):
        self.record("create 1 a")
        result = self.run_command("explore", self.log, self.target, "--states", "1", "--seconds", "0.2", "--", "sleep", "60")
        self.assertEqual(result.returncode, 1)
        self.assertIn("nothing within 0.2 s", result.stdout)

    def test_explore_finds_the_state_that_breaks_a_promise(self):
        # The name "new" promises six bytes: with a sync before the rename it holds, without one it does not.
        check = ["sh", "-c", '[ ! -e "{}/new" ] || [ "$(wc -c < "{}/new")" -eq 6 ]']
        for sync, expected in ((["sync 1"], 0), ([], 1)):
            with self.subTest(sync=sync):
                self.start_over()
                self.record("create 1 a", "append 1 x*3", "append 1 y*3", *sync, "rename a new")
                result = self.run_command("explore", self.log, self.target, "--states", "60", "--", *check)
                self.assertEqual(result.returncode, expected, result.stdout)
                self.assertIn("60 states", result.stdout)


if __name__ == "__main__":
    recorder, sample = sys.argv[1:3]
    unittest.main(argv=sys.argv[:1])
