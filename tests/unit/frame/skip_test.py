"""usage: skip_test.py ROOT: a test that says that it cannot run here counts as skipped, and a failed one never does."""
import os
import subprocess
import sys
import unittest


class Skips(unittest.TestCase):
    def run_test(self, script):
        runner = os.path.join(root_of_tree, "tests", "support", "run_test.py")
        result = subprocess.run([sys.executable, runner, "sh", "-c", script], capture_output=True, text=True, timeout=60)
        return result.returncode, result.stdout

    def test_are_told_by_a_line_of_a_test_that_succeeds(self):
        self.assertEqual(self.run_test("echo first; echo SKIPPED: no GPU"), (77, "first\nSKIPPED: no GPU\n"))
        self.assertEqual(self.run_test("echo SKIPPED: no GPU >&2"), (77, "SKIPPED: no GPU\n"))

    def test_are_none_in_a_test_that_says_nothing_of_it(self):
        self.assertEqual(self.run_test("echo none was SKIPPED: all ran"), (0, "none was SKIPPED: all ran\n"))

    def test_hide_no_failure(self):
        self.assertEqual(self.run_test("echo SKIPPED: no GPU; exit 3")[0], 3)
        self.assertEqual(self.run_test("echo SKIPPED: no GPU; kill -SEGV $$"), (1, "SKIPPED: no GPU\nended by signal 11\n"))


if __name__ == "__main__":
    root_of_tree = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
