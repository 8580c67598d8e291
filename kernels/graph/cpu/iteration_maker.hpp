// Iterations on the CPU.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/graph/carry.hpp"
#include "kernels/graph/cpu/joined_maker.hpp"
#include "kernels/graph/cpu/node_rows.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

/// Makes the states of an iteration: in each step the rows on which the wanted ones depend, so fewer from step to
/// step; or those that no slab before has made (carry.hpp). The states are in two buffers, which take turns.
/// Steps of a formula are made several at a time (joined_maker.hpp), each time as one step here.
template <class T>
class IterationMaker {
 public:
  /// @param compiled the formulas' cells; null: strips make them
  IterationMaker(const Iteration& iteration, const CompiledCells* compiled, int threads)
      : iteration_(iteration), body_(iteration.body) {
    if (iteration.joined) {
      const MakeCells<T> cells = compiled == nullptr ? nullptr : compiled->of<T>(iteration.joined->cells);
      joined_ = std::make_unique<JoinedMaker<T>>(iteration, cells, threads);
      return;
    }
    for (const Node& node : body_.nodes) {
      makers_.push_back(std::make_unique<NodeRows<T>>(body_, node, compiled));
      pointers_.emplace_back(static_cast<std::size_t>(threads));
    }
  }

  /// True if make() looks for NaN in rows of all operands, where it hands nothing on. @param wanted of the states
  bool looks_for_nan(const Rows& wanted, const Rows& rows) const {
    if (!joined_ || joined_->steps_of(iteration_.times, wanted) <= 1) return false;
    const Range all = rows_after(iteration_, 0, wanted).ranges().front();
    return std::ranges::all_of(rows.ranges(),
                               [&](const Range& own) { return all.begin <= own.begin && own.end <= all.end; });
  }
  /// True if it has found one since this was asked last. States that become NaN may count.
  bool take_nan() { return joined_ && joined_->take_nan(); }

  /// @param operands of the iteration's nodes @param made the rows that are wanted of each state; without data: none
  /// @param loops of the threads: over_rows(rows, work(row, thread)), in_turn(count, work(number, thread)), aborted()
  /// @param carry of the iteration; null: it hands nothing on
  template <class Loops>
  void make(const Rows& wanted, const std::vector<StoredRows<T>>& operands, const std::vector<StoredRows<T>>& made,
            Rooms& rooms, const Loops& loops, T* carry = nullptr) {
    if (iteration_.times == 0) return copy_states(wanted, operands, made, loops);
    const PassRows steps(iteration_, 1, wanted);  // of a carry
    // Rows of a step that hands on, of any; else steps make fewer rows than those before them.
    const i64 most = carry != nullptr ? steps.most() : 0;
    Memory memory;
    find_node_rooms(memory, most, wanted, rooms);
    std::vector<StoredRows<T>> values = operands;
    values.resize(static_cast<std::size_t>(body_.values()));
    i64 passes = 0;
    for (i64 step = 0; step < iteration_.times && !loops.aborted(); ++passes) {
      const i64 before = step, count = steps_at_a_time(iteration_.times - step, wanted, carry != nullptr);
      step += count;
      const bool is_last = step == iteration_.times;
      const auto turn = static_cast<std::size_t>(passes % 2);
      memory.rows[turn] = carry != nullptr ? rows_in(steps.there(step)) : rows_after(iteration_, step, wanted);
      std::vector<StoredRows<T>> states = is_last ? made : std::vector<StoredRows<T>>(iteration_.states());
      // Several steps at a time need no room for states that nobody wants.
      if (!is_last || count == 1) find_rooms(memory, turn, most, states, rooms);
      const bool hands_on = carry != nullptr && !is_last;
      if (hands_on) take_over(steps, step, carry, states, loops);
      const Rows fresh = carry != nullptr ? rows_in(steps.made(step)) : memory.rows[turn];
      if (carry != nullptr && count > 1) joined_->make_handing_on(count, steps, before, values, states, carry, loops);
      else if (joined_) joined_->make_steps(count, fresh, values, states, loops);
      else make_step(fresh, states, memory, values, loops);
      if (hands_on) hand_on(steps, step, states, carry, loops);
      std::ranges::copy(states, values.begin());
    }
    give_memory(memory, rooms);
  }

 private:
  using Room = Rooms::Room;
  struct Memory {
    Rows rows[2];                 // of the states after a step
    std::vector<Room> states[2];  // alike
    std::vector<Room> nodes;      // of the body, whose values no state takes
  };

  i64 steps_at_a_time(i64 left, const Rows& wanted, bool hands_on) const {
    if (!joined_) return 1;
    return hands_on ? joined_->steps_handing_on(left) : joined_->steps_of(left, wanted);
  }
  StoredRows<T> stored(const Rows& rows, const Room& room) const {
    return {&rows, reinterpret_cast<T*>(room.data.get()), iteration_.shape().columns};
  }
  Room room_for(i64 rows, Rooms& rooms) const {
    return rooms.take(static_cast<std::size_t>(rows * iteration_.shape().columns) * sizeof(T));
  }
  /// Gets room for the nodes of the body whose values no state takes. @param most rows; 0: of the first step
  void find_node_rooms(Memory& memory, i64 most, const Rows& wanted, Rooms& rooms) const {
    memory.nodes.resize(body_.nodes.size());
    const std::vector<Rows> first = rows_of_step(iteration_, 1, wanted);
    for (std::size_t node = 0; node < body_.nodes.size(); ++node) {
      const std::size_t value = body_.inputs.size() + node;
      if (!is_beside(iteration_, static_cast<int>(value))) continue;
      memory.nodes[node] = room_for(most > 0 ? most : first[value].size(), rooms);
    }
  }
  /// Gets room for the states after a step that have no place, unless there is some from a step before.
  /// @param most rows; 0: of this step
  void find_rooms(Memory& memory, std::size_t turn, i64 most, std::vector<StoredRows<T>>& states,
                  Rooms& rooms) const {
    memory.states[turn].resize(states.size());
    for (std::size_t n = 0; n < states.size(); ++n) {
      if (states[n].data != nullptr) continue;
      Room& room = memory.states[turn][n];
      if (!room.data) room = room_for(most > 0 ? most : memory.rows[turn].size(), rooms);
      states[n] = stored(memory.rows[turn], room);
    }
  }

  static Rows rows_in(Range range) {
    Rows rows;
    rows.add(range);
    return rows;
  }
  /// Copies what the slab above has handed on.
  template <class Loops>
  void take_over(const PassRows& steps, i64 step, T* carry, const std::vector<StoredRows<T>>& states,
                 const Loops& loops) const {
    const Range there = steps.there(step), made = steps.made(step);
    for (std::size_t state = 0; state < states.size(); ++state) {
      loops.over_rows(rows_in({there.begin, made.begin}), [&](i64 row, int) {
        const StoredRows<T>& to = states[state];
        std::copy_n(carry + steps.place(step, state, row, made.begin) * to.columns, to.columns, to.row(row));
      });
    }
  }
  /// Hands the last rows on to the slab below.
  template <class Loops>
  void hand_on(const PassRows& steps, i64 step, const std::vector<StoredRows<T>>& states, T* carry,
               const Loops& loops) const {
    const Range handed = steps.handed_on(step);
    for (std::size_t state = 0; state < states.size(); ++state) {
      loops.over_rows(rows_in(handed), [&](i64 row, int) {
        const StoredRows<T>& from = states[state];
        std::copy_n(from.row(row), from.columns, carry + steps.place(step, state, row, handed.end) * from.columns);
      });
    }
  }

  void give_memory(Memory& memory, Rooms& rooms) const {
    for (auto& states : memory.states) {
      for (Room& room : states) rooms.give(std::move(room));
    }
    for (Room& room : memory.nodes) rooms.give(std::move(room));
  }

  /// @param rows that are made of the states @param values of the body: its inputs are there
  /// @param states the places of their values after the step
  template <class Loops>
  void make_step(const Rows& rows, const std::vector<StoredRows<T>>& states, const Memory& memory,
                 std::vector<StoredRows<T>>& values, const Loops& loops) {
    const std::vector<Rows> needed = rows_of_body(iteration_, rows);
    for (std::size_t node = 0; node < body_.nodes.size(); ++node) {
      const std::size_t value = body_.inputs.size() + node;
      const auto state = std::ranges::find(iteration_.next, static_cast<int>(value)) - iteration_.next.begin();
      values[value] = memory.nodes[node].data ? stored(needed[value], memory.nodes[node])
                                              : states[static_cast<std::size_t>(state)];
      make_node(node, needed[value], values, loops);
    }
    std::vector<StoredRows<T>> next;
    for (const int value : iteration_.next) next.push_back(values[static_cast<std::size_t>(value)]);
    copy_states(rows, next, states, loops);
  }
  template <class Loops>
  void make_node(std::size_t node, const Rows& rows, const std::vector<StoredRows<T>>& values, const Loops& loops) {
    std::vector<StoredRows<T>> operands;
    for (const int operand : body_.nodes[node].operands)
      operands.push_back(values[static_cast<std::size_t>(operand)]);
    for (auto& pointers : pointers_[node]) pointers.forget();
    const StoredRows<T>& made = values[body_.inputs.size() + node];
    loops.over_rows(rows, [&](i64 row, int thread) {
      makers_[node]->make_row(row, operands, pointers_[node][static_cast<std::size_t>(thread)], made.row(row));
    });
  }
  /// Copies rows of the states that are not in their places.
  template <class Loops>
  void copy_states(const Rows& rows, const std::vector<StoredRows<T>>& from, const std::vector<StoredRows<T>>& to,
                   const Loops& loops) const {
    for (std::size_t state = 0; state < iteration_.states(); ++state) {
      if (to[state].data == nullptr || from[state].data == to[state].data) continue;
      loops.over_rows(
          rows, [&](i64 row, int) { std::copy_n(from[state].row(row), to[state].columns, to[state].row(row)); });
    }
  }

  const Iteration& iteration_;
  const Graph& body_;
  std::unique_ptr<JoinedMaker<T>> joined_;
  std::vector<std::unique_ptr<NodeRows<T>>> makers_;
  std::vector<std::vector<typename NodeRows<T>::RowPointers>> pointers_;  // of each node and thread
};

}  // namespace terrace::graph
