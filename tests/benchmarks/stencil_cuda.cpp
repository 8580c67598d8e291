// Rates of stars, boxes and formulas on the first CUDA device, in cells a second, with the limit by the operations of a
// cell. All cells after some steps are compared with those of the kernel that makes one step at a time.
//
//   benchmark_stencil_cuda [SIDE [STEPS [OPERATOR RADIUS TYPE [DEPTH [SCHEDULE [TILE]]]]]]
//       side of the grid (16384; in three dimensions SIDE / 16 x SIDE / 32 x SIDE / 32); steps (512); one stencil
//       alone; the most steps at a time, 0: as the kernel chooses; a schedule and a tile, as in a job
//   benchmark_stencil_cuda formulas [SIDE [STEPS]]
//       heat2d, wave2d, fdtd2d and hotspot, side 8192

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stencil {
namespace {

/// Memory of a context, freed with its owner.
class Memory {
 public:
  Memory(device::Context& context, std::size_t bytes, bool host = false)
      : context_(context), bytes_(bytes), host_(host) {
    data_ = host ? context.allocate_host(bytes) : context.allocate(bytes);
  }
  ~Memory() { host_ ? context_.release_host(data_, bytes_) : context_.release(data_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  template <class T>
  T* as() const {
    return static_cast<T*>(data_);
  }

 private:
  device::Context& context_;
  std::size_t bytes_;
  bool host_;
  void* data_;
};

/// Steps whose cells are compared: they need passes of several depths.
constexpr std::int64_t checked_steps = 37;

/// Words, descriptor and result of a launch of one block.
struct Launched {
  device::u64 ready, stop, abort, done, failed, skipped;
  StencilTask task;
  StencilResult result;
};

/// Operations of a cell that a processor makes: sums, products and multiply-adds.
double operations_of(const StencilSpec& spec) {
  if (spec.name == "heat2d") return 5;
  if (spec.name == "wave2d") return 7;
  if (spec.name == "fdtd2d") return 8;
  if (spec.name == "hotspot") return 9;
  return static_cast<double>(spec.terms.size());
}

StencilSpec spec_of(const std::string& name, int radius, ElementType type, std::int64_t side, std::int64_t steps) {
  StencilSpec spec;
  spec.name = name;
  spec.radius = radius;
  spec.value = type;
  spec.rank = find_operator(name)->rank;
  if (spec.rank == 3) {
    spec.extents = {side / 16, side / 32, side / 32};
  } else {
    spec.extents = {side, 1, side};
    spec.faces[1].low = spec.faces[1].high = Face::edge;
  }
  if (find_operator(name)->linear) spec.terms = terms_of(find_operator(name)->shape, spec.rank, radius);
  // Coefficients whose sum is 1, all of them different.
  const auto count = static_cast<double>(spec.terms.size());
  for (std::size_t i = 0; i < spec.terms.size(); ++i) {
    spec.terms[i].coefficient = (1 + (static_cast<double>(i) - (count - 1) / 2) / (2 * count)) / count;
  }
  spec.settings.set("dt", 0.2);
  spec.settings.set("diffusivity", 1.0);
  spec.settings.set("speed", 1.0);
  spec.drive.assign(static_cast<std::size_t>(std::max<std::int64_t>(steps, checked_steps)), 0.5);
  if (name == "hotspot") {
    spec.given["power"] = spec.arrays++;
    for (const std::size_t axis : {0, 2}) spec.faces[axis].low = spec.faces[axis].high = Face::edge;
  }
  spec.slab_rows = spec.extents[0];
  spec.pass_steps = steps;
  return spec;
}

/// A whole grid on the device, with its constant arrays.
template <class T>
class Grid {
 public:
  Grid(const StencilSpec& spec, device::Context& context)
      : spec_(spec),
        context_(context),
        cells_(static_cast<std::size_t>(spec.extents[0] * spec.width())),
        host_(context, cells_ * sizeof(T), true),
        launched_(context, sizeof(Launched), true) {
    for (int f = 0; f < spec.fields(); ++f) fields_.push_back(memory());
    for (int a = 0; a < spec.arrays; ++a) arrays_.push_back(memory());
  }

  void fill() {
    device::u64 state = 1;
    for (const auto* list : {&fields_, &arrays_}) {
      for (const auto& memory : *list) {
        for (std::size_t i = 0; i < cells_; ++i) {
          state = state * 6364136223846793005ull + 1442695040888963407ull;
          host_.as<T>()[i] = static_cast<T>(static_cast<double>(state >> 40) / (1 << 24));
        }
        context_.copy(device::Queue::up, memory->template as<void>(), host_.as<void>(), cells_ * sizeof(T));
        context_.record(device::Queue::up)->wait();
      }
    }
  }
  /// @return seconds of the device
  double advance(device::BlockKernel& kernel, std::int64_t steps) {
    auto* at = launched_.as<Launched>();
    *at = {1, 0, 0, 0, 0, 0, {}, {}};
    StencilTask& task = at->task;
    task.first = task.last = task.whole = 1;
    task.steps = steps;
    task.row_end = task.part_end = spec_.extents[0];
    for (std::size_t f = 0; f < fields_.size(); ++f) task.fields[f] = rows_of(*fields_[f]);
    for (std::size_t a = 0; a < arrays_.size(); ++a) task.arrays[a] = rows_of(*arrays_[a]);
    const auto begin = context_.record(device::Queue::compute);
    kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, &at->task, &at->result, 1,
                sizeof(StencilTask), sizeof(StencilResult), 0, 1});
    const auto end = context_.record(device::Queue::compute);
    end->wait();
    if (at->done != 1) throw DeviceError("stencil", "the launch left its block undone");
    return end->seconds_since(*begin);
  }
  /// The cells of all fields.
  std::vector<T> values() {
    std::vector<T> all;
    for (const auto& field : fields_) {
      context_.copy(device::Queue::down, host_.as<void>(), field->template as<void>(), cells_ * sizeof(T));
      context_.record(device::Queue::down)->wait();
      all.insert(all.end(), host_.as<T>(), host_.as<T>() + cells_);
    }
    return all;
  }

 private:
  std::unique_ptr<Memory> memory() const { return std::make_unique<Memory>(context_, cells_ * sizeof(T)); }
  Rows rows_of(const Memory& memory) const { return {1, spec_.extents[0], {0}, {memory.as<void>()}}; }

  StencilSpec spec_;
  device::Context& context_;
  std::size_t cells_;
  Memory host_, launched_;
  std::vector<std::unique_ptr<Memory>> fields_, arrays_;
};

/// The cells after some steps, and seconds of `steps` steps.
template <class T>
struct Run {
  std::vector<T> checked;
  double seconds = 1e300;
};
template <class T>
Run<T> run(const StencilSpec& spec, device::Context& context, int times, std::int64_t steps) {
  const Memory workspace(context, stencil_cuda_bytes(spec, context.limits()));
  const auto kernel = make_stencil_cuda(spec, context, workspace.as<void>());
  Grid<T> grid(spec, context);
  Run<T> all;
  grid.fill();
  grid.advance(*kernel, checked_steps);
  all.checked = grid.values();
  for (int time = 0; time < times; ++time) all.seconds = std::min(all.seconds, grid.advance(*kernel, steps));
  return all;
}

/// The rate of a run, in 10^12 cells a second.
double rate_of(const StencilSpec& spec, double seconds, std::int64_t steps) {
  return static_cast<double>(spec.extents[0] * spec.width() * steps) / seconds / 1e12;
}
template <class T>
bool are_same(const Run<T>& a, const Run<T>& b) {
  return std::memcmp(a.checked.data(), b.checked.data(), a.checked.size() * sizeof(T)) == 0;
}

template <class T>
void report(const StencilSpec& spec, device::Context& context, std::int64_t steps) {
  StencilSpec plain = spec;
  plain.depth = 1;
  plain.schedule = Schedule::plain;
  const Run<T> got = run<T>(spec, context, 3, steps), expected = run<T>(plain, context, 1, 4);
  const double rate = rate_of(spec, got.seconds, steps), one = rate_of(spec, expected.seconds, 4);
  // A processor makes twice as many multiply-adds of f32 as operations on integers.
  const double limit = context.limits().operations_per_second * 2 * 4 / sizeof(T) / operations_of(spec) / 1e12;
  fmt::print(
      "{} r{} {} {}, {} steps: {:9.2f} ms, {:6.3f} T cells/s, {:3.0f}% of {:.2f}; a step at a time {:.3f}; {}\n",
      spec.name, spec.radius, name_of(spec.value), fmt::join(spec.extents, "x"), steps, got.seconds * 1e3, rate,
      100 * rate / limit, limit, one, are_same(got, expected) ? "same cells" : "DIFFERENT CELLS");
  std::fflush(stdout);
}

void report(const StencilSpec& spec, device::Context& context, std::int64_t steps) {
  if (spec.value == ElementType::f32) report<float>(spec, context, steps);
  else report<double>(spec, context, steps);
}

void report_formulas(device::Context& context, std::int64_t side, std::int64_t steps) {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const char* name : {"heat2d", "wave2d", "fdtd2d", "hotspot"}) {
      report(spec_of(name, 1, type, side, steps), context, steps);
    }
  }
}

int run(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "formulas") {
    const auto context = device::make_cuda_context(0);
    fmt::print("{}\n", context->limits().name);
    report_formulas(*context, argc > 2 ? std::atoll(argv[2]) : 8192, argc > 3 ? std::atoll(argv[3]) : 512);
    return 0;
  }
  const std::int64_t side = argc > 1 ? std::atoll(argv[1]) : 16384, steps = argc > 2 ? std::atoll(argv[2]) : 512;
  const auto context = device::make_cuda_context(0);
  fmt::print("{}\n", context->limits().name);
  if (argc > 5) {
    const ElementType type = std::string(argv[5]) == "f32" ? ElementType::f32 : ElementType::f64;
    StencilSpec spec = spec_of(argv[3], std::atoi(argv[4]), type, side, steps);
    if (argc > 6) spec.depth = std::atoll(argv[6]);
    if (argc > 7) spec.schedule = schedule_from(argv[7]);
    if (argc > 8) spec.tile = skewed_tile_from(argv[8]);
    report(spec, *context, steps);
    return 0;
  }
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (const int radius : {1, 2, 3, 4}) report(spec_of("star2d", radius, type, side, steps), *context, steps);
    for (const int radius : {1, 2, 3, 4}) report(spec_of("box2d", radius, type, side, steps), *context, steps);
    for (const int radius : {1, 2, 3, 4}) report(spec_of("star3d", radius, type, side, steps), *context, steps);
    for (const int radius : {1, 2}) report(spec_of("box3d", radius, type, side, steps), *context, steps);
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
