// Iterations whose step is one formula, on the CPU: several steps while the values are in the cache.
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <vector>

#include "kernels/graph/carry.hpp"
#include "kernels/graph/cpu/formula_rows.hpp"
#include "kernels/graph/cpu/step_ring.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

/// Makes steps of an iteration, several at a time: rows of a piece of columns stream through a ring in the cache of a
/// core, where each step follows the one before by the radius (step_ring.hpp). Pieces read some columns and rows of
/// their neighbours and make these again, so that all of them are made at once.
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
  }

  /// The steps that are made at a time, so that some rows are there after the last one. @param left steps to be made
  i64 steps_of(i64 left, const Rows& wanted) const {
    if (left < 2 || iteration_.wraps || wanted.ranges().size() != 1) return 1;
    return ring_cut(iteration_, sizeof(T), left).steps;
  }

  /// The same of a slab that hands rows on (carry.hpp), where each thread has pieces of its own.
  i64 steps_handing_on(i64 left) const {
    return left < 2 ? 1 : ring_cut(iteration_, sizeof(T), left, std::ssize(frames_)).steps;
  }
  /// Values that are copied of the carry for so many steps.
  static i64 values_taken(const Iteration& iteration, i64 steps) {
    return (steps - 1) * rows_of_step(iteration) * iteration.shape().columns;
  }

  /// Makes rows of the states after some steps. @param steps of steps_of() @param values of the body: its inputs
  /// @param states the places of the results; without data: not wanted @param loops of the threads
  template <class Loops>
  void make_steps(i64 steps, const Rows& wanted, const std::vector<StoredRows<T>>& values,
                  const std::vector<StoredRows<T>>& states, const Loops& loops) {
    if (steps == 1) return make_step(wanted, values, states, loops);
    const RingCut cut = cut_of_steps(iteration_, sizeof(T), steps);
    const Range rows = wanted.ranges().front();
    const i64 pieces = (columns() + cut.columns - 1) / cut.columns;
    const i64 tiles = tiles_of(cut, pieces, rows.size(), std::ssize(frames_));
    std::vector<StepRing<T>> rings(frames_.size());
    loops.in_turn(pieces * tiles, [&](i64 number, int thread) {
      const i64 tile = number / pieces, piece = number % pieces * cut.columns;
      const Range own{rows.begin + tile * rows.size() / tiles, rows.begin + (tile + 1) * rows.size() / tiles};
      make_tile({cut, iteration_, own, {piece, std::min(columns(), piece + cut.columns)}}, values, states, {},
                rings[static_cast<std::size_t>(thread)], thread, loops);
    });
  }

  /// Makes the rows of the states after some steps that no slab before has made. Of all these steps but the last it
  /// takes what the slab above has handed on, and hands rows on.
  /// @param steps of steps_handing_on() @param rows of passes of one step @param before the steps before these
  template <class Loops>
  void make_handing_on(i64 steps, const PassRows& rows, i64 before, const std::vector<StoredRows<T>>& values,
                       const std::vector<StoredRows<T>>& states, T* carry, const Loops& loops) {
    if (rows.made(before + steps).size() == 0) return;
    const RingCut cut = cut_of_steps(iteration_, sizeof(T), steps, std::ssize(frames_));
    // Pieces read columns beside their own: all rows are taken before any is handed on.
    T* const own = carry + before * rows_of_step(iteration_) * columns();
    taken_.assign(own, own + values_taken(iteration_, steps));
    std::vector<StepRing<T>> rings(frames_.size());
    loops.in_turn((columns() + cut.columns - 1) / cut.columns, [&](i64 number, int thread) {
      const Range piece{number * cut.columns, std::min(columns(), (number + 1) * cut.columns)};
      make_tile({cut, iteration_, rows.made(before + steps), piece, &rows, before}, values, states,
                {taken_.data(), own}, rings[static_cast<std::size_t>(thread)], thread, loops);
    });
  }

  /// True if several steps have read a NaN since this was asked last.
  bool take_nan() { return has_nan_.exchange(false); }

  /// Makes rows of one step.
  template <class Loops>
  void make_step(const Rows& rows, const std::vector<StoredRows<T>>& values, const std::vector<StoredRows<T>>& states,
                 const Loops& loops) {
    loops.over_rows(rows, [&](i64 row, int thread) { make_row(values, states, row, {0, columns()}, thread); });
  }

 private:
  /// Rows of the carry of a step.
  static i64 rows_of_step(const Iteration& iteration) {
    return 2 * iteration.row_radius * static_cast<i64>(iteration.states());
  }

  /// What a tile takes of the carry, and its place there, from the first of its steps on; null: it hands nothing on.
  struct Handed {
    const T* taken = nullptr;
    T* carry = nullptr;
  };

  template <class Loops>
  void make_tile(const RingTile& tile, const std::vector<StoredRows<T>>& values,
                 const std::vector<StoredRows<T>>& states, const Handed& handed, StepRing<T>& ring, int thread,
                 const Loops& loops) {
    const RingCut& cut = tile.cut;
    ring.place(cut, iteration_, tile.columns_after(0).begin);
    take_over(tile, values, handed, ring);
    std::vector<StoredRows<T>> results = ring.states(cut.steps);
    for (std::size_t n = 0; n < results.size(); ++n) {
      if (states[n].data != nullptr) results[n] = states[n];
    }
    const i64 radius = iteration_.row_radius;
    for (i64 front = tile.rows_after(0).begin; front < tile.rows.end + cut.steps * radius && !loops.aborted();
         front += cut.front) {
      if (ring.load({front, front + cut.front}, tile, values)) has_nan_ = true;
      for (i64 step = 1; step <= cut.steps; ++step) {
        const Range all = tile.rows_after(step), columns = tile.columns_after(step);
        const Range own{std::max(all.begin, front - step * radius),
                        std::min(all.end, front + cut.front - step * radius)};
        const auto& to = step == cut.steps ? results : ring.states(step);
        for (i64 row = own.begin; row < own.end; ++row) {
          const i64 share = (step - 1) * cut.front + row - own.begin;
          ring.fetch({front + cut.front, front + 2 * cut.front}, tile, values, share, cut.steps * cut.front);
          make_row(ring.values(step - 1), to, row, columns, thread);
        }
        if (handed.carry != nullptr && step < cut.steps) hand_on(tile, step, own, to, handed);
      }
    }
  }

  /// The place of a row of a state, before row `end`, in what is handed on of steps from the first one of a tile on.
  i64 place(const RingTile& tile, i64 step, std::size_t state, i64 row, i64 end) const {
    return tile.handed->place(step, state, row, end) * columns();
  }

  /// Fills a ring with the rows above those that a tile makes, and hands on those that the slab below needs, too.
  void take_over(const RingTile& tile, const std::vector<StoredRows<T>>& values, const Handed& handed,
                 StepRing<T>& ring) const {
    if (handed.carry == nullptr) return;
    ring.take_over(tile, 0, [&](std::size_t n, i64 row) { return values[n].row(row); });
    for (i64 step = 1; step < tile.cut.steps; ++step) {
      const Range made = tile.rows_after(step), below = tile.handed->handed_on(tile.before + step);
      const auto taken = [&](std::size_t state, i64 row) {
        return handed.taken + place(tile, step, state, row, made.begin);
      };
      ring.take_over(tile, step, taken);
      for (i64 row = below.begin; row < std::min(made.begin, below.end); ++row) {
        for (std::size_t state = 0; state < iteration_.states(); ++state) {
          copy_piece(tile, taken(state, row), handed.carry + place(tile, step, state, row, below.end));
        }
      }
    }
  }
  /// Hands on rows that were made just now, as far as the slab below needs them.
  void hand_on(const RingTile& tile, i64 step, Range rows, const std::vector<StoredRows<T>>& states,
               const Handed& handed) const {
    const Range below = tile.handed->handed_on(tile.before + step);
    for (i64 row = std::max(rows.begin, below.begin); row < std::min(rows.end, below.end); ++row) {
      for (std::size_t state = 0; state < states.size(); ++state) {
        copy_piece(tile, states[state].row(row), handed.carry + place(tile, step, state, row, below.end));
      }
    }
  }
  static void copy_piece(const RingTile& tile, const T* from, T* to) {
    std::copy(from + tile.piece.begin, from + tile.piece.end, to + tile.piece.begin);
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
  std::atomic<bool> has_nan_ = false;
  std::vector<std::unique_ptr<FormulaFrame<T>>> frames_;  // of each thread
  std::vector<std::vector<T*>> made_;                     // alike: the rows of the states that it makes
  std::vector<T> taken_;                                  // of the carry, for some steps
};

}  // namespace terrace::graph
