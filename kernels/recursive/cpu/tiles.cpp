// Updates of tiles on the CPU: the functions A, B, C and D of a tile by products of parts of it.
#include <algorithm>
#include <string>
#include <vector>

#include "kernels/recursive/cpu/blocks.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/semiring_list.hpp"
#include "kernels/recursive/task.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

template <class T>
class TilesOnCpu : public CpuTiles<T> {
  using Base = CpuTiles<T>;
  using Base::in_pieces;

 public:
  TilesOnCpu(device::ThreadPool& pool, Multiply<T> kernel, Nothing nothing)
      : Base(pool), product_(pool.size(), kernel), nothing_(nothing) {}

 private:
  TileResult compute(const TileTask& task) override {
    TileResult result{};
    result.negative_pivot = -1;
    if (task.input != nullptr) Base::begin(task, result);
    if (task.empty != 0) clear(task);
    if (task.function == Function::inspect) return result;
    const Matrix<T> x{static_cast<T*>(task.x), task.x_stride};
    const Matrix<const T> u{static_cast<const T*>(task.u), task.u_stride};
    const Matrix<const T> v{static_cast<const T*>(task.v), task.v_stride};
    const double operations =
        static_cast<double>(task.rows) * static_cast<double>(task.columns) * static_cast<double>(task.depth);
    switch (task.function) {
      case Function::a:
        result.negative_pivot = close(x, task.rows, task.first_pivot);
        break;
      case Function::b:
        in_pieces(task.columns, operations, [&](i64 begin, i64 end, int thread) {
          const Matrix<T> part{x.at(0, begin), x.stride};
          product_(part, u, part.read(), task.rows, end - begin, task.depth, thread);
        });
        break;
      case Function::c:
        in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
          const Matrix<T> part{x.at(begin, 0), x.stride};
          product_(part, part.read(), v, end - begin, task.columns, task.depth, thread);
        });
        break;
      default:
        multiply(task, x, u, v, operations);
    }
    if (task.last != 0) end(task, x, result);
    return result;
  }

  /// x <- x + u * v, cut along x's longer side.
  void multiply(const TileTask& task, Matrix<T> x, Matrix<const T> u, Matrix<const T> v, double operations) {
    if (task.rows >= task.columns) {
      in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
        product_({x.at(begin, 0), x.stride}, {u.at(begin, 0), u.stride}, v, end - begin, task.columns, task.depth,
                 thread);
      });
    } else {
      in_pieces(task.columns, operations, [&](i64 begin, i64 end, int thread) {
        product_({x.at(0, begin), x.stride}, u, {v.at(0, begin), v.stride}, task.rows, end - begin, task.depth,
                 thread);
      });
    }
  }

  /// Closes a tile: for base_size pivots after another their own square, their rows, and all other rows.
  /// @returns the first pivot whose distance to itself is negative, or -1
  i64 close(Matrix<T> x, i64 size, i64 first_pivot) {
    for (i64 k = 0; k < size; k += base_size) {
      const i64 depth = std::min(base_size, size - k), after = k + depth;
      const Matrix<T> pivots{x.at(k, k), x.stride};
      const i64 negative = close_base(pivots, depth);
      if (negative >= 0) return first_pivot + k + negative;
      const double operations = static_cast<double>(depth) * static_cast<double>(size) * static_cast<double>(size);
      in_pieces(size - depth, operations / static_cast<double>(size) * static_cast<double>(depth),
                [&](i64 begin, i64 end, int thread) {
                  // Columns before and after the pivots' own.
                  const auto rows_of = [&](i64 from, i64 to) {
                    if (from >= to) return;
                    const Matrix<T> part{x.at(k, from), x.stride};
                    product_(part, pivots.read(), part.read(), depth, to - from, depth, thread);
                  };
                  rows_of(begin, std::min(end, k));
                  rows_of(std::max(begin, k) + depth, end + depth);
                });
      in_pieces(size - depth, operations, [&](i64 begin, i64 end, int thread) {
        const auto rows_of = [&](i64 from, i64 to) {
          if (from >= to) return;
          const Matrix<T> column{x.at(from, k), x.stride};
          product_(column, column.read(), pivots.read(), to - from, depth, depth, thread);
          product_({x.at(from, 0), x.stride}, column.read(), {x.at(k, 0), x.stride}, to - from, k, depth, thread);
          product_({x.at(from, after), x.stride}, column.read(), {x.at(k, after), x.stride}, to - from, size - after,
                   depth, thread);
        };
        rows_of(begin, std::min(end, k));
        rows_of(std::max(begin, k) + depth, end + depth);
      });
    }
    return -1;
  }

  /// Pivot by pivot. A row never changes in its own pivot's turn, as no pivot is negative.
  static i64 close_base(Matrix<T> x, i64 size) {
    for (i64 k = 0; k < size; ++k) {
      if (*x.at(k, k) < T(0)) return k;
      for (i64 i = 0; i < size; ++i) {
        if (i == k) continue;
        const T left = *x.at(i, k);
        T* row = x.at(i, 0);
        const T* right = x.at(k, 0);
        for (i64 j = 0; j < size; ++j) {
          row[j] = MinPlus::plus<T>(row[j], MinPlus::times<T>(left, right[j]));
        }
      }
    }
    return -1;
  }

  void clear(const TileTask& task) {
    const T none = nothing_ == Nothing::infinity         ? infinity<T>()
                   : nothing_ == Nothing::minus_infinity ? static_cast<T>(-infinity<T>())
                                                         : T(0);
    const double operations = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    in_pieces(task.rows, operations, [&](i64 begin, i64 end, int) {
      for (i64 i = begin; i < end; ++i) std::fill_n(static_cast<T*>(task.x) + i * task.x_stride, task.columns, none);
    });
  }

  /// Looks at a tile that no other update follows.
  void end(const TileTask& task, Matrix<T> x, TileResult& result) {
    const T far = infinity<T>() / T(2);
    const bool below = nothing_ == Nothing::minus_infinity;
    Base::end(task, result, [&](i64 i, Found<T>& found) {
      T* row = x.at(i, 0);
      for (i64 j = 0; j < task.columns; ++j) {
        if (task.clamped != 0 && !below && row[j] >= far) row[j] = infinity<T>();
        if (task.clamped != 0 && below && row[j] <= -far) row[j] = static_cast<T>(-infinity<T>());
        found.add(row[j]);
      }
    });
  }

  Products<T> product_;
  Nothing nothing_;
};

template <class T>
bool has_value(int semiring) {
  bool has = false;
  Semirings::visit(semiring, [&]<class S>(S) { has = S::template has<T>; });
  return has;
}

}  // namespace

bool is_distance_type(ElementType type) { return is_floating(type) || (is_signed(type) && size_of(type) > 1); }

bool has_tiles(const TileSpec& spec) {
  if (has_bits(spec.table)) return spec.value == ElementType::u32;
  if (spec.table == Table::counts) return spec.value == ElementType::i32;
  if (!is_distance_type(spec.value)) return false;
  return visit_value(spec.value, [&](auto value) { return has_value<decltype(value)>(spec.semiring); });
}

bool has_blas(const TileSpec& spec) {
  constexpr int plus_times = Semirings::index<PlusTimes>(), minus_times = Semirings::index<MinusTimes>();
  return is_floating(spec.value) && (spec.semiring == plus_times || spec.semiring == minus_times);
}

std::unique_ptr<device::BlockKernel> make_tiles_cpu(const TileSpec& spec, device::Context& context,
                                                    InstructionSet set) {
  const std::span<const SemiringInfo> known = semirings();
  if (spec.semiring < 0 || spec.semiring >= static_cast<int>(known.size()) || !has_tiles(spec)) {
    throw DeviceError("make_tiles_cpu", "there are no kernels of algebra " + std::to_string(spec.semiring) + " in " +
                                            std::string(name_of(spec.value)));
  }
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_tiles_cpu", context.limits().name + " is not a CPU");
  if (has_trails(spec.table)) return make_paths_cpu(spec, cpu->pool(), set);
  if (has_bits(spec.table)) return make_bits_cpu(spec, cpu->pool(), set);
  if (spec.table == Table::counts) return make_counts_cpu(cpu->pool(), set);
  if (spec.semiring == Semirings::index<MinusTimes>()) return make_elimination_cpu(spec, cpu->pool());
  if (has_blas(spec)) return make_products_cpu(spec, cpu->pool());
  const Nothing nothing = known[static_cast<std::size_t>(spec.semiring)].nothing;
  return visit_value(spec.value, [&](auto value) -> std::unique_ptr<device::BlockKernel> {
    using T = decltype(value);
    return std::make_unique<TilesOnCpu<T>>(cpu->pool(), multiply_of<T>(set, spec.semiring), nothing);
  });
}

std::unique_ptr<device::BlockKernel> make_tiles_cpu(const TileSpec& spec, device::Context& context) {
  return make_tiles_cpu(spec, context, device::best_instruction_set());
}

}  // namespace terrace::recursive
