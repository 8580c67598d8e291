// Pairs on the CPU against the plain program of each pair's table.
#include <cmath>

#include "kernels/device/cpu_context.hpp"
#include "kernels/pairs/cpu/lanes.hpp"
#include "kernels/pairs/cpu/series_bounds.hpp"
#include "kernels/pairs/cpu/striped.hpp"
#include "kernels/pairs/plain.hpp"
#include "tests/differential/pairs/limits.hpp"

namespace terrace::pairs::testing {
namespace {

TEST_CASE("one pair after another gives what the tables of pairs report") {
  device::CpuContext context(2);
  const auto make = [&](const PairsSpec& spec) { return make_plain(spec, context, nullptr); };
  Samples samples(1);
  for (const auto& kinds : {alignments(), distances()}) {
    for (const Kind& kind : kinds) {
      INFO(text_of(kind));
      Block<u8> block{samples.letters(5, 0, 40, kind.codes), samples.letters(7, 0, 50, kind.codes), {}};
      compare(context, spec_of(kind, block, true), block, make);
      block.pairs = samples.pairs(20, 5, 7);
      compare(context, spec_of(kind, block, false), block, make);
    }
  }
  for (const i64 window : {-2, -1, 0, 3, 30}) {
    for (const Kind& kind : warpings(window)) {
      INFO(text_of(kind));
      const Block<float> narrow{samples.series<float>(5, 0, 40), samples.series<float>(7, 0, 50), {}};
      compare(context, spec_of(kind, narrow, true), narrow, make);
      const Block<double> wide{samples.series<double>(5, 0, 40), samples.series<double>(7, 0, 50), {}};
      compare(context, spec_of(kind, wide, true), wide, make);
    }
  }
}

TEST_CASE("one pair after another reports distances above a limit as missed") {
  device::CpuContext context(1);
  const auto make = [&](const PairsSpec& spec) { return make_plain(spec, context, nullptr); };
  Samples samples(2);
  const Block<u8> block{samples.letters(9, 0, 60, 3), samples.letters(9, 0, 60, 3), {}};
  for (const double limit : {-1.0, 0.0, 5.5, 20.0}) {
    PairsSpec spec = spec_of({"edit_distance", {}, {}, 3}, block, false);
    spec.at_most = limit;
    compare(context, spec, block, make);
  }
  const Block<float> series{samples.series<float>(9, 1, 60), samples.series<float>(9, 1, 60), {}};
  PairsSpec spec = spec_of(warpings(-1)[0], series, false);
  spec.at_most = 2000.5;
  compare(context, spec, series, make);
}

/// Calls call(make) for each instruction set that there is, with a function that makes its kernel.
template <class Call>
void for_each_instruction_set(device::Context& context, const Call& call) {
  for (const auto set :
       {device::InstructionSet::sse2, device::InstructionSet::avx2, device::InstructionSet::avx512}) {
    if (set > device::best_instruction_set()) continue;
    INFO(name_of(set));
    call([&](const PairsSpec& spec) { return make_lanes(spec, context, set); });
  }
}

TEST_CASE("alignments in lanes give what the tables of pairs report") {
  device::CpuContext context(2);
  for_each_instruction_set(context, [&](const auto& make) {
    Samples samples(3);
    for (const Kind& kind : alignments()) {
      INFO(text_of(kind));
      for (const bool ends : {true, false}) {
        Block<u8> block{samples.letters(6, 0, 60, kind.codes), samples.letters(45, 0, 70, kind.codes), {}};
        compare(context, spec_of(kind, block, ends), block, make);
        std::swap(block.rows, block.columns);
        compare(context, spec_of(kind, block, ends), block, make);
        block.pairs = samples.pairs(100, 45, 6);
        compare(context, spec_of(kind, block, ends), block, make);
      }
    }
  });
}

TEST_CASE("alignments whose scores leave a type are computed again in a wider one") {
  device::CpuContext context(2);
  for_each_instruction_set(context, [&](const auto& make) {
    Samples samples(7);
    for (const bool ends : {false, true}) {
      for (const bool affine : {false, true}) {
        Kind kind{"smith_waterman", {{"match", 127}, {"mismatch", -100}, {"gap", 100}}, {}, 4};
        if (affine)
          kind = {"smith_waterman", {{"match", 127}, {"mismatch", -100}, {"gap_open", 90}, {"gap_extend", 2}}, {}, 4};
        // The score of 600 equal letters leaves 16 bits, and the score of 70 leaves 8; most others do not.
        Block<u8> block{samples.letters(3, 600, 620, 4), samples.letters(80, 0, 3, 4), {}};
        for (const auto& item : block.rows) block.columns.push_back(item);
        for (const auto& item : samples.letters(2, 70, 90, 4)) {
          block.rows.push_back(item);
          block.columns.push_back(item);
        }
        CHECK(compare(context, spec_of(kind, block, ends), block, make).again > 5);
        // All of them leave 8 bits.
        block.rows = {block.rows[3]};
        block.columns.assign(700, block.rows[0]);
        CHECK(compare(context, spec_of(kind, block, ends), block, make).again < 350);
      }
    }
  });
}

TEST_CASE("alignments of items whose lengths differ much are made one after another") {
  device::CpuContext context(2);
  const LaneItem unlike[] = {{900, 1500}, {900, 200}, {900, 100}};
  const LaneItem alike[] = {{900, 300}, {900, 290}, {900, 280}};
  CHECK(is_striped_faster(unlike, 3, 16));
  CHECK_FALSE(is_striped_faster(alike, 3, 3));
  for_each_instruction_set(context, [&](const auto& make) {
    Samples samples(8);
    for (const Kind& kind : alignments()) {
      if (kind.problem != "smith_waterman") continue;
      INFO(text_of(kind));
      Block<u8> block{samples.letters(2, 400, 900, kind.codes), samples.letters(5, 0, 60, kind.codes), {}};
      for (const auto& item : samples.letters(2, 700, 800, kind.codes)) block.columns.push_back(item);
      block.columns.push_back(block.rows[0]);
      compare(context, spec_of(kind, block, false), block, make);
    }
    // Vertical gaps longer than the rows of a lane.
    std::vector<u8> row(1500, 0), column;
    for (u8& letter : row) letter = static_cast<u8>(samples.draw(0, 3));
    column.assign(row.begin(), row.begin() + 600);
    column.insert(column.end(), row.begin() + 900, row.end());
    const Block<u8> block{{row}, {column}, {}};
    const Kind kind{"smith_waterman", {{"match", 2}, {"mismatch", -3}, {"gap_open", 5}, {"gap_extend", 1}}, {}, 4};
    compare(context, spec_of(kind, block, false), block, make);
  });
}

TEST_CASE("distances by bits in lanes give what the tables of pairs report") {
  device::CpuContext context(2);
  for_each_instruction_set(context, [&](const auto& make) {
    Samples samples(4);
    for (const Kind& kind : distances()) {
      INFO(text_of(kind));
      for (const i64 longest : {60, 64, 300, 700}) {
        Block<u8> block{
            samples.letters(5, 0, longest, kind.codes), samples.letters(6, 0, longest + 10, kind.codes), {}};
        compare(context, spec_of(kind, block, true), block, make);
        block.pairs = samples.pairs(20, 5, 6);
        compare(context, spec_of(kind, block, false), block, make);
      }
    }
  });
}

TEST_CASE("edit distances by bits with a limit are exact up to it") {
  device::CpuContext context(2);
  for_each_instruction_set(context, [&](const auto& make) {
    Samples samples(5);
    const Kind kind{"edit_distance", {}, {}, 3};
    for (const i64 longest : {40, 300, 1200}) {
      Block<u8> block{samples.letters(8, 0, longest, 3), {}, {}};
      block.columns = block.rows;
      for (auto& item : block.columns) {
        // Some letters are changed, left out or doubled.
        std::vector<u8> changed;
        for (const u8 letter : item) {
          const i64 drawn = samples.draw(0, 40);
          if (drawn > 0) changed.push_back(drawn == 1 ? u8{1} : letter);
          if (drawn == 2) changed.push_back(letter);
        }
        item = changed;
      }
      for (const i64 limit : {-1, 0, 1, 7, 30, 100, 260, 5000}) {
        INFO("at most " << limit);
        PairsSpec spec = spec_of(kind, block, false);
        spec.at_most = static_cast<double>(limit) + 0.5;
        compare(context, spec, block, make);
      }
    }
  });
}

template <class T>
void compare_series(device::Context& context, const Kind& kind, Samples& samples, const auto& make) {
  Block<T> block{samples.series<T>(6, 0, 40), samples.series<T>(20, 0, 50), {}};
  compare(context, spec_of(kind, block, true), block, make);
  block.pairs = samples.pairs(50, 6, 20);
  PairsSpec spec = spec_of(kind, block, false);
  spec.at_most = 3000;
  compare(context, spec, block, make);
}

TEST_CASE("series in lanes cost what the tables of pairs report, to the bit") {
  device::CpuContext context(2);
  for_each_instruction_set(context, [&](const auto& make) {
    Samples samples(6);
    for (const i64 window : {-2, -1, 0, 1, 3, 5, 12, 30, 100}) {
      for (const Kind& kind : warpings(window)) {
        INFO(text_of(kind));
        compare_series<float>(context, kind, samples, make);
        compare_series<double>(context, kind, samples, make);
      }
    }
  });
}

TEST_CASE("series with a limit cost the same up to it, and those that exceed it are left") {
  device::CpuContext context(2);
  for_each_instruction_set(context, [&](const auto& make) {
    Samples samples(9);
    for (const i64 window : {-2, -1, 45, 200}) {
      for (const Kind& kind : warpings(window)) {
        INFO(text_of(kind));
        CHECK(compare_limits<float>(context, kind, samples, 9, 30, make) > 100);
        CHECK(compare_limits<double>(context, kind, samples, 9, 30, make) > 100);
      }
    }
  });
}

TEST_CASE("bounds of costs are none above the cost of the pair, to the last bit") {
  Samples samples(10);
  for (int turn = 0; turn < 400; ++turn) {
    const bool squared = turn % 2 == 0, free = turn % 5 == 0;
    const i64 window = free ? wavefront::no_window : turn % 7 == 0 ? 200 : 12;
    const float scale = turn % 3 == 0 ? 1e-20f : turn % 3 == 1 ? 1e-30f : 1.0f;
    Items<float> items = turn % 4 == 0 ? waves<float>(samples, 2, 1, 3) : waves<float>(samples, 2, 40, 50);
    for (auto& item : items) {
      for (float& value : item) value *= scale;
    }
    Kind kind{"dtw", {}, {{"cost", squared ? "squared" : "absolute"}, {"steps", "symmetric1"}}};
    if (free) kind.words["free_ends"] = "columns";
    else kind.numbers["window"] = static_cast<double>(window);
    const auto described = wavefront::describe("dtw", kind.settings());
    const float cost = wavefront::described_reference<float, float>(*described, items[0], items[1]).score;
    Envelope<float> envelope;
    make_envelope<float>(items[1], window, std::ssize(items[0]), envelope);
    CHECK(least_cost<float>({window, squared, free}, items[0], items[1], envelope) <= cost);
  }
}

TEST_CASE("an envelope has the extremes of what each row reaches, and bounds come near a cost") {
  Samples samples(11);
  const auto columns = samples.series<double>(1, 60, 60)[0];
  for (const i64 window : {0, 1, 7, 59, 60, 1000}) {
    const i64 rows = 60 + std::min<i64>(window, 20);
    Envelope<double> made;
    make_envelope<double>(columns, window, rows, made);
    for (i64 row = 0; row < rows; ++row) {
      const auto begin = columns.begin() + std::max<i64>(0, row - window);
      const auto end = columns.begin() + std::min<i64>(60, row + window + 1);
      CHECK(made.least[static_cast<std::size_t>(row)] == *std::min_element(begin, end));
      CHECK(made.greatest[static_cast<std::size_t>(row)] == *std::max_element(begin, end));
    }
  }
  // In a window of 0 the bound is the cost, but for roundings.
  std::vector<double> rows = columns;
  for (double& value : rows) value += 3;
  Envelope<double> made;
  make_envelope<double>(columns, 0, 60, made);
  const double bound = least_cost<double>({0, false, false}, rows, columns, made);
  CHECK(bound > 179.999);
  CHECK(bound <= 180);
}

}  // namespace
}  // namespace terrace::pairs::testing
