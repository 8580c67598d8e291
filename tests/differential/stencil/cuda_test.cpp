// Stencils on CUDA against their definition, to the bit: every operator, any faces, arrays, and any cut.
#include <catch2/catch.hpp>

#include "tests/differential/stencil/cases.hpp"
#include "tests/differential/stencil/driver.hpp"

#include "tests/support/cuda_device.hpp"

namespace terrace::stencil {
namespace {

/// A kernel with its workspace.
class CudaStencil {
 public:
  CudaStencil(const StencilSpec& spec, device::Context& context)
      : workspace_(context, static_cast<std::int64_t>(stencil_cuda_bytes(spec, context.limits()))),
        kernel_(make_stencil_cuda(spec, context, workspace_.data())) {}
  device::BlockKernel& operator*() const { return *kernel_; }
  bool is_intact() const { return workspace_.is_intact(); }

 private:
  testing::GuardedMemory workspace_;
  std::unique_ptr<device::BlockKernel> kernel_;
};

template <class T>
void check(const testing::Case<T>& one, device::Context& context) {
  INFO(testing::told(one));
  const testing::Expected<T> expected = testing::expected(one);
  Grids<T> grids = one.grids;
  const CudaStencil stencil(one.spec, context);
  const testing::RunReport report =
      testing::run_stencil(one.spec, context, *stencil, grids, one.step, one.steps, {true, true});
  CHECK(stencil.is_intact());
  for (std::size_t f = 0; f < grids.fields.size(); ++f) {
    INFO("field " << f);
    CHECK(testing::are_same(grids.fields[f], expected.after.fields[f]));
  }
  CHECK(testing::are_same(report.changes, expected.changes));
  CHECK(testing::are_same(std::vector<double>{report.total}, std::vector<double>{expected.total}));
  CHECK(report.first_nan.nan_array == -1);
}

TEMPLATE_TEST_CASE("every operator on CUDA is as defined", "", float, double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const unsigned cases = test::is_simulated(*context) ? 6 : 200;
  for (const OperatorInfo& info : operators()) {
    for (unsigned seed = 0; seed < cases; ++seed) {
      check(testing::CaseMaker<TestType>(info.name, seed, {}).make(), *context);
    }
  }
}

/// A grid of box2d, 9 x 40, in slabs of 3 rows.
testing::Case<float> small_case() {
  testing::Case<float> one;
  one.spec.name = "box2d";
  one.spec.value = ElementType::f32;
  one.spec.extents = {9, 1, 40};
  one.spec.faces[1].low = one.spec.faces[1].high = Face::edge;
  one.spec.terms = terms_of(Shape::box, 2, 1);
  one.spec.arrays = 1;
  one.spec.source = 0;
  one.spec.slab_rows = 3;
  one.spec.pass_steps = one.steps = 2;
  one.grids.fields.assign(1, std::vector<float>(9 * 40, 1));
  one.grids.arrays.assign(1, std::vector<float>(9 * 40, 0));
  return one;
}

TEST_CASE("the first NaN is named on CUDA") {
  const auto context = test::cuda_context();
  if (!context) return;
  const auto first_nan = [&](std::vector<int> in_field, std::vector<int> in_array) {
    testing::Case<float> one = small_case();
    for (const int cell : in_field) one.grids.fields[0][static_cast<std::size_t>(cell)] = std::nanf("");
    for (const int cell : in_array) one.grids.arrays[0][static_cast<std::size_t>(cell)] = std::nanf("");
    const CudaStencil stencil(one.spec, *context);
    return testing::run_stencil(one.spec, *context, *stencil, one.grids, 0, 2, {true, false}).first_nan;
  };
  const StencilResult field = first_nan({4 * 40 + 7, 4 * 40 + 39, 5 * 40}, {3 * 40});
  CHECK((field.nan_array == 0 && field.nan_row == 4 && field.nan_index == 7));
  const StencilResult array = first_nan({8 * 40}, {8 * 40, 6 * 40 + 39, 7 * 40});
  CHECK((array.nan_array == 0 && array.nan_row == 8 && array.nan_index == 0));
  const StencilResult earlier = first_nan({8 * 40}, {5 * 40 + 39});
  CHECK((earlier.nan_array == most_fields && earlier.nan_row == 5 && earlier.nan_index == 39));
  CHECK(first_nan({}, {}).nan_array == -1);
}

/// Words, descriptors and results of a launch.
struct Launched {
  device::u64 ready, stop, abort, done, failed, skipped;
  StencilTask tasks[3];
  StencilResult results[3];
};

TEST_CASE("no block of a stopped launch is begun on CUDA") {
  const auto context = test::cuda_context();
  if (!context) return;
  const testing::Case<float> one = small_case();
  const CudaStencil stencil(one.spec, *context);
  testing::GuardedMemory rows(*context, 9 * 40 * 4), copied(*context, 9 * 40 * 4);
  auto* launched = static_cast<Launched*>(context->allocate_host(sizeof(Launched)));
  const auto done_with = [&](device::u64 ready, device::u64 stop, device::u64 abort) {
    *launched = {ready, stop, abort, 0, 0, 0, {}, {}};
    for (StencilTask& task : launched->tasks) {
      task.work = Work::save;
      task.row_end = 9;
      task.fields[0] = {1, 9, {0}, {rows.data()}};
      task.targets[0] = {1, 9, {0}, {copied.data()}};
    }
    (*stencil).run({&launched->ready, &launched->stop, &launched->abort, &launched->done, &launched->failed,
                    &launched->skipped, launched->tasks, launched->results, 3, sizeof(StencilTask),
                    sizeof(StencilResult), 0, 3});
    context->record(device::Queue::compute)->wait();
    return launched->done;
  };
  const std::vector<float> values(9 * 40, 5);
  rows.put(values.data());
  CHECK(done_with(3, 1, 0) == 0);
  CHECK(done_with(3, 0, 1) == 0);
  std::vector<float> read(9 * 40);
  copied.get(read.data());
  CHECK(read[0] != 5);
  CHECK(done_with(2, 2, 0) == 2);
  CHECK(done_with(3, 0, 0) == 3);
  copied.get(read.data());
  CHECK(read == values);
  CHECK(copied.is_intact());
  context->release_host(launched, sizeof(Launched));
}

}  // namespace
}  // namespace terrace::stencil
