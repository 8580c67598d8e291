// Integral histograms on CUDA against the plain rule.
#include <catch2/catch.hpp>

#include "tests/differential/wavefront/histogram_samples.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

/// Sweeps all layers and compares every count.
template <class T, class G>
void compare(device::Context& context, const SweepSpec& spec, const std::vector<G>& grid, const CudaTrial& trial) {
  if (!test::is_tried(context, spec.layers * spec.rows * spec.columns)) return;
  testing::TableInput input;
  input.grid.resize(grid.size() * sizeof(G));
  if (!grid.empty()) std::memcpy(input.grid.data(), grid.data(), input.grid.size());
  testing::CudaTable cuda(spec, context, input, trial);
  cuda.run();
  INFO(spec.layers << " bins of " << spec.rows << " x " << spec.columns << " in blocks of " << spec.block_rows
                   << " x " << spec.block_columns << ", " << name_of(spec.grid));
  REQUIRE(cuda.done == cuda.blocks());
  const auto table = cuda.table();
  std::int64_t wrong = 0, counted = 0;
  for (std::int64_t bin = 0; bin < spec.layers; ++bin) {
    const auto expected = test::histogram_layer(grid, spec, bin);
    for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
      wrong += test::cell_of<T>(table, bin * spec.rows * spec.columns + n) != expected[static_cast<std::size_t>(n)];
    }
    if (!expected.empty()) counted += expected.back();
  }
  CHECK(wrong == 0);
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

}  // namespace
}  // namespace terrace::wavefront
