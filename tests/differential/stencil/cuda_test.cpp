// Stencils on CUDA against their definition, to the bit: every operator, any faces, arrays, and any cut.
#include <catch2/catch.hpp>

#include "tests/differential/stencil/compare.hpp"

#include "tests/support/cuda_device.hpp"

namespace terrace::stencil {
namespace {

/// A kernel with its workspace.
class CudaStencil final : public device::BlockKernel {
 public:
  CudaStencil(const StencilSpec& spec, device::Context& context)
      : workspace_(context, static_cast<std::int64_t>(stencil_cuda_bytes(spec, context.limits()))),
        kernel_(make_stencil_cuda(spec, context, workspace_.data())),
        context_(context) {}
  ~CudaStencil() override {
    context_.record(device::Queue::compute)->wait();
    CHECK(workspace_.is_intact());
  }
  void run(const device::Port& port) override { kernel_->run(port); }

 private:
  testing::GuardedMemory workspace_;
  std::unique_ptr<device::BlockKernel> kernel_;
  device::Context& context_;
};

void check(testing::SampleMaker& maker, const testing::Sample& sample, device::Context& context) {
  testing::check_sample(maker, sample, context,
                        [&](const StencilSpec& spec) { return std::make_unique<CudaStencil>(spec, context); });
}

TEST_CASE("stencils on CUDA give the bits of the definition") {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::is_simulated(*context);
  for (unsigned seed = 5000; seed < (simulated ? 5150u : 8000u); ++seed) {
    INFO("seed " << seed);
    testing::SampleMaker maker(seed, simulated ? 600 : 20000, simulated ? 8 : 24);
    check(maker, maker.make(), *context);
  }
}

/// A sum over a star or a box on a wide grid, which is made many steps at a time.
template <class T>
testing::Sample wide_sample(testing::SampleMaker& maker, Shape shape, int radius, std::int64_t most_rows,
                            std::int64_t least_width, std::int64_t more_width) {
  testing::Sample sample;
  StencilSpec& spec = sample.spec;
  spec.name = shape == Shape::star ? "star2d" : "box2d";
  spec.value = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  spec.radius = radius;
  spec.extents = {radius + 1 + maker.below(most_rows), 1, least_width + maker.below(more_width)};
  if (maker.chance(50)) spec.extents[2] = spec.extents[2] / 4 * 4;
  for (const std::size_t axis : {0, 2}) {
    spec.faces[axis].low = spec.faces[axis].high = maker.chance(60) ? Face::fixed : Face::periodic;
  }
  spec.faces[1].low = spec.faces[1].high = Face::edge;
  spec.terms = terms_of(shape, 2, radius);
  for (Term<double>& term : spec.terms) term.coefficient *= 0.5 + 0.125 * static_cast<double>(maker.below(9));
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(maker.chance(50) ? 6 : 36);
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 1 + maker.below(16);
  const std::int64_t least = least_slab_rows(radius, spec.pass_steps, std::max<std::int64_t>(1, spec.depth));
  spec.slab_rows = maker.chance(40) ? spec.extents[0] : least + maker.below(20);
  spec.parts = 1 + maker.below(3);
  return sample;
}

TEMPLATE_TEST_CASE("many steps at a time of stars and boxes on CUDA give the bits of the definition", "", float,
                   double) {
  const auto context = test::cuda_context();
  if (!context) return;
  const bool simulated = test::is_simulated(*context);
  for (const Shape shape : {Shape::star, Shape::box}) {
    for (int radius = 1; radius <= 4; ++radius) {
      for (unsigned seed = 0; seed < (simulated ? 3u : 60u); ++seed) {
        testing::SampleMaker maker(9000 + 100 * seed + 10 * static_cast<unsigned>(radius) + (shape == Shape::box), 0,
                                   0);
        const std::int64_t tile = sizeof(TestType) == 4 ? radius == 2 || shape == Shape::box ? 384 : 256 : 128;
        check(maker, wide_sample<TestType>(maker, shape, radius, simulated ? 40 : 400, tile, simulated ? tile : 1000),
              *context);
      }
    }
  }
}

struct SmallCase {
  StencilSpec spec;
  Grids<float> grids;
};

/// A grid of box2d, 9 x 40, in slabs of 3 rows.
SmallCase small_case() {
  SmallCase one;
  one.spec.name = "box2d";
  one.spec.value = ElementType::f32;
  one.spec.extents = {9, 1, 40};
  one.spec.faces[1].low = one.spec.faces[1].high = Face::edge;
  one.spec.terms = terms_of(Shape::box, 2, 1);
  one.spec.arrays = 1;
  one.spec.source = 0;
  one.spec.slab_rows = 3;
  one.spec.pass_steps = 2;
  one.grids.fields.assign(1, std::vector<float>(9 * 40, 1));
  one.grids.arrays.assign(1, std::vector<float>(9 * 40, 0));
  return one;
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
  const SmallCase one = small_case();
  CudaStencil stencil(one.spec, *context);
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
    stencil.run({&launched->ready, &launched->stop, &launched->abort, &launched->done, &launched->failed,
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
