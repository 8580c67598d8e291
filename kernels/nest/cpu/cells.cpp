#include "kernels/nest/cpu/cells.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/formula/program.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/nest/cpu/block_values.hpp"
#include "kernels/nest/elements.hpp"
#include "kernels/nest/measured.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::nest {
namespace {

using formula::CellValue;
using formula::Node;
using formula::Operation;

/// State that no block changes, shared by the threads.
struct Fixed {
  const NestSpec& spec;
  const Nest& nest;
  const Sweep& sweep;
  std::vector<std::vector<std::vector<std::size_t>>> sources;  // of a statement's access: numbers in spec.flow
  std::vector<formula::Program> programs;                      // of a statement's value
  std::optional<Point> step;                                   // Sweep::iteration_step()
  std::vector<formula::Bounds> bounds;                         // of a statement's whole numbers, by the array's type

  Fixed(const NestSpec& of, const Sweep& cut) : spec(of), nest(*of.nest), sweep(cut) {
    sources.assign(nest.statements.size(), std::vector<std::vector<std::size_t>>(nest.accesses.size()));
    for (std::size_t n = 0; n < spec.flow.size(); ++n) {
      const Dependence& one = spec.flow[n];
      sources[static_cast<std::size_t>(one.target)][static_cast<std::size_t>(one.access)].push_back(n);
    }
    step = sweep.iteration_step();
    for (const Statement& statement : nest.statements) {
      programs.emplace_back(statement.value);
      bounds.push_back(bounds_of(nest.arrays[static_cast<std::size_t>(statement.array)].type));
    }
  }
};

/// A thread that computes cells of a block.
class Cells {
 public:
  Cells(const Fixed& fixed, const NestTask& task, BlockValues& values)
      : fixed_(fixed), nest_(fixed.nest), task_(task), values_(values), elements_(nest_, task.inputs) {
    for (const Statement& statement : nest_.statements) cells_.emplace_back(statement.value);
    for (const formula::Program& program : fixed.programs) rows_.emplace_back().registers = program.registers();
  }

  /// Computes a tile, or up to the first cell that fails.
  void compute(const Ranges& tile) {
    Point at = first_point(tile);
    if (is_empty(tile) || fails_) return;
    do compute_row(tile.back(), at);
    while (!fails_ && step(tile, tile.size() - 1, at));
  }
  /// Makes what no statement writes.
  void make_rest() {
    for (int n = 0; n < task_.part_count && !fails_; ++n) {
      if (task_.parts[n].statement < 0) fill(task_.parts[n]);
    }
    if (task_.makes_corners == 0) return;
    for (std::size_t number = 0; number < nest_.arrays.size() && !fails_; ++number) {
      const Array& array = nest_.arrays[number];
      if (!fixed_.spec.kept[number].corner || !is_never_written(array)) continue;
      Point at{};
      for (std::size_t axis = 0; axis < array.written.size(); ++axis) {
        at[array.first_loop + axis] = array.written[axis].end - 1;
      }
      CellValue value;
      if (!first(static_cast<int>(number), at, value)) return;
      found_.corner[number] = word_of(array.type, value);
      found_.has_corner[number] = 1;
    }
  }

  bool fails() const { return fails_; }
  const NestResult& found() const { return found_; }

 private:
  bool is_never_written(const Array& array) const {
    bool is_empty_loop = false;
    for (std::size_t loop = 0; loop < array.first_loop; ++loop) is_empty_loop |= nest_.loops[loop].range.size() == 0;
    return is_empty_loop || is_empty(array.written);
  }

  void compute_row(const Range& columns, Point& at) {
    const std::size_t last = fixed_.sweep.rank() - 1;
    Range all{columns.end, columns.begin};
    for (const int statement : fixed_.sweep.order()) {
      Row& row = rows_[static_cast<std::size_t>(statement)];
      row.columns = fixed_.sweep.row(statement, at);
      row.columns = {std::max(row.columns.begin, columns.begin), std::min(row.columns.end, columns.end)};
      if (row.columns.size() <= 0) continue;
      all = {std::min(all.begin, row.columns.begin), std::max(all.end, row.columns.end)};
      at[last] = row.columns.begin;
      prepare(static_cast<std::size_t>(statement), at);
    }
    if (nest_.statements.size() == 1) return compute_single(at);
    for (at[last] = all.begin; at[last] < all.end; ++at[last]) {
      for (const int statement : fixed_.sweep.order()) {
        const auto number = static_cast<std::size_t>(statement);
        const Row& row = rows_[number];
        if (!row.columns.holds(at[last])) continue;
        if (row.inner.holds(at[last]) && run(number, at[last])) continue;
        if (!make(number, at)) return;
      }
    }
  }

  /// The row of the only statement.
  void compute_single(Point& at) {
    const Row& row = rows_.front();
    i64& column = at[fixed_.sweep.rank() - 1];
    column = row.columns.begin;
    while (column < row.columns.end) {
      if (row.inner.holds(column)) column = run_columns(0, {column, row.inner.end});
      if (column >= row.columns.end) return;
      if (!make(0, at)) return;
      ++column;
    }
  }

  /// A leaf of a program along a row.
  struct Source {
    enum Kind : std::uint8_t { value, input, index } kind;
    ElementType type;  // of an input
    int leaf;          // the register
    const void* data;  // of an input
    i64 first, step;   // at the first column, and its change: of values and inputs an index
  };
  /// The cells of a statement in the row that is computed.
  struct Row {
    Range columns, inner;  // all; those whose program runs: each read has a value of one dependence, or of an input
    std::vector<Source> sources;
    std::vector<formula::Register> registers;
    Point at{};   // the iteration at the first column
    i64 own = 0;  // the index of its value there
    Range kept;   // columns whose values may be parts of results
  };

  /// @param coordinates of the first cell
  void prepare(std::size_t number, const Point& coordinates) {
    Row& row = rows_[number];
    const formula::Program& program = fixed_.programs[number];
    row.inner = {};
    row.sources.clear();
    if (!program.is_there() || !fixed_.step) return;
    row.inner = row.columns;
    row.at = fixed_.sweep.iteration(static_cast<int>(number), coordinates);
    row.own = values_.index(number, coordinates);
    for (const int leaf : program.leaves()) {
      const Node& node = nest_.statements[number].value[leaf];
      if (node.operation == Operation::index) {
        const auto loop = static_cast<std::size_t>(node.number);
        row.sources.push_back({Source::index, ElementType::i64, leaf, nullptr, row.at[loop], (*fixed_.step)[loop]});
        continue;
      }
      const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
      if (access.is_input) {
        row.sources.push_back(input_source(access, leaf, row.at));
        keep_inside(access, row);
      } else {
        add_value(number, node.number, leaf, coordinates, row);
      }
      if (row.inner.size() <= 0) return;
    }
    row.kept = kept_columns(number, row);
  }
  /// Leaves out the columns at which a read that no value needs lies outside its input.
  void keep_inside(const Access& access, Row& row) const {
    const std::vector<i64>& shape = nest_.inputs[static_cast<std::size_t>(access.array)].shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const auto loop = static_cast<std::size_t>(std::max(0, access.loops[axis]));
      const bool has_loop = access.loops[axis] >= 0;
      clip(row.inner,
           steps_in({0, shape[axis]}, (has_loop ? row.at[loop] : 0) + access.offset[axis],
                    has_loop ? (*fixed_.step)[loop] : 0),
           row);
    }
  }
  Source input_source(const Access& access, int leaf, const Point& at) const {
    const InputView& view = task_.inputs[access.array];
    Source source{Source::input, nest_.inputs[static_cast<std::size_t>(access.array)].type, leaf, view.data, 0, 0};
    for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
      const auto loop = static_cast<std::size_t>(std::max(0, access.loops[axis]));
      const bool has_loop = access.loops[axis] >= 0;
      source.first += ((has_loop ? at[loop] : 0) + access.offset[axis] - view.begin[axis]) * view.stride[axis];
      source.step += (has_loop ? (*fixed_.step)[loop] : 0) * view.stride[axis];
    }
    return source;
  }
  /// Adds a read of a value, and keeps the columns for which it is of the dependence that holds for most of them.
  void add_value(std::size_t number, int access, int leaf, const Point& coordinates, Row& row) const {
    Range best{};
    for (const std::size_t one : fixed_.sources[number][static_cast<std::size_t>(access)]) {
      const Range columns = columns_of(fixed_.spec.flow[one], row);
      if (columns.size() <= best.size()) continue;
      best = columns;
      Point from = coordinates;
      for (std::size_t n = 0; n < fixed_.sweep.rank(); ++n) from[n] -= fixed_.sweep.along(one)[n];
      const auto source = static_cast<std::size_t>(fixed_.spec.flow[one].source);
      if (!row.sources.empty() && row.sources.back().leaf == leaf) row.sources.pop_back();
      row.sources.push_back({Source::value, ElementType::i64, leaf, nullptr, values_.index(source, from), 1});
    }
    row.inner = {std::max(row.inner.begin, best.begin), std::min(row.inner.end, best.end)};
  }
  /// The columns of a row at which a dependence is there; loops that are counted as one do not change along it.
  Range columns_of(const Dependence& one, const Row& row) const {
    const Statement& source = nest_.statements[static_cast<std::size_t>(one.source)];
    const std::size_t first_loop = array_of(source).first_loop;
    Range all{0, row.columns.size()};
    for (std::size_t loop = fixed_.spec.skew.first > 0 ? fixed_.spec.skew.first + 1 : 0; loop < nest_.depth();
         ++loop) {
      Range range = source.box[loop];
      if (loop < first_loop) range = {nest_.loops[loop].range.begin, nest_.loops[loop].range.end};
      const Range own = steps_in(range, row.at[loop] - one.distance[loop], (*fixed_.step)[loop]);
      all = {std::max(all.begin, own.begin), std::min(all.end, own.end)};
    }
    if (all.size() > 0 && !is_there(one, at_column(row, row.columns.begin + all.begin))) return {};
    return all.shifted(row.columns.begin);
  }
  Point at_column(const Row& row, i64 column) const {
    Point at = row.at;
    for (std::size_t loop = 0; loop < nest_.depth(); ++loop)
      at[loop] += (column - row.columns.begin) * (*fixed_.step)[loop];
    return at;
  }
  /// Computes a cell by its program. @return false if that fails, or the value is beyond the array's type
  bool run(std::size_t number, i64 column) { return run_columns(number, {column, column + 1}) > column; }
  /// The same for cells one after another. @return the first column that fails, or the end
  i64 run_columns(std::size_t number, const Range& columns) {
    Row& row = rows_[number];
    const formula::Program& program = fixed_.programs[number];
    formula::Register* registers = row.registers.data();
    Word* words = values_.words();
    const formula::Bounds bounds = fixed_.bounds[number];
    const auto least = static_cast<i64>(bounds.least), most = static_cast<i64>(bounds.most);
    const bool is_real = is_floating(array_of(nest_.statements[number]).type);
    for (i64 column = columns.begin; column < columns.end; ++column) {
      const i64 k = column - row.columns.begin;
      for (const Source& source : row.sources) {
        formula::Register& leaf = registers[source.leaf];
        const i64 at = source.first + k * source.step;
        if (source.kind == Source::value) leaf.whole = words[at].whole;
        else if (source.kind == Source::index) leaf.whole = at;
        else load_into(leaf, source.type, source.data, at);
      }
      if (!program.run(registers)) return column;
      const formula::Register made = registers[program.result()];
      if (!is_real && (made.whole < least || made.whole > most)) return column;
      words[row.own + k].whole = made.whole;
      if (row.kept.holds(column)) {
        keep(number, at_column(row, column), is_real ? CellValue{made.real, 0} : CellValue{0, made.whole});
      }
    }
    return columns.end;
  }
  static void load_into(formula::Register& leaf, ElementType type, const void* data, i64 at) {
    if (type == ElementType::u8) leaf.whole = static_cast<const std::uint8_t*>(data)[at];
    else if (type == ElementType::i32) leaf.whole = static_cast<const std::int32_t*>(data)[at];
    else if (is_floating(type)) leaf.real = load(type, data, at).real;
    else leaf.whole = load(type, data, at).whole;
  }
  /// The columns of a row whose elements are parts of results, or may be.
  Range kept_columns(std::size_t number, const Row& row) const {
    const Statement& statement = nest_.statements[number];
    const Array& array = array_of(statement);
    const Kept& kept = fixed_.spec.kept[static_cast<std::size_t>(statement.array)];
    Range all = row.columns;
    for (std::size_t loop = 0; loop < array.first_loop; ++loop) {
      const i64 end = nest_.loops[loop].range.end;
      clip(all, steps_in({end - 1, end}, row.at[loop], (*fixed_.step)[loop]), row);
    }
    if (kept.best != 0 || all.size() <= 0) return all;
    Range some{all.end, all.begin};
    const auto add = [&](const i64* begin, const i64* end) {
      Range own = all;
      for (std::size_t axis = 0; axis < array.box.size(); ++axis) {
        const std::size_t loop = array.first_loop + axis;
        clip(own, steps_in({begin[axis], end[axis]}, row.at[loop] + statement.offset[axis], (*fixed_.step)[loop]),
             row);
      }
      if (own.size() > 0) some = {std::min(some.begin, own.begin), std::max(some.end, own.end)};
    };
    for (int n = 0; n < task_.part_count; ++n) {
      if (task_.parts[n].statement == static_cast<int>(number)) add(task_.parts[n].begin, task_.parts[n].end);
    }
    i64 corner[most_coordinates], after[most_coordinates];
    for (std::size_t axis = 0; axis < array.written.size(); ++axis) {
      after[axis] = array.written[axis].end;
      corner[axis] = after[axis] - 1;
    }
    if (kept.corner) add(corner, after);
    return some;
  }
  /// @param steps from the first column of the row
  static void clip(Range& columns, const Range& steps, const Row& row) {
    const Range own = steps.shifted(row.columns.begin);
    columns = {std::max(columns.begin, own.begin), std::min(columns.end, own.end)};
  }

  bool make(std::size_t number, const Point& coordinates) {
    const Statement& statement = nest_.statements[number];
    const Point at = fixed_.sweep.iteration(static_cast<int>(number), coordinates);
    struct Leaf {
      Cells& cells;
      std::size_t statement;
      const Point &coordinates, &at;
      CellValue operator()(const Node& node) const {
        if (node.operation == Operation::index) return {0, at[static_cast<std::size_t>(node.number)]};
        return cells.read(statement, node.number, coordinates, at);
      }
      bool operator()(const Node& node, const CellValue* subscripts, CellValue& found) const {
        return cells.elements_.look_up(node.number, subscripts, found);
      }
    };
    CellValue value;
    const ElementType type = array_of(statement).type;
    const bool is_made = cells_[number].compute(0, Leaf{*this, number, coordinates, at}, value);
    if (fails_) return fail(number);  // of `outside`
    if (!is_made) {
      elements_.note(cells_[number].failure(), statement.value, -1, at);
      return fail(number);
    }
    if (!fits(type, value)) {
      elements_.note_beyond(type, value, at);
      return fail(number);
    }
    values_.at(number, coordinates) = word_of(type, value);
    keep(number, at, value);
    return true;
  }
  bool fail(std::size_t statement) {
    fails_ = true;
    found_.failure = elements_.failure();
    found_.failure.statement = static_cast<int>(statement);
    return false;
  }
  const Array& array_of(const Statement& statement) const {
    return nest_.arrays[static_cast<std::size_t>(statement.array)];
  }

  CellValue read(std::size_t statement, int number, const Point& coordinates, const Point& at) {
    const Access& access = nest_.accesses[static_cast<std::size_t>(number)];
    if (access.is_input) return elements_.input(access, at);
    const ElementType type = nest_.arrays[static_cast<std::size_t>(access.array)].type;
    for (const std::size_t source : fixed_.sources[statement][static_cast<std::size_t>(number)]) {
      const Dependence& one = fixed_.spec.flow[source];
      if (!is_there(one, at)) continue;
      Point from = coordinates;
      for (std::size_t n = 0; n < fixed_.sweep.rank(); ++n) from[n] -= fixed_.sweep.along(source)[n];
      return value_of(type, values_.at(static_cast<std::size_t>(one.source), from));
    }
    Point element{};
    for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
      const auto loop = static_cast<std::size_t>(access.loops[axis]);
      element[loop] = at[loop] + access.offset[axis];
    }
    CellValue value;
    if (!first(access.array, element, value)) return {};
    return value;
  }
  bool first(int array, const Point& element, CellValue& value) {
    if (elements_.first(array, element, value)) return true;
    fails_ = true;
    found_.failure = elements_.failure();
    return false;
  }
  /// True if the iteration on which another one depends is there.
  bool is_there(const Dependence& one, const Point& at) const {
    const Statement& source = nest_.statements[static_cast<std::size_t>(one.source)];
    const std::size_t shared = fixed_.spec.skew.first, first_loop = array_of(source).first_loop;
    for (std::size_t loop = shared > 0 ? shared + 1 : 0; loop < nest_.depth(); ++loop) {
      const i64 before = at[loop] - one.distance[loop];
      if (loop < first_loop ? before < nest_.loops[loop].range.begin : !source.box[loop].holds(before)) return false;
    }
    if (shared == 0 || one.distance[shared] == 0) return true;
    for (std::size_t loop = 0; loop <= shared; ++loop) {
      if (at[loop] > nest_.loops[loop].range.begin) return true;
    }
    return false;
  }

  /// Keeps a value in the results that it is a part of.
  void keep(std::size_t number, const Point& at, const CellValue& value) {
    const Statement& statement = nest_.statements[number];
    const Array& array = array_of(statement);
    if (array.first_loop > 0 && !is_last(nest_, statement, at)) return;
    Point element{};
    bool is_corner = true;
    for (std::size_t axis = 0; axis < statement.offset.size(); ++axis) {
      element[axis] = at[array.first_loop + axis] + statement.offset[axis];
      is_corner &= element[axis] == array.written[axis].end - 1;
    }
    for (int n = 0; n < task_.part_count; ++n) {
      const Part& part = task_.parts[n];
      if (part.statement == static_cast<int>(number)) store_in(part, array, element, value);
    }
    const Kept& kept = fixed_.spec.kept[static_cast<std::size_t>(statement.array)];
    if (kept.best != 0)
      offer(found_.best[statement.array], array.type, kept.best, element, word_of(array.type, value));
    if (!kept.corner || !is_corner) return;
    found_.corner[statement.array] = word_of(array.type, value);
    found_.has_corner[statement.array] = 1;
  }
  static void store_in(const Part& part, const Array& array, const Point& element, const CellValue& value) {
    i64 index = 0;
    for (std::size_t axis = 0; axis < array.box.size(); ++axis) {
      if (element[axis] < part.begin[axis] || element[axis] >= part.end[axis]) return;
      index += (element[axis] - part.begin[axis]) * part.stride[axis];
    }
    store(array.type, part.data, index, value);
  }
  void fill(const Part& part) {
    const Array& array = nest_.arrays[static_cast<std::size_t>(part.array)];
    const std::size_t rank = array.box.size();
    Ranges box;
    for (std::size_t axis = 0; axis < rank; ++axis) box.push_back({part.begin[axis], part.end[axis]});
    if (is_empty(box)) return;
    Point element = first_point(box);
    do {
      Point at{};
      std::copy_n(element.begin(), rank, at.begin() + static_cast<std::ptrdiff_t>(array.first_loop));
      CellValue value;
      if (!first(part.array, at, value)) return;
      store_in(part, array, element, value);
    } while (step(box, rank, element));
  }

  const Fixed& fixed_;
  const Nest& nest_;
  const NestTask& task_;
  BlockValues& values_;
  Elements elements_;
  std::vector<formula::CheckedCells> cells_;
  std::vector<Row> rows_;
  bool fails_ = false;
  NestResult found_{};
};

class CellsOnCpu final : public device::CpuBlocks<NestTask, NestResult> {
 public:
  CellsOnCpu(const NestSpec& spec, device::CpuContext& context)
      : CpuBlocks(context.pool()),
        spec_(spec),
        sweep_(spec_),
        fixed_(spec_, sweep_),
        values_(sweep_, spec_.nest->statements.size()) {}

 private:
  NestResult compute(const NestTask& task) override {
    values_.begin(sweep_, task);
    std::vector<Cells> cells;
    for (int thread = 0; thread < threads(); ++thread) cells.emplace_back(fixed_, task, values_);
    cells.front().make_rest();
    if (threads() == 1) compute_in_order(task, cells.front());
    else if (!cells.front().fails()) compute_tiles(task, cells);
    values_.hand_on(task);
    return joined(cells);
  }
  /// One thread needs no tiles: cells in the order of their coordinates, up to the first one that fails.
  void compute_in_order(const NestTask& task, Cells& cells) const {
    Ranges slab;
    for (std::size_t n = 0; n < sweep_.rank(); ++n) slab.push_back({task.begin[n], task.end[n]});
    const int side = sweep_.rank() > 1 ? measured::tile_side : measured::tile_columns;
    for (i64 at = task.begin[0]; at < task.end[0] && !cells.fails() && !aborted(); at += side) {
      slab[0] = {at, std::min(task.end[0], at + side)};
      cells.compute(slab);
    }
  }
  /// Tiles whose numbers have one sum depend on those of lesser sums alone.
  void compute_tiles(const NestTask& task, std::vector<Cells>& cells) {
    std::vector<std::vector<Ranges>> by_sum(1);
    list_tiles(task, {}, 0, by_sum);
    for (const std::vector<Ranges>& tiles : by_sum) {
      in_turn(static_cast<i64>(tiles.size()), [&](i64 number, int thread) {
        cells[static_cast<std::size_t>(thread)].compute(tiles[static_cast<std::size_t>(number)]);
      });
      if (aborted()) return;
      if (std::any_of(cells.begin(), cells.end(), [](const Cells& one) { return one.fails(); }))
        return find_first_failure(task, cells);
    }
  }
  /// A tile may fail before one whose cells come first in the order of coordinates.
  void find_first_failure(const NestTask& task, std::vector<Cells>& cells) {
    values_.begin(sweep_, task);
    cells.clear();
    compute_in_order(task, cells.emplace_back(fixed_, task, values_));
  }
  void list_tiles(const NestTask& task, const Ranges& begun, std::size_t sum,
                  std::vector<std::vector<Ranges>>& by_sum) const {
    const std::size_t coordinate = begun.size();
    if (coordinate == sweep_.rank()) {
      if (by_sum.size() <= sum) by_sum.resize(sum + 1);
      by_sum[sum].push_back(begun);
      return;
    }
    const int side = coordinate + 1 == sweep_.rank() ? measured::tile_columns : measured::tile_side;
    for (i64 at = task.begin[coordinate]; at < task.end[coordinate]; at += side) {
      Ranges longer = begun;
      longer.push_back({at, std::min(task.end[coordinate], at + side)});
      list_tiles(task, longer, sum++, by_sum);
    }
  }
  NestResult joined(const std::vector<Cells>& cells) const {
    NestResult all{};
    for (const Cells& one : cells) {
      if (one.fails()) all.failure = one.found().failure;
      for (std::size_t n = 0; n < spec_.nest->arrays.size(); ++n) {
        const NestResult& found = one.found();
        if (found.has_corner[n] != 0) all.corner[n] = found.corner[n], all.has_corner[n] = 1;
        if (found.best[n].is_found == 0) continue;
        Point at{};
        std::copy_n(found.best[n].at, most_coordinates, at.begin());
        offer(all.best[n], spec_.nest->arrays[n].type, spec_.kept[n].best, at, found.best[n].value);
      }
    }
    return all;
  }

  NestSpec spec_;
  Sweep sweep_;
  Fixed fixed_;
  BlockValues values_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_cells_cpu(const NestSpec& spec, device::Context& context, void*) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_cells_cpu", context.limits().name + " is not a CPU");
  return std::make_unique<CellsOnCpu>(spec, *cpu);
}

}  // namespace terrace::nest
