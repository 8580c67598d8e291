// Names of arrays in settings that also take numbers, and in lists.
#include <catch2/catch.hpp>

#include "tests/unit/job/wrong_job.hpp"

namespace terrace::job {
namespace {

const std::string inputs = "inputs: {a: {generate: dna}, b: {generate: dna}}\noutput: o.h5\nstages:\n";
const std::string writer = "- {name: t, stencil: {operator: average, grid: a, steps: 5}}\n";

/// A stencil whose keys begin at column 39 of line 4, or of line 5 after `writer`.
std::string flow(const std::string& keys) {
  return "- {name: s, stencil: {operator: flow, " + keys + ", grid: a, steps: 5}}\n";
}

TEST_CASE("Settings that name arrays are known, numbers and words are none") {
  TempFolder folder;
  const Job job =
      load_text(folder, inputs + writer + flow("speed: t/grid, source: none, weights: [1, b, t/grid, 0.5, b]"));
  const Stage& stage = job.stages[1];
  CHECK(stage.arrays == std::vector<std::string>{"grid", "speed", "weights"});
  std::string all;
  for (const ArrayName& array : array_names(stage.arrays, stage.settings)) {
    all += array.setting + "[" + std::to_string(array.entry) + "]=" + array.name + " ";
  }
  CHECK(all == "grid[0]=a speed[0]=t/grid weights[1]=b weights[2]=t/grid weights[4]=b ");
  CHECK(job.warnings.empty());
}

TEST_CASE("Numbers and words in place of arrays read nothing") {
  TempFolder folder;
  const Job job = load_text(folder, inputs + flow("speed: 2, source: none, weights: [1, 2]"));
  CHECK(job.stages[0].arrays == std::vector<std::string>{"grid"});
  REQUIRE(job.warnings.size() == 1);
  CHECK(job.warnings[0].find("nothing reads the input 'b'") != std::string::npos);
  CHECK(load_text(folder, inputs + flow("weights: even")).stages[0].arrays == std::vector<std::string>{"grid"});
}

TEST_CASE("An input that only a quantity names is read") {
  TempFolder folder;
  CHECK(load_text(folder, inputs + flow("speed: b")).warnings.empty());
  CHECK(load_text(folder, inputs + flow("weights: b")).warnings.empty());
}

TEST_CASE("Names of arrays in quantities are refused at their place") {
  check_all({
      {"an unknown input", inputs + flow("speed: c, source: b"), "4:46", {"there is no array 'c'"}},
      {"an unknown input in a list", inputs + flow("weights: [b, 1, c]"), "4:55", {"there is no array 'c'"}},
      {"an unknown input as a list of one", inputs + flow("weights: c, source: b"), "4:48", {"no array 'c'"}},
      {"the stage itself", inputs + flow("source: b, weights: [1, s/grid]"), "4:63", {"itself"}},
      {"a later stage", inputs + flow("source: b, speed: t/grid") + writer, "4:57", {"'t' comes later"}},
      {"a stage without output", inputs + writer + flow("source: b, weights: [t]"), "5:60", {"'t' is a stage"}},
      {"an output not written",
       inputs + writer + flow("source: b, speed: t/sum"),
       "5:57",
       {"writes 'sum' only with 'reduce: sum'"}},
  });
}

}  // namespace
}  // namespace terrace::job
