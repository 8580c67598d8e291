#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/tiles_cpu.hpp"
#include "tests/differential/recursive/eliminations.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

template <class T>
void check(InstructionSet set, int threads) {
  if (set > device::best_instruction_set()) {
    WARN("not run here: this CPU has no " << device::name_of(set));
    return;
  }
  device::CpuContext context(threads);
  const auto make = [&](std::int64_t) { return make_tiles_cpu(testing::elimination_spec<T>(), context, set); };
  for (const std::int64_t n : {1, 2, 63, 64, 65, 130}) testing::check_elimination<T>(context, make, n, 130);
  for (const std::int64_t tile : {1, 7, 64, 100}) {
    testing::check_elimination<T>(context, make, std::min<std::int64_t>(250, 9 * tile), tile);
  }
  testing::check_elimination<T>(context, make, 300, 280);  // more than a packed depth, on several threads
}

TEMPLATE_TEST_CASE("L times U is the matrix on the CPU, and whole numbers are exact", "", float, double) {
  SECTION("sse2") { check<TestType>(InstructionSet::sse2, 1); }
  SECTION("avx2") { check<TestType>(InstructionSet::avx2, 3); }
  SECTION("avx512") { check<TestType>(InstructionSet::avx512, 2); }
}

TEMPLATE_TEST_CASE("an elimination has the same bits on every instruction set and number of threads", "", float,
                   double) {
  constexpr std::int64_t n = 300;
  const std::vector<TestType> matrix = testing::dominant_matrix<TestType>(n, 5);
  std::vector<TestType> first;
  for (const InstructionSet set : {InstructionSet::sse2, InstructionSet::avx2, InstructionSet::avx512}) {
    if (set > device::best_instruction_set()) continue;
    for (const int threads : {1, 4}) {
      device::CpuContext context(threads);
      const auto make = [&](std::int64_t) {
        return make_tiles_cpu(testing::elimination_spec<TestType>(), context, set);
      };
      const auto lu = testing::eliminated(context, make, matrix, n, 160);
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
