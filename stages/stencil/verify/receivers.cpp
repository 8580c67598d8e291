// Verifies the values of receivers: each is made again, with the cells that it depends on, from the state that is
// stored before its step.
#include <algorithm>

#include "kernels/stencil/points.hpp"
#include "stages/stencil/verify/stored.hpp"

namespace terrace::stages {
namespace {

using stencil::CellBox;
using stencil::Points;

template <class T>
class ReceiversCheck {
 public:
  explicit ReceiversCheck(const StoredStencil& stored)
      : stored_(stored), points_(*stored.spec().points), count_(std::ssize(points_.receivers)) {
    const Extents shape = {points_.times(stored.states.back().step), count_};
    dataset_ = open_dataset(stored.request, "receivers", shape, stored.spec().value);
    for (std::size_t i = 0; i + 1 < stored.states.size(); ++i) add_span(stored.states[i], stored.states[i + 1].step);
  }

  std::vector<Checked> run() {
    std::vector<Checked> found;
    if (!parts_.empty() || left_out_ == 0) {
      found.push_back(check_parts(stored_.request, "receivers", {"receivers", std::ssize(parts_), "traces"},
                                  [&](std::int64_t part) { return check(parts_[static_cast<std::size_t>(part)]); }));
    }
    if (left_out_ > 0) {
      found.push_back({"receivers",
                       std::to_string(left_out_) + " of " + std::to_string(left_out_ + std::ssize(parts_)) +
                           " traces: too many steps from the state stored before; --all computes them again",
                       "", false});
    }
    return found;
  }

 private:
  /// The values of a receiver from one stored state to the next.
  struct Trace {
    const StoredState* from;
    std::int64_t end;  // its last step
    std::int64_t receiver;
  };

  void add_span(const StoredState& from, std::int64_t end) {
    // Steps behind the last recorded one need not be made.
    end = points_.times(end) * points_.every;
    if (end <= from.step) return;
    for (std::int64_t receiver = 0; receiver < count_; ++receiver) {
      const CellBox cells = cell_of(receiver);
      const std::int64_t steps = end - from.step;
      const bool near = stored_.holds(stencil::cells_before(stored_.spec(), cells, steps).count()) &&
                        stored_.operations(stencil::updates_of(stored_.spec(), cells, steps,
                                                               VerifyLimits::operations)) <= VerifyLimits::operations;
      if (near) parts_.push_back({&from, end, receiver});
      else ++left_out_;
    }
  }

  CellBox cell_of(std::int64_t receiver) const {
    CellBox cells;
    for (std::size_t axis = 0; axis < stencil::most_rank; ++axis) {
      cells.begin[axis] = points_.receivers[static_cast<std::size_t>(receiver)][axis];
      cells.end[axis] = cells.begin[axis] + 1;
    }
    return cells;
  }

  std::string check(const Trace& trace) const {
    const CellBox cells = cell_of(trace.receiver);
    stencil::Window<T> window = read_window<T>(
        stored_, *trace.from, stencil::cells_before(stored_.spec(), cells, trace.end - trace.from->step));
    const std::int64_t first = points_.times(trace.from->step);
    const std::vector<T> values =
        read_box<T>(*dataset_, {{first, trace.receiver}, {points_.times(trace.end), trace.receiver + 1}});
    const std::size_t place = window.place(cells.begin[0], cells.begin[1], cells.begin[2]);
    for (std::int64_t step = trace.from->step, time = 0; time < std::ssize(values); ++time) {
      const std::int64_t next = (first + time + 1) * points_.every;
      // All cells are made on which those of later steps depend.
      stored_.advance(window, stencil::cells_before(stored_.spec(), cells, trace.end - next), step, next - step);
      step = next;
      const T value = values[static_cast<std::size_t>(time)];
      const T made = window.values.fields[static_cast<std::size_t>(points_.receiver_field)][place];
      if (value == made || (value != value && made != made)) continue;
      return difference_at({first + time, trace.receiver}, text_of(value), text_of(made));
    }
    return "";
  }

  const StoredStencil& stored_;
  const Points& points_;
  std::int64_t count_, left_out_ = 0;
  std::shared_ptr<io::Source> dataset_;
  std::vector<Trace> parts_;
};

}  // namespace

std::vector<Checked> verify_receivers(const StoredStencil& stored) {
  return stored.spec().value == ElementType::f32 ? ReceiversCheck<float>(stored).run()
                                                 : ReceiversCheck<double>(stored).run();
}

}  // namespace terrace::stages
