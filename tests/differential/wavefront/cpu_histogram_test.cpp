// Integral histograms on the CPU against the plain rule: edges of bins, ends of types.
#include <catch2/catch.hpp>
#include <memory>

#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/cpu/sweep.hpp"
#include "tests/differential/wavefront/feeder.hpp"
#include "tests/differential/wavefront/histogram_samples.hpp"

namespace terrace::wavefront {
namespace {

template <class G>
std::vector<std::byte> bytes_of(const std::vector<G>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(G));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Sweeps all layers and compares every count.
template <class T, class G>
void check(const SweepSpec& spec, const std::vector<G>& grid, device::InstructionSet set) {
  const auto context = device::make_cpu_context(3);
  test::TableMemory memory(spec, {}, {}, bytes_of(grid));
  const auto blocks = static_cast<std::uint64_t>(memory.grid().count());
  const test::Fed fed = test::feed(*make_cpu_sweep(spec, *context, set), memory, 0, blocks);
  INFO(spec.layers << " bins of " << spec.rows << " x " << spec.columns << " in blocks of " << spec.block_rows
                   << " x " << spec.block_columns << ", " << name_of(spec.grid));
  REQUIRE(fed.done == blocks);
  std::int64_t wrong = 0, counted = 0;
  for (std::int64_t bin = 0; bin < spec.layers; ++bin) {
    const auto expected = test::histogram_layer(grid, spec, bin);
    for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
      wrong += memory.cell<T>(n / spec.columns, n % spec.columns, bin) != expected[static_cast<std::size_t>(n)];
    }
    if (!expected.empty()) counted += expected.back();
  }
  CHECK(wrong == 0);
  if (spec.rows * spec.columns > 100) CHECK(counted > 50);
}

template <class G, class T>
void check_type(double low, double high) {
  unsigned turn = 0;
  for (std::int64_t rows : {0, 1, 70}) {
    for (std::int64_t columns : {0, 1, 131}) {
      for (std::int64_t bins : {1, 2, 7}) {
        const std::int64_t cuts[] = {1000, 64, 33, 20};
        const auto spec = test::histogram_spec(rows, columns, cuts[turn % 4], cuts[turn / 4 % 4],
                                               element_type_of<G>(), element_type_of<T>(), bins, low, high);
        const auto set = turn % 2 == 0 ? device::InstructionSet::sse2 : device::best_instruction_set();
        check<T>(spec, test::values_around<G>(rows * columns, bins, low, high, turn), set);
        ++turn;
      }
    }
  }
}

TEST_CASE("counts of grids of every type equal the plain rule, values on edges and beyond the ends among them") {
  check_type<std::uint8_t, std::int32_t>(0, 256);
  check_type<std::uint8_t, std::int64_t>(10.5, 99.25);
  check_type<std::int8_t, std::int32_t>(-128, 128);
  check_type<std::uint16_t, std::int32_t>(100, 60000);
  check_type<std::int16_t, std::int32_t>(-1000.1, 1000.3);
  check_type<std::uint32_t, std::int32_t>(0, 4294967296.0);
  check_type<std::int32_t, std::int32_t>(-7, 7);
  check_type<std::uint64_t, std::int32_t>(0, 1e15);
  check_type<std::int64_t, std::int64_t>(-1e15, 1e12);
  check_type<float, std::int32_t>(-0.3, 0.7);
  check_type<float, std::int32_t>(0, 1);
  check_type<double, std::int64_t>(-1, 0);
  check_type<double, std::int32_t>(1e-300, 3e-300);
}

/// Number of values in each bin, by keys.
template <class G>
std::vector<int> counts_of(const std::vector<G>& values, std::int64_t bins, double low, double high) {
  Settings settings;
  settings.set("bins", bins);
  settings.set("range", std::vector<double>{low, high});
  const auto edges = bin_edges(settings, element_type_of<G>());
  std::vector<int> counts;
  for (std::int64_t bin = 0; bin < bins; ++bin) {
    const KeyRange keys = bin_keys(edges, bin, element_type_of<G>());
    counts.push_back(0);
    for (G value : values) counts.back() += key_of(value) >= keys.low && key_of(value) <= keys.high;
  }
  return counts;
}

TEST_CASE("the last bin is closed, the others are not, and what lies outside is not counted") {
  using Counts = std::vector<int>;
  CHECK(counts_of<std::uint8_t>({0, 1, 2, 3, 4, 5}, 2, 1, 3) == Counts{1, 2});
  CHECK(counts_of<std::uint8_t>({0, 254, 255}, 2, 0, 255) == Counts{1, 2});
  CHECK(counts_of<std::uint8_t>({0, 254, 255}, 1, 255, 300) == Counts{1});
  CHECK(counts_of<std::uint8_t>({0, 255}, 2, 300, 400) == Counts{0, 0});
  CHECK(counts_of<std::int16_t>({-3, -2, -1, 0}, 3, -3, 0) == Counts{1, 1, 2});
  CHECK(counts_of<double>({-0.0, 0.0, 1.0, 2.0, 2.1}, 2, 0, 2) == Counts{2, 2});
  CHECK(counts_of<double>({-1.0, -0.0, 0.0, 0.1}, 1, -1, 0) == Counts{3});
  CHECK(counts_of<float>({0.1f, 0.2f, 0.3f}, 2, 0.1, 0.3) == Counts{1, 2});
  const auto none = std::numeric_limits<double>::quiet_NaN();
  CHECK(counts_of<double>({none, -none, HUGE_VAL, -HUGE_VAL}, 1, -1e308, 1e307) == Counts{0});
}

TEST_CASE("integers at the ends of their types are counted where they lie") {
  using Counts = std::vector<int>;
  using Limits = std::numeric_limits<std::int64_t>;
  CHECK(counts_of<std::int64_t>({Limits::min(), -1, 0, Limits::max()}, 2, -9223372036854775808.0,
                                9223372036854775808.0) == Counts{2, 2});
  CHECK(counts_of<std::uint64_t>({0, ~std::uint64_t{0}}, 1, 0, 18446744073709551616.0) == Counts{2});
  CHECK(counts_of<std::int32_t>({-2147483647 - 1, 2147483647}, 1, -1e300, 1e300) == Counts{2});
  CHECK(counts_of<std::uint64_t>({0, 1}, 1, -5, -1) == Counts{0});
  // The edge 2^53 lies between two integers that f64 does not tell apart.
  CHECK(counts_of<std::int64_t>({9007199254740992, 9007199254740993}, 1, 0, 9007199254740992.0) == Counts{1});
}

TEST_CASE("types of 8 and 16 bits have a range of their own, where every value is one wide") {
  using Range = std::array<double, 2>;
  CHECK(default_range(ElementType::u8) == Range{0, 256});
  CHECK(default_range(ElementType::i8) == Range{-128, 128});
  CHECK(default_range(ElementType::u16) == Range{0, 65536});
  CHECK(default_range(ElementType::i16) == Range{-32768, 32768});
  CHECK_FALSE(default_range(ElementType::i32));
  CHECK_FALSE(default_range(ElementType::f32));
}

TEST_CASE("counts in floating point are refused") {
  const auto context = device::make_cpu_context(1);
  const auto spec = test::histogram_spec(4, 4, 4, 4, ElementType::u8, ElementType::f32, 2, 0, 4);
  CHECK_THROWS_WITH(make_cpu_sweep(spec, *context), Catch::Contains("i32 or i64"));
}

}  // namespace
}  // namespace terrace::wavefront
