// Time warping on CUDA against the reference, to the bit, with and without windows.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/differential/wavefront/values.hpp"
#include "tests/differential/wavefront_cuda/cuda_samples.hpp"

namespace terrace::wavefront {
namespace {

using test::Series;

/// Sweeps and compares every bit with the reference.
template <class V>
void compare(device::Context& context, const SweepSpec& spec, Series kind, const CudaTrial& trial) {
  const auto rows = test::make_series<V>(kind, spec.rows, 3);
  const auto columns = test::make_series<V>(kind, spec.columns, 4);
  const auto expected = test::warping_reference<V>(spec, rows, columns);
  testing::CudaTable cuda(spec, context, {test::bytes_of(rows), test::bytes_of(columns), {}}, trial);
  cuda.run();

  INFO(test::shown(spec) << ", series " << static_cast<int>(kind) << ", thread blocks " << trial.thread_blocks
                         << ", delays " << trial.delay_seed << ", rows of a lane " << trial.lane_rows);
  REQUIRE(cuda.done == cuda.blocks());
  const BlockResult result = test::folded(cuda.results);
  CHECK(result.score == reported(expected.score));
  CHECK(result.row == expected.row);
  CHECK(result.column == expected.column);
  if (!spec.table) return;
  const auto cells = cuda.table();
  std::int64_t wrong = 0;
  for (std::int64_t n = 0; n < spec.rows * spec.columns; ++n) {
    wrong += reported(test::cell_of<V>(cells, n)) != reported(expected.h[static_cast<std::size_t>(n)]);
  }
  CHECK(wrong == 0);
}

/// The same shape in both types, the table kept in turn.
void compare_always(device::Context& context, const Settings& settings, const std::int64_t (&shape)[4], Series kind,
                    unsigned turn) {
  const bool table = turn / 2 % 2 == 0;
  compare<float>(context, test::warping_spec<float>(settings, shape[0], shape[1], shape[2], shape[3], table), kind,
                 test::trial_of(turn));
  compare<double>(context, test::warping_spec<double>(settings, shape[0], shape[1], shape[2], shape[3], !table), kind,
                  test::trial_of(turn + 1));
}

void compare_both(device::Context& context, const Settings& settings, const std::int64_t (&shape)[4], Series kind,
                  unsigned turn) {
  if (test::is_tried(context, shape[0] * shape[1])) compare_always(context, settings, shape, kind, turn);
}

TEST_CASE("on CUDA time warping equals the reference to the bit at sizes around warps and blocks", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t cuts[] = {1000, 64, 33, 7, 100};
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (std::int64_t rows : {1, 2, 31, 33, 64, 65, 200}) {
      for (std::int64_t columns : {1, 2, 31, 33, 64, 65, 200}) {
        compare_both(*context, settings, {rows, columns, cuts[turn % 5], cuts[turn / 5 % 5]},
                     static_cast<Series>(turn % 3), turn);
        ++turn;
      }
    }
  }
}

TEST_CASE("on CUDA time warping over several bands, blocks and pieces is exact, whatever the delays") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (const auto& shape : std::initializer_list<std::int64_t[4]>{{2500, 1100, 2500, 1100},
                                                                    {2500, 1100, 700, 300},
                                                                    {777, 1777, 777, 200},
                                                                    {1777, 777, 400, 777},
                                                                    {1, 5000, 1, 61},
                                                                    {5000, 1, 333, 1}}) {
      for (int repeat = 0; repeat < 4; ++repeat, ++turn) {
        compare_both(*context, settings, shape, static_cast<Series>(turn % 3), turn);
      }
    }
  }
}

TEST_CASE("on CUDA time warping with free columns finds the least cost of any part of them, to the bit", "[few]") {
  const auto context = test::cuda_context();
  if (!context) return;
  constexpr std::int64_t cuts[] = {1000, 64, 33, 7, 100};
  unsigned turn = 0;
  for (const Settings& settings : test::warpings("columns")) {
    for (std::int64_t rows : {1, 31, 33, 64, 200, 300}) {
      for (std::int64_t columns : {1, 2, 33, 65, 200, 400}) {
        compare_both(*context, settings, {rows, columns, cuts[turn % 5], cuts[turn / 5 % 5]},
                     static_cast<Series>(turn % 3), turn);
        ++turn;
      }
    }
    for (const auto& shape : std::initializer_list<std::int64_t[4]>{
             {2500, 1100, 700, 300}, {300, 1777, 300, 200}, {512, 900, 256, 900}}) {
      compare_both(*context, settings, shape, static_cast<Series>(turn % 3), turn);
      ++turn;
    }
  }
}

TEST_CASE("on CUDA time warping in a window equals the reference to the bit, in one block and in many") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (std::int64_t window : {0, 1, 31, 32, 33, 100, 400, 5000}) {
      for (const auto& shape : std::initializer_list<std::int64_t[4]>{{1, 1, 1, 1},
                                                                      {33, 33, 100, 100},
                                                                      {200, 200, 50, 33},
                                                                      {90, 120, 7, 1000},
                                                                      {900, 900, 300, 400},
                                                                      {1300, 1000, 1300, 1000},
                                                                      {2500, 2400, 700, 300},
                                                                      {1000, 1300, 77, 200}}) {
        if (std::abs(shape[0] - shape[1]) > window) continue;
        compare_both(*context, test::with_window(settings, window), shape, static_cast<Series>(turn % 3), turn);
        ++turn;
      }
    }
  }
}

TEST_CASE("on CUDA time warping in windows that hold pieces without edges equals the reference to the bit") {
  const auto context = test::cuda_context();
  if (!context) return;
  unsigned turn = 0;
  for (const Settings& settings : test::warpings()) {
    for (std::int64_t window : {130, 299, 300}) {
      for (const auto& shape :
           std::initializer_list<std::int64_t[4]>{{300, 400, 300, 400}, {600, 600, 256, 200}, {768, 768, 512, 768}}) {
        compare_always(*context, test::with_window(settings, window), shape, static_cast<Series>(turn % 3), turn);
        ++turn;
      }
    }
  }
}

TEST_CASE("on CUDA types that cannot hold the values of time warping are refused") {
  const auto context = test::cuda_context();
  if (!context) return;
  SweepSpec spec = test::warping_spec<double>(test::warping("squared", "symmetric1"), 4, 4, 4, 4, true);
  spec.border = ElementType::f32;
  CHECK_THROWS_WITH(cuda_workspace_bytes(spec, context->limits(), CudaTrial{}),
                    Catch::Contains("type f32 cannot hold"));
  spec.value = ElementType::i32;
  CHECK_THROWS_WITH(cuda_workspace_bytes(spec, context->limits(), CudaTrial{}),
                    Catch::Contains("type i32 are not computed"));
}

}  // namespace
}  // namespace terrace::wavefront
