"""The examples of configs/cluster, in the queue of a Slurm with two nodes."""
import os
import re
import shutil
import subprocess
import unittest.mock

import terrace_runs
from slurm_cluster import QueueTest
from terrace_runs import main, random_text, skip


class Examples(QueueTest):
    def setUp(self):
        super().setUp()
        shutil.copytree(terrace_runs.root / "configs", self.folder / "configs")
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "terrace").symlink_to(terrace_runs.program)
        patched = unittest.mock.patch.dict(os.environ, PATH=f"{programs}:{os.environ['PATH']}")
        patched.start()
        self.addCleanup(patched.stop)

    def test_of_slurm_is_what_submit_prints_and_runs(self):
        def alike(script):
            # Memory follows from the plan, and time from the machine.
            script = re.sub(r"(--mem=|memory\.host=)\d+", r"\1N", re.sub(r"--time=\S+", "--time=N", script))
            return script.replace(f"{terrace_runs.program} run {self.folder}/", "terrace run ")
        example = self.folder / "configs" / "cluster" / "gaps.sbatch"
        printed = self.terrace("submit", "configs/gaps.yaml", "--print", "--threads", "1").stdout
        self.assertEqual(alike(printed), alike(example.read_text()))
        subprocess.run(["sbatch", example], cwd=self.folder, check=True, capture_output=True)
        self.cluster.wait_until_empty()
        self.assertIn("done       6: 0-5", self.terrace("show", "configs/gaps.yaml").stdout)

    def snakemake(self, *arguments):
        """Runs the rules over three samples in a copy of the example's folder."""
        program = shutil.which("snakemake") or skip("there is no snakemake (Debian: snakemake)")
        folder = self.folder / "configs" / "cluster" / "snakemake"
        letters = random_text(400, 1)
        for name, text in (("reference.fa", letters), *((f"reads/{n}.fa", letters[n:200 + 10 * n]) for n in (1, 2, 3))):
            path = folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f">letters\n{text}\n")
        ended = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, timeout=300,
                               env={**os.environ, "HOME": str(self.folder), "XDG_CACHE_HOME": str(self.folder)})
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        for n in (1, 2, 3):
            result = self.open(folder / f"scores/{n}.h5")
            self.assertEqual(int(result["align/score"][()]), 200 + 9 * n)
        return ended.stderr

    def test_of_snakemake_runs_here(self):
        self.snakemake("--cores", "2")

    def test_of_snakemake_runs_in_the_queue(self):
        said = self.snakemake("--profile", "profile", "--jobs", "3", "--latency-wait", "10")
        self.assertEqual(len(re.findall(r"external jobid '\d+'", said)), 3, said)


if __name__ == "__main__":
    main()
