// In-place sweeps on the CPU against the definition, to the bit, in every instruction set.
#include <catch2/catch.hpp>

#include "kernels/device/cpu_context.hpp"
#include "kernels/in_place/cpu/sweep.hpp"
#include "tests/support/in_place_grid.hpp"
#include "tests/support/in_place_samples.hpp"

namespace terrace::in_place {
namespace {

using device::InstructionSet;

void check_with(InstructionSet set, int threads, std::size_t step = 1) {
  if (set > device::best_instruction_set()) {
    WARN("not run here: this CPU has no " << device::name_of(set));
    return;
  }
  INFO(device::name_of(set) << ", " << threads << " threads");
  device::CpuContext context(threads);
  testing::check_in_place(
      [&]<class T>(const InPlaceSpec& spec, const testing::InPlaceCase& c, std::vector<T>& grid) {
        auto sweep = make_in_place_cpu(spec, context, set);
        testing::InPlaceGrid(spec, context, *sweep).run(grid, c.sweeps, c.launch_slabs);
      },
      step);
}

TEST_CASE("in-place sweeps on the CPU give the bits of the definition on every instruction set") {
  SECTION("sse2") { check_with(InstructionSet::sse2, 1); }
  SECTION("avx2") { check_with(InstructionSet::avx2, 2); }
  SECTION("avx512") { check_with(InstructionSet::avx512, 2); }
}

TEST_CASE("in-place sweeps on more threads than processors give the same bits") {
  check_with(device::best_instruction_set(), 5, 3);
}

TEST_CASE("slabs that are not higher than a pass has sweeps are refused") {
  device::CpuContext context(1);
  InPlaceSpec spec;
  spec.problem = "sor";
  spec.settings.set("omega", 1.0);
  spec.rows = 100;
  spec.columns = 10;
  spec.slab_rows = 16;
  spec.pass_sweeps = 16;
  CHECK_THROWS_AS(make_in_place_cpu(spec, context), DeviceError);
  spec.slab_rows = 17;
  CHECK_NOTHROW(make_in_place_cpu(spec, context));
  spec.value = ElementType::i32;
  CHECK_THROWS_AS(make_in_place_cpu(spec, context), DeviceError);
}

}  // namespace
}  // namespace terrace::in_place
