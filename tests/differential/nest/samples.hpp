// Nests at random for every method: those of texts, and those over grids with a rim.
#pragma once

#include <array>
#include <random>

#include "tests/differential/nest/nest_blocks.hpp"
#include "tests/support/nests.hpp"

namespace terrace::nest::testing {

/// A nest with its inputs, and the loops as written.
struct NestSample {
  NestSpec spec;
  std::vector<std::vector<char>> data;
  std::vector<const void*> inputs;
  Made made;
};

inline Storage random_storage(std::mt19937& random) { return random() % 2 == 0 ? Storage::expanded : Storage::given; }

/// A sample of random_text() for each schedule that it has.
inline std::vector<NestSample> samples_of_text(std::mt19937& random) {
  const NestText text = random_text(random);
  const Storage storage = random_storage(random);
  std::vector<NestSample> all;
  for (const bool balanced : {false, true}) {
    NestSample sample;
    try {
      sample.spec = spec_of(text, balanced, storage);
    } catch (const NestFault&) {
      break;
    } catch (const SkewFault&) {
      continue;
    }
    sample.made = run_as_written(*sample.spec.nest, {});
    REQUIRE(sample.made.failure.kind == NestFailure::none);
    all.push_back(std::move(sample));
  }
  return all;
}

/// A nest over a grid with a rim, in place or as a table of steps, in two parts, which reads another input, too.
inline Written random_grid(std::mt19937& random, int rank, ElementType type) {
  const auto up_to = [&](int most) { return static_cast<int>(random() % static_cast<unsigned>(most + 1)); };
  const char* names[] = {"i", "j"};
  Written made;
  made.input("g", std::vector<i64>(static_cast<std::size_t>(rank), 14), type).input("x", {14}, ElementType::u8);
  made.loop("t", std::to_string(up_to(5)));
  for (int axis = 0; axis < rank; ++axis) made.loop(names[axis], "2", "size(g, " + std::to_string(axis) + ") - 2");
  const bool is_table = up_to(1) == 0;
  const auto element = [&](const std::string& step, int reach) {
    std::string text = "A" + (is_table ? "[t" + step + "]" : "");
    for (int axis = 0; axis < rank; ++axis) {
      const int offset = up_to(2 * reach) - reach;
      text += std::string("[") + names[axis] + (offset < 0 ? "" : "+") + std::to_string(offset) + "]";
    }
    return text;
  };
  const std::string cut = std::to_string(2 + up_to(10));
  for (const bool is_first : {true, false}) {
    std::string text = element("+1", 0) + " = (" + element("", 2) + " + " + element("", 2) + " + x[" +
                       names[rank - 1] + (up_to(1) == 0 ? "-2" : "+1") + "])";
    text += is_floating(type) ? "*0.4" : " % 97";
    if (up_to(1) == 0) text += " + if(t < 2, " + element("", 1) + ", 1)*2 - t";
    made.cell({{"i", is_first ? std::vector<std::string>{"2", cut} : std::vector<std::string>{cut, "12"}}}, text);
  }
  made.array("A", std::nullopt, "g");
  return made.in_order(up_to(1) == 0 ? Order::cells : Order::statements);
}

/// A sample of random_grid() for each schedule that it has.
inline std::vector<NestSample> samples_of_grid(std::mt19937& random, int rank, ElementType type) {
  std::vector<char> g(14 * 14 * 8), x(14);
  for (char& one : x) one = static_cast<char>(random() % 200);
  for (i64 index = 0; index < 14 * 14; ++index) {
    const auto value = static_cast<double>(random() % 90);
    store(type, g.data(), index,
          is_floating(type) ? formula::CellValue{value, 0} : formula::CellValue{0, static_cast<i64>(value)});
  }
  const Written written = random_grid(random, rank, type);
  const Storage storage = random_storage(random);
  std::vector<NestSample> all;
  for (const bool balanced : {false, true}) {
    NestSample sample;
    try {
      sample.spec = spec_of(written.text, balanced, storage);
    } catch (const SkewFault&) {
      continue;
    }
    sample.data = {g, x};
    for (const std::vector<char>& one : sample.data) sample.inputs.push_back(one.data());
    sample.made = run_as_written(*sample.spec.nest, sample.inputs);
    REQUIRE(sample.made.failure.kind == NestFailure::none);
    all.push_back(std::move(sample));
  }
  return all;
}

/// The types of grids, in turn.
inline ElementType grid_type(int trial) {
  return std::array{ElementType::i32, ElementType::f32, ElementType::f64,
                    ElementType::i64}[static_cast<std::size_t>(trial / 2 % 4)];
}

/// Sides from `least` on, a coordinate each.
inline std::vector<i64> random_sides(std::mt19937& random, const NestSpec& spec, i64 least) {
  std::vector<i64> sides;
  for (std::size_t n = 0; n < spec.skew.rank(); ++n) sides.push_back(least + static_cast<i64>(random() % 20));
  return sides;
}

}  // namespace terrace::nest::testing
