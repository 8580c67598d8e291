// Correct jobs: every value of the header, of inputs and of stages.
#include <catch2/catch.hpp>

#include "tests/unit/job/fixture.hpp"

namespace terrace::job {
namespace {

const std::string good_job = R"(job: chlamydia
memory: {host: 4GiB, device: 2GiB}
scratch: {path: scratch, size: 200GiB}
backend: cpu
checkpoint: {every: 30s}
devices: [0, 2]
inputs:
  a: {fasta: muridarum.fa}
  b: {fasta: /data/trachomatis.fa, range: [10, 64Ki], reverse_complement: true}
stages:
  - name: align
    wavefront: {problem: smith_waterman, rows: a, columns: b,
                match: 2.5, mismatch: -3, gap_open: 3, keep: table}
  - name: smooth
    temporary: true
    stencil: {operator: heat, grid: align/table, steps: 1e3, coefficients: {center: 0.5, neighbours: 0.125},
              until: {residual: 1e-6}, reduce: [sum]}
  - name: kept
    wavefront: {problem: summed_area, grid: smooth/grid}
output: chlamydia.h5
)";

TEST_CASE("A correct job is loaded with every value of its header") {
  TempFolder folder;
  const Job job = load_text(folder, good_job);
  CHECK(job.name == "chlamydia");
  CHECK(job.host_memory == std::int64_t{4} << 30);
  CHECK(job.device_memory == std::int64_t{2} << 30);
  CHECK(job.scratch.path == folder.path() / "scratch");
  CHECK(job.scratch.size == std::int64_t{200} << 30);
  CHECK(job.backend == Backend::cpu);
  CHECK(job.checkpoint_every == 30.0);
  CHECK(job.devices == std::vector<int>{0, 2});
  CHECK(job.output == folder.path() / "chlamydia.h5");
  CHECK(job.source == good_job);
  CHECK(job.folder == folder.path());
  CHECK(job.warnings.empty());
}

TEST_CASE("Numbers of any type are kept as they are written") {
  TempFolder folder;
  const auto numbers = [&](const std::string& list) {
    const Job job = load_text(folder, "inputs: {a: {generate: dna, numbers: " + list +
                                          "}}\noutput: o.h5\nstages: [{name: s, wavefront: {problem: summed_area, "
                                          "grid: a}}]\n");
    return job.inputs[0].settings.get<std::vector<std::string>>("numbers");
  };
  using Texts = std::vector<std::string>;
  CHECK(numbers("[1, -2.5, +3, 1e9, .nan, .inf, -.inf, 18446744073709551615]") ==
        Texts{"1", "-2.5", "+3", "1e9", ".nan", ".inf", "-.inf", "18446744073709551615"});
  CHECK(numbers("7") == Texts{"7"});
  CHECK(numbers("[]").empty());
}

TEST_CASE("A correct job is loaded with its inputs") {
  TempFolder folder;
  const Job job = load_text(folder, good_job);
  REQUIRE(job.inputs.size() == 2);
  CHECK(job.inputs[0].name == "a");
  CHECK(job.inputs[0].kind == "fasta");
  CHECK(job.inputs[0].settings.text("fasta") == (folder.path() / "muridarum.fa").string());
  CHECK(job.inputs[0].files == std::vector<std::string>{"fasta"});
  CHECK_FALSE(job.inputs[0].settings.flag("reverse_complement"));
  CHECK_FALSE(job.inputs[0].settings.has("record"));
  CHECK(job.inputs[0].place.text == folder.path().string() + "/job.yaml:8:3");
  CHECK(job.inputs[1].settings.text("fasta") == "/data/trachomatis.fa");
  using Ranges = std::vector<std::array<std::int64_t, 2>>;
  CHECK(job.inputs[1].settings.get<Ranges>("range") == Ranges{{10, 65536}});
}

TEST_CASE("A correct job is loaded with its stages, their defaults and what they write") {
  TempFolder folder;
  const Job job = load_text(folder, good_job);
  REQUIRE(job.stages.size() == 3);
  const Stage& align = job.stages[0];
  CHECK(align.kind == "wavefront");
  CHECK(align.problem == "smith_waterman");
  CHECK(align.settings.number("match") == 2.5);
  CHECK(align.settings.number("mismatch") == -3);
  CHECK(align.settings.integer("every") == 4096);
  CHECK(align.settings.text("schedule") == "auto");
  CHECK(align.settings.text("type") == "auto");
  CHECK(align.arrays == std::vector<std::string>{"rows", "columns"});
  CHECK(align.outputs == std::vector<std::string>{"score", "table"});
  CHECK_FALSE(align.temporary);
  const Stage& smooth = job.stages[1];
  CHECK(smooth.temporary);
  CHECK(smooth.settings.integer("steps") == 1000);
  CHECK(smooth.settings.number("coefficients.center") == 0.5);
  CHECK(smooth.settings.number("until.residual") == 1e-6);
  CHECK(smooth.settings.text("until.norm") == "max");
  CHECK(smooth.settings.text("mask") == "none");
  CHECK(smooth.arrays == std::vector<std::string>{"grid"});
  CHECK(smooth.outputs == std::vector<std::string>{"grid", "sum", "residual"});
}

TEST_CASE("An unknown key is an error with its place, its line, a caret and the near name") {
  TempFolder folder;
  std::string text = good_job;
  text.replace(text.find("mismatch"), 8, "mismach");
  const auto messages = messages_of(folder, text);
  REQUIRE(messages.size() == 1);
  CHECK(messages[0] ==
        "job.yaml:13:29: unknown key 'mismach' in stage 'align' (wavefront, smith_waterman); did you mean "
        "'mismatch'?\n"
        "  |                 match: 2.5, mismach: -3, gap_open: 3, keep: table}\n"
        "  |                             ^");
}

TEST_CASE("What a job leaves out is left to the program") {
  TempFolder folder;
  const Job job = load_text(folder,
                            "inputs: {a: {generate: dna}}\n"
                            "stages:\n"
                            "- {name: s, stencil: {operator: heat, grid: a, steps: 64Ki}}\n"
                            "output: out.h5\n");
  CHECK(job.name == "job");
  CHECK_FALSE(job.host_memory);
  CHECK_FALSE(job.device_memory);
  CHECK_FALSE(job.scratch.path);
  CHECK(job.backend == Backend::automatic);
  CHECK_FALSE(job.checkpoint_every);
  CHECK_FALSE(job.devices);
  CHECK_FALSE(job.stages[0].settings.has("until.norm"));
  CHECK_FALSE(job.stages[0].settings.has("coefficients"));
}

TEST_CASE("Keys of every stage stand beside its name or in the map of its kind") {
  TempFolder folder;
  const std::string sums = "wavefront: {problem: summed_area, grid: ";
  const std::string head = "inputs: {a: {generate: dna}}\noutput: o.h5\nstages:\n- name: s\n";
  const std::string kept = "- {name: kept, " + sums + "s/table}}\n";
  const Job beside =
      load_text(folder, head + "  schedule: square\n  type: i32\n  temporary: true\n  " + sums + "a}\n" + kept);
  const Job inside =
      load_text(folder, head + "  " + sums + "a, schedule: square, type: i32, temporary: true}\n" + kept);
  for (const Job* job : {&beside, &inside}) {
    CHECK(job->stages[0].settings.text("schedule") == "square");
    CHECK(job->stages[0].settings.text("type") == "i32");
    CHECK(job->stages[0].temporary);
  }
}

TEST_CASE("A temporary stage that nothing reads is a warning") {
  TempFolder folder;
  const std::string sums = "wavefront: {problem: summed_area, grid: a}}\n";
  const Job job = load_text(folder, "inputs: {a: {generate: dna}}\noutput: o.h5\nstages:\n- {name: kept, " + sums +
                                        "- {name: s, temporary: true, " + sums);
  REQUIRE(job.warnings.size() == 1);
  CHECK(job.warnings[0].find("job.yaml:5:24: nothing reads the stage 's', which is temporary") != std::string::npos);
}

TEST_CASE("An input that nothing reads is a warning") {
  TempFolder folder;
  const Job job = load_text(folder,
                            "inputs:\n  a: {generate: dna}\n  b: {generate: dna}\n"
                            "stages: [{name: s, wavefront: {problem: summed_area, grid: a}}]\noutput: o.h5\n");
  REQUIRE(job.warnings.size() == 1);
  CHECK(job.warnings[0].find("job.yaml:3:3: nothing reads the input 'b'\n") != std::string::npos);
}

}  // namespace
}  // namespace terrace::job
