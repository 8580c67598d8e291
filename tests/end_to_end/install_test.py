"""What is installed works where it lies: program, man page, completion, jobs, Python; the Debian package holds it."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import terrace_runs
from terrace_runs import DONE, WRONG, JobTest, main, skip


class InstallTest(JobTest):
    def call(self, *command, **options):
        ended = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, **options)
        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stdout}\n{ended.stderr}")
        return ended.stdout

    def check_installed(self, prefix):
        """A tree of bin and share."""
        program = prefix / "bin" / "terrace"
        self.assertIn("\nCPU ", self.call(program, "--version"))
        man = (prefix / "share/man/man1/terrace.1").read_text()
        for command in self.commands():
            self.assertIn("terrace " + command, man)
        pages = prefix / "share/doc/terrace"
        self.assertEqual({path.name for path in (pages / "configs").iterdir()},
                         {path.name for path in (terrace_runs.root / "configs").iterdir()})
        for page in ("README.md", "CHANGELOG.md", "reference.md", "configs/README.md"):
            text = (pages / page).read_text()
            self.assertTrue(text.startswith("# "))
            for link in re.findall(r"\]\(([^)#\s]+)", text):
                if not link.startswith("http"):
                    self.assertTrue(((pages / page).parent / link).exists(), f"{page}: {link}")
        self.assertIn("](configs/README.md)", (pages / "README.md").read_text())
        for shell, file in (("bash", "bash-completion/completions/terrace"), ("zsh", "zsh/site-functions/_terrace"),
                            ("zsh", "zsh/vendor-completions/_terrace"),
                            ("fish", "fish/vendor_completions.d/terrace.fish")):
            self.assertEqual((prefix / "share" / file).read_text(), self.call(program, "completion", shell))
        self.assertTrue((prefix / "share/terrace/job.schema.json").read_text().startswith("{"))
        shutil.copytree(pages / "configs", self.folder / "jobs", dirs_exist_ok=True)
        output = self.folder / "sums.h5"
        output.unlink(missing_ok=True)
        said = self.call(program, "run", "jobs/summed_area.yaml", "--set", f"output={output}", cwd=self.folder)
        self.assertEqual(said.strip(), str(output))
        python = {**os.environ, "PYTHONPATH": str(prefix / "lib/python3/dist-packages")}
        said = self.call(sys.executable, "-B", "-c", "import terrace; print(terrace.program())", env=python)
        self.assertEqual(said.strip(), str(program))

    def commands(self):
        said = self.terrace("--help").stdout
        return re.findall(r"^  (\w+) ", said[said.index("Subcommands:"):], re.MULTILINE)


class Installed(InstallTest):
    def test_by_cmake_works_in_any_prefix(self):
        prefix = self.folder / "prefix"
        self.call("cmake", "--install", build, "--prefix", prefix)
        self.check_installed(prefix)

    def test_has_what_the_targets_of_the_demo_make(self):
        if not shutil.which("ninja"):
            skip("there is no ninja (Debian: ninja-build)")
        demo = (terrace_runs.root / "scripts" / "demo").read_text()
        targets = re.search(r"^cmake --build --preset release --target ([\w ]+)", demo, re.MULTILINE)[1].split()
        commands = self.call("ninja", "-C", build, "-t", "commands", *targets)
        scripts = "".join((build / folder / "cmake_install.cmake").read_text() for folder in (".", "pipeline/app"))
        files = set(re.findall(rf'"({re.escape(str(build))}/share/[^"]+)"', scripts))
        self.assertGreater(len(files), 5)
        self.assertEqual({file for file in files if file not in commands}, set())

    def test_by_a_debian_package_works(self):
        for tool in ("cpack", "dpkg-deb", "dpkg-shlibdeps"):
            if not shutil.which(tool):
                skip(f"there is no {tool} (Debian: cmake, dpkg-dev)")
        self.call("cpack", "-G", "DEB", "--config", build / "CPackConfig.cmake", "-B", self.folder, cwd=self.folder)
        [package] = self.folder.glob("terrace_*.deb")
        self.assertEqual(self.call("dpkg-deb", "--field", package, "Maintainer").strip(), "The Terrace authors")
        needed = self.call("dpkg-deb", "--field", package, "Depends")
        for library in ("libhdf5", "libyaml-cpp", "libopenblas0-pthread"):
            self.assertIn(library, needed)
        self.call("dpkg-deb", "--extract", package, self.folder / "root")
        self.check_installed(self.folder / "root" / "usr")


class Documents(InstallTest):
    def test_the_man_page_names_every_option_and_has_no_errors(self):
        man = self.terrace("man").stdout
        for command in self.commands():
            for option in re.findall(r"(--[a-z-]+)", self.terrace(command, "--help").stdout):
                with self.subTest(command=command, option=option):
                    self.assertIn(option.replace("-", "\\-"), man)
        if shutil.which("groff"):
            page = self.write("terrace.1", man)
            ended = subprocess.run(["groff", "-man", "-Tutf8", "-ww", page], capture_output=True, text=True)
            self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_version_names_the_back_ends(self):
        said = self.terrace("--version", expect=DONE).stdout
        self.assertRegex(said, r"^terrace \d+\.\d+\.\d+\nbuild \S+.*\nCPU (sse2|avx2|avx512)\nCUDA (none|toolkit)")


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(3)).absolute()
    main()
