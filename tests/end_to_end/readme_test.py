"""The first screen of README.md: its jobs run as they stand, and print what it shows. Its lines that install the program
are run by package_test.py."""
import os
import re
import shutil
import subprocess

import terrace_runs
from terrace_runs import JobTest, main, skip


def first_screen():
    """The lines of code before the first heading of a section."""
    text = (terrace_runs.root / "README.md").read_text().split("\n## ")[0]
    return re.findall(r"^    (.*)$", text, re.MULTILINE)


def install_lines():
    """Those that a user types in other places than the session below them, without their comments."""
    lines = first_screen()
    session = next(i for i, line in enumerate(lines) if line.startswith("$ "))
    return [re.sub(r" +#.*", "", line) for line in lines[:session]]


def session():
    """(command, lines that it prints) of the lines after a "$"."""
    steps = []
    for line in first_screen():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        elif steps:
            steps[-1][1].append(line)
    return steps


def jobs():
    """(file, text) of the jobs that the session shows."""
    shown = [(command, lines) for command, lines in session() if command.startswith("cat ")]
    return [(command.split()[1], "".join(line + "\n" for line in lines if line)) for command, lines in shown]


def without_times(line):
    """What is the same in every run: "align: 7.67 kcells in" of "align: 7.67 kcells in 46.1 ms, 1.21 Gcell/s"."""
    return re.sub(r"\b(in) [\d.]+ .?s\b.*", r"\1", line)


class FirstScreen(JobTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        shutil.copytree(terrace_runs.root / "configs", self.folder / "configs")
        (self.folder / "terrace").symlink_to(terrace_runs.program)

    def call(self, command):
        """The lines of its standard error: standard output has the name of the result alone."""
        path = f"{self.folder}:{os.environ['PATH']}"
        ended = subprocess.run(["bash", "-c", command], cwd=self.folder, env={**os.environ, "PATH": path},
                               capture_output=True, text=True, timeout=300)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        return ended.stderr.splitlines()

    def test_runs_as_it_stands(self):
        for name, job in jobs():
            self.assertLessEqual(job.count("\n"), 4)
            self.write(name, job)
        steps = session()
        commands = [command for command, _ in steps]
        self.assertEqual([command.split()[0] for command in commands],
                         ["cat", "terrace"] * 3 + ["terrace"])
        for command, lines in steps:
            with self.subTest(command=command):
                if command.startswith("cat "):
                    continue
                if command.startswith("terrace plot") and not shutil.which("gnuplot"):
                    skip("there is no gnuplot (Debian: gnuplot-nox)")
                said = self.call(command)
                self.assertEqual([without_times(line) for line in said], [without_times(line) for line in lines if line])
        picture = re.search(r"-o (\S+)", commands[-1])[1]
        self.assertIn(f"]({picture})", (terrace_runs.root / "README.md").read_text())
        self.assertGreater((self.folder / picture).stat().st_size, 10000)

    def test_has_few_lines_of_its_own(self):
        self.assertEqual(len(install_lines()), 4)
        text = (terrace_runs.root / "README.md").read_text()
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        self.assertEqual(len(rows), 7)  # six rows of speed and their head


if __name__ == "__main__":
    main()
