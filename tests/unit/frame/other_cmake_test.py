"""usage: other_cmake_test.py ROOT BUILD: another CMake than the build's configures the tree to compile the same.

TERRACE_OTHER_CMAKE names its program; unset: a newer one that scripts/fetch-cmake puts into build/cmake of the tree.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

# Entries of the cache that a build folder is configured with.
CHOSEN = re.compile(r"^((?:TERRACE_(?:CUDA|CUDA_UNOPTIMISED|TESTS|UNITY|SANITIZE|COMPILER_CACHE)|CMAKE_BUILD_TYPE"
                    r"|CMAKE_CUDA_ARCHITECTURES):\w+=.*)$", re.MULTILINE)


def skip(reason):
    print("SKIPPED:", reason, flush=True)
    raise unittest.SkipTest(reason)


def other_cmake():
    named = os.environ.get("TERRACE_OTHER_CMAKE")
    if named:
        return named
    folder = os.path.join(ROOT, "build", "cmake")
    fetched = subprocess.run([os.path.join(ROOT, "scripts", "fetch-cmake"), folder], stderr=subprocess.PIPE, text=True,
                             timeout=300)
    if fetched.returncode != 0:
        skip(f"there is no other CMake; name one in TERRACE_OTHER_CMAKE ({fetched.stderr.strip()})")
    return os.path.join(folder, "bin", "cmake")


def compiled(build):
    """Names of the sources that a build folder compiles, also those that it makes itself."""
    with open(os.path.join(build, "compile_commands.json")) as file:
        return sorted(os.path.relpath(entry["file"], build if entry["file"].startswith(build + "/") else ROOT)
                      for entry in json.load(file))


class OtherCMake(unittest.TestCase):
    maxDiff = None

    def call(self, *command):
        ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                               timeout=300)
        self.assertEqual(ended.returncode, 0, f"{command}\n{ended.stdout}")
        return ended.stdout

    def test_configures_without_a_warning_to_compile_the_same(self):
        cmake = other_cmake()
        with open(os.path.join(BUILD, "CMakeCache.txt")) as file:
            chosen = ["-D" + entry for entry in CHOSEN.findall(file.read())]
        with tempfile.TemporaryDirectory(prefix="terrace-") as folder:
            folder = os.path.realpath(folder)
            said = self.call(cmake, "--preset", "release", "-B", folder, *chosen)
            self.assertNotIn("CMake Warning", said)
            self.assertNotIn("Deprecat", said)
            self.assertEqual(compiled(folder), compiled(BUILD))

    def test_reads_the_presets(self):
        cmake = other_cmake()
        with open(os.path.join(ROOT, "CMakePresets.json")) as file:
            presets = json.load(file)
        for kind, command in (("configure", [cmake]), ("build", [cmake, "--build"])):
            said = self.call(*command, "--list-presets")
            for preset in presets[kind + "Presets"]:
                self.assertEqual(f'"{preset["name"]}"' in said, not preset.get("hidden", False), said)


if __name__ == "__main__":
    ROOT, BUILD = map(os.path.realpath, sys.argv[1:3])
    unittest.main(argv=sys.argv[:1])
