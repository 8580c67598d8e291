#include "kernels/graph/cuda/iteration_steps.hpp"

#include <algorithm>
#include <utility>

#include "kernels/device/memory.hpp"
#include "kernels/graph/carry.hpp"
#include "kernels/graph/cuda/touches.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {

IterationMemory memory_of(const Iteration& iteration, const Rows& wanted, i64 pass_steps, bool makes_nodes) {
  IterationMemory made;
  made.nodes.resize(iteration.body.nodes.size());
  if (iteration.times == 0) return made;
  const i64 carried = pass_steps > 0 ? PassRows(iteration, pass_steps, wanted).most() : 0;
  const auto add = [&](const Rows& rows, std::size_t& place) {
    place = made.bytes;
    const i64 count = pass_steps > 0 ? carried : rows.size();
    const auto cells = static_cast<std::size_t>(count * iteration.shape().columns);
    made.bytes += device::aligned_bytes(cells * size_of(iteration.body.type));
  };
  const std::vector<Rows> first = rows_of_step(iteration, 1, wanted);
  for (auto& states : made.states) {
    states.resize(iteration.states());
    for (std::size_t& place : states) add(rows_after(iteration, 1, wanted), place);
  }
  for (std::size_t node = 0; makes_nodes && node < made.nodes.size(); ++node) {
    const std::size_t value = iteration.body.inputs.size() + node;
    if (is_beside(iteration, static_cast<int>(value))) add(first[value], made.nodes[node]);
  }
  return made;
}

using TakeStep = std::function<void(const Step&)>;

/// The steps of a slab.
class IterationSteps::Slab {
 public:
  Slab(const IterationSteps& own, const Rows& wanted, std::vector<Pieces> operands, std::vector<Pieces> made,
       std::byte* beside, CarryMemory carry)
      : own_(own),
        iteration_(own.iteration_),
        wanted_(wanted),
        operands_(std::move(operands)),
        made_(std::move(made)),
        beside_(beside),
        carry_(carry),
        memory_(memory_of(own.iteration_, wanted, carry.pass_steps, own.launches_.passes == nullptr)) {}

  void each(const TakeStep& take) const {
    if (carry_.pass_steps > 0) return each_pass(take);
    std::vector<Pieces> values = operands_;  // of the body
    values.resize(static_cast<std::size_t>(iteration_.body.values()));
    i64 turn = 0;
    for (i64 made = 0, step = 0; made < iteration_.times; made = step) {
      step = std::min(iteration_.times, made + steps_at_once());
      const Rows rows = rows_after(iteration_, step, wanted_);
      const std::vector<Pieces> states = states_after(step, ++turn, rows);
      make_steps(rows, step - made, values, states, take);
      std::ranges::copy(states, values.begin());
    }
    if (iteration_.times == 0) copy(wanted_, operands_, made_, take);
  }

 private:
  /// The passes of an iteration that hands rows on.
  void each_pass(const TakeStep& take) const {
    if (wanted_.empty()) return;
    if (steps_at_once() != carry_.pass_steps) throw DeviceError("graph", "a pass of an iteration has other steps");
    std::vector<Pieces> values = operands_;  // of the body
    values.resize(static_cast<std::size_t>(iteration_.body.values()));
    const PassRows passes(iteration_, carry_.pass_steps, wanted_);
    for (i64 pass = 1; pass <= passes.passes(); ++pass) {
      const i64 before = (pass - 1) * carry_.pass_steps;
      const Range there = passes.there(pass), made = passes.made(pass);
      const i64 step = std::min(iteration_.times, before + carry_.pass_steps);
      const std::vector<Pieces> states = states_after(step, pass, rows_in(there));
      const bool hands_on = pass < passes.passes();
      if (hands_on) copy(rows_in({there.begin, made.begin}), carried(passes, pass, made.begin), states, take);
      if (made.size() > 0) make_steps(rows_in(made), step - before, values, states, take);
      const Range handed = passes.handed_on(pass);
      if (hands_on) copy(rows_in(handed), states, carried(passes, pass, handed.end), take);
      std::ranges::copy(states, values.begin());
    }
  }
  /// Makes rows of the states by so many steps: by one, if there are no passes.
  void make_steps(const Rows& rows, i64 steps, std::vector<Pieces>& values, const std::vector<Pieces>& states,
                  const TakeStep& take) const {
    if (!own_.launches_.passes && !own_.launches_.joined.launch) return make_body(rows, values, states, take);
    for (const Range& range : rows.ranges()) {
      take(own_.launches_.passes ? pass_step(range, steps, values, states) : joined_step(range, values, states));
    }
  }
  static Rows rows_in(Range range) {
    Rows rows;
    rows.add(range);
    return rows;
  }
  /// The rows before row `end` of the states after a pass, in the carry.
  std::vector<Pieces> carried(const PassRows& passes, i64 pass, i64 end) const {
    const i64 first = end - 2 * passes.radius(), columns = iteration_.shape().columns;
    std::vector<Pieces> found;
    for (std::size_t state = 0; state < iteration_.states(); ++state) {
      const i64 place = passes.place(pass, state, first, end) * columns;
      std::byte* at = carry_.data + place * static_cast<i64>(size_of(iteration_.body.type));
      found.push_back({{{first, end}, {at, first, columns}}});
    }
    return found;
  }

  Pieces in(std::size_t place, const Rows& rows) const {
    return pieces_in(beside_ + place, rows, iteration_.shape().columns, iteration_.body.type);
  }
  /// The places of the states after a step: after the last one those where they are wanted.
  std::vector<Pieces> states_after(i64 step, i64 turn, const Rows& rows) const {
    std::vector<Pieces> states;
    for (std::size_t state = 0; state < iteration_.states(); ++state) {
      const bool is_last = step == iteration_.times && !made_[state].empty();
      states.push_back(is_last ? made_[state] : in(memory_.states[turn % 2][state], rows));
    }
    return states;
  }
  i64 steps_at_once() const { return own_.launches_.passes ? own_.launches_.passes->most_steps() : 1; }
  Step pass_step(Range range, i64 steps, const std::vector<Pieces>& values, const std::vector<Pieces>& states) const {
    const auto launch = [this, range, steps, values, states](const Work&, cudaStream_t stream) {
      own_.launches_.passes->launch(range, steps, {own_.state_, own_.numbers_, values, states}, stream);
    };
    return {0, false, launch, {}};
  }
  Step joined_step(Range range, const std::vector<Pieces>& values, const std::vector<Pieces>& states) const {
    const WrittenKernel& joined = own_.launches_.joined;
    const Shape shape = iteration_.shape();
    const auto written =
        std::make_shared<WrittenWork>(written_work(joined, own_.state_, shape, range, values, states));
    const auto launch = [written, of = joined.launch](const Work& own, cudaStream_t stream) {
      WrittenWork part = *written;
      part.rows = own.rows;
      of(part, stream);
    };
    Work work{};
    work.rows = range;
    return {0, false, launch, work, touches_of_written(joined, shape, iteration_.body.type, range, values, states)};
  }
  /// @param values of the body: its inputs are there
  void make_body(const Rows& rows, std::vector<Pieces>& values, const std::vector<Pieces>& states,
                 const TakeStep& take) const {
    const std::vector<Rows> needed = rows_of_body(iteration_, rows);
    for (std::size_t node = 0; node < iteration_.body.nodes.size(); ++node) {
      const std::size_t value = iteration_.body.inputs.size() + node;
      const auto state = std::ranges::find(iteration_.next, static_cast<int>(value)) - iteration_.next.begin();
      const bool beside = is_beside(iteration_, static_cast<int>(value));
      values[value] = beside ? in(memory_.nodes[node], needed[value]) : states[static_cast<std::size_t>(state)];
      for (const Range& range : needed[value].ranges()) {
        take(own_.body_.make(static_cast<int>(value), range, values));
      }
    }
    std::vector<Pieces> next;
    for (const int value : iteration_.next) next.push_back(values[static_cast<std::size_t>(value)]);
    copy(rows, next, states, take);
  }
  /// Copies rows of the states that are not in their places.
  void copy(const Rows& rows, const std::vector<Pieces>& from, const std::vector<Pieces>& to,
            const TakeStep& take) const {
    Work work{};
    work.state = own_.state_;
    work.columns = iteration_.shape().columns;
    for (std::size_t state = 0; state < iteration_.states(); ++state) {
      for (const Range& range : rows.ranges()) {
        if (to[state].empty()) continue;
        work.rows = range;
        work.operands[0] = piece_with(from[state], range).memory;
        work.made = piece_with(to[state], range).memory;
        if (work.made.data == work.operands[0].data) continue;
        const ElementType type = iteration_.body.type;
        take({0,
              false,
              own_.launches_.copy,
              work,
              {touch_of_same(work.operands[0], work.columns, type), touch_of_made(work.made, work.columns, type)}});
      }
    }
  }

  const IterationSteps& own_;
  const Iteration& iteration_;
  Rows wanted_;
  std::vector<Pieces> operands_, made_;
  std::byte* beside_;
  CarryMemory carry_;
  IterationMemory memory_;
};

IterationSteps::IterationSteps(const Iteration& iteration, IterationLaunches launches, GraphState* state,
                               std::byte* numbers)
    : iteration_(iteration),
      launches_(std::move(launches)),
      state_(state),
      numbers_(numbers),
      body_(iteration.body, {}, launches_.bodies, state, numbers) {}

ManySteps IterationSteps::all(const Rows& wanted, std::vector<Pieces> operands, std::vector<Pieces> made,
                              std::byte* beside, CarryMemory carry) const {
  const auto slab = std::make_shared<Slab>(*this, wanted, std::move(operands), std::move(made), beside, carry);
  return [slab](const std::function<void(const Step&)>& take) { slab->each(take); };
}

}  // namespace terrace::graph
