// Sums over large boxes on CUDA against their definition, to the bit.
#include <catch2/catch.hpp>
#include <limits>

#include "kernels/stencil/cuda/wide/stepper.hpp"
#include "kernels/stencil/measured.hpp"
#include "tests/differential/stencil/on_cuda.hpp"

namespace terrace::stencil {
namespace {

TEMPLATE_TEST_CASE("large boxes on narrow and on tall grids on CUDA give the bits of the definition", "", float,
                   double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (int radius = measured::CudaBox::least_radius; radius <= measured::CudaBox::most_radius; ++radius) {
    for (unsigned seed = 0; seed < (simulated ? 2u : 60u); ++seed) {
      testing::SampleMaker maker(60000 + 100 * seed + static_cast<unsigned>(radius), 0, 0);
      INFO("seed " << seed);
      check(maker,
            perhaps_with_points(
                maker, wide_sample<TestType>(maker, Shape::box, radius, simulated ? 40 : 400, radius + 1, 100)),
            *context);
      // More batches of rows than a launch has warps.
      if (seed >= 6) continue;
      check(maker, wide_sample<TestType>(maker, Shape::box, radius, simulated ? 300 : 12000, radius + 1, 20),
            *context);
    }
  }
}

TEST_CASE("warps that take several shares of a large box's launch on CUDA give the bits of the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  using measured::CudaBox;
  constexpr int radius = 4;
  testing::SampleMaker maker(90000, 0, 0);
  testing::Sample sample = wide_sample<float>(maker, Shape::box, radius, 40, 2 * radius + 1, 1);
  testing::GuardedMemory workspace(*context, 4096);
  const BoxKernel<float> kernel = box_kernel_for<float>(false, sample.spec, *context, workspace.data());
  REQUIRE(CudaBox::shares(kernel.sums, radius, sizeof(float)) > 1);
  // So many batches that each warp has enough of them twice.
  const std::int64_t warps = std::int64_t{kernel.resident_blocks()} * BoxTask<float>::block_warps;
  sample.spec.extents[0] = (2 * warps * CudaBox::batches_of_share + 5) * kernel.sizes.rows + 1;
  testing::as_one_slab(sample.spec);
  sample.spec.parts = 1;
  for (const std::int64_t steps : {1, 3}) {
    sample.steps = sample.spec.pass_steps = steps;
    check(maker, sample, *context);
  }
}

TEMPLATE_TEST_CASE("large boxes of values at the edges of arithmetic on CUDA give the bits of the definition", "",
                   float, double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  for (int radius = measured::CudaBox::least_radius; radius <= measured::CudaBox::most_radius; ++radius) {
    for (unsigned seed = 0; seed < (simulated ? 6u : 40u); ++seed) {
      testing::SampleMaker maker(70000 + 100 * seed + static_cast<unsigned>(radius), 0, 0);
      INFO("seed " << seed);
      testing::Sample sample = wide_sample<TestType>(maker, Shape::box, radius, simulated ? 24 : 100, 2 * radius + 1,
                                                     simulated ? 200 : 600);
      sample.steps = 1 + maker.below(4);
      sample.spec.pass_steps = sample.steps;
      testing::as_one_slab(sample.spec);
      // Coefficients of any sign, zeros among them, or all of them negative, or far apart.
      const std::int64_t kind = maker.below(4);
      for (Term<double>& term : sample.spec.terms) {
        if (kind == 0) term.coefficient *= static_cast<double>(maker.below(3) - 1);
        if (kind == 1) term.coefficient = -term.coefficient;
        if (kind == 2 && maker.chance(1)) term.coefficient *= sizeof(TestType) == 8 ? 0x1p-900 : 0x1p-100;
      }
      maker.take_edge_values();
      check(maker, sample, *context);
    }
  }
}

TEST_CASE("zeros of large boxes in f64 have the sign of the definition on CUDA") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::few_cases(*context);
  constexpr double least = std::numeric_limits<double>::denorm_min();
  unsigned seed = 80000;
  for (int radius = measured::CudaBox::least_radius; radius <= measured::CudaBox::most_radius; ++radius) {
    for (const char* signs : {"+", "-", "+-", "0-", "-+-"}) {  // of the coefficients: the last one goes on
      for (const double others : {0.0, -0.0}) {
        for (const double one : {-least, least, 1.0, -1.0, -others}) {
          for (int turn = 0; turn < (simulated ? 4 : 10); ++turn) {
            testing::SampleMaker maker(++seed, 0, 0);
            INFO("seed " << seed << ", signs " << signs << ", " << one << " among " << others);
            testing::Sample sample = wide_sample<double>(maker, Shape::box, radius, 24, 2 * radius + 1, 200);
            sample.steps = sample.spec.pass_steps = 1 + maker.below(2);
            testing::as_one_slab(sample.spec);
            const char* sign = signs;
            for (Term<double>& term : sample.spec.terms) {
              term.coefficient *= *sign == '0' ? 0 : *sign == '-' ? -1 : 1;
              if (sign[1] != '\0') ++sign;
            }
            maker.take_one_value(one, others);
            check(maker, sample, *context);
          }
        }
      }
    }
  }
}

TEST_CASE("large boxes in f64 are summed by matrix products on CUDA, unless their zeros would be in doubt") {
  const auto context = test::cuda_context();
  if (!context) return;
  testing::SampleMaker maker(1, 0, 0);
  StencilSpec spec = wide_sample<double>(maker, Shape::box, 6, 40, 300, 1).spec;
  const auto method = [&] {
    return std::string(choose_stencil_method(spec, device::Backend::cuda, context->limits()).name);
  };
  CHECK(method() == "box_products");
  for (Term<double>& term : spec.terms) term.coefficient *= -1;
  CHECK(method() == "box_terms");
  spec.terms[0].coefficient = 0;
  CHECK(method() == "box_terms");
  spec.terms[1].coefficient *= -1;
  CHECK(method() == "box_products");
  spec.terms[1].coefficient = 0x1p-600;
  CHECK(method() == "box_terms");
}

}  // namespace
}  // namespace terrace::stencil
