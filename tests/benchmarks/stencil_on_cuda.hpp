// Whole grids of stencils on the first CUDA device: for benchmarks.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "kernels/device/memory.hpp"
#include "kernels/stencil/methods.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/separable.hpp"
#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stencil::benchmark {

/// Words, descriptor and result of a launch of one block.
struct Launched {
  device::u64 ready, stop, abort, done, failed, skipped;
  StencilTask task;
  StencilResult result;
};

/// Steps after which cells are compared: a number that needs passes of several depths.
inline constexpr std::int64_t checked_steps = 37;

/// A stencil of a grid of that side; in three dimensions of side / 16, side / 32 and side / 32.
/// @param name of an operator, or `separable`: a box whose coefficients are products, all different, computed as such
inline StencilSpec spec_of(const std::string& name, int radius, ElementType type, std::int64_t side,
                           std::int64_t steps) {
  StencilSpec spec;
  const bool separable = name == "separable";
  spec.name = separable ? "box2d" : name;
  const OperatorInfo& info = *find_operator(spec.name);
  spec.radius = radius;
  spec.value = type;
  spec.rank = info.rank;
  if (spec.rank == 3) {
    spec.extents = {side / 16, side / 32, side / 32};
  } else {
    spec.extents = {side, 1, side};
    spec.faces[1].low = spec.faces[1].high = Face::edge;
  }
  if (info.linear) spec.terms = terms_of(info.shape, spec.rank, radius);
  // Coefficients whose sum is 1, all of them different.
  const auto count = static_cast<double>(spec.terms.size());
  for (std::size_t i = 0; i < spec.terms.size(); ++i) {
    spec.terms[i].coefficient = (1 + (static_cast<double>(i) - (count - 1) / 2) / (2 * count)) / count;
  }
  if (separable) {
    const auto factor = [&](int at) { return (1 + at / (4.0 * radius)) / (2 * radius + 1); };
    for (Term<double>& term : spec.terms) term.coefficient = factor(term.offset[0]) * factor(-term.offset[2]);
    spec.terms = separated(spec).value();
    spec.separable = true;
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

/// The same stencil, made one step of all cells at a time.
inline StencilSpec plain_spec(StencilSpec spec) {
  spec.depth = 1;
  spec.schedule = Schedule::plain;
  return spec;
}

/// The box of a separable one, with a coefficient a term.
inline StencilSpec exact_spec(const StencilSpec& spec) {
  StencilSpec exact = spec;
  exact.separable = false;
  exact.terms = terms_of(Shape::box, 2, spec.radius);
  const std::size_t span = spec.terms.size() / 2;
  for (std::size_t n = 0; n < exact.terms.size(); ++n) {
    exact.terms[n].coefficient = spec.terms[span + n / span].coefficient * spec.terms[n % span].coefficient;
  }
  return exact;
}

/// Operations of a cell that a processor makes: sums, products and multiply-adds.
inline double operations_of(const StencilSpec& spec) {
  if (spec.name == "heat2d") return 5;
  if (spec.name == "wave2d") return 7;
  if (spec.name == "fdtd2d") return 8;
  if (spec.name == "hotspot") return 9;
  return static_cast<double>(spec.terms.size());
}
/// The limit by operations, in cells a second.
inline double limit_of(const StencilSpec& spec, const device::Context& context) {
  // A processor makes twice as many multiply-adds of f32 as operations on integers.
  return context.limits().operations_per_second * 2 * 4 / static_cast<double>(size_of(spec.value)) /
         operations_of(spec);
}
/// The rate of a run, in cells a second.
inline double rate_of(const StencilSpec& spec, double seconds, std::int64_t steps) {
  return static_cast<double>(spec.extents[0] * spec.width() * steps) / seconds;
}

/// A whole grid on the device, with its constant arrays.
template <class T>
class Grid {
 public:
  Grid(const StencilSpec& spec, device::Context& context)
      : spec_(spec),
        context_(context),
        cells_(static_cast<std::size_t>(spec.extents[0] * spec.width())),
        host_(context, cells_ * sizeof(T), device::In::host),
        launched_(context, sizeof(Launched), device::In::host) {
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
        context_.copy(device::Queue::up, memory->data(), host_.data(), cells_ * sizeof(T));
        context_.record(device::Queue::up)->wait();
      }
    }
  }
  /// @return seconds of the device
  double advance(device::BlockKernel& kernel, std::int64_t steps) {
    auto* at = launched_.as<Launched>();
    *at = {1, 0, 0, 0, 0, 0, {}, {}};
    StencilTask& task = at->task;
    task.first = task.last = task.whole = task.counts = 1;  // cells are counted, as at the end of a stage
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
      context_.copy(device::Queue::down, host_.data(), field->data(), cells_ * sizeof(T));
      context_.record(device::Queue::down)->wait();
      all.insert(all.end(), host_.as<T>(), host_.as<T>() + cells_);
    }
    return all;
  }

 private:
  std::unique_ptr<device::Memory> memory() const {
    return std::make_unique<device::Memory>(context_, cells_ * sizeof(T));
  }
  Rows rows_of(const device::Memory& memory) const { return {1, spec_.extents[0], {0}, {memory.data()}}; }

  StencilSpec spec_;
  device::Context& context_;
  std::size_t cells_;
  device::Memory host_, launched_;
  std::vector<std::unique_ptr<device::Memory>> fields_, arrays_;
};

/// The cells after `checked_steps`, and seconds of `steps` steps.
template <class T>
struct Run {
  std::vector<T> checked;
  double seconds = 1e300;
};

template <class T>
Run<T> run(const StencilSpec& spec, device::Context& context, int times, std::int64_t steps) {
  const StencilMethod& method = choose_stencil_method(spec, device::Backend::cuda, context.limits());
  const device::Memory workspace(context, method.workspace(spec, context.limits()));
  const auto kernel = method.make(spec, context, workspace.data());
  Grid<T> grid(spec, context);
  Run<T> all;
  grid.fill();
  grid.advance(*kernel, checked_steps);
  all.checked = grid.values();
  for (int time = 0; time < times; ++time) all.seconds = std::min(all.seconds, grid.advance(*kernel, steps));
  return all;
}

/// Says if cells are those of one step at a time and, of a separable box, how far they are from the exact sums.
template <class T>
std::string verdict_of(const StencilSpec& spec, const std::vector<T>& got, const std::vector<T>& plain,
                       const std::vector<T>& exact) {
  if (std::memcmp(got.data(), plain.data(), got.size() * sizeof(T)) != 0) return "DIFFERENT CELLS";
  if (!spec.separable) return "same cells";
  double error = 0;
  for (std::size_t cell = 0; cell < got.size(); ++cell) {
    error = std::max(error, std::abs(static_cast<double>(got[cell]) - static_cast<double>(exact[cell])));
  }
  // Values lie between 0 and 1, and stay there: the coefficients are positive, and their sum is 1.
  const double bound =
      error_bound(spec, checked_steps, 1.0001) + error_bound(exact_spec(spec), checked_steps, 1.0001);
  if (!(error <= bound)) return "BEYOND THE BOUND";
  return "same cells, at most " + std::to_string(100 * error / bound) + "% of the bound from exact ones";
}

}  // namespace terrace::stencil::benchmark
