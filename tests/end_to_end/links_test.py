"""What other users put where a run works: links lead nowhere, nobody else's file is written to or removed."""
import json
import os
import signal
import stat
import time

from terrace_runs import DONE, FAILED, WRONG, affine, main, random_letters, skip
from runs_test import LONG, Runs

FILES = ("lock", "progress", "plan.json", "plan.json.new", "fresh.json", "fresh.json.new", "result.h5", "ledger",
         "metadata.copy", "metadata.copy.new")
OTHER = 12345  # a user who is not there


class Planted(Runs):
    """The run's folder is made by somebody before the run."""

    def setUp(self):
        super().setUp()
        self.job = self.lengths(400)
        self.run_folder = self.folder / "result.h5.run"
        self.victim = self.write("victim", "precious")

    def assertRefused(self, *says):
        before = self.listing()
        for arguments in ([], ["--fresh"], ["--fresh=all"]):
            ended = self.terrace("run", self.job, *arguments, expect=WRONG)
            self.assertSays(ended, "job.yaml:", *says)
            self.assertEqual(self.listing(), before)

    def listing(self):
        """Names, kinds, owners, times and bytes of all that is in the test's folder."""
        found = {}
        for path in self.folder.rglob("*"):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else None
            found[path] = (status.st_mode, status.st_uid, status.st_mtime_ns, content)
        return found

    def test_links_in_it_are_refused_and_what_they_lead_to_is_not_touched(self):
        self.run_folder.mkdir(mode=0o700)
        for name in FILES:
            for target in ("victim", "nothing", "."):
                with self.subTest(name=name, target=target):
                    os.symlink(self.folder / target, self.run_folder / name)
                    self.assertRefused("result.h5.run/" + name, "is a link", "another output")
                    os.remove(self.run_folder / name)
        self.terrace("run", self.job)

    def test_second_names_of_other_files_are_refused(self):
        self.run_folder.mkdir(mode=0o700)
        os.link(self.victim, self.run_folder / "lock")
        self.assertRefused("result.h5.run/lock", "has a second name")

    def test_pipes_in_it_are_refused_and_nothing_waits_for_them(self):
        self.run_folder.mkdir(mode=0o700)
        for name in FILES:
            os.mkfifo(self.run_folder / name)
            self.assertRefused("result.h5.run/" + name, "is no regular file")
            os.remove(self.run_folder / name)

    def test_a_link_in_its_place_is_refused(self):
        (self.folder / "elsewhere").mkdir(mode=0o700)
        os.symlink("elsewhere", self.run_folder)
        self.assertRefused("result.h5.run", "is no folder")

    def test_one_that_others_may_write_to_is_refused_until_the_named_command_has_mended_it(self):
        self.run_folder.mkdir()
        for mode in (0o770, 0o707, 0o777, 0o1777):
            self.run_folder.chmod(mode)
            self.assertRefused("result.h5.run", f"chmod go-w '{self.run_folder}'")
        os.system(f"chmod go-w '{self.run_folder}'")
        self.terrace("run", self.job)

    def test_one_of_another_user_is_refused_until_the_named_command_has_mended_it(self):
        self.run_folder.mkdir(mode=0o700)
        try:
            os.chown(self.run_folder, OTHER, OTHER)
        except PermissionError:
            skip("only root may give folders away")
        self.assertRefused("result.h5.run", f"belongs to user {OTHER}", f"chown -R {os.geteuid()} '{self.run_folder}'")
        os.system(f"chown -R {os.geteuid()} '{self.run_folder}'")
        self.write("result.h5.run/plan.json", "{}")
        os.chown(self.run_folder / "plan.json", OTHER, OTHER)
        self.assertRefused("result.h5.run/plan.json", f"belongs to user {OTHER}")
        os.remove(self.run_folder / "plan.json")
        self.terrace("run", self.job)

    def test_logs_are_not_written_through_links(self):
        for target in ("victim", "empty", "nothing"):
            self.write("empty", "")
            os.symlink(self.folder / target, self.folder / "run.log")
            before = self.listing()
            ended = self.terrace("--log", "run.log", "check", self.job, expect=WRONG)
            self.assertSays(ended, "--log run.log is a link", target)
            self.assertEqual(self.listing(), before)
            os.remove(self.folder / "run.log")


class Stopped(Runs):
    """A run that was stopped, with its scratch files in a folder that others share."""

    def setUp(self):
        super().setUp()
        os.umask(0o022)
        self.scratch = self.folder / "scratch"
        self.scratch.mkdir()
        self.job = self.write_job({"a": random_letters(LONG, 7), "b": random_letters(LONG // 2, 8)},
                                  [affine("align", "a", "b", keep="alignment")], backend="cpu",
                                  memory={"host": 16 << 20, "device": 4 << 20}, scratch={"path": "scratch"})

    def stop(self):
        run = self.start(self.job)
        while run.poll() is None and not os.listdir(self.scratch):
            time.sleep(0.002)
        run.send_signal(signal.SIGKILL)
        self.assertEqual(self.end(run)[0], -signal.SIGKILL)
        return self.plan()["scratch"][0]["path"]

    def plan(self):
        return json.loads((self.folder / "result.h5.run" / "plan.json").read_text())["plan"]

    def test_its_folder_is_its_users_alone_and_so_are_its_scratch_files(self):
        scratch = self.stop()
        self.assertEqual(stat.S_IMODE((self.folder / "result.h5.run").stat().st_mode), 0o700)
        self.assertEqual(stat.S_IMODE(os.stat(scratch).st_mode), 0o600)
        self.assertTrue(os.path.basename(scratch).startswith(self.plan()["run"] + "-"))
        self.terrace("run", self.job)
        self.assertEqual(os.listdir(self.scratch), [])
        self.assertEqual(stat.S_IMODE((self.folder / "result.h5").stat().st_mode), 0o644)

    def test_what_takes_the_place_of_a_scratch_file_that_is_needed_is_named(self):
        self.job = self.write("job.yaml", (self.folder / "job.yaml").read_text().replace(
            '"backend"', '"checkpoint": {"every": 1ms}, "backend"'))
        run = self.start(self.job)
        while run.poll() is None and "at the last checkpoint" not in self.terrace("show", "result.h5").stdout:
            pass
        run.kill()
        self.assertEqual(self.end(run)[0], -signal.SIGKILL)
        scratch = self.plan()["scratch"][0]["path"]
        os.rename(scratch, self.folder / "moved")
        for make, says in ((lambda: os.symlink(self.folder / "moved", scratch), "is a link, which no run makes"),
                           (lambda: os.link(self.folder / "moved", scratch), "has a second name"),
                           (lambda: os.mkfifo(scratch), "is no regular file"),
                           (lambda: self.write(scratch, "short"), "is shorter than it was"), (lambda: None, "is gone")):
            make()
            ended = self.terrace("run", self.job, expect=FAILED)
            self.assertSays(ended, scratch + ": " + says)
            self.assertEqual("shorter" in says, "shorter" in ended.stderr)
            if os.path.lexists(scratch):
                os.remove(scratch)
        os.rename(self.folder / "moved", scratch)
        self.assertSays(self.terrace("run", self.job), "going on with the run")

    def test_what_has_the_name_of_a_scratch_file_and_is_none_stays_and_is_an_error(self):
        victim = self.write("victim", "precious")
        for make in (lambda path: self.write(path, "x" * 100), lambda path: os.symlink(victim, path), os.mkfifo):
            for arguments, code in (([], FAILED), (["--fresh=all"], DONE)):
                with self.subTest(arguments=arguments):
                    scratch = self.stop()
                    os.remove(scratch)
                    make(scratch)
                    before = os.lstat(scratch)
                    ended = self.terrace("run", self.job, *arguments, expect=code)
                    if code == FAILED:
                        self.assertSays(ended, scratch)
                    after = os.lstat(scratch)
                    self.assertEqual((after.st_ino, after.st_mode, after.st_mtime_ns),
                                     (before.st_ino, before.st_mode, before.st_mtime_ns))
                    os.remove(scratch)
            os.remove(self.folder / "result.h5")
        with open(victim) as file:
            self.assertEqual(file.read(), "precious")


if __name__ == "__main__":
    main()
