// Integral histograms on CUDA against the plain rule.
#include <catch2/catch.hpp>

#include "tests/differential/wavefront/histogram_samples.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

template <class G>
testing::TableInput input_of(const std::vector<G>& grid) {
  testing::TableInput input;
  input.grid.resize(grid.size() * sizeof(G));
  if (!grid.empty()) std::memcpy(input.grid.data(), grid.data(), input.grid.size());
  return input;
}

/// Compares every count. @return values in all bins
template <class T, class G>
std::int64_t compare_table(const std::vector<unsigned char>& table, const SweepSpec& spec,
                           const std::vector<G>& grid) {
  std::int64_t wrong = 0, counted = 0;
  for (std::int64_t bin = 0; bin < spec.layers; ++bin) {
    const auto expected = test::histogram_layer(grid, spec, bin);
    for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
      wrong += test::cell_of<T>(table, bin * spec.rows * spec.columns + n) != expected[static_cast<std::size_t>(n)];
    }
    if (!expected.empty()) counted += expected.back();
  }
  CHECK(wrong == 0);
  if (spec.rows * spec.columns > 100) CHECK(counted > 0);
  return counted;
}

/// Sweeps all layers and compares every count. @param ring blocks that may be under way at a time
/// @return values in all bins
template <class T, class G>
std::int64_t compare_all(device::Context& context, const SweepSpec& spec, const std::vector<G>& grid,
                         const CudaTrial& trial, std::uint64_t ring = 3) {
  testing::CudaTable cuda(spec, context, input_of(grid), trial, ring);
  cuda.run();
  INFO(spec.layers << " bins of " << spec.rows << " x " << spec.columns << " in blocks of " << spec.block_rows
                   << " x " << spec.block_columns << ", " << name_of(spec.grid) << ", thread blocks "
                   << trial.thread_blocks << ", delays " << trial.delay_seed);
  REQUIRE(cuda.done == cuda.blocks());
  return compare_table<T>(cuda.table(), spec, grid);
}

/// The same now and then on a simulated GPU.
template <class T, class G>
void compare(device::Context& context, const SweepSpec& spec, const std::vector<G>& grid, const CudaTrial& trial) {
  if (!test::is_tried(context, spec.layers * spec.rows * spec.columns)) return;
  const std::int64_t counted = compare_all<T>(context, spec, grid, trial);
  if (spec.rows * spec.columns > 100) CHECK(counted > 50);
}

template <class G, class T>
void compare_type(device::Context& context, double low, double high) {
  unsigned turn = 0;
  for (std::int64_t rows : {0, 1, 70, 200}) {
    for (std::int64_t columns : {0, 1, 131, 700}) {
      for (std::int64_t bins : {1, 7}) {
        const std::int64_t cuts[] = {1000, 64, 33, 20};
        const auto spec = test::histogram_spec(rows, columns, cuts[turn % 4], 3 * cuts[turn / 4 % 4],
                                               element_type_of<G>(), element_type_of<T>(), bins, low, high);
        compare<T>(context, spec, test::values_around<G>(rows * columns, bins, low, high, turn),
                   test::trial_of(turn));
        ++turn;
      }
    }
  }
}

TEST_CASE("on CUDA counts of grids of every type equal the plain rule, edges and no numbers among the values") {
  const auto context = test::cuda_context();
  if (!context) return;
  compare_type<std::uint8_t, std::int32_t>(*context, 0, 256);
  compare_type<std::int8_t, std::int64_t>(*context, -100.5, 99.25);
  compare_type<std::uint16_t, std::int32_t>(*context, 100, 60000);
  compare_type<std::int16_t, std::int32_t>(*context, -1000.1, 1000.3);
  compare_type<std::uint32_t, std::int32_t>(*context, 0, 4294967296.0);
  compare_type<std::int32_t, std::int64_t>(*context, -7, 7);
  compare_type<std::uint64_t, std::int32_t>(*context, 0, 1e15);
  compare_type<std::int64_t, std::int64_t>(*context, -1e15, 1e12);
  compare_type<float, std::int32_t>(*context, -0.3, 0.7);
  compare_type<double, std::int32_t>(*context, -1, 0);
}

struct Cut {
  std::int64_t bins, rows, columns, block_rows, block_columns;
};

template <class G, class T>
void compare_cuts(device::Context& context, double low, double high, unsigned turn) {
  // Columns before 128, 1024 and their multiples end strips and groups of strips; rows before 128 end batches.
  const Cut cuts[] = {{1, 150, 259, 150, 259}, {1, 131, 1300, 70, 1300}, {5, 1, 131, 1, 131},    {5, 129, 1, 129, 1},
                      {5, 67, 261, 20, 261},   {5, 50, 300, 21, 130},    {32, 37, 130, 37, 130}, {33, 9, 133, 4, 133},
                      {33, 7, 130, 3, 50},     {256, 1, 129, 1, 129},    {256, 3, 5, 3, 5},      {256, 5, 3, 2, 2},
                      {256, 130, 1, 130, 1}};
  constexpr unsigned thread_blocks[] = {0, 1, 3};
  for (const auto& [bins, rows, columns, block_rows, block_columns] : cuts) {
    const auto spec = test::histogram_spec(rows, columns, block_rows, block_columns, element_type_of<G>(),
                                           element_type_of<T>(), bins, low, high);
    CudaTrial trial;
    trial.thread_blocks = thread_blocks[turn % 3];
    trial.delay_seed = turn % 2 == 0 ? 0 : turn;
    compare_all<T>(context, spec, test::values_around<G>(rows * columns, bins, low, high, turn), trial, 16);
    ++turn;
  }
}

TEST_CASE("on CUDA counts of any number of bins equal the plain rule, several layers under way at a time") {
  const auto context = test::cuda_context();
  if (!context) return;
  compare_cuts<std::uint8_t, std::int32_t>(*context, 0, 256, 0);
  compare_cuts<std::int8_t, std::int64_t>(*context, -128, 100, 1);
  compare_cuts<std::uint16_t, std::int32_t>(*context, 0, 300, 2);
}

TEST_CASE("on CUDA a launch of counts that is stopped or aborted ends, and the rest can follow") {
  const auto context = test::cuda_context();
  if (!context) return;
  const auto spec = test::histogram_spec(60, 300, 10, 300, ElementType::u8, ElementType::i32, 9, 0, 256);
  const auto grid = test::values_around<std::uint8_t>(60 * 300, 9, 0, 256, 4);
  for (const bool aborts : {false, true}) {
    for (const unsigned thread_blocks : {0u, 2u}) {
      CudaTrial trial;
      trial.thread_blocks = thread_blocks;
      testing::CudaTable cuda(spec, *context, input_of(grid), trial, 7);
      cuda.run(0, cuda.blocks(), aborts ? ~0ull : 5, aborts ? 5 : ~0ull);
      const std::uint64_t done = cuda.done;
      REQUIRE(done >= 5);
      cuda.run(done, cuda.blocks() - done);
      REQUIRE(cuda.done == cuda.blocks());
      compare_table<std::int32_t>(cuda.table(), spec, grid);
    }
  }
}

TEST_CASE("on CUDA bins of bytes end at any value") {
  const auto context = test::cuda_context();
  if (!context) return;
  // Every byte, in every column of a lane.
  std::vector<std::uint8_t> grid(4 * 259);
  for (std::size_t n = 0; n < grid.size(); ++n) grid[n] = static_cast<std::uint8_t>(n);
  for (const double low : {0.0, 1.0, 127.0, 128.0, 255.0}) {
    for (const double high : {1.0, 2.0, 127.0, 128.0, 129.0, 255.0, 256.0}) {
      if (high <= low) continue;
      const auto spec = test::histogram_spec(4, 259, 4, 259, ElementType::u8, ElementType::i32, 1, low, high);
      compare_all<std::int32_t>(*context, spec, grid, {});
    }
  }
}

}  // namespace
}  // namespace terrace::wavefront
