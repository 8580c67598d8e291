"""The archive and the wheel of scripts/package, where nothing is installed: in an empty root, and in bare Debian 12 and 13."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

import chroots
import readme_test
import terrace_runs
from terrace_runs import FAILED, JobTest, h5py, main, numpy, skip

# The main job, products of matrices by OpenBLAS, and a formula, which a C++ compiler would make faster.
JOB = """
memory: {host: 64MiB}
threads: 2
inputs:
  a: {generate: dna, length: 3000, seed: 1}
  b: {generate: dna, length: 4000, seed: 2}
  m: {generate: uniform, shape: [200, 200], seed: 3, type: f64, minimum: -1, maximum: 1}
  g: {generate: uniform, shape: [64, 64], seed: 4, type: f32, minimum: 0, maximum: 1}
stages:
  - name: align
    wavefront: {problem: smith_waterman, rows: a, columns: b, match: 1, mismatch: -1, gap: 2, keep: table}
  - name: path
    wavefront: {problem: needleman_wunsch, rows: a, columns: b, match: 1, mismatch: -1, gap: 2, keep: alignment}
  - name: product
    recursive: {problem: semiring_product, left: m, right: m}
  - name: cells
    stencil: {operator: formula, fields: {u: g}, cells: {u: "u + 0.1 * (u[-1, 0] + u[1, 0] - 2 * u)"}, steps: 3}
output: result.h5
"""
BATCH = """
sweep: {each: {seed: [1, 2]}}
inputs: {a: {generate: dna, length: 100, seed: "${seed}"}}
stages: [{name: align, wavefront: {problem: lcs, rows: a, columns: a}}]
output: "task-${seed}.h5"
"""
# A driver of GPUs that has no GPU, and says that it was opened.
DRIVER = """
#include <stdio.h>
#include <string.h>
__attribute__((constructor)) static void opened(void) { fputs("driver opened\\n", stderr); }
int cuInit(unsigned flags) { return 100; }
"""
NEWER_DRIVER = DRIVER + """
extern char *added_later(void);
char *call(void) { return added_later(); }
"""


GRAPH = """<?xml version="1.0" encoding="ENCODING"?>
<graphml><graph edgedefault="directed"><node id="Дон"/><node id="Нева"/><edge source="Дон" target="Нева"/></graph></graphml>
"""
GRAPH_JOB = """
inputs: {rivers: {graph: graph.graphml, unweighted: true}}
stages: [{name: paths, recursive: {problem: floyd_warshall, matrix: rivers}}]
output: paths.h5
"""


def build_setting(name):
    found = re.search(rf"^{name}:\w+=(.*)$", (build / "CMakeCache.txt").read_text(), re.MULTILINE)
    return found[1] if found else ""


def setUpModule():
    """Makes the packages once."""
    global archive, wheel, unpacked, expected
    for tool in ("gcc", "icupkg", "ninja", "objcopy", "strip", "xz"):
        if not shutil.which(tool):
            skip(f"there is no {tool}")
    packages = pathlib.Path(tempfile.mkdtemp(prefix="terrace_package."))
    unittest.addModuleCleanup(shutil.rmtree, packages)
    ended = subprocess.run([terrace_runs.root / "scripts/package", "--quick", build, packages], capture_output=True,
                           text=True)
    if ended.returncode != 0:
        raise AssertionError(ended.stdout + ended.stderr)
    archive, wheel = (pathlib.Path(line) for line in ended.stdout.split())
    subprocess.run(["tar", "-xf", archive, "-C", packages], check=True)
    [unpacked] = [path for path in packages.iterdir() if path.is_dir()]
    expected = packages / "expected"
    expected.mkdir()
    (expected / "job.yaml").write_text(JOB)
    subprocess.run([terrace_runs.program, "run", "job.yaml"], cwd=expected, check=True, capture_output=True)


class PackageTest(JobTest):
    maxDiff = None

    def call(self, *command, **options):
        ended = subprocess.run([*map(str, command)], capture_output=True, text=True, timeout=300, **options)
        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stdout}\n{ended.stderr}")
        return ended.stdout

    def put(self, folder):
        """The tree of the archive, below a folder."""
        folder.mkdir(parents=True, exist_ok=True)
        self.call("cp", "-a", unpacked, folder)
        return folder / unpacked.name

    def call_in(self, root, *command, code=0, **environment):
        ended = chroots.run_in(root, *command, environment=environment)
        self.assertEqual(ended.returncode, code, f"{command}\n{ended.stdout}\n{ended.stderr}")
        return ended

    def assertSameResults(self, path):
        with h5py.File(path) as made, h5py.File(expected / "result.h5") as wanted:
            for name in ("align/table", "align/score", "path/cigar", "path/score", "product/product", "cells/u"):
                numpy.testing.assert_array_equal(made[name][()], wanted[name][()], name)

    def check_runs(self, root, program):
        """The main job, a batch, whose tasks are processes of their own, and what `submit` writes."""
        work = root / "jobs"
        work.mkdir()
        (work / "job.yaml").write_text(JOB)
        (work / "batch.yaml").write_text(BATCH)
        self.assertRegex(self.call_in(root, program, "--version").stdout, r"^terrace \d")
        self.call_in(root, program, "run", "/jobs/job.yaml")
        self.assertSameResults(work / "result.h5")
        self.call_in(root, program, "verify", "/jobs/result.h5", "--sample", "1")
        self.call_in(root, program, "run", "/jobs/batch.yaml")
        self.assertTrue((work / "task-1.h5").exists() and (work / "task-2.h5").exists())
        self.assertIn(f"run=({program} run /jobs/job.yaml",
                      self.call_in(root, program, "submit", "--print", "/jobs/job.yaml").stdout)
        shutil.rmtree(work)


class Archive(PackageTest):
    def test_holds_all_that_its_programs_are_linked_with(self):
        tree = unpacked
        folder = tree / "lib/terrace"
        held = {path.name for path in folder.rglob("*")}
        self.assertTrue({"libopenblas.so.0", "libc.so.6", "libdl.so.2", "libpthread.so.0"} <= held)
        self.assertEqual(bool(build_setting("TERRACE_CUDA_LIBRARIES")),
                         any(name.startswith("libnvrtc.so") for name in held))
        for path in folder.rglob("*"):
            if path.is_file():
                needed = re.findall(r"NEEDED +(\S+)", self.call("objdump", "-p", path))
                self.assertLessEqual(set(needed), held, path)
        self.assertNotIn("INTERP", self.call("objdump", "-p", tree / "bin/terrace"))
        self.assertTrue((tree / "share/doc/terrace/libraries.txt").read_text().count("\n") > 10)

    def test_runs_in_an_empty_root_and_leaves_nothing(self):
        chroots.check_can_enter()
        root = self.folder / "root"
        chroots.make_empty(root)
        before = chroots.files_of(root)
        tree = self.put(root / "opt")
        self.check_runs(root, f"/opt/{tree.name}/bin/terrace")
        shutil.rmtree(root / "opt")
        self.assertEqual(chroots.files_of(root), before)

    def test_reads_texts_in_other_encodings(self):
        """By ICU, whose data is cut down to these: there are no converters of the C library in the empty root."""
        chroots.check_can_enter()
        root = self.folder / "root"
        chroots.make_empty(root)
        program = f"/opt/{self.put(root / 'opt').name}/bin/terrace"
        for encoding in ("windows-1251", "shift_jis", "koi8-r", "iso-8859-5"):
            (root / "tmp/graph.graphml").write_text(GRAPH.replace("ENCODING", encoding), encoding=encoding)
            (root / "tmp/job.yaml").write_text(GRAPH_JOB)
            self.call_in(root, program, "run", "/tmp/job.yaml")
            with h5py.File(root / "tmp/paths.h5") as file:
                self.assertEqual(file["paths/node"].asstr()[()].tolist(), ["Дон", "Нева"])
            (root / "tmp/paths.h5").unlink()

    def test_runs_from_any_folder_and_by_links(self):
        tree = self.put(self.folder / "a folder")
        link = self.folder / "linked"
        link.symlink_to(tree / "bin/terrace")
        # Libraries of others in the caller's path do not take the place of its own.
        others = self.folder / "others"
        others.mkdir()
        for name in ("libc.so.6", "libstdc++.so.6", "libhdf5_serial.so.103"):
            (others / name).write_text("")
        said = self.call("./linked", "--version", cwd=self.folder,
                         env={**os.environ, "LD_LIBRARY_PATH": str(others)})
        self.assertRegex(said, r"^terrace \d")
        moved = self.folder / "a:b"
        (self.folder / "a folder").rename(moved)
        ended = subprocess.run([moved / tree.name / "bin/terrace", "--version"], capture_output=True, text=True)
        self.assertEqual(ended.returncode, FAILED)
        self.assertIn("move it to another one", ended.stderr)

    def make_driver(self, root, newer=False):
        """A driver of GPUs where ldconfig finds it; a newer one needs a later C library than this machine's."""
        folder = root / "usr/lib64"
        folder.mkdir(parents=True, exist_ok=True)
        source = self.write("driver.c", NEWER_DRIVER if newer else DRIVER)
        linked = ["-Wl,--no-as-needed", "-lm", "-ldl", "-lpthread", "-lrt"]
        if newer:
            self.write("later.map", "GLIBC_2.38 { global: strlcpy; };")
            later = self.write("later.c", "char *strlcpy(void) { return 0; }")
            self.call("cc", "-w", "-shared", "-fPIC", "-nostdlib", "-Wl,-soname,libc.so.6", later, "-o",
                      self.folder / "libc.so.6", f"-Wl,--version-script={self.folder}/later.map")
            linked.insert(0, self.folder / "libc.so.6")
        self.call("cc", "-w", "-shared", "-fPIC", "-Dadded_later=strlcpy", "-Wl,-soname,libcuda.so.1", source, "-o",
                  folder / "libcuda.so.1", *linked)
        (root / "etc/ld.so.conf").write_text("/usr/lib64\n")
        self.call("ldconfig", "-r", root)

    def test_opens_the_driver_of_the_machine(self):
        chroots.check_can_enter()
        if not build_setting("TERRACE_CUDA_LIBRARIES"):
            skip("the build has no CUDA")
        root = self.folder / "root"
        chroots.make_empty(root)
        program = f"/opt/{self.put(root / 'opt').name}/bin/terrace"
        self.make_driver(root)
        self.assertIn("driver opened", self.call_in(root, program, "devices").stderr)


class Debian(PackageTest):
    RELEASES = ("bookworm", "trixie")

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        chroots.check_can_enter()
        cls.roots = pathlib.Path(tempfile.mkdtemp(prefix="terrace_roots."))
        cls.addClassCleanup(subprocess.run, ["rm", "-rf", "--one-file-system", cls.roots])
        cls.made = {release: chroots.start_debian(release, cls.roots / release, ["python3-venv", "python3-h5py"])
                    for release in cls.RELEASES}
        for process in cls.made.values():
            cls.addClassCleanup(process.wait)

    def check_archive(self, root):
        """Unpacked from outside: a bare Debian has tar, but no xz."""
        before = chroots.files_of(root)
        program = f"/opt/terrace/{self.put(root / 'opt/terrace').name}/bin/terrace"
        self.check_runs(root, program)
        shutil.rmtree(root / "opt/terrace")
        self.assertEqual(chroots.files_of(root), before)

    def check_wheel(self, root):
        shutil.copy(wheel, root / "tmp")
        self.call_in(root, "python3", "-m", "venv", "--system-site-packages", "/venv")
        before = chroots.files_of(root)
        self.call_in(root, "/venv/bin/pip", "install", "--no-index", "--no-deps", f"/tmp/{wheel.name}")
        program = self.call_in(root, "/venv/bin/python", "-c", "import terrace; print(terrace.program())").stdout.strip()
        self.check_runs(root, program)
        self.assertRegex(self.call_in(root, "/venv/bin/terrace", "--version").stdout, r"^terrace \d")
        said = self.call_in(root, "/venv/bin/python", "-c", SUMS).stdout
        self.assertEqual(said.strip(), "(30, 40) 1200.0")
        for page in ("man/man1/terrace.1", "fish/vendor_completions.d/terrace.fish", "doc/terrace/README.md"):
            self.assertTrue((root / "venv/share" / page).exists(), page)
        self.call_in(root, "/venv/bin/pip", "uninstall", "-y", "terrace")
        left = {name for name in chroots.files_of(root) - before if "__pycache__" not in name}
        self.assertEqual({name for name in left if "terrace" in name}, set())

    def check_release(self, release):
        bare, more = chroots.finish_debian(self.made[release], self.roots / release)
        self.check_archive(bare)
        self.check_wheel(more)
        return bare

    def test_12_runs_the_archive_and_the_wheel(self):
        self.check_release("bookworm")

    def test_13_runs_them_by_its_own_newer_c_library(self):
        root = self.check_release("trixie")
        if build_setting("TERRACE_CUDA_LIBRARIES"):
            program = f"/opt/{self.put(root / 'opt').name}/bin/terrace"
            Archive.make_driver(self, root, newer=True)
            self.assertIn("driver opened", self.call_in(root, program, "devices").stderr)


SUMS = """
import numpy, terrace
job = {"stages": [{"name": "sums", "wavefront": {"problem": "summed_area", "grid": "grid"}}]}
with terrace.run(job, grid=numpy.ones((30, 40)), progress=False) as result:
    table = result["sums/table"]
    print(table.shape, float(table[-1, -1]))
"""


class Readme(PackageTest):
    """The lines of README.md that install the program."""

    def bash(self, command, folder, **environment):
        return self.call("bash", "-c", command, cwd=folder, env={**os.environ, **environment})

    def test_lines_that_install_the_program_work(self):
        clone, unpack, install, demo = readme_test.install_lines()
        if not (terrace_runs.root / ".git").exists():
            skip("the sources are no clone")
        self.bash(clone.replace("URL", str(terrace_runs.root)), self.folder)
        cloned = self.folder / "terrace"
        for made in (archive, wheel):
            shutil.copy(made, cloned)
        self.bash(unpack, cloned)
        self.assertRegex(self.call(next(cloned.glob("terrace-*/bin/terrace")), "--version"), r"^terrace \d")
        self.check_pip(install, cloned)
        self.check_demo(demo, cloned)

    def check_pip(self, install, cloned):
        """In an environment of its own; without a network, so without NumPy and h5py."""
        self.call(sys.executable, "-m", "venv", self.folder / "venv")
        programs = self.folder / "venv/bin"
        path = f"{programs}:{os.environ['PATH']}"
        self.bash(install, cloned, PATH=path, PIP_NO_INDEX="1", PIP_NO_DEPS="1")
        self.assertRegex(self.bash("terrace --version", self.folder, PATH=path), r"^terrace \d")
        self.bash("pip uninstall -y terrace", self.folder, PATH=path)
        self.assertFalse((programs / "terrace").exists())

    def check_demo(self, demo, cloned):
        """With a build that is done: compiling takes long."""
        fakes = self.folder / "fakes"
        fakes.mkdir()
        for name, text in (("cmake", f"mkdir -p build/release; ln -sf '{terrace_runs.program}' build/release/terrace"),
                           ("ninja", "true")):
            (fakes / name).write_text("#!/bin/sh\n" + text + "\n")
            (fakes / name).chmod(0o755)
        genomes = cloned / "build/data/mitochondria"
        genomes.mkdir(parents=True)
        for name, seed in (("humanMito.fa", 1), ("mouseMito.fa", 2)):
            (genomes / name).write_text(f">{name}\n{terrace_runs.random_text(600, seed)}\n")
        said = self.bash(demo, cloned, PATH=f"{fakes}:{os.environ['PATH']}")
        self.assertIn(f"The result is {cloned}/build/mitochondria.h5", said)


class Wheel(PackageTest):
    def test_names_nvidias_package_of_nvrtc(self):
        with zipfile.ZipFile(wheel) as file:
            names = file.namelist()
            metadata = file.read(next(name for name in names if name.endswith("/METADATA"))).decode()
        self.assertFalse([name for name in names if "libnvrtc" in name])
        self.assertIn("Requires-Dist: h5py\n", metadata)
        if build_setting("TERRACE_CUDA_LIBRARIES"):
            self.assertRegex(metadata, r"Requires-Dist: nvidia-cuda-nvrtc\S* .*; extra == 'nvrtc'")
        else:
            self.assertNotIn("nvrtc", metadata)

    def test_looks_for_nvrtc_in_nvidias_package_beside_it(self):
        site = self.folder / "site"
        with zipfile.ZipFile(wheel) as file:
            file.extractall(site)
        program = site / "terrace_program/bin/terrace"
        for path in (program, site / "terrace_program/lib/terrace/libc/ld-linux-x86-64.so.2"):
            path.chmod(0o755)
        for folder in ("nvidia/cu13/lib", "nvidia/cuda_nvrtc/lib"):
            (site / folder).mkdir(parents=True)
            ended = subprocess.run([program, "--version"], capture_output=True, text=True,
                                   env={**os.environ, "LD_DEBUG": "libs"})
            self.assertRegex(ended.stderr, rf"search path=.*:{re.escape(str(program.parents[1]))}/\.\./{folder}:?")


if __name__ == "__main__":
    build = pathlib.Path(sys.argv.pop(3)).absolute()
    main()
