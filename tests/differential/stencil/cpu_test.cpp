// Stencils on the CPU against the definition, to the bit, in every instruction set.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "kernels/stencil/cpu/sweep.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/stencil/compare.hpp"

namespace terrace::stencil {
namespace {

using device::InstructionSet;

void check_with(InstructionSet set, int threads, unsigned first_seed, unsigned samples, std::int64_t most_cells) {
  if (set > device::best_instruction_set()) {
    WARN("not run here: this CPU has no " << device::name_of(set));
    return;
  }
  device::CpuContext context(threads);
  for (unsigned seed = first_seed; seed < first_seed + samples; ++seed) {
    INFO(device::name_of(set) << ", " << threads << " threads, seed " << seed);
    testing::SampleMaker maker(seed, most_cells, 24);
    const testing::Sample sample = maker.make();
    testing::check_sample(maker, sample, context,
                          [&](const StencilSpec& spec) { return make_stencil_cpu(spec, context, set); });
  }
}

TEST_CASE("stencils on the CPU give the bits of the definition on every instruction set") {
  SECTION("sse2") { check_with(InstructionSet::sse2, 1, 1000, 200, 4000); }
  SECTION("avx2") { check_with(InstructionSet::avx2, 2, 2000, 300, 4000); }
  SECTION("avx512") { check_with(InstructionSet::avx512, 2, 3000, 300, 4000); }
  SECTION("more threads than processors") { check_with(device::best_instruction_set(), 5, 4000, 50, 4000); }
}

}  // namespace
}  // namespace terrace::stencil
