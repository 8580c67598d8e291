// Strips of a table that are dealt to several devices: their blocks, and the time that is expected of them.
#include "stages/wavefront/dealing.hpp"

#include <catch2/catch.hpp>
#include <utility>

#include "io/memory_source.hpp"
#include "stages/wavefront/costs.hpp"
#include "stages/wavefront/sweep_plan.hpp"
#include "stages/wavefront/sweep_tally.hpp"

namespace terrace::stages {
namespace {

using wavefront::SweepSpec;

SweepSpec table_of(std::int64_t rows, std::int64_t columns) {
  SweepSpec spec;
  spec.problem = "lcs";
  spec.rows = rows;
  spec.columns = columns;
  spec.value = spec.border = ElementType::i32;
  return spec;
}

std::shared_ptr<io::Source> letters(std::int64_t count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(count));
  return std::make_shared<io::MemorySource>(ElementType::u8, Extents{count}, std::move(bytes));
}

/// Strips of a table of 4 million letters by as many.
SweepSpec long_strips(std::int64_t width) {
  SweepSpec spec = table_of(4 << 20, 4 << 20);
  spec.by_strips = true;
  spec.block_rows = 132 << 10;
  spec.block_columns = width;
  return spec;
}

device::Limits h200() {
  device::Limits limits;
  limits.processors = 132;
  return limits;
}

}  // namespace

TEST_CASE("strips are numbered one after another, and dealt in turn") {
  SweepSpec spec = table_of(50, 70);
  spec.by_strips = true;
  spec.block_rows = 20;
  spec.block_columns = 30;
  WavefrontInputs inputs;
  inputs.rows = letters(50);
  inputs.columns = letters(70);
  inputs.dealing = {3, ""};
  const SweepPlan plan(spec, inputs, std::nullopt);
  const auto phase = plan.phase(0, SweepTally(plan));
  REQUIRE(phase);
  CHECK(phase->count == 9);
  CHECK(plan.devices(1) == 1);
  CHECK(plan.devices(5) == 3);
  CHECK(plan.dealt() == "3 strips of columns");
  CHECK(plan.cells_of(1) == Box{{20, 0}, {40, 30}});
  CHECK(plan.cells_of(5) == Box{{40, 30}, {50, 60}});
  CHECK(plan.cells_of(8) == Box{{40, 60}, {50, 70}});
  const auto dealt = [&](int devices) {
    std::vector<int> found;
    for (std::int64_t index = 0; index < 9; ++index) found.push_back(plan.device(*phase, index, devices));
    return found;
  };
  CHECK(dealt(1) == std::vector<int>(9, 0));
  CHECK(dealt(2) == std::vector<int>{0, 0, 0, 1, 1, 1, 0, 0, 0});
  CHECK(dealt(3) == std::vector<int>{0, 0, 0, 1, 1, 1, 2, 2, 2});
}

TEST_CASE("a device waits for the first block of the strip before, which takes the longer, the wider it is") {
  constexpr double cell = 1 / 4e12, cells = 16.0 * (1 << 20) * (1 << 20);
  const auto gain = [&](std::int64_t width, int devices) {
    return cells * cell / strip_seconds(long_strips(width), cell, devices, h200());
  };
  CHECK(gain(2 << 20, 2) < 1.7);
  CHECK(gain(1 << 20, 2) < gain(256 << 10, 2));
  CHECK(gain(256 << 10, 2) > 1.9);
  CHECK(gain(256 << 10, 2) < 2);
  // Bands that begin one after another over so narrow a strip are too few.
  CHECK(gain(64 << 10, 2) < gain(256 << 10, 2));
}

TEST_CASE("the limit of a sweep is that of the operations of its method and its type") {
  Resources resources;
  resources.cuda = true;
  resources.device = h200();
  resources.device.operations_per_second = 16e12;
  const auto limit = [&](const char* problem, ElementType value, const char* method) {
    SweepSpec spec = table_of(1000, 1000);
    spec.problem = problem;
    spec.value = spec.border = value;
    const bool series = spec.problem == "dtw";
    for (const auto& [name, text] : {std::pair{"cost", "absolute"}, std::pair{"steps", "symmetric1"}}) {
      if (series) spec.settings.set(name, std::string(text));
    }
    for (const auto& [name, number] : {std::pair{"match", 2.0}, std::pair{"mismatch", -3.0},
                                       std::pair{"gap_open", 5.0}, std::pair{"gap_extend", 1.0}}) {
      if (spec.problem == "smith_waterman") spec.settings.set(name, number);
    }
    return limit_of_operations(spec, method, resources) / 1e12;
  };
  CHECK(limit("smith_waterman", ElementType::i32, "cells") == Approx(16 / 3.0));
  CHECK(limit("smith_waterman", ElementType::i32, "pairs") == Approx(16 / 2.5));  // five operations for two cells
  CHECK(limit("smith_waterman", ElementType::i64, "cells") == Approx(4 / 3.0));
  CHECK(limit("edit_distance", ElementType::i32, "bits") == Approx(16 * 32 / 9.0));
  CHECK(limit("dtw", ElementType::f32, "cells") == Approx(8));
  CHECK(limit("dtw", ElementType::f64, "cells") == Approx(4));
  resources.cuda = false;
  CHECK(limit("dtw", ElementType::f64, "cells") == Approx(16 / 5.0 / 2));
}

}  // namespace terrace::stages
