#include "stages/stencil/verify/stored.hpp"

#include <algorithm>
#include <array>

#include "kernels/stencil/operators.hpp"

namespace terrace::stages {

using stencil::CellBox;
using stencil::most_rank;
using stencil::StencilSpec;

namespace {

/// Cells of an axis that are stored one after another.
struct Piece {
  std::int64_t to, from, count;  // place in the window, index in the grid
};

/// The pieces of [begin, end) of a periodic axis; of other axes there is one.
std::vector<Piece> pieces_of(std::int64_t begin, std::int64_t end, std::int64_t extent) {
  std::vector<Piece> pieces;
  for (std::int64_t at = begin; at < end;) {
    const std::int64_t from = ((at % extent) + extent) % extent, count = std::min(end - at, extent - from);
    pieces.push_back({at - begin, from, count});
    at += count;
  }
  return pieces;
}

/// The box of a dataset that holds some cells inside the grid.
Box box_of(const StencilSpec& spec, const CellBox& cells, std::int64_t snapshot) {
  Box box;
  const auto add = [&](std::int64_t begin, std::int64_t end) {
    box.begin.push_back(begin);
    box.end.push_back(end);
  };
  if (snapshot >= 0) add(snapshot, snapshot + 1);
  for (int axis = 0; axis < spec.rank; ++axis) {
    const auto at = static_cast<std::size_t>(stencil::axis_of(axis, spec.rank));
    add(cells.begin[at], cells.end[at]);
  }
  return box;
}

}  // namespace

double StoredStencil::operations(double updates) const {
  constexpr double of_formulas = 8;
  return updates * (spec().terms.empty() ? of_formulas : static_cast<double>(spec().terms.size()));
}

bool StoredStencil::holds(std::int64_t cells) const {
  const double arrays = 2 * static_cast<double>(fields()) + spec().arrays;
  return static_cast<double>(cells) * arrays <= VerifyLimits::values;
}

template <class T>
std::vector<T> read_cells(const StencilSpec& spec, io::Source& source, const CellBox& cells, std::int64_t snapshot) {
  std::vector<T> values(static_cast<std::size_t>(cells.count()));
  if (values.empty()) return values;
  std::array<std::vector<Piece>, most_rank> pieces;
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    pieces[axis] = pieces_of(cells.begin[axis], cells.end[axis], spec.extents[axis]);
  }
  for (const Piece& a : pieces[0]) {
    for (const Piece& b : pieces[1]) {
      for (const Piece& c : pieces[2]) {
        const CellBox inside{{a.from, b.from, c.from}, {a.from + a.count, b.from + b.count, c.from + c.count}};
        const std::vector<T> read = read_box<T>(source, box_of(spec, inside, snapshot));
        for (std::int64_t line = 0; line < a.count * b.count; ++line) {
          const std::int64_t row = (a.to + line / b.count) * cells.extent(1) + b.to + line % b.count;
          std::copy_n(read.begin() + line * c.count, c.count, values.begin() + row * cells.extent(2) + c.to);
        }
      }
    }
  }
  return values;
}

template <class T>
stencil::Window<T> read_window(const StoredStencil& stored, const StoredState& state, const CellBox& cells) {
  stencil::Window<T> window{cells, {}};
  for (const auto& field : state.fields) {
    window.values.fields.push_back(read_cells<T>(stored.spec(), *field, cells, state.snapshot));
  }
  for (const auto& array : stored.definition.inputs.arrays) {
    window.values.arrays.push_back(read_cells<T>(stored.spec(), *array, cells, -1));
  }
  return window;
}

template std::vector<float> read_cells(const StencilSpec&, io::Source&, const CellBox&, std::int64_t);
template std::vector<double> read_cells(const StencilSpec&, io::Source&, const CellBox&, std::int64_t);
template stencil::Window<float> read_window(const StoredStencil&, const StoredState&, const CellBox&);
template stencil::Window<double> read_window(const StoredStencil&, const StoredState&, const CellBox&);

}  // namespace terrace::stages
