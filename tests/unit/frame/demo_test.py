"""usage: demo_test.py ROOT: scripts/demo finds the GPUs that it builds for, and no others."""
import os
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv.pop(1))


class Architectures(unittest.TestCase):
    def found(self, says, code=0, devices=()):
        """What is built for where nvidia-smi prints that and ends with that code; None: where there is none."""
        with tempfile.TemporaryDirectory() as folder:
            for device in devices:
                open(os.path.join(folder, device), "w").close()
            programs = os.path.join(folder, "bin")
            os.mkdir(programs)
            tools = {"tr", "sort", "sed", "paste", "grep", "cat"}
            for tool in tools:
                os.symlink(subprocess.check_output(["which", tool], text=True).strip(), os.path.join(programs, tool))
            fakes = {"ldconfig": "echo '\tlibcuda.so.1 (libc6,x86-64) => /lib/libcuda.so.1'"}
            if says is not None:
                fakes["nvidia-smi"] = f"cat <<'END'\n{says}\nEND\nexit {code}"
            for name, text in fakes.items():
                with open(os.path.join(programs, name), "w") as file:
                    file.write(f"#!/bin/sh\n{text}\n")
                os.chmod(file.name, 0o755)
            return subprocess.run(["/bin/bash", "-euo", "pipefail", "-c", ". scripts/gpu.sh; gpu_architectures"],
                                  cwd=ROOT, env={"PATH": programs, "TERRACE_DEVICES": folder}, check=True,
                                  capture_output=True, text=True).stdout.strip()

    def test_are_those_of_the_gpus_that_are_there(self):
        self.assertEqual(self.found("9.0"), "90-real")
        self.assertEqual(self.found("9.0\n9.0\n8.6"), "86-real;90-real")
        self.assertEqual(self.found("12.0"), "120-real")

    def test_are_none_without_a_gpu(self):
        self.assertEqual(self.found(None), "")
        self.assertEqual(self.found("No devices were found", 6), "")
        self.assertEqual(self.found("NVIDIA-SMI has failed because it couldn't communicate with the driver", 9), "")
        self.assertEqual(self.found("No devices were found"), "")
        self.assertEqual(self.found("[N/A]"), "")
        self.assertEqual(self.found(None, devices=["nvidiactl"]), "")

    def test_are_left_to_cmake_where_a_device_and_its_driver_are_there_alone(self):
        self.assertEqual(self.found(None, devices=["nvidia0", "nvidiactl"]), "native")


if __name__ == "__main__":
    unittest.main()
