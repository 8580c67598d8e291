"""usage: typed_test.py PROGRAM ROOT BUILD: people can type what the pages tell them to type.

Commands of the program run as they stand, in the order of the page, over small genomes. Of benchmarks, scripts and test
programs the name and the arguments are compared with what there is: running them takes long, or a GPU.
"""
import glob
import json
import os
import pathlib
import random
import re
import shlex
import shutil
import subprocess
import sys

import readme_test
import terrace_runs
from terrace_runs import JobTest, main

FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
INDENTED = re.compile(r"^    (.*)$", re.MULTILINE)
SPAN = re.compile(r"`([^`]+)`")
PLACEHOLDER = re.compile(r"^[A-Z][A-Z_]*$")
# Words that open a command.
OPENS = re.compile(r"(?:\$ )?(?:[A-Z_]+=\S+ )*((?:\./)?(?:build/release/)?terrace|build/release/tests/\S*\w|"
                   r"(?:\./)?scripts/[\w-]+|cmake|ctest|cpack|(?:/usr/bin/)?python3|compute-sanitizer|"
                   r"benchmark_\w+|\w+\.py)(?= |$)")
# Names that a page mentions and does not ask to type.
NAMED_ALONE = re.compile(r"(?:build/release/)?terrace|cmake|ctest|compute-sanitizer|\w+\.py")


def pages():
    return [terrace_runs.root / name for name in
            ("README.md", *sorted(glob.glob("*/README.md", root_dir=terrace_runs.root)),
             *sorted(glob.glob("configs/[!R]*.md", root_dir=terrace_runs.root)),
             *sorted(glob.glob("tests/*/*.md", root_dir=terrace_runs.root)))]


def commands_of(text):
    """The commands that a page shows, in its order: lines of blocks, spans of code with arguments."""
    text = FENCED.sub("", text)
    found = [(match.start(), match[1]) for match in INDENTED.finditer(text)]
    found += [(match.start(), " ".join(match[1].split())) for match in SPAN.finditer(INDENTED.sub(blank, text))]
    for _, line in sorted(found):
        opened = OPENS.match(line)
        if opened and not (opened[1] == line and NAMED_ALONE.match(line)):
            yield from (part.strip().removeprefix("$ ") for part in line.split("  #")[0].split("&&"))


def blank(match):
    return " " * len(match[0])


def words_of(command):
    """The words of a command without settings of its environment."""
    words = shlex.split(command)
    while words and re.match(r"^[A-Z_]+=", words[0]):
        words.pop(0)
    return words


def usage_of(source):
    """The comment or the text that opens a source."""
    text = (terrace_runs.root / source).read_text()
    return text.split('"""')[1] if source.endswith(".py") else "".join(re.findall(r"^//.*\n", text, re.MULTILINE)[:12])


class Typed(JobTest):
    maxDiff = None

    def setUp(self):
        super().setUp()
        shutil.copytree(terrace_runs.root / "configs", self.folder / "configs")
        for folder in ("build/release", "build/data/mitochondria", "programs"):
            (self.folder / folder).mkdir(parents=True)
        for name, job in readme_test.jobs():
            self.write(name, job)
        for link in ("build/release/terrace", "programs/terrace"):
            (self.folder / link).symlink_to(terrace_runs.program)
        for name in ("humanMito.fa", "mouseMito.fa"):
            letters = "".join(random.Random(name).choices("ACGT", k=600))
            for folder in ("build/data/mitochondria", "."):
                (self.folder / folder / name).write_text(f">{name}\n{letters}\n")

    def check(self, command):
        words = words_of(command)
        name = pathlib.Path(words[0]).name
        if name in ("python3", "compute-sanitizer"):
            words = words[1:] if name == "python3" else words[3:]
            name = pathlib.Path(words[0]).name
        kind = name if name in ("terrace", "cmake", "ctest", "cpack") else \
            "benchmark" if name.startswith("benchmark_") else \
            "script" if name.endswith(".py") else "program"
        getattr(self, "check_" + kind)(words, command)

    def check_terrace(self, words, command):
        help_text = self.terrace(words[1], "--help").stdout
        for word in words[2:]:
            if word.startswith("-"):
                self.assertRegex(help_text, r"(^|[\s,])" + re.escape(word.split("=")[0]) + r"\b")
        whole = len(words) > 2 or words[1] in ("job", "reference", "schema", "inputs", "problems", "operators")
        if whole and not any(PLACEHOLDER.match(word) or word == "job.yaml" for word in words) and words[-1][0] != "-":
            self.run_here(command)

    def run_here(self, command):
        path = f"{self.folder / 'programs'}:{os.environ['PATH']}"
        ended = subprocess.run(["bash", "-c", command], cwd=self.folder, env={**os.environ, "PATH": path},
                               capture_output=True, text=True, timeout=300)
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)

    def check_benchmark(self, words, command):
        """A benchmark that is built, with no more arguments than its usage has, and none but those words."""
        name = words[0]
        program = build / "tests" / "benchmarks" / name
        with open(build / "CMakeCache.txt") as file:
            cuda = "CMAKE_CUDA_COMPILER:" in file.read()
        if cuda or not re.search("cuda|stencil_tables|wavefront_schedules", name):
            self.assertTrue(os.access(program, os.X_OK), f"{program} is not built")
        source = f"tests/benchmarks/{name.removeprefix('benchmark_')}.cpp"
        if not (terrace_runs.root / source).exists():
            source = source.removesuffix("cpp") + "cu"
        self.assertArguments(usage_of(source), name, words[1:])

    def assertArguments(self, usage, name, arguments):
        lines = re.findall(rf"{name}\b([^\n:]*)", usage)
        self.assertTrue(lines, f"the first lines of {name} do not say how it is used")
        self.assertTrue(any(self.accepts(line.split("     ")[0], arguments, usage) for line in lines),
                        f"{name} takes {lines}, not {arguments}")

    def accepts(self, line, arguments, usage):
        allowed = re.findall(r"[\w.|,-]+", line)
        many = "..." in line
        for argument in arguments:
            if re.match(r"^(-?[\d.]+|\d+,.*)$", argument) or PLACEHOLDER.match(argument):
                continue
            if not re.search(rf"(?<![\w-]){re.escape(argument)}(?![\w])", usage) and not self.is_named(argument):
                return False
        return many or len(arguments) <= len(allowed)

    def is_named(self, argument):
        """Names of types and of operators, which the program knows."""
        return argument in ("f32", "f64", "i16", "i32", "i64", "u8") or argument in self.operators()

    def operators(self):
        said = json.loads(self.terrace("operators", "--json").stdout)
        return {problem["name"] for stage in said["stages"] for problem in stage.get("problems", [])}

    def check_script(self, words, command):
        name = pathlib.Path(words[0]).name
        found = [path for path in (terrace_runs.root / "tests").rglob(name)]
        self.assertEqual(len(found), 1 if "/" not in words[0] else len(found), f"{name}: {found}")
        path = terrace_runs.root / words[0] if "/" in words[0] else found[0]
        text = path.read_text()
        if "-k" in words:
            self.assertRegex(text, rf"def test_\w*{words[words.index('-k') + 1]}")
        elif len(words) > 1:
            for module in re.findall(r"^from (\w+) import", text, re.MULTILINE):
                beside = path.with_name(module + ".py")
                text += beside.read_text() if beside.exists() else ""
            for option in (word for word in words[1:] if word.startswith("--")):
                self.assertIn(f'"{option}"', text)
            self.assertRegex(text, r"sys\.argv|add_argument")

    def check_program(self, words, command):
        """A script, or a program of the build."""
        name = words[0].removeprefix("./")
        if name.startswith("NAME"):
            return
        if name.startswith("build/release/"):
            path = build / name.removeprefix("build/release/")
            if path.is_dir():
                return
            listed = subprocess.run([path, "--list-test-names-only", *words[1:]], capture_output=True, text=True)
            self.assertTrue(listed.stdout.strip(), f"{command} runs no test")
        else:
            self.assertTrue(os.access(terrace_runs.root / name, os.X_OK), f"no script {name}")

    def check_ctest(self, words, command):
        if "-R" in words:
            listed = subprocess.run(["ctest", "--test-dir", build, "-N", "-R", words[words.index("-R") + 1]],
                                    capture_output=True, text=True).stdout
            self.assertNotIn("Total Tests: 0", listed)
        self.assertPreset(words, "test")

    def check_cmake(self, words, command):
        self.assertPreset(words, "build" if "--build" in words else "configure")
        cache = (build / "CMakeCache.txt").read_text()
        for option in re.findall(r"-[DU](TERRACE_\w+)", command):
            self.assertIn(f"\n{option}:", cache)
        if "--target" in words:
            target = words[words.index("--target") + 1]
            asked = subprocess.run(["cmake", "--build", build, "--target", "help"], capture_output=True, text=True)
            self.assertRegex(asked.stdout, rf"(?m)\b{target}\b")

    def check_cpack(self, words, command):
        self.assertTrue((build / "CPackConfig.cmake").exists())

    def assertPreset(self, words, kind):
        if "--preset" in words:
            presets = json.loads((terrace_runs.root / "CMakePresets.json").read_text())[kind + "Presets"]
            self.assertIn(words[words.index("--preset") + 1], [preset["name"] for preset in presets])

    def test_works_as_the_pages_show_it(self):
        (self.folder / "two_genomes.yaml").write_text(
            re.findall(r"```yaml\n(.*?)```", (terrace_runs.root / "configs" / "README.md").read_text(), re.DOTALL)[0])
        self.terrace("run", "two_genomes.yaml")
        checked = 0
        for page in pages():
            for command in commands_of(page.read_text()):
                with self.subTest(page=str(page.relative_to(terrace_runs.root)), command=command):
                    self.check(command)
                checked += 1
        self.assertGreater(checked, 60)

    def test_is_found_wrong_where_it_is(self):
        commands = list(commands_of(
            "`benchmark_none 3` `benchmark_recursive_cpu 4 5` `benchmark_stencil_cpu 2 turn` `terrace show --every`\n"
            "`ctest -R no_such_test` `cmake --preset fast` `scripts/none` `paper_paths.py TERRACE --power 10`\n\n"
            "    build/release/tests/unit/run/run_window_test \"No such case\"\n    $ terrace runs x.yaml  # none\n"))
        self.assertEqual(len(commands), 10)
        for command in commands:
            with self.subTest(command=command), self.assertRaises((AssertionError, FileNotFoundError)):
                self.check(command)

    def test_names_settings_that_sources_read(self):
        sources = "".join(path.read_text() for suffix in ("cpp", "hpp", "cuh", "py", "cmake", "txt")
                          for path in terrace_runs.root.glob(f"[!.b]*/**/*.{suffix}"))
        for page in pages():
            for name in set(re.findall(r"\bTERRACE_[A-Z_]+\b", page.read_text())):
                self.assertIn(name, sources, page)


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(3)).absolute()
    main()
