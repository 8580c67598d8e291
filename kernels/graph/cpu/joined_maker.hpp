// Iterations whose step is one formula, on the CPU: several steps while the values are in the cache.
#pragma once

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kernels/graph/cpu/formula_rows.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/measured.hpp"

namespace terrace::graph {

/// Makes the states of an iteration. A group of steps is made of tiles of rows that shrink by the radius from step to
/// step, and then of what is left between them, which grows; all tiles at once, and so is all that is left. In a tile
/// columns are cut, too, into pieces that begin farther left by the radius from step to step. So states need two
/// buffers, which take turns, and no cell is made twice.
template <class T>
class JoinedMaker {
 public:
  /// @param compiled the cells of the joined formula; null: strips make them
  JoinedMaker(const Iteration& iteration, MakeCells<T> compiled, int threads)
      : iteration_(iteration),
        formula_(iteration.joined->cells, iteration.joined->sources, iteration.shape(), compiled) {
    for (int thread = 0; thread < threads; ++thread) {
      frames_.push_back(std::make_unique<FormulaFrame<T>>(formula_));
      made_.emplace_back(iteration.states());
    }
    const auto wraps = [](const FormulaSource& source) { return source.boundary == Boundary::periodic; };
    cuts_columns_ = std::ranges::none_of(iteration.joined->sources, wraps);
  }

  /// @param operands of the iteration's nodes @param made the rows that are wanted of each state; without data: none
  /// @param loops of the threads
  template <class Loops>
  void make(const Rows& wanted, const std::vector<StoredRows<T>>& operands, const std::vector<StoredRows<T>>& made,
            Rooms& rooms, const Loops& loops) {
    const Rows rows = rows_after(iteration_, 1, wanted);
    std::vector<Rooms::Room> memory;
    for (std::size_t n = 0; n < 2 * iteration_.states(); ++n) {
      memory.push_back(rooms.take(static_cast<std::size_t>(rows.size() * iteration_.shape().columns) * sizeof(T)));
    }
    const auto states_after = [&](i64 step) {
      std::vector<StoredRows<T>> states;
      for (std::size_t n = 0; n < iteration_.states(); ++n) {
        const Rooms::Room& room = memory[static_cast<std::size_t>(step % 2) * iteration_.states() + n];
        const bool is_last = step == iteration_.times && made[n].data != nullptr;
        if (step == 0) states.push_back(operands[n]);
        else if (is_last) states.push_back(made[n]);
        else states.push_back({&rows, reinterpret_cast<T*>(room.data.get()), iteration_.shape().columns});
      }
      return states;
    };
    const Cut cut = cut_of(rows, static_cast<int>(frames_.size()));
    for (i64 step = 0; step < iteration_.times && !loops.aborted(); step += cut.steps) {
      std::vector<Step> group;
      for (i64 next = step + 1; next <= std::min(iteration_.times, step + cut.steps); ++next) {
        std::vector<StoredRows<T>> values = states_after(next - 1);
        values.insert(values.end(), operands.begin() + static_cast<std::ptrdiff_t>(iteration_.states()),
                      operands.end());
        group.push_back({rows_after(iteration_, next, wanted), std::move(values), states_after(next)});
      }
      if (group.size() == 1) make_step(group.front().rows, group.front().values, group.front().states, loops);
      else make_group(group, cut, loops);
    }
    for (Rooms::Room& room : memory) rooms.give(std::move(room));
  }

  /// Makes rows of a step. @param values of the body: its inputs @param states the places of the results
  template <class Loops>
  void make_step(const Rows& rows, const std::vector<StoredRows<T>>& values, const std::vector<StoredRows<T>>& states,
                 const Loops& loops) {
    loops.over_rows(rows, [&](i64 row, int thread) { make_row(values, states, row, {0, columns()}, thread); });
  }

 private:
  /// The cut of a group of steps.
  struct Cut {
    i64 steps = 1, rows = 1, columns = 1;  // of a group; of a tile; of a piece
  };
  struct Step {
    Rows rows;                          // that it makes
    std::vector<StoredRows<T>> values;  // that it reads: the inputs of the body
    std::vector<StoredRows<T>> states;  // that it makes
  };

  /// A tile is at least twice as high as its sides move in a group.
  Cut cut_of(const Rows& rows, int threads) const {
    const i64 radius = std::max<i64>(1, iteration_.row_radius), columns = iteration_.shape().columns;
    if (iteration_.wraps || rows.ranges().size() != 1) return {1, 1, columns};
    constexpr i64 tiles_of_thread = 2;
    Cut cut;
    cut.rows = std::clamp<i64>(rows.size() / (tiles_of_thread * threads), 1, measured::iteration_tile_rows * radius);
    cut.steps = std::max<i64>(1, std::min<i64>(iteration_.times, cut.rows / (4 * radius)));
    cut.columns = columns;
    if (!cuts_columns_) return cut;
    const i64 values = 2 * static_cast<i64>(iteration_.states()) + static_cast<i64>(iteration_.body.inputs.size());
    const i64 room = measured::iteration_tile_bytes / (values * cut.rows * static_cast<i64>(sizeof(T)));
    cut.columns =
        std::max(room, std::max<i64>(measured::iteration_least_columns, cut.steps * iteration_.column_radius));
    return cut;
  }

  template <class Loops>
  void make_group(const std::vector<Step>& group, const Cut& cut, const Loops& loops) {
    const Range all = group.front().rows.ranges().front();
    const i64 tiles = std::max<i64>(1, all.size() / cut.rows);
    const auto border = [&](i64 tile) { return tile == tiles ? all.end : all.begin + tile * cut.rows; };
    loops.in_turn(tiles, [&](i64 tile, int thread) {
      make_pieces(group, cut, thread, [&](i64 moved) {
        return Range{tile == 0 ? all.begin : border(tile) + moved,
                     tile == tiles - 1 ? all.end : border(tile + 1) - moved};
      });
    });
    loops.in_turn(tiles - 1, [&](i64 tile, int thread) {
      make_pieces(group, cut, thread, [&](i64 moved) {
        return Range{border(tile + 1) - moved, border(tile + 1) + moved};
      });
    });
  }

  /// @param rows_at the rows of a tile whose sides have moved by so many
  template <class RowsAt>
  void make_pieces(const std::vector<Step>& group, const Cut& cut, int thread, const RowsAt& rows_at) {
    for (i64 begin = 0; begin < columns(); begin += cut.columns) {
      const bool is_last = begin + cut.columns >= columns();
      for (std::size_t n = 0; n < group.size(); ++n) {
        const Step& step = group[n];
        const auto at = static_cast<i64>(n);
        const Range own = rows_at(at * iteration_.row_radius), all = step.rows.ranges().front();
        const i64 moved = at * iteration_.column_radius;
        const Range piece{begin == 0 ? 0 : begin - moved, is_last ? columns() : begin + cut.columns - moved};
        for (i64 row = std::max(own.begin, all.begin); row < std::min(own.end, all.end); ++row) {
          make_row(step.values, step.states, row, piece, thread);
        }
      }
      if (is_last) break;
    }
  }

  void make_row(const std::vector<StoredRows<T>>& values, const std::vector<StoredRows<T>>& states, i64 row,
                Range columns, int thread) {
    FormulaFrame<T>& frame = *frames_[static_cast<std::size_t>(thread)];
    std::vector<T*>& made = made_[static_cast<std::size_t>(thread)];
    for (std::size_t n = 0; n < made.size(); ++n) made[n] = states[n].row(row);
    frame.set_row(row, values);
    frame.make(columns.begin, columns.end, made.data());
  }

  i64 columns() const { return iteration_.shape().columns; }

  const Iteration& iteration_;
  FormulaRows<T> formula_;
  bool cuts_columns_ = true;                              // false: rows are read beyond their ends
  std::vector<std::unique_ptr<FormulaFrame<T>>> frames_;  // of each thread
  std::vector<std::vector<T*>> made_;                     // alike: the rows of the states that it makes
};

}  // namespace terrace::graph
