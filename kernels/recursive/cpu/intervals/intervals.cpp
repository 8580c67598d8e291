// Problems over intervals on the CPU: tiles by products of parts and by closing small parts one after another.
#include <algorithm>
#include <vector>

#include "kernels/device/for_instruction_set.hpp"
#include "kernels/recursive/cpu/blocks.hpp"
#include "kernels/recursive/cpu/intervals/interval.hpp"
#include "kernels/recursive/intervals.hpp"
#include "kernels/recursive/rules/interval_trace.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

template <class T>
class IntervalsOnCpu : public CpuBlocks<IntervalTask, IntervalResult> {
 public:
  IntervalsOnCpu(device::ThreadPool& pool, const IntervalKernels<T>& kernels, bool splits)
      : CpuBlocks(pool), kernels_(kernels) {
    for (int thread = 0; thread < pool.size(); ++thread) scratch_.emplace_back(splits);
  }

 private:
  struct Scratch {
    explicit Scratch(bool splits) : part(splits ? split_part : 0), found(splits ? split_part : 0) {}
    values::AlignedArray<T> u{2 * packed_u_size}, v{packed_v_size<T>};
    values::AlignedArray<T> part;
    values::AlignedArray<i32> found;
  };

  IntervalResult compute(const IntervalTask& task) override {
    IntervalResult result{};
    const Matrix<T> x{static_cast<T*>(task.x), task.x_stride};
    const double area = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    switch (task.step) {
      case IntervalStep::multiply:
        if (task.empty != 0) clear(task);
        in_pieces(task.rows, area * static_cast<double>(task.depth), [&](i64 begin, i64 end, int thread) {
          multiply(task, {begin, end - begin, 0, task.columns, task.depth, task.first_split},
                   constant(task.u, task.u_stride), constant(task.v, task.v_stride), thread);
        });
        break;
      case IntervalStep::close:
        if (task.empty != 0) clear(task);
        close_square(task);
        break;
      case IntervalStep::diagonal:
        clear(task);
        close_diagonal(task);
        break;
      case IntervalStep::below:
        for (i64 i = 0; i < task.rows; ++i) {
          if (task.x != nullptr) std::fill_n(x.at(i, 0), task.columns, T(0));
          if (task.split != nullptr) std::fill_n(task.split + i * task.split_stride, task.columns, no_split);
        }
        break;
      case IntervalStep::begin_trace:
        begin_trace(task);
        break;
      case IntervalStep::trace:
        result.lost = trace_intervals(task);
        break;
      case IntervalStep::report:
        std::copy_n(task.trace, task.rows, result.opens);
        std::copy_n(task.trace + task.nodes, task.rows, result.closes);
        break;
    }
    if (task.top != 0) {
      const T value = *x.at(0, task.columns - 1);
      if constexpr (std::is_floating_point_v<T>) result.real = value;
      else result.whole = value;
    }
    return result;
  }

  /// A part of a product: rows and columns of x, and the splits.
  struct Part {
    i64 row, rows, column, columns, depth, first_split;
  };

  static Matrix<const T> constant(const void* data, i64 stride) { return {static_cast<const T*>(data), stride}; }
  static NodeTerms<T> terms_of(const IntervalTask& task) {
    const auto* terms = static_cast<const T*>(task.terms);
    return {terms, terms + task.nodes, terms + 2 * task.nodes, task.least_inside, task.wobble};
  }

  void clear(const IntervalTask& task) {
    in_pieces(task.rows, static_cast<double>(task.rows) * static_cast<double>(task.columns),
              [&](i64 begin, i64 end, int) {
                for (i64 i = begin; i < end; ++i) {
                  std::fill_n(static_cast<T*>(task.x) + i * task.x_stride, task.columns, kernels_.zero);
                  if (task.split != nullptr)
                    std::fill_n(task.split + i * task.split_stride, task.columns, last_split);
                }
              });
  }

  /// @param u its first row is the part's; @param v its first column is the tile's first
  void multiply(const IntervalTask& task, const Part& part, Matrix<const T> u, Matrix<const T> v, int thread) {
    if (part.depth == 0) return;
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    const T* sizes = static_cast<const T*>(task.terms);
    T* x = static_cast<T*>(task.x) + part.row * task.x_stride + part.column;
    IntervalProduct<T> product{};
    product.product = {part.rows,     part.columns,         part.depth,      u.data + part.row * u.stride,
                       u.stride,      v.data + part.column, v.stride,        x,
                       task.x_stride, scratch.u.data(),     scratch.v.data()};
    product.row_sizes = sizes + task.row + part.row;
    product.split_sizes = sizes + part.first_split;
    product.column_sizes = sizes + task.column + part.column;
    if (task.split != nullptr) {
      product.split = task.split + part.row * task.split_stride + part.column;
      product.split_stride = task.split_stride;
      product.part = scratch.part.data();
      product.found = scratch.found.data();
    }
    product.first_split = part.first_split;
    kernels_.multiply(product);
  }

  static i64 parts(i64 size) { return (size + close_side - 1) / close_side; }

  /// A part is closed from values in it, below it and on its left, in the same tile or in the next one there.
  ClosedPart<T> closed_part(const IntervalTask& task, i64 row, i64 column) const {
    T* x = static_cast<T*>(task.x) + row * task.x_stride + column;
    ClosedPart<T> part{};
    part.rows = std::min(close_side, task.rows - row);
    part.columns = std::min(close_side, task.columns - column);
    part.row = task.row + row;
    part.column = task.column + column;
    part.x = x;
    part.x_stride = task.x_stride;
    if (task.split != nullptr) part.split = task.split + row * task.split_stride + column;
    part.split_stride = task.split_stride;
    const bool last = row + part.rows == task.rows, first = column == 0;
    const auto* under = static_cast<const T*>(task.under);
    const auto* beside = static_cast<const T*>(task.beside);
    if (!last) part.under = x + part.rows * task.x_stride;
    else if (under != nullptr) part.under = under + column;
    if (!first) part.beside = x - 1;
    else if (beside != nullptr) part.beside = beside + row * task.beside_stride;
    part.beside_stride = first ? task.beside_stride : task.x_stride;
    if (last && first) part.corner = static_cast<const T*>(task.corner);
    else if (!first && part.under != nullptr) part.corner = part.under - 1;
    else if (first && part.beside != nullptr) part.corner = part.beside + part.rows * part.beside_stride;
    part.terms = terms_of(task);
    return part;
  }

  /// Calls work(row, column, thread) for parts that are independent of each other.
  template <class Work>
  void each_part(const IntervalTask& task, const std::vector<std::pair<i64, i64>>& places, const Work& work) {
    const double operations = static_cast<double>(close_side * close_side) * static_cast<double>(task.rows);
    in_pieces(static_cast<i64>(places.size()), operations * static_cast<double>(places.size()),
              [&](i64 begin, i64 end, int thread) {
                for (i64 n = begin; n < end; ++n) {
                  const auto& [a, b] = places[static_cast<std::size_t>(n)];
                  work(a * close_side, b * close_side, thread);
                }
              });
  }

  /// Parts as far from the tile's lower left corner at a time.
  void close_square(const IntervalTask& task) {
    const Matrix<T> x{static_cast<T*>(task.x), task.x_stride};
    const Matrix<const T> u = constant(task.u, task.u_stride), v = constant(task.v, task.v_stride);
    const i64 high = parts(task.rows), wide = parts(task.columns);
    for (i64 step = 0; step < high + wide - 1 && !aborted(); ++step) {
      std::vector<std::pair<i64, i64>> places;
      for (i64 b = std::max<i64>(0, step - high + 1); b <= std::min(step, wide - 1); ++b) {
        places.emplace_back(high - 1 - step + b, b);
      }
      each_part(task, places, [&](i64 row, i64 column, int thread) {
        ClosedPart<T> part = closed_part(task, row, column);
        const i64 below = row + part.rows;
        multiply(task, {row, part.rows, column, part.columns, task.rows - below, task.row + below},
                 {u.data + below, u.stride}, x.at_row(below), thread);
        multiply(task, {row, part.rows, column, part.columns, column, task.column}, x.read(), v, thread);
        part.u = u.data + row * u.stride + row;
        part.u_stride = u.stride;
        part.v = v.data + column * v.stride + column;
        part.v_stride = v.stride;
        kernels_.close(part);
      });
    }
  }

  /// Parts as far from the diagonal at a time.
  void close_diagonal(const IntervalTask& task) {
    const Matrix<T> x{static_cast<T*>(task.x), task.x_stride};
    const i64 count = parts(task.rows);
    for (i64 step = 0; step < count && !aborted(); ++step) {
      std::vector<std::pair<i64, i64>> places;
      for (i64 a = 0; a + step < count; ++a) places.emplace_back(a, a + step);
      each_part(task, places, [&](i64 row, i64 column, int thread) {
        ClosedPart<T> part = closed_part(task, row, column);
        const i64 begin = row + part.rows;
        if (row != column) {
          multiply(task, {row, part.rows, column, part.columns, column - begin, task.row + begin},
                   {x.data + begin, x.stride}, x.at_row(begin), thread);
          part.u = x.at(row, row);
          part.v = x.at(column, column);
          part.u_stride = part.v_stride = x.stride;
          clear_below(task, row, column, part);
        }
        kernels_.close(part);
      });
    }
  }

  /// The part on the other side of the diagonal.
  void clear_below(const IntervalTask& task, i64 row, i64 column, const ClosedPart<T>& part) {
    for (i64 i = column; i < column + part.columns; ++i) {
      std::fill_n(static_cast<T*>(task.x) + i * task.x_stride + row, part.rows, T(0));
      if (task.split != nullptr) std::fill_n(task.split + i * task.split_stride + row, part.rows, no_split);
    }
  }

  IntervalKernels<T> kernels_;
  std::vector<Scratch> scratch_;
};

template <class T>
const IntervalKernels<T>& kernels_in(const IntervalKernelSet& set) {
  if constexpr (std::is_same_v<T, double>) return set.f64;
  else if constexpr (sizeof(T) == 2) return set.w16;
  else if constexpr (sizeof(T) == 4) return set.w32;
  else return set.w64;
}

/// Calls call(T{}) with the type of values, if there are kernels of it.
template <class Call>
auto visit_interval_value(ElementType type, const Call& call) {
  switch (type) {
    case ElementType::i16:
      return call(i16{});
    case ElementType::i32:
      return call(i32{});
    case ElementType::i64:
      return call(i64{});
    default:
      return call(double{});
  }
}

IntervalKernelSet kernel_set(InstructionSet set, int rule) {
  return device::for_instruction_set(set, sse2::interval_kernels, avx2::interval_kernels,
                                     avx512::interval_kernels)(rule);
}

}  // namespace

bool has_intervals(const IntervalSpec& spec) {
  if (spec.value != ElementType::i16 && spec.value != ElementType::i32 && spec.value != ElementType::i64 &&
      spec.value != ElementType::f64) {
    return false;
  }
  return visit_interval_value(spec.value, [&](auto value) {
    const IntervalKernelSet set = kernel_set(InstructionSet::sse2, spec.rule);
    return kernels_in<decltype(value)>(set).close != nullptr;
  });
}

std::unique_ptr<device::BlockKernel> make_intervals_cpu(const IntervalSpec& spec, device::Context& context,
                                                        InstructionSet set) {
  if (spec.rule < 0 || spec.rule >= Rules::size || !has_intervals(spec)) {
    throw DeviceError("make_intervals_cpu", "there are no kernels of rule " + std::to_string(spec.rule) + " in " +
                                                std::string(name_of(spec.value)));
  }
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_intervals_cpu", context.limits().name + " is not a CPU");
  return visit_interval_value(spec.value, [&](auto value) -> std::unique_ptr<device::BlockKernel> {
    using T = decltype(value);
    return std::make_unique<IntervalsOnCpu<T>>(cpu->pool(), kernels_in<T>(kernel_set(set, spec.rule)), spec.splits);
  });
}

std::unique_ptr<device::BlockKernel> make_intervals_cpu(const IntervalSpec& spec, device::Context& context) {
  return make_intervals_cpu(spec, context, device::best_instruction_set());
}

}  // namespace terrace::recursive
