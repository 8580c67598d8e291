// Iterations on the CPU, step by step.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "kernels/graph/cpu/node_rows.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "kernels/graph/iteration.hpp"

namespace terrace::graph {

/// Makes the states of an iteration: in each step the rows on which the wanted ones depend, so fewer from step to
/// step. The states are in two buffers, which take turns.
template <class T>
class IterationMaker {
 public:
  IterationMaker(const Iteration& iteration, int threads) : iteration_(iteration), body_(iteration.body) {
    if (iteration.joined) {
      const JoinedFormula& formula = *iteration.joined;
      joined_ = std::make_unique<FormulaRows<T>>(formula.cells, formula.sources, iteration.shape());
      for (int thread = 0; thread < threads; ++thread) frames_.push_back(std::make_unique<FormulaFrame<T>>(*joined_));
      rows_.assign(static_cast<std::size_t>(threads), std::vector<T*>(iteration.states()));
      return;
    }
    for (const Node& node : body_.nodes) {
      makers_.push_back(std::make_unique<NodeRows<T>>(body_, node));
      pointers_.emplace_back(static_cast<std::size_t>(threads));
    }
  }

  /// @param operands of the iteration's nodes @param made the rows that are wanted of each state; without data: none
  /// @param over_rows calls a function (row, thread) for each row of a set, on the threads
  template <class OverRows>
  void make(const Rows& wanted, const std::vector<StoredRows<T>>& operands, const std::vector<StoredRows<T>>& made,
            Rooms& rooms, const OverRows& over_rows) {
    Memory memory = take_memory(wanted, rooms);
    std::vector<StoredRows<T>> values = operands;
    values.resize(static_cast<std::size_t>(body_.values()));
    for (i64 step = 1; step <= iteration_.times; ++step) {
      const auto turn = static_cast<std::size_t>(step % 2);
      memory.rows[turn] = rows_after(iteration_, step, wanted);
      std::vector<StoredRows<T>> states;
      for (std::size_t state = 0; state < iteration_.states(); ++state) {
        const bool is_last = step == iteration_.times && made[state].data != nullptr;
        states.push_back(is_last ? made[state] : stored(memory.rows[turn], memory.states[turn][state]));
      }
      if (iteration_.joined) make_joined(values, states, over_rows);
      else make_step(rows_of_step(iteration_, step, wanted), states, memory, values, over_rows);
      std::ranges::copy(states, values.begin());
    }
    if (iteration_.times == 0) copy_states(operands, made, over_rows);
    give_memory(memory, rooms);
  }

 private:
  using Room = Rooms::Room;
  struct Memory {
    Rows rows[2];                 // of the states after a step
    std::vector<Room> states[2];  // alike
    std::vector<Room> nodes;      // of the body, whose values no state takes
  };

  StoredRows<T> stored(const Rows& rows, const Room& room) const {
    return {&rows, reinterpret_cast<T*>(room.data.get()), iteration_.shape().columns};
  }
  Memory take_memory(const Rows& wanted, Rooms& rooms) const {
    Memory memory;
    memory.nodes.resize(body_.nodes.size());
    if (iteration_.times == 0) return memory;
    const auto take = [&](const Rows& rows) {
      return rooms.take(static_cast<std::size_t>(rows.size() * iteration_.shape().columns) * sizeof(T));
    };
    const std::vector<Rows> first = rows_of_step(iteration_, 1, wanted);
    for (auto& states : memory.states) {
      for (std::size_t n = 0; n < iteration_.states(); ++n) states.push_back(take(rows_after(iteration_, 1, wanted)));
    }
    for (std::size_t node = 0; node < body_.nodes.size(); ++node) {
      const std::size_t value = body_.inputs.size() + node;
      if (is_beside(iteration_, static_cast<int>(value))) memory.nodes[node] = take(first[value]);
    }
    return memory;
  }
  void give_memory(Memory& memory, Rooms& rooms) const {
    for (auto& states : memory.states) {
      for (Room& room : states) rooms.give(std::move(room));
    }
    for (Room& room : memory.nodes) rooms.give(std::move(room));
  }

  /// Makes all states by one formula. @param values of the body: its inputs are there
  template <class OverRows>
  void make_joined(const std::vector<StoredRows<T>>& values, const std::vector<StoredRows<T>>& states,
                   const OverRows& over_rows) {
    over_rows(*states.front().rows, [&](i64 row, int thread) {
      std::vector<T*>& made = rows_[static_cast<std::size_t>(thread)];
      for (std::size_t state = 0; state < states.size(); ++state) made[state] = states[state].row(row);
      frames_[static_cast<std::size_t>(thread)]->make_row(row, values, made.data());
    });
  }
  /// @param values of the body: its inputs are there @param states the places of their values after the step
  template <class OverRows>
  void make_step(const std::vector<Rows>& needed, const std::vector<StoredRows<T>>& states, const Memory& memory,
                 std::vector<StoredRows<T>>& values, const OverRows& over_rows) {
    for (std::size_t node = 0; node < body_.nodes.size(); ++node) {
      const std::size_t value = body_.inputs.size() + node;
      const auto state = std::ranges::find(iteration_.next, static_cast<int>(value)) - iteration_.next.begin();
      values[value] = memory.nodes[node].data ? stored(needed[value], memory.nodes[node])
                                              : states[static_cast<std::size_t>(state)];
      make_node(node, values, over_rows);
    }
    std::vector<StoredRows<T>> next;
    for (const int value : iteration_.next) next.push_back(values[static_cast<std::size_t>(value)]);
    copy_states(next, states, over_rows);
  }
  template <class OverRows>
  void make_node(std::size_t node, const std::vector<StoredRows<T>>& values, const OverRows& over_rows) {
    std::vector<StoredRows<T>> operands;
    for (const int operand : body_.nodes[node].operands)
      operands.push_back(values[static_cast<std::size_t>(operand)]);
    for (auto& pointers : pointers_[node]) pointers.forget();
    const StoredRows<T>& made = values[body_.inputs.size() + node];
    over_rows(*made.rows, [&](i64 row, int thread) {
      makers_[node]->make_row(row, operands, pointers_[node][static_cast<std::size_t>(thread)], made.row(row));
    });
  }
  /// Copies the states that are not in their places.
  template <class OverRows>
  void copy_states(const std::vector<StoredRows<T>>& from, const std::vector<StoredRows<T>>& to,
                   const OverRows& over_rows) const {
    for (std::size_t state = 0; state < iteration_.states(); ++state) {
      if (to[state].data == nullptr || from[state].data == to[state].data) continue;
      over_rows(*to[state].rows,
                [&](i64 row, int) { std::copy_n(from[state].row(row), to[state].columns, to[state].row(row)); });
    }
  }

  const Iteration& iteration_;
  const Graph& body_;
  std::unique_ptr<FormulaRows<T>> joined_;
  std::vector<std::unique_ptr<FormulaFrame<T>>> frames_;  // of each thread
  std::vector<std::vector<T*>> rows_;                     // alike: the rows of the states that it makes
  std::vector<std::unique_ptr<NodeRows<T>>> makers_;
  std::vector<std::vector<typename NodeRows<T>::RowPointers>> pointers_;  // of each node and thread
};

}  // namespace terrace::graph
