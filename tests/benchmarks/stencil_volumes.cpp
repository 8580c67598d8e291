// Rates of stars and boxes of radius 1 in three dimensions on the first CUDA device with several sizes of the kernel
// that streams planes, in cells a second. All cells after 12 steps are compared with those of the kernel that makes
// one step at a time.
//
//   benchmark_stencil_volumes [OPERATOR [TYPE [PLANES LINES CELLS [STEPS [FACE]]]]]
//       star3d or box3d, f32 or f64 (all four); extents (1024 512 512); steps (120); fixed or periodic

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "kernels/stencil/cuda/volumes/volumes.hpp"
#include "kernels/stencil/operators.hpp"
#include "tests/benchmarks/stencil_volumes.hpp"
#include "tests/differential/stencil/driver.hpp"

namespace terrace::stencil {
namespace {

constexpr std::int64_t checked_steps = 12;

/// What is measured.
struct Volumes {
  std::string name;
  ElementType type;
  std::array<std::int64_t, 3> extents{1024, 512, 512};
  std::int64_t steps = 120;
  Face face = Face::fixed;
};

StencilSpec spec_of(const Volumes& volumes) {
  StencilSpec spec;
  spec.name = volumes.name;
  spec.rank = 3;
  spec.value = volumes.type;
  spec.extents = volumes.extents;
  for (Faces& faces : spec.faces) faces.low = faces.high = volumes.face;
  spec.terms = terms_of(find_operator(spec.name)->shape, 3, 1);
  // Coefficients whose sum is 1, all of them different.
  const auto count = static_cast<double>(spec.terms.size());
  for (std::size_t i = 0; i < spec.terms.size(); ++i) {
    spec.terms[i].coefficient = (1 + (static_cast<double>(i) - (count - 1) / 2) / (2 * count)) / count;
  }
  spec.slab_rows = spec.extents[0];
  spec.pass_steps = checked_steps;
  return spec;
}

template <class T>
std::vector<T> random_values(const StencilSpec& spec) {
  std::vector<T> values(static_cast<std::size_t>(spec.extents[0] * spec.width()));
  device::u64 state = 1;
  for (T& value : values) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    value = static_cast<T>(static_cast<double>(state >> 40) / (1 << 24));
  }
  return values;
}

template <class T>
std::vector<T> after_plain_steps(StencilSpec spec, device::Context& context, const std::vector<T>& values) {
  spec.depth = 1;
  testing::GuardedMemory workspace(context, static_cast<std::int64_t>(stencil_cuda_bytes(spec, context.limits())));
  const auto kernel = make_stencil_cuda(spec, context, workspace.data());
  Grids<T> grids{{values}, {}};
  testing::run_stencil(spec, context, *kernel, grids, 0, checked_steps);
  return grids.fields[0];
}

/// A grid in two memories, from one of which a kernel makes levels into the other.
template <class T>
class Bench {
 public:
  Bench(const StencilSpec& spec, device::Context& context)
      : spec_(spec),
        context_(context),
        stream_(device::compute_stream(context)),
        values_(random_values<T>(spec)),
        expected_(after_plain_steps(spec, context, values_)),
        state_(context, sizeof(device::u64) + 2 * sizeof(StencilTask)),
        memories_{testing::GuardedMemory(context, bytes()), testing::GuardedMemory(context, bytes())} {
    std::vector<device::u64> begun(sizeof(StencilTask) / 4 + 1, 1);
    state_.put(begun.data());
  }

  void measure(const VolumeKernel<T>& kernel, std::int64_t steps) {
    const measured::VolumeSizes& s = kernel.sizes;
    fmt::print("{} {} levels {} lines {} lanes {:2} warps {:2} slots {} blocks {}: ", spec_.name,
               name_of(spec_.value), s.levels, s.lines, s.lanes, s.warps, s.slots, s.blocks);
    const VolumeStreamer<T> streamer(spec_, kernel, coefficients_of<T>(spec_));
    memories_[0].put(values_.data());
    run(streamer, s.levels, checked_steps);
    std::vector<T> got(values_.size());
    memories_[checked_steps / s.levels % 2].get(got.data());
    const bool same = std::memcmp(got.data(), expected_.data(), got.size() * sizeof(T)) == 0;
    double seconds = 1e300;
    for (int time = 0; time < 3; ++time) seconds = std::min(seconds, run(streamer, s.levels, steps));
    const double made = static_cast<double>(steps / s.levels * s.levels) * static_cast<double>(values_.size());
    fmt::print("tile {}x{}, {:8.2f} ms, {:6.3f} T cells/s; {}\n", kernel.height, kernel.width, seconds * 1e3,
               made / seconds / 1e12, same ? "same cells" : "DIFFERENT CELLS");
    std::fflush(stdout);
  }

 private:
  std::int64_t bytes() const { return static_cast<std::int64_t>(values_.size() * sizeof(T)); }

  /// @return seconds
  double run(const VolumeStreamer<T>& streamer, int levels, std::int64_t steps) {
    const auto begin = context_.record(device::Queue::compute);
    for (std::int64_t pass = 0; pass < steps / levels; ++pass) {
      const RowRange all{0, spec_.extents[0]};
      Levels<T> task{};
      task.count = levels;
      task.input = task.output = all;
      task.whole = true;
      task.from[0].add(all, static_cast<T*>(memories_[pass % 2].data()));
      task.to[0].add(all, static_cast<T*>(memories_[(pass + 1) % 2].data()));
      streamer.launch(static_cast<const StencilState*>(state_.data()), stream_, task);
    }
    const auto end = context_.record(device::Queue::compute);
    end->wait();
    return end->seconds_since(*begin);
  }

  StencilSpec spec_;
  device::Context& context_;
  cudaStream_t stream_;
  std::vector<T> values_, expected_;
  testing::GuardedMemory state_, memories_[2];
};

template <class T>
void measure(const Volumes& volumes, device::Context& context) {
  Bench<T> bench(spec_of(volumes), context);
  const auto kernels =
      volumes.name == "star3d" ? volume_kernels<T, VolumeKind::star>() : volume_kernels<T, VolumeKind::box>();
  for (const VolumeKernel<T>& kernel : kernels) {
    try {
      bench.measure(kernel, volumes.steps);
    } catch (const std::exception& error) {
      fmt::print("{}\n", error.what());
    }
  }
}

int run(int argc, char** argv) {
  const auto context = device::make_cuda_context(0);
  fmt::print("{}\n", context->limits().name);
  Volumes volumes;
  for (int axis = 0; axis < 3 && argc > 5; ++axis) {
    volumes.extents[static_cast<std::size_t>(axis)] = std::atoll(argv[3 + axis]);
  }
  if (argc > 6) volumes.steps = std::atoll(argv[6]);
  if (argc > 7 && std::string(argv[7]) == "periodic") volumes.face = Face::periodic;
  for (const std::string name : {"star3d", "box3d"}) {
    for (const std::string type : {"f32", "f64"}) {
      if ((argc > 1 && name != argv[1]) || (argc > 2 && type != argv[2])) continue;
      volumes.name = name;
      volumes.type = type == "f32" ? ElementType::f32 : ElementType::f64;
      if (type == "f32") measure<float>(volumes, *context);
      else measure<double>(volumes, *context);
    }
  }
  return 0;
}

}  // namespace
}  // namespace terrace::stencil

int main(int argc, char** argv) {
  try {
    return terrace::stencil::run(argc, argv);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
