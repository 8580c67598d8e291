// Nests on the CPU against the loops as they are written.
#include <array>
#include <catch2/catch.hpp>
#include <random>

#include "kernels/device/context.hpp"
#include "kernels/device/cpu_context.hpp"
#include "tests/differential/nest/nest_blocks.hpp"
#include "tests/support/nests.hpp"

namespace terrace::nest {
namespace {

using testing::Computed;
using testing::NestBlocks;
using testing::spec_of;

Computed compute(const NestSpec& spec, const std::vector<const void*>& inputs, const std::vector<i64>& side,
                 int threads) {
  device::CpuContext context(threads);
  const auto kernel = nest_methods()[0].make(spec, context, nullptr);
  return NestBlocks(spec, inputs, side).run(context, *kernel);
}

void check_equal(const Nest& nest, const Made& made, const Computed& computed) {
  for (std::size_t n = 0; n < nest.arrays.size(); ++n) {
    REQUIRE(made.arrays[n].size() == computed.arrays[n].size());
    std::size_t differing = 0;
    for (std::size_t index = 0; index < made.arrays[n].size(); ++index) {
      differing += std::memcmp(&made.arrays[n][index], &computed.arrays[n][index], sizeof(Word)) != 0;
    }
    CHECK(differing == 0);
  }
}

TEST_CASE("edit distance is the nest that everybody knows") {
  Written made;
  made.letters("a", 6).letters("b", 7).loop("i", "size(a)").loop("j", "size(b)");
  made.array("D", ElementType::i32, "", "i + j + 2");
  made.cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
  NestSpec spec = spec_of(made.text);
  spec.kept[0].corner = true;
  spec.kept[0].best = -1;
  const char kitten[] = "kitten", sitting[] = "sitting";
  const std::vector<const void*> inputs = {kitten, sitting};
  const Made as_written = run_as_written(*spec.nest, inputs);
  CHECK(as_written.arrays[0].back().whole == 3);
  for (const i64 side : {1, 2, 3, 10}) {
    const Computed computed = compute(spec, inputs, {side, side}, 1);
    check_equal(*spec.nest, as_written, computed);
    int corners = 0;
    BestElement best{};
    for (const NestResult& result : computed.results) {
      corners += static_cast<int>(result.has_corner[0]);
      if (result.has_corner[0] != 0) CHECK(result.corner[0].whole == 3);
      if (result.best[0].is_found == 0) continue;
      Point at{};
      std::copy_n(result.best[0].at, most_coordinates, at.begin());
      offer(best, ElementType::i32, -1, at, result.best[0].value);
    }
    CHECK(corners == 1);
    CHECK(best.value.whole == 1);
    CHECK((best.at[0] == 0 && best.at[1] == 0));
  }
}

TEST_CASE("random nests equal the loops as written, in blocks and tiles of any size") {
  std::mt19937 random(11);
  int computed = 0, shifted = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const NestText text = random_text(random);
    for (const bool balanced : {false, true}) {
      NestSpec spec;
      try {
        spec = spec_of(text, balanced);
      } catch (const NestFault&) {
        break;
      } catch (const SkewFault&) {
        continue;
      }
      const Made made = run_as_written(*spec.nest, {});
      REQUIRE(made.failure.kind == NestFailure::none);
      std::vector<i64> small, large;
      for (std::size_t n = 0; n < spec.skew.rank(); ++n) {
        small.push_back(3 + static_cast<i64>(random() % 20));
        large.push_back(1000);
      }
      check_equal(*spec.nest, made, compute(spec, {}, small, 1));
      check_equal(*spec.nest, made, compute(spec, {}, large, 3));
      ++computed;
      for (const std::vector<i64>& shift : spec.skew.shifts) shifted += shift != std::vector<i64>(shift.size(), 0);
    }
  }
  CHECK(computed > 25);
  CHECK(shifted > 2);
}

/// A nest over a grid with a rim, in place or as a table of steps, in two parts, which reads another input, too.
Written random_grid(std::mt19937& random, int rank, ElementType type) {
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

TEST_CASE("nests over grids with rims, in parts, equal the loops as written") {
  std::mt19937 random(5);
  std::vector<std::uint8_t> x(14);
  for (std::uint8_t& one : x) one = static_cast<std::uint8_t>(random() % 200);
  int computed = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int rank = 1 + trial % 2;
    const ElementType type =
        std::array{ElementType::i32, ElementType::f32, ElementType::f64, ElementType::i64}[trial / 2 % 4];
    std::vector<char> g(14 * 14 * 8);
    for (i64 index = 0; index < 14 * 14; ++index) {
      const auto value = static_cast<double>(random() % 90);
      store(type, g.data(), index,
            is_floating(type) ? formula::CellValue{value, 0} : formula::CellValue{0, static_cast<i64>(value)});
    }
    const Written written = random_grid(random, rank, type);
    for (const bool balanced : {false, true}) {
      NestSpec spec;
      try {
        spec = spec_of(written.text, balanced);
      } catch (const SkewFault&) {
        continue;
      }
      const std::vector<const void*> inputs = {g.data(), x.data()};
      const Made made = run_as_written(*spec.nest, inputs);
      REQUIRE(made.failure.kind == NestFailure::none);
      std::vector<i64> side;
      for (std::size_t n = 0; n < spec.skew.rank(); ++n) side.push_back(4 + static_cast<i64>(random() % 20));
      check_equal(*spec.nest, made, compute(spec, inputs, side, 2));
      ++computed;
    }
  }
  CHECK(computed > 80);
}

TEST_CASE("a cell without a value is named") {
  Written made;
  made.input("x", {4}, ElementType::i32).loop("i", "4").array("D", ElementType::i8, "", "100");
  const auto failure = [&](const std::string& cell, const std::vector<std::int32_t>& x) {
    Written one = made;
    const NestSpec spec = spec_of(one.cell(cell).text);
    const std::vector<const void*> inputs = {x.data()};
    const Made as_written = run_as_written(*spec.nest, inputs);
    const Computed computed = compute(spec, inputs, {2}, 2);
    CHECK(in_words(*spec.nest, as_written.failure) == in_words(*spec.nest, computed.failure));
    return in_words(*spec.nest, computed.failure);
  };
  CHECK(failure("D[i] = 7 / x[i]", {1, 2, 0, 0}) == "D[2] at i = 2, by 'D[i] = 7 / x[i]': 7 / 0 divides by 0");
  CHECK(failure("D[i] = D[i-1] + x[i]", {1, 2, 30, 0}) ==
        "D[2] at i = 2, by 'D[i] = D[i-1] + x[i]': 133 is beyond i8, the array's type");
  CHECK(failure("D[i] = x[x[i]]", {1, 2, 4, 0}) == "D[2] at i = 2, by 'D[i] = x[x[i]]': [4] is outside the input");
  CHECK(failure("D[i] = i32(1.0/x[i])", {1, 2, 0, 0}) ==
        "D[2] at i = 2, by 'D[i] = i32(1.0/x[i])': i32(inf) is no whole number of that type");
  made.text.arrays[0].outside = "100 / (i + 1)";
  CHECK(failure("D[i] = D[i-1] + x[i]", {1, 2, 3, 4}) == "the `outside` of D[-1]: 100 / 0 divides by 0");
}

TEST_CASE("empty nests leave what no statement writes") {
  Written made;
  const std::vector<float> g = {1, 2, 3};
  made.input("g", {3}).loop("t", "0").loop("i", "1", "2").array("A", std::nullopt, "g");
  made.cell("A[i] = (A[i-1] + A[i+1])/2");
  const NestSpec spec = spec_of(made.text);
  const std::vector<const void*> inputs = {g.data()};
  const Made as_written = run_as_written(*spec.nest, inputs);
  CHECK(as_written.arrays[0][1].real == 2);
  check_equal(*spec.nest, as_written, compute(spec, inputs, {5, 5}, 1));
}

}  // namespace
}  // namespace terrace::nest
