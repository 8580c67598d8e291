// Stencils on the CPU against the definition, to the bit, in every instruction set.
#include <catch2/catch.hpp>
#include <limits>

#include "kernels/device/cpu_context.hpp"
#include "kernels/stencil/cpu/sweep.hpp"
#include "pipeline/base/error.hpp"
#include "tests/differential/stencil/compare.hpp"

namespace terrace::stencil {
namespace {

using device::InstructionSet;

testing::Sample make_any(testing::SampleMaker& maker) { return maker.make(); }
testing::Sample make_with_points(testing::SampleMaker& maker) {
  testing::Sample sample = maker.chance(20)   ? maker.make_written()
                           : maker.chance(10) ? maker.make_separable()
                                              : maker.make();
  maker.add_points(sample);
  return sample;
}
testing::Sample make_separable(testing::SampleMaker& maker) { return maker.make_separable(); }

void check_with(InstructionSet set, int threads, unsigned first_seed, unsigned samples, std::int64_t most_cells,
                testing::Sample (*make)(testing::SampleMaker&) = make_any) {
  if (set > device::best_instruction_set()) {
    WARN("not run here: this CPU has no " << device::name_of(set));
    return;
  }
  device::CpuContext context(threads);
  for (unsigned seed = first_seed; seed < first_seed + samples; ++seed) {
    INFO(device::name_of(set) << ", " << threads << " threads, seed " << seed);
    testing::SampleMaker maker(seed, most_cells, 24);
    const testing::Sample sample = make(maker);
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

TEST_CASE("separable boxes on the CPU give the bits of their definition on every instruction set") {
  SECTION("sse2") { check_with(InstructionSet::sse2, 1, 6000, 30, 4000, make_separable); }
  SECTION("avx2") { check_with(InstructionSet::avx2, 2, 6100, 60, 4000, make_separable); }
  SECTION("avx512") { check_with(InstructionSet::avx512, 2, 6200, 60, 4000, make_separable); }
}

TEST_CASE("sources and receivers on the CPU give the bits of the definition on every instruction set") {
  SECTION("sse2") { check_with(InstructionSet::sse2, 1, 7000, 150, 2000, make_with_points); }
  SECTION("avx2") { check_with(InstructionSet::avx2, 2, 7200, 250, 2000, make_with_points); }
  SECTION("avx512") { check_with(InstructionSet::avx512, 2, 7500, 250, 2000, make_with_points); }
}

/// A five-point average with a source, in slabs.
StencilSpec average(std::int64_t rows, std::int64_t columns) {
  StencilSpec spec;
  spec.name = "star2d";
  spec.rank = 2;
  spec.extents = {rows, 1, columns};
  spec.faces[1] = {Face::edge, Face::edge, 0, 0};
  spec.terms = terms_of(Shape::star, 2, 1);
  spec.arrays = 1;
  spec.source = 0;
  spec.slab_rows = 8;
  spec.pass_steps = 4;
  return spec;
}

Grids<double> ones(const StencilSpec& spec) {
  const auto cells = static_cast<std::size_t>(spec.extents[0] * spec.width());
  return {{std::vector<double>(cells, 1)}, {std::vector<double>(cells, 1)}};
}

TEST_CASE("a launch that is aborted ends early and reports no block") {
  device::CpuContext context(2);
  StencilSpec spec = average(8, 64);
  const auto kernel = make_stencil_cpu(spec, context);
  device::u64 words[6] = {1, 0, 1, 0, 0, 0};
  StencilTask task{};
  StencilResult result{};
  const device::Port port{words,   words + 1, words + 2,   words + 3,     words + 4, words + 5, &task,
                          &result, 1,         sizeof task, sizeof result, 0,         1};
  kernel->run(port);
  CHECK(words[3] == 0);
}

TEST_CASE("sizes and types that no kernel takes are refused") {
  device::CpuContext context(1);
  StencilSpec spec = average(100, 10);
  CHECK_NOTHROW(make_stencil_cpu(spec, context));
  spec.slab_rows = 1;
  CHECK_THROWS_AS(make_stencil_cpu(spec, context), DeviceError);
  spec.slab_rows = 100;
  CHECK_NOTHROW(make_stencil_cpu(spec, context));
  spec.value = ElementType::i32;
  CHECK_THROWS_AS(make_stencil_cpu(spec, context), DeviceError);
  spec.value = ElementType::f64;
  spec.radius = 9;
  CHECK_THROWS_AS(make_stencil_cpu(spec, context), DeviceError);
  spec.radius = 1;
  spec.faces[0].low = Face::periodic;
  CHECK_THROWS_AS(make_stencil_cpu(spec, context), DeviceError);
}

TEST_CASE("grids without cells have nothing to do") {
  device::CpuContext context(1);
  for (const std::array<std::int64_t, 3>& extents : {std::array<std::int64_t, 3>{0, 1, 5}, {5, 1, 0}}) {
    StencilSpec spec = average(extents[0], extents[2]);
    const auto kernel = make_stencil_cpu(spec, context);
    Grids<double> grids = ones(spec);
    CHECK_NOTHROW(testing::run_stencil(spec, context, *kernel, grids, 0, 6));
  }
}

TEST_CASE("wide grids in several tiles give the bits of the definition") {
  device::CpuContext context(2);
  for (unsigned seed = 5000; seed < 5040; ++seed) {
    testing::SampleMaker maker(seed, 4000, 10);
    testing::Sample sample = maker.make();
    if (sample.spec.rank < 2) continue;
    sample.spec.extents[2] = 1500 + maker.below(1000);
    sample.spec.extents[0] = std::max<std::int64_t>(sample.spec.radius + 1, 12);
    sample.spec.extents[1] = sample.spec.rank == 3 ? sample.spec.radius + 1 : 1;
    const std::int64_t least = least_slab_rows(sample.spec.radius, std::max<std::int64_t>(1, sample.spec.depth));
    sample.spec.slab_rows = std::max(sample.spec.slab_rows, sample.spec.slab_tiles * least);
    testing::SampleMaker::make_room(sample.spec);
    INFO("seed " << seed);
    testing::check_sample(maker, sample, context, [&](const StencilSpec& spec) {
      return make_stencil_cpu(spec, context, device::best_instruction_set());
    });
  }
}

}  // namespace
}  // namespace terrace::stencil
