// The CPU tracer: the way back through boxes of letters or values, cell by cell.
#include <vector>

#include "kernels/launch/cpu_launch.hpp"
#include "kernels/wavefront/cpu/borders.hpp"
#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/tracer.hpp"
#include "kernels/wavefront/visit.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {
namespace {

/// Computes a piece again and walks through its codes: in 64 bits, which hold every score of every type, or in the
/// type of values, so that costs are equal to the bit.
template <class P, class V>
class CpuTracer : public device::BlockKernel {
 public:
  explicit CpuTracer(const TraceSpec& spec)
      : constants_(problem_constants<P>(spec.settings)),
        k_(P::template constants_as<V>(constants_)),
        border_(spec.border),
        h_(static_cast<std::size_t>(spec.cell_columns)),
        f_(static_cast<std::size_t>(spec.cell_columns)),
        left_h_(static_cast<std::size_t>(spec.cell_rows) + 1),
        left_e_(static_cast<std::size_t>(spec.cell_rows) + 1),
        codes_(static_cast<std::size_t>(spec.cell_rows * spec.cell_columns)) {}

  void run(const device::Port& port) override {
    device::compute_in_order<TraceTask, TraceResult>(port, [&](const TraceTask& task, TraceResult& result) {
      trace(task, result);
      return true;
    });
  }

 private:
  using Item = std::conditional_t<P::items == Items::letters, u8, V>;

  void trace(const TraceTask& task, TraceResult& result) {
    PathPlace place = task.place;
    result.count = 0;
    const auto* rows = static_cast<const Item*>(task.rows) - task.row_begin;
    const auto* columns = static_cast<const Item*>(task.columns) - task.column_begin;
    while (place.row > task.row_begin && place.column > task.column_begin && !place.ended && !result.full()) {
      const TracePiece piece = trace_piece(task, place);
      compute(task, piece, place);
      const i64 width = place.column - piece.column;
      walk_path<P>(
          piece.row, piece.column, place, result,
          [&](i64 row, i64 column) {
            return u32{codes_[static_cast<std::size_t>((row - piece.row) * width + column - piece.column)]};
          },
          [&](i64 row, i64 column) { return P::items == Items::values || rows[row] == columns[column]; });
    }
    result.place = place;
  }

  /// The codes of the piece up to the place, row-major.
  void compute(const TraceTask& task, const TracePiece& piece, const PathPlace& place) {
    const i64 height = place.row - piece.row, width = place.column - piece.column;
    load_above(task, piece, width);
    load_before(task, piece, height);
    const auto* rows = static_cast<const Item*>(task.rows) + (piece.row - task.row_begin);
    const auto* columns = static_cast<const Item*>(task.columns) + (piece.column - task.column_begin);
    for (i64 i = 0; i < height; ++i) {
      V diagonal = left_h_[static_cast<std::size_t>(i)];
      V left = left_h_[static_cast<std::size_t>(i) + 1], e = left_e_[static_cast<std::size_t>(i) + 1];
      u8* codes = codes_.data() + i * width;
      for (i64 j = 0; j < width; ++j) {
        V &up = h_[static_cast<std::size_t>(j)], &f = f_[static_cast<std::size_t>(j)];
        const V s = P::template score<V>(k_, static_cast<V>(rows[i]), static_cast<V>(columns[j]));
        const Around<V> around{diagonal, up, left, e, f};
        Cell<V> cell = P::template cell<V>(k_, around, s);
        if constexpr (has_window<P>) {
          if (!inside(piece.row + i, piece.column + j)) cell.h = static_cast<V>(infinity);
        }
        codes[j] = static_cast<u8>(trace_code<P, V>(k_, around, s, cell));
        diagonal = up;
        up = left = cell.h;
        e = cell.e;
        f = cell.f;
      }
    }
  }

  void load_above(const TraceTask& task, const TracePiece& piece, i64 width) {
    const BorderPlace above = border_above(task, piece);
    if (above.base != nullptr) {
      read_border(border_, above.base, above.offset, width, h_.data());
      if constexpr (P::row_planes == 2) {
        read_border(border_, above.base, above.offset + task.row_border_stride, width, f_.data());
      }
      return cut(h_, width, [&](i64 j) { return inside(piece.row - 1, piece.column + j); });
    }
    for (i64 j = 0; j < width; ++j) {
      const Border<V> border = P::template top<V>(k_, piece.column + j);
      h_[static_cast<std::size_t>(j)] = border.h;
      f_[static_cast<std::size_t>(j)] = border.gap;
    }
  }

  void load_before(const TraceTask& task, const TracePiece& piece, i64 height) {
    const BorderPlace before = border_before(task, piece);
    if (before.base != nullptr) {
      read_border(border_, before.base, before.offset, height + 1, left_h_.data());
      if constexpr (P::column_planes == 2) {
        read_border(border_, before.base, before.offset + task.column_border_stride + 1, height, left_e_.data() + 1);
      }
      return cut(left_h_, height + 1, [&](i64 i) { return inside(piece.row + i - 1, piece.column - 1); });
    }
    for (i64 i = 0; i <= height; ++i) {
      const Border<V> border = P::template left<V>(k_, piece.row + i - 1);
      left_h_[static_cast<std::size_t>(i)] = border.h;
      left_e_[static_cast<std::size_t>(i)] = border.gap;
    }
    if constexpr (has_corner<P, V>) {
      // The walk is in the table's first cell, or to the right of it or below: its items are the table's first.
      if (piece.row == 0) {
        left_h_[0] = P::corner(k_, *static_cast<const Item*>(task.rows), *static_cast<const Item*>(task.columns));
      }
    }
  }

  bool inside(i64 row, i64 column) const { return in_window(window_of<P, i64>(constants_), row, column); }

  /// Beyond the window a border may hold anything. @param is_inside(index) false for its elements there
  template <class IsInside>
  static void cut(std::vector<V>& border, i64 count, IsInside&& is_inside) {
    if constexpr (has_window<P>) {
      for (i64 i = 0; i < count; ++i) {
        if (!is_inside(i)) border[static_cast<std::size_t>(i)] = static_cast<V>(infinity);
      }
    }
  }

  typename P::template Constants<i64> constants_;
  typename P::template Constants<V> k_;
  ElementType border_;
  std::vector<V> h_, f_, left_h_, left_e_;
  std::vector<u8> codes_;
};

}  // namespace

bool is_traceable(const std::string& problem, const Settings& settings) {
  return describe(problem, settings)->traceable;
}

std::unique_ptr<device::BlockKernel> make_cpu_tracer(const TraceSpec& spec) {
  std::unique_ptr<device::BlockKernel> tracer;
  visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (Traceable<P> && P::items == Items::letters) {
      tracer = std::make_unique<CpuTracer<P, i64>>(spec);
    } else if constexpr (Traceable<P>) {
      if (spec.value == ElementType::f32) tracer = std::make_unique<CpuTracer<P, float>>(spec);
      else if (spec.value == ElementType::f64) tracer = std::make_unique<CpuTracer<P, double>>(spec);
    }
  });
  if (!tracer)
    throw DeviceError("make_cpu_tracer",
                      "paths of " + spec.problem + " in " + std::string(name_of(spec.value)) + " cannot be followed");
  return tracer;
}

}  // namespace terrace::wavefront
