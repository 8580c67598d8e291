// Gaussian elimination in tiles on the CPU: L times U is the matrix, on any number of threads.
#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "tests/differential/recursive/eliminations.hpp"

namespace terrace::recursive {
namespace {

template <class T>
auto make_for(device::CpuContext& context, int cut_for) {
  return [&context, cut_for](std::int64_t) {
    TileSpec spec = testing::elimination_spec<T>();
    spec.threads = cut_for;
    return make_tiles_cpu(spec, context);
  };
}

TEMPLATE_TEST_CASE("L times U is the matrix on the CPU, and whole numbers are exact", "", float, double) {
  const int threads = GENERATE(1, 2, 3);
  device::CpuContext context(threads);
  const auto make = make_for<TestType>(context, threads);
  for (const std::int64_t n : {1, 2, 63, 64, 65, 130}) testing::check_elimination<TestType>(context, make, n, 130);
  for (const std::int64_t tile : {1, 7, 64, 100}) {
    testing::check_elimination<TestType>(context, make, std::min<std::int64_t>(250, 9 * tile), tile);
  }
  testing::check_elimination<TestType>(context, make, 300, 280);  // more than a packed depth, on several threads
}

TEMPLATE_TEST_CASE("an elimination has the same bits on every number of threads, whatever its tiles are cut for", "",
                   float, double) {
  constexpr std::int64_t n = 300;
  const std::vector<TestType> matrix = testing::dominant_matrix<TestType>(n, 5);
  for (const int cut_for : {1, 3, 8}) {
    std::vector<TestType> first;
    for (const int threads : {1, 4}) {
      device::CpuContext context(threads);
      const auto lu = testing::eliminated(context, make_for<TestType>(context, cut_for), matrix, n, 160);
      if (first.empty()) first = lu;
      CHECK(lu == first);
    }
  }
}

TEMPLATE_TEST_CASE("a pivot of no use is named on the CPU by the first tile that meets it", "", float, double) {
  device::CpuContext context(2);
  testing::check_refusals<TestType>(
      context, [&](std::int64_t) { return make_tiles_cpu(testing::elimination_spec<TestType>(), context); });
}

}  // namespace
}  // namespace terrace::recursive
