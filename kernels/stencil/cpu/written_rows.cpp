#include "kernels/stencil/cpu/written_rows.hpp"

#include <algorithm>
#include <cstring>
#include <map>
#include <utility>

#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

using formula::Formula;
using formula::Node;
using formula::Operation;
using formula::Type;

constexpr int last_axis = 2;

int add_read(Formula& cells, Type type, int number) {
  Node read{Operation::read, type};
  read.number = number;
  return cells.add(read);
}
int add_operation(Formula& cells, Operation operation, Type type, std::array<int, 3> operands) {
  Node node{operation, type};
  node.operands = operands;
  return cells.add(node);
}

/// The formulas of a stencil with its source and its mask, as rows are computed.
Formula cells_of(const StencilSpec& spec) {
  const Written& written = *spec.written;
  const Type type = spec.value == ElementType::f32 ? Type::f32 : Type::f64;
  const Formula made = spec.rank == 1 ? turned(written.cells) : written.cells;
  Formula cells;
  for (const Node& node : made.nodes()) cells.add(node);
  std::vector<int> results = made.results();
  if (spec.source >= 0) {
    const int source = add_read(cells, type, written.fields + spec.source);
    results[0] = add_operation(cells, Operation::add, type, {results[0], source, -1});
  }
  if (spec.mask >= 0) {
    const int mask = add_read(cells, type, written.fields + spec.mask);
    const int zero = cells.add({Operation::constant, type});
    const int is_kept = add_operation(cells, Operation::not_equal, Type::boolean, {mask, zero, -1});
    for (int field = 0; field < written.fields; ++field) {
      int& result = results[static_cast<std::size_t>(field)];
      result = add_operation(cells, Operation::choose, type, {is_kept, add_read(cells, type, field), result});
    }
  }
  for (const int result : results) cells.add_result(result);
  return cells.compact();
}

}  // namespace

Formula turned(const Formula& cells) {
  Formula all;
  for (Node node : cells.nodes()) {
    if (node.operation == Operation::read) std::swap(node.offset[0], node.offset[last_axis]);
    if (node.operation == Operation::index || node.operation == Operation::extent) {
      node.number = last_axis - node.number;
    }
    all.add(node);
  }
  for (const int result : cells.results()) all.add_result(result);
  return all;
}

template <class T>
WrittenPlan<T>::WrittenPlan(const StencilSpec& spec, const T* series, device::InstructionSet set)
    : series_steps_(spec.written->series_steps),
      series_(series),
      fields_(spec.written->fields),
      low_(0),
      high_(0),
      strips_(cells_of(spec), last_axis, sizeof(T) == 4 ? Type::f32 : Type::f64, set) {
  const int radius = spec.radius, middle = spec.rank == 3 ? spec.radius : 0;
  std::map<std::pair<int, int>, int> copies;
  for (const Node& node : strips_.reads()) {
    Read read{node.number - fields_, -1, node.offset[last_axis], 0};
    if (read.array < 0) {
      const int row = node.number * (2 * radius + 1) + node.offset[0] + radius;
      read = {-1, row * (2 * middle + 1) + node.offset[1] + middle, node.offset[last_axis], 0};
    }
    const auto [copy, is_new] = copies.try_emplace({read.array, read.around}, copies_);
    copies_ += is_new ? 1 : 0;
    read.copy = copy->second;
    low_ = std::min(low_, read.shift);
    high_ = std::max(high_, read.shift);
    reads_.push_back(read);
  }
}

template <class T>
formula::CellValue WrittenPlan<T>::leaf(const Node& node, const Position& position) const {
  const auto axis = static_cast<std::size_t>(node.number);
  switch (node.operation) {
    case Operation::series:
      return {series_[node.number * series_steps_ + position.step], 0};
    case Operation::index:
      return {0, position.index[axis] + node.offset[0]};
    case Operation::extent:
      return {0, position.extent[axis]};
    default:  // step
      return {0, position.step};
  }
}

template <class T>
std::size_t WrittenPlan<T>::bytes(const StencilSpec& spec, int threads) {
  constexpr std::size_t of_node = 1024;  // of the program, its formula and what finds equal nodes
  constexpr std::size_t most_cells = 128;
  const auto fields = static_cast<std::size_t>(spec.written->fields);
  const std::size_t nodes = spec.written->cells.nodes().size() + 4 + 3 * fields;
  const std::size_t row = (most_cells + 2 * static_cast<std::size_t>(spec.radius) + 16) * sizeof(T);
  const std::size_t of_thread = formula::StripFrame::bytes(nodes) + (nodes + fields) * row + 256;
  return nodes * of_node + static_cast<std::size_t>(threads) * of_thread;
}

template <class T>
WrittenRows<T>::WrittenRows(const WrittenPlan<T>& plan)
    : plan_(plan),
      frame_(plan.strips()),
      cells_(plan.strips().cells()),
      pitch_((cells_ + plan.high() - plan.low() + 15) / 16 * 16),
      copies_((plan.copies() + plan.fields()) * pitch_) {}

template <class T>
void WrittenRows<T>::copy_cells(const RowWork<T>& work, i64 begin, i64 end) const {
  if (end <= begin) return;
  for (int f = 0; f < plan_.fields(); ++f) {
    const T* from = work.row(f, 0, 0);
    T* to = work.made[f];
    if (end - begin > work.radius) {
      std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
      continue;
    }
    for (i64 x = begin; x < end; ++x) to[x] = from[x];
  }
}

template <class T>
void WrittenRows<T>::make(const RowWork<T>& work) {
  if (work.kept != 0) return copy_cells(work, work.begin, work.end);
  const i64 extent = work.position.extent[last_axis];
  i64 begin = work.begin, end = work.end;
  if (work.faces.low == Face::fixed) begin = std::max<i64>(begin, work.radius);
  if (work.faces.high == Face::fixed) end = std::min<i64>(end, extent - work.radius);
  if (begin >= end) return copy_cells(work, work.begin, work.end);
  copy_cells(work, work.begin, begin);
  copy_cells(work, end, work.end);
  frame_.set_row([&](const Node& node) { return plan_.leaf(node, work.position); });
  const bool wraps = work.faces.low == Face::periodic && plan_.strips().uses_index();
  for (i64 x = begin; x < end;) {
    const i64 inside = wraps ? wrapped_index(x, extent) : x, next = wraps ? std::min(end, x + extent - inside) : end;
    make_cells(work, x, next, inside - x);
    x = next;
  }
}

template <class T>
void WrittenRows<T>::make_cells(const RowWork<T>& work, i64 begin, i64 end, i64 index) {
  // Strips within [inner_begin, inner_end) read what is in the rows.
  const bool periodic = work.faces.low == Face::periodic;
  const i64 inner_begin = periodic ? begin : std::max(begin, -plan_.low());
  const i64 inner_end = periodic ? end : std::min(end, work.position.extent[last_axis] - plan_.high());
  if (end - begin <= cells_ && (inner_end - inner_begin < cells_ || inner_begin > begin || inner_end < end)) {
    return make_from_copies(work, begin, end, index);
  }
  if (inner_begin > begin) make_from_copies(work, begin, begin + cells_, index);
  if (inner_end < end) make_from_copies(work, end - cells_, end, index);
  i64 from = inner_begin > begin ? begin + cells_ : begin, to = inner_end < end ? end - cells_ : end;
  if (from >= to) return;
  if (to - from < cells_ && inner_end - inner_begin >= cells_) {
    from = std::max(inner_begin, to - cells_);
    to = from + cells_;
  }
  if (to - from < cells_) make_from_copies(work, from, to, index);
  else make_inner(work, from, to, index);
}

template <class T>
void WrittenRows<T>::make_inner(const RowWork<T>& work, i64 begin, i64 end, i64 index) {
  std::size_t number = 0;
  for (const typename WrittenPlan<T>::Read& read : plan_.reads()) {
    const T* row = read.array >= 0 ? work.arrays[read.array] : work.around[read.around] + read.shift;
    frame_.set_read(number++, row);
  }
  for (int f = 0; f < plan_.fields(); ++f) frame_.set_result(static_cast<std::size_t>(f), work.made[f]);
  frame_.run(begin, end, index);
}

/// Copies the values around cells of a row, as faces define them.
template <class T>
void WrittenRows<T>::copy_row(const RowWork<T>& work, const T* row, i64 begin, i64 end, T* to) const {
  const i64 first = begin + plan_.low(), last = end + plan_.high(), extent = work.position.extent[last_axis];
  if (std::find(std::begin(work.outside), std::end(work.outside), row) != std::end(work.outside)) {
    std::fill(to, to + (last - first), row[begin]);
    return;
  }
  const bool periodic = work.faces.low == Face::periodic;
  const i64 inner_first = periodic ? first : std::clamp<i64>(first, 0, extent);
  const i64 inner_last = periodic ? last : std::clamp<i64>(last, inner_first, extent);
  std::memcpy(to + (inner_first - first), row + inner_first,
              static_cast<std::size_t>(inner_last - inner_first) * sizeof(T));
  const auto copy_outside = [&](i64 x) {
    const i64 index = mapped_index(x, extent, work.faces.low, work.faces.high);
    if (index == low_outside) to[x - first] = static_cast<T>(work.faces.low_value);
    else if (index == high_outside) to[x - first] = static_cast<T>(work.faces.high_value);
    else to[x - first] = row[index];
  };
  for (i64 x = first; x < inner_first; ++x) copy_outside(x);
  for (i64 x = inner_last; x < last; ++x) copy_outside(x);
}

template <class T>
void WrittenRows<T>::make_from_copies(const RowWork<T>& work, i64 begin, i64 end, i64 index) {
  std::size_t number = 0;
  int copied = 0;
  for (const typename WrittenPlan<T>::Read& read : plan_.reads()) {
    T* to = copy(read.copy);
    if (read.copy == copied) {
      if (read.array >= 0) std::copy(work.arrays[read.array] + begin, work.arrays[read.array] + end, to);
      else copy_row(work, work.around[read.around], begin, end, to);
      ++copied;
    }
    frame_.set_read(number++, read.array >= 0 ? to : to + read.shift - plan_.low());
  }
  for (int f = 0; f < plan_.fields(); ++f) frame_.set_result(static_cast<std::size_t>(f), copy(copied + f));
  frame_.run_part(end - begin, index + begin);
  for (int f = 0; f < plan_.fields(); ++f) {
    const T* made = copy(copied + f);
    std::copy(made, made + (end - begin), work.made[f] + begin);
  }
}

template class WrittenPlan<float>;
template class WrittenPlan<double>;
template class WrittenRows<float>;
template class WrittenRows<double>;

}  // namespace terrace::stencil
