"""usage: includes_test.py ROOT: includes go one way in the tree, and the checker finds those that do not."""
import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import includes  # noqa: E402  (its folder is known only now)


class Includes(unittest.TestCase):
    maxDiff = None

    def check(self, files):
        """What the checker says of a tree of files, given with their text."""
        with tempfile.TemporaryDirectory() as root:
            for path, text in files.items():
                os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
                with open(os.path.join(root, path), "w") as file:
                    file.write(text)
            return includes.violations(root)

    def test_go_one_way_in_this_tree(self):
        self.assertEqual(includes.violations(root_of_tree), [])
        self.assertEqual(includes.unused(root_of_tree), [])
        self.assertGreater(len(list(includes.sources(root_of_tree))), 10)

    def test_are_right_where_the_table_allows_them(self):
        self.assertEqual(self.check({
            "pipeline/base/box.hpp": "#include <array>\n",
            "io/a.cpp": '#include "io/a.hpp"\n#include "pipeline/base/box.hpp"\n',
            "io/hdf5/a.cpp": '#include <hdf5.h>\n#include "io/files/a.hpp"\n#include "io/source.hpp"\n',
            "io/inputs/graph.cpp": '#include "io/inputs/graph/lines.hpp"\n#include "io/hdf5/a.hpp"\n',
            "io/inputs/graph/lines.cpp": '#include "io/inputs/graph/lines.hpp"\n#include "io/inputs/graph.hpp"\n',
            "pipeline/job/a.cpp": '#include "io/source.hpp"\n#include "pipeline/job/yaml/a.hpp"\n',
            "pipeline/job/yaml/a.cpp": '#include <yaml-cpp/yaml.h>\n#include "pipeline/base/box.hpp"\n',
            "pipeline/run/a.cpp": '#include "kernels/device/context.hpp"\n#include "io/files/a.hpp"\n',
            "kernels/stencil/a.cpp": '#include "kernels/device/context.hpp"\n#include "kernels/stencil/a.hpp"\n',
            "kernels/stencil/cuda/bands/a.cuh": '#include "kernels/launch/port.cuh"\n'
                                                '#include "kernels/values/a.hpp"\n'
                                                '#include "kernels/stencil/rules/a.hpp"\n'
                                                '#include "kernels/stencil/cuda/sums/a.cuh"\n',
            "stages/makespan/a.cpp": '#include "stages/dp_table/a.hpp"\n#include "kernels/dp_table/a.hpp"\n',
            "pipeline/app/main.cpp": '#include <CLI/CLI.hpp>\n#include "stages/dp_table/a.hpp"\n',
        }), [])

    def test_are_found_where_they_go_against_it(self):
        wrong = {
            "pipeline/base/a.hpp": "io/source.hpp",
            "io/a.hpp": "pipeline/job/a.hpp",
            "io/b.cpp": "kernels/device/context.hpp",
            "io/files/a.hpp": "io/source.hpp",
            "io/inputs/a.hpp": "io/results/a.hpp",
            "io/results/a.hpp": "io/inputs/a.hpp",
            "pipeline/job/b.hpp": "io/inputs/graph/lines.hpp",
            "pipeline/job/a.hpp": "pipeline/run/a.hpp",
            "pipeline/run/a.hpp": "stages/wavefront/a.hpp",
            "pipeline/run/b.hpp": "pipeline/job/a.hpp",
            "pipeline/run/c.hpp": "kernels/wavefront/a.hpp",
            "kernels/device/a.hpp": "kernels/wavefront/a.hpp",
            "kernels/device/b.hpp": "kernels/launch/port.hpp",
            "kernels/launch/a.hpp": "kernels/values/a.hpp",
            "kernels/values/a.hpp": "kernels/launch/port.hpp",
            "kernels/stencil/a.hpp": "kernels/wavefront/a.hpp",
            "kernels/stencil/b.hpp": "io/source.hpp",
            "kernels/in_place/a.hpp": "kernels/wavefront/a.hpp",
            "kernels/stencil/cuda/bands/a.cuh": "kernels/stencil/cpu/bands/a.hpp",
            "stages/refuse.hpp": "stages/wavefront/a.hpp",
            "stages/wavefront/b.hpp": "kernels/wavefront/cpu/a.hpp",
            "stages/query/a.hpp": "stages/recursive/closures/a.hpp",
            "stages/wavefront/a.hpp": "pipeline/app/a.hpp",
            "pipeline/app/a.hpp": "kernels/wavefront/a.hpp",
        }
        for path, name in wrong.items():
            with self.subTest(path=path, name=name):
                said = self.check({path: f'#pragma once\n#  include "{name}"\n'})
                self.assertEqual(len(said), 1)
                self.assertTrue(said[0].startswith(f"{path}:2: "), said)

    def test_tables_that_stand_for_nothing_are_found(self):
        with tempfile.TemporaryDirectory() as root:
            said = includes.unused(root)
        for line in ("no file lies in io/results", "no file is named kernels/launch/port.cuh",
                     "no file is named kernels/*/visit.hpp"):
            self.assertIn(line, said)

    def test_of_libraries_belong_to_their_folders(self):
        for path, name in {"io/a.cpp": "yaml-cpp/yaml.h", "kernels/device/a.cpp": "spdlog/spdlog.h",
                           "stages/wavefront/a.cpp": "hdf5.h", "io/inputs/a.cpp": "hdf5.h", "io/a.cpp": "zlib.h",
                           "pipeline/run/a.cpp": "stxxl/vector",
                           "pipeline/job/a.cpp": "CLI/CLI.hpp", "pipeline/run/b.cpp": "cuda_runtime.h"}.items():
            with self.subTest(path=path, name=name):
                self.assertEqual(len(self.check({path: f"#include <{name}>\n"})), 1)

    def test_start_at_the_root(self):
        for name in ("box.hpp", "../base/box.hpp", "base/box.hpp", "tests/support/a.hpp", "pipeline/other/a.hpp"):
            with self.subTest(name=name):
                self.assertEqual(len(self.check({"pipeline/run/a.hpp": f'#include "{name}"\n'})), 1)

    def test_are_not_looked_for_in_unknown_folders_which_are_errors(self):
        for path in ("pipeline/other/a.hpp", "pipeline/a.hpp", "kernels/a.hpp", "io/other/a.hpp"):
            with self.subTest(path=path):
                self.assertEqual(self.check({path: "\n"}), [f"{path}:1: lies in no folder that the table knows"])

    def test_of_device_headers_need_no_host_library(self):
        parameter = '#include "pipeline/base/parameter.hpp"\n'
        self.assertEqual(self.check({"kernels/stencil/problem.hpp": parameter,
                                     "kernels/stencil/cuda/kernel.cuh": parameter,
                                     "kernels/stencil/problems/star.hpp": '#include "kernels/stencil/problem.hpp"\n',
                                     "kernels/launch/launch.cuh": "#include <cuda_runtime.h>\n"}), [])
        for path in ("kernels/stencil/problem.hpp", "kernels/stencil/problems/star.hpp",
                     "kernels/stencil/cuda/kernel.cuh", "kernels/launch/port.hpp", "kernels/stencil/task.hpp"):
            for include in ("<vector>", "<cstdint>", '"pipeline/base/box.hpp"'):
                with self.subTest(path=path, include=include):
                    self.assertEqual(len(self.check({path: f"#include {include}\n"})), 1)

    def test_of_device_headers_need_none_by_way_of_others_either(self):
        said = self.check({"kernels/stencil/cuda/kernel.cuh": '#include "kernels/stencil/a.hpp"\n',
                           "kernels/stencil/a.hpp": '#include "kernels/stencil/b.hpp"\n',
                           "kernels/stencil/b.hpp": "\n#include <vector>\n"})
        self.assertEqual(said, ["kernels/stencil/b.hpp:2: device code may not include vector"])

    def test_of_stages_do_not_lead_to_the_types_of_problems(self):
        tree = {"kernels/stencil/problem_list.hpp": '#include "kernels/stencil/problems/star.hpp"\n',
                "kernels/stencil/problems/star.hpp": "\n",
                "kernels/stencil/visit.hpp": '#include "kernels/stencil/problem_list.hpp"\n',
                "kernels/stencil/sweep.hpp": '#include "kernels/stencil/problem.hpp"\n',
                "kernels/stencil/problem.hpp": "\n",
                "kernels/stencil/a.hpp": '#include "kernels/stencil/b.hpp"\n',
                "kernels/stencil/b.hpp": '#include "kernels/stencil/visit.hpp"\n',
                "kernels/stencil/cpu/sweep.cpp": '#include "kernels/stencil/visit.hpp"\n'}
        self.assertEqual(self.check({**tree, "stages/stencil/plan.cpp": '#include "kernels/stencil/sweep.hpp"\n'}), [])
        for name in ("problem_list.hpp", "visit.hpp", "a.hpp"):
            with self.subTest(name=name):
                said = self.check({**tree, "stages/stencil/plan.cpp": f'\n#include "kernels/stencil/{name}"\n'})
                self.assertEqual(len(said), 1)
                self.assertTrue(said[0].startswith("stages/stencil/plan.cpp:2: stages know problems"), said)

    def test_are_absent_from_the_header_that_device_code_shares(self):
        self.assertEqual(len(self.check({"pipeline/base/parameter.hpp": "#include <string>\n"})), 1)


if __name__ == "__main__":
    root_of_tree = sys.argv[1]
    unittest.main(argv=sys.argv[:1])
