"""The kernels that ran beside the methods that `plan` predicted: hundreds of random stages of every family.

What ran is where the program's threads were: a library that is preloaded looks at each of them some thousand times a
second, and the symbols of the program say which function a place belongs to. Stages of one predicted method are one
job, so that a kernel of another method of the family among its places shows a wrong prediction.
"""
import bisect
import collections
import json
import os
import random
import re
import shutil
import subprocess
import unittest
import unittest.mock

import terrace_runs
from terrace_runs import JobTest, main, numpy, skip

SAMPLER = r"""
#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

enum { most = 1 << 20 };
static unsigned long places[most], count;
static pid_t own;
static volatile int ends;
static pthread_t sampler;

static void note(int number, siginfo_t* info, void* context) {
  unsigned long at = __sync_fetch_and_add(&count, 1);
  if (at < most) places[at] = ((ucontext_t*)context)->uc_mcontext.gregs[REG_RIP];
}

static void* sample(void* ignored) {
  pid_t self = syscall(SYS_gettid);
  while (!ends) {
    DIR* tasks = opendir("/proc/self/task");
    for (struct dirent* task; tasks && (task = readdir(tasks));) {
      pid_t thread = atoi(task->d_name);
      if (thread > 0 && thread != self) syscall(SYS_tgkill, own, thread, SIGPROF);
    }
    if (tasks) closedir(tasks);
    usleep(400);
  }
  return NULL;
}

__attribute__((constructor)) static void begin(void) {
  struct sigaction action = {0};
  action.sa_sigaction = note;
  action.sa_flags = SA_SIGINFO | SA_RESTART;
  sigaction(SIGPROF, &action, NULL);
  own = getpid();
  pthread_create(&sampler, NULL, sample, NULL);
}

/* Writes where files are mapped, an empty line, and the places. */
__attribute__((destructor)) static void end(void) {
  if (getpid() != own) return;
  ends = 1;
  pthread_join(sampler, NULL);
  char name[4096], line[4096];
  snprintf(name, sizeof name, "%s.%d", getenv("TERRACE_PLACES"), own);
  FILE *to = fopen(name, "w"), *maps = fopen("/proc/self/maps", "r");
  while (fgets(line, sizeof line, maps)) fputs(line, to);
  fputs("\n", to);
  for (unsigned long at = 0; at < count && at < most; ++at) fprintf(to, "%lx\n", places[at]);
  fclose(to);
}
"""

IN_TILES = ("square_barrier", "hyperplane_barrier", "peer_square", "peer_hyperplane", "peer_flexible",
            "shared_hyperplane")

# Functions that the methods of a family have of their own, by the methods that share them; of a pair the second are
# functions that other methods call, too; the first may be none.
CPU = {
    "stencil": {("tiles", "steps"): r"stencil::(sse2|avx2|avx512)::make_", ("compiled",): r"^@unloaded$",
                ("strips", "strip_steps"): r"formula::strips::|WrittenRows<"},
    "wavefront": {("bits",): r"::advance_all<.*BitWords", ("cells",): r"::compute_step<",
                  ("sums",): r"wavefront::(\w+::)?add_(floating|row)", IN_TILES: r"wavefront::(TileBlock|WaveLaunch)"},
    "in_place": {("bands",): r"in_place::"},
    "recursive": {("bits",): r"BitsOnCpu|or_bits", ("paths",): r"PathsOnCpu|relax_paths",
                  ("openblas",): r"^@libopenblas|EliminationOnCpu|ProductsOnCpu", ("tiles",): r"::TilesOnCpu",
                  ("intervals",): r"IntervalsOnCpu|::close_part<|::WeightedBlock<"},
    "dp_table": {("parts", "partitioned"): (r"TablesOnCpu::by_parts", r"::make_part<|::Runs<"),
                 ("passes",): r"PassesOnCpu|::make_pass<",
                 ("levels",): r"TablesOnCpu.*by_cells"},
    "query": {("reductions",): r"ReductionOnCpu|::reduce"},
    "makespan": {("bins",): r"dp_table::"},
}
SIMULATED = {
    "stencil": {("steps",): (None, r"step_side_by_side<|::step_kernel<"), ("rows",): r"StreamShape<",
                ("formula_rows",): r"FormulaShape<", ("planes",): r"(Volume|Window)Shape<",
                ("box_terms", "box_products"): r"BoxShape<"},
    "wavefront": {("bits",): r"BitSweep<|sweep_bits_kernel", ("pairs",): r"Pairs?Sweep<|sweep_pairs_kernel",
                  ("cells",): r"LetterSweep<", ("sums",): r"SumSweep<", ("strips",): r"StripSweep<|sum_strips_kernel",
                  IN_TILES: r"TileSweep<|sweep_tiles_kernel"},
    "in_place": {("bands",): r"in_place::"},
    "recursive": {("bits",): r"_bits_kernel<", ("paths",): r"_pairs_kernel<|RelaxPart<|trails_kernel<",
                  ("products", "cublas"): r"eliminate_kernel<|(Product|Pack)Task<.*(Plus|Minus)Times",
                  ("tiles",): r"close_(panels|pivots)_kernel<|(Product|Pack)Task<.*(MinPlus|MaxMin)",
                  ("intervals",): r"ClosingPart<|close_parts_kernel<"},
    "dp_table": {("slabs",): r"TileMaker<|make_tile_kernel<", ("passes",): r"take_step_kernel<",
                 ("partitioned",): r"make_partition"},
    "query": {("reductions",): r"reduce_rows_kernel<"},
    "makespan": {("bins",): r"dp_table::"},
}


class Stages:
    """Random stages of a family, and the inputs that they read."""

    def __init__(self, backend, family, write):
        self.draw, self.write = random.Random(f"{backend} {family}"), write
        self.inputs, self.count, self.on_cpu = {}, 0, backend == "cpu"
        self.scale = 1 if self.on_cpu else 0.3

    def of(self, family):
        self.count += 1
        kind, settings = getattr(self, family)()
        return {"name": f"{family}{self.count}", kind: settings}

    def size(self, least, most):
        return self.draw.randint(least, max(least + 1, int(most * self.scale)))

    def array(self, shape, kind="f32", least=0, most=1):
        name = f"i{len(self.inputs)}"
        if kind[0] == "f" and (least, most) == (0, 1):
            made = {"generate": "uniform", "shape": shape, "type": kind, "seed": self.draw.randint(1, 999)}
        else:
            draw = numpy.random.default_rng(self.draw.randint(1, 999))
            values = draw.uniform(least, most, shape) if kind[0] == "f" else draw.integers(least, most, shape)
            made = {"npy": self.write(name + ".npy", values.astype(kind[0] + str(int(kind[1:]) // 8)))}
        self.inputs[name] = made
        return name

    def letters(self, least, most):
        name = f"i{len(self.inputs)}"
        self.inputs[name] = {"generate": "dna", "length": self.size(least, most), "seed": self.draw.randint(1, 999)}
        return name

    def stencil(self):
        draw = self.draw
        kind, rank = draw.choice(("f32", "f64")), draw.choice((1, 2, 2, 2, 3))
        shape = {1: [self.size(2000, 90000)], 2: [self.size(60, 400), draw.randint(80, 600)],
                 3: [self.size(12, 40), self.size(16, 60), draw.randint(20, 100)]}[rank]
        grid = self.array(shape, kind)
        settings = {"steps": self.size(30, 120), "boundary": draw.choice(("fixed", "edge", "periodic"))}
        if draw.random() < 0.2:
            settings["schedule"] = "plain"
        if self.on_cpu and draw.random() < 0.4:
            here, beside = "u" + str([0] * rank).replace(" ", ""), "u" + str([0] * (rank - 1) + [1]).replace(" ", "")
            return "stencil", {"operator": "formula", "fields": {"u": grid}, **settings,
                               "cells": {"u": f"{here} + 0.{draw.randint(1, 4)}*({beside} - u)"}}
        operator = draw.choice({1: ("star1d",), 2: ("star2d", "box2d", "heat2d", "wave2d"),
                                3: ("star3d", "box3d", "heat3d")}[rank])
        if operator == "wave2d":
            return "stencil", {"operator": operator, "fields": {"u": grid, "previous": grid}, "dt": 0.1, "speed": 1,
                               **settings}
        if operator.startswith("heat"):
            return "stencil", {"operator": operator, "grid": grid, "dt": 0.1, "diffusivity": 0.5, **settings}
        return "stencil", {"operator": operator, "grid": grid, "radius": draw.randint(1, 2), **settings}

    def wavefront(self):
        draw = self.draw
        problem = draw.choice(("smith_waterman", "needleman_wunsch", "edit_distance", "lcs", "dtw", "summed_area"))
        if problem == "summed_area":
            kind = draw.choice(("f32", "u8"))
            grid = self.array([self.size(100, 900), self.size(100, 900)], kind, most=200 if kind == "u8" else 1)
            return "wavefront", {"problem": problem, "grid": grid}
        settings = {"problem": problem}
        if draw.random() < 0.25:
            settings["schedule"] = draw.choice(IN_TILES)
        elif draw.random() < 0.2:
            settings["keep"] = "table"
        small = "schedule" in settings or "keep" in settings
        if problem == "dtw":
            shape = [self.size(200, 900)]
            return "wavefront", {**settings, "rows": self.array(shape), "columns": self.array([self.size(200, 900)])}
        most = 900 if small else 30000 if problem in ("edit_distance", "lcs") else 3000
        pair = {"rows": self.letters(200, most), "columns": self.letters(200, most)}
        costs = {"match": 1, "mismatch": -2, "gap_open": 3, "gap_extend": 2}
        return "wavefront", {**settings, **pair, **(costs if "s" in problem[:1] or "n" in problem[:1] else {})}

    def formulas_alone(self):
        while True:
            kind, settings = self.stencil()
            if settings["operator"] == "formula" and "schedule" not in settings:
                return kind, settings

    def in_place(self):
        problem = self.draw.choice(("sor", "seidel"))
        grid = self.array([self.size(60, 500), self.size(60, 500)], self.draw.choice(("f32", "f64")))
        return "wavefront", {"problem": problem, "grid": grid, "sweeps": self.size(10, 90)}

    def recursive(self):
        draw = self.draw
        problem = draw.choice(("floyd_warshall", "floyd_warshall", "transitive_closure", "semiring_product",
                               "gaussian_elimination", "matrix_chain", "nussinov"))
        side = self.size(60, 400)
        if problem == "floyd_warshall":
            kind = draw.choice(("f32", "f64", "i32", "i16"))
            keys = {} if kind[0] == "f" else {"least": 1, "most": 60}
            return "recursive", {"problem": problem, "matrix": self.array([side, side], kind, **keys),
                                 "paths": draw.random() < 0.5}
        if problem == "transitive_closure":
            side = self.size(100, 1500)
            return "recursive", {"problem": problem, "matrix": self.array([side, side], "u8", most=2)}
        if problem == "semiring_product":
            kind = draw.choice(("f32", "f64"))
            return "recursive", {"problem": problem, "left": self.array([side, side], kind),
                                 "right": self.array([side, side], kind),
                                 "semiring": draw.choice(("plus_times", "min_plus", "max_min"))}
        if problem == "gaussian_elimination":
            # Ones beside a diagonal of larger numbers: no pivot is 0.
            return "recursive", {"problem": problem, "matrix": self.array([side, side], "f64", 0.5, 1)}
        if problem == "matrix_chain":
            return "recursive", {"problem": problem, "dimensions": self.array([side], "i32", 1, 30)}
        return "recursive", {"problem": problem, "sequence": self.letters(60, 400)}

    def dp_table(self):
        draw = self.draw
        settings = {"extents": [self.size(100, 900), self.size(100, 900)],
                    "steps": [[1, 0], [0, draw.randint(1, 3)], [draw.randint(1, 4), draw.randint(1, 3)]]}
        chance = draw.random()
        if chance < 0.3:
            settings.update(combine="count", modulus=1000003, order="unordered")
        elif chance < 0.6:
            settings["schedule"] = draw.choice(("partitioned", "levels") if self.on_cpu else ("partitioned",))
        return "dp_table", settings

    def query(self):
        side = self.size(700, 1500)
        return "query", {"matrix": self.array([side, side]), "reduce": ["eccentricity", "sum"]}

    def makespan(self):
        times = [self.draw.randint(20, 99) for _ in range(28)]
        name = f"i{len(self.inputs)}"
        self.inputs[name] = {"values": times}
        return "makespan", {"times": name, "machines": 9, "epsilon": 0.3, "bounds": False}


class Ran(JobTest):
    def setUp(self):
        super().setUp()
        compiler = shutil.which("cc") or skip("there is no C compiler")
        shutil.which("nm") or skip("there is no nm")
        if os.uname().machine != "x86_64":
            skip("the library that looks at threads knows x86-64 alone")
        self.sampler = self.folder / "sampler.so"
        source = self.write("sampler.c", "#define _GNU_SOURCE\n" + SAMPLER)
        subprocess.run([compiler, "-O1", "-shared", "-fPIC", "-pthread", "-o", self.sampler, source], check=True)
        listed = subprocess.run(["nm", "-C", "--defined-only", terrace_runs.program], capture_output=True, text=True,
                                check=True)
        lines = (line.split(None, 2) for line in listed.stdout.splitlines())
        self.symbols = sorted((int(line[0], 16), line[2]) for line in lines if line[1] in "tTwW")  # text alone
        self.starts = [at for at, _ in self.symbols]

    def functions(self, job, *arguments):
        """Runs the job, and counts the functions where its threads were; code of a library as '@' and its file."""
        variables = {**os.environ, "LD_PRELOAD": str(self.sampler), "TERRACE_PLACES": str(self.folder / "places")}
        process = subprocess.Popen([terrace_runs.program, "run", job, *arguments], cwd=self.folder, env=variables,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = process.communicate()[1]
        if "sanitizer" in said.lower():
            skip("sanitizers know no such signals")
        self.assertEqual(process.returncode, 0, said)
        maps, places = (self.folder / f"places.{process.pid}").read_text().split("\n\n")
        ranges = []
        for line in maps.splitlines():
            fields = line.split(None, 5)
            begin, end = (int(bound, 16) for bound in fields[0].split("-"))
            ranges.append((begin, end, fields[5].removesuffix(" (deleted)") if len(fields) > 5 else ""))
        begins = [begin for begin, _, _ in ranges]
        own = os.path.realpath(terrace_runs.program)
        base = min(begin for begin, _, file in ranges if file == own)
        found = collections.Counter()
        for place in (int(text, 16) for text in places.split()):
            begin, end, file = ranges[bisect.bisect_right(begins, place) - 1]
            if file == own:
                found[self.symbols[bisect.bisect_right(self.starts, place - base) - 1][1]] += 1
            else:  # what was compiled for the run is unloaded
                found["@" + os.path.basename(file) if place < end else "@unloaded"] += 1
        return found

    def check_group(self, owned, method, job):
        """The job's stages are computed by that method, and by no other of its family."""
        for _ in range(20):  # short work may not be seen at once
            found = self.functions(job, "--fresh")
            seen = False
            for methods, patterns in owned.items():
                alone, *shared = [patterns] if isinstance(patterns, str) else patterns
                ran = [name for name in found if alone and re.search(alone, name)]
                if method not in methods:
                    self.assertEqual(ran, [], f"{method} was predicted, and one of {methods} ran")
                elif ran or any(re.search(pattern, name) for pattern in shared for name in found):
                    seen = True
            if seen:
                return
        self.fail(f"{method} was predicted, and was not seen: {found.most_common(40)}")

    def check(self, backend, tables, numbers):
        for family, owned in tables.items():
            made = Stages(backend, family, self.write)
            stages = [made.of(family) for _ in range(numbers.get(family, 4))]
            job = self.write_job(made.inputs, stages, backend=backend)
            groups = collections.defaultdict(list)
            for stage, planned in zip(stages, json.loads(self.terrace("plan", job, "--json").stdout)["stages"]):
                groups[planned["method"]].append(stage)
            for method, group in groups.items():
                with self.subTest(family=family, method=method):
                    read = set(re.findall(r'"(i\d+)"', json.dumps(group)))
                    inputs = {name: what for name, what in made.inputs.items() if name in read}
                    self.check_group(owned, method, self.write_job(inputs, group, backend=backend))

    def test_on_the_cpu(self):
        self.check("cpu", CPU, {"stencil": 60, "wavefront": 60, "in_place": 15, "recursive": 50, "dp_table": 40})

    def test_compiled_on_the_cpu(self):
        with unittest.mock.patch.dict(os.environ, TERRACE_CPU_RATES="1e4,1e4,2.3e10"):
            self.check("cpu", {"formulas_alone": CPU["stencil"]}, {"formulas_alone": 3})


class RanOnSimulatedGpu(Ran):
    """Formulas of jobs are left out: their kernels have no symbols in the program."""

    def test_on_the_gpu(self):
        self.check("cuda", SIMULATED, {"stencil": 60, "wavefront": 50, "in_place": 10, "recursive": 40, "dp_table": 30})


def load_tests(loader, tests, pattern):
    """The program decides which of the classes is meant."""
    simulated = terrace_runs.program.name == "terrace_simulated"
    names = ["test_on_the_gpu"] if simulated else ["test_on_the_cpu", "test_compiled_on_the_cpu"]
    return unittest.TestSuite((RanOnSimulatedGpu if simulated else Ran)(name) for name in names)


if __name__ == "__main__":
    main()
