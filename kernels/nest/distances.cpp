#include "kernels/nest/distances.hpp"

#include <algorithm>
#include <cstdlib>

namespace terrace::nest {
namespace {

using formula::Node;
using formula::Operation;

/// The accesses of written arrays that a statement reads, each once.
std::vector<int> reads_of(const Nest& nest, const Statement& statement) {
  std::vector<int> all;
  for (const Node& node : statement.value.nodes()) {
    if (node.operation != Operation::read || nest.accesses[static_cast<std::size_t>(node.number)].is_input) continue;
    if (std::find(all.begin(), all.end(), node.number) == all.end()) all.push_back(node.number);
  }
  return all;
}

/// The loop along which iterations of the loops before `first` step back: the innermost one, but for those with a
/// single iteration if another array has some of them.
std::size_t stepping_loop(const Nest& nest, std::size_t first) {
  const bool are_one = std::all_of(nest.arrays.begin(), nest.arrays.end(),
                                   [&](const Array& array) { return array.first_loop >= first; });
  std::size_t loop = first - 1;
  while (!are_one && loop > 0 && nest.loops[loop].range.size() <= 1) --loop;
  return loop;
}

/// The distances from an iteration of the loops before `first` to the next one: of the innermost loop one step, and
/// where that wraps one of a loop outside it. Loops that no array has are one (Skew::first), the last of them.
std::vector<Point> steps_to_next(const Nest& nest, std::size_t first) {
  std::size_t shared = first;
  for (const Array& array : nest.arrays) shared = std::min(shared, array.first_loop);
  std::vector<Point> steps;
  Point wrapped{};
  for (std::size_t loop = first; loop-- > (shared > 0 ? shared - 1 : 0);) {
    i64 iterations = nest.loops[loop].range.size();
    for (std::size_t one = 0; loop + 1 == shared && one < loop; ++one) iterations *= nest.loops[one].range.size();
    Point step = wrapped;
    step[loop] = 1;
    if (iterations > 1) steps.push_back(step);
    wrapped[loop] = 1 - iterations;
  }
  return steps;
}

class FlowFinder {
 public:
  explicit FlowFinder(const Nest& nest) : nest_(nest), depth_(nest.depth()), is_program_(!nest.is_equations()) {}

  std::vector<Dependence> find() {
    for (std::size_t target = 0; target < nest_.statements.size(); ++target) {
      for (const int access : reads_of(nest_, nest_.statements[target]))
        find_writers(static_cast<int>(target), access);
    }
    return std::move(all_);
  }

 private:
  const Statement& statement(int number) const { return nest_.statements[static_cast<std::size_t>(number)]; }

  void find_writers(int target, int access) {
    const Access& read = nest_.accesses[static_cast<std::size_t>(access)];
    for (std::size_t source = 0; source < nest_.statements.size(); ++source) {
      if (nest_.statements[source].array == read.array) find_dependence(static_cast<int>(source), target, access);
    }
  }

  void find_dependence(int source, int target, int access) {
    const Access& read = nest_.accesses[static_cast<std::size_t>(access)];
    const std::size_t first = nest_.arrays[static_cast<std::size_t>(read.array)].first_loop;
    Dependence found{Dependence::flow, source, target, {}, access};
    for (std::size_t axis = 0; axis < read.offset.size(); ++axis) {
      found.distance[first + axis] = statement(source).offset[axis] - read.offset[axis];
    }
    if (!meets(found, first)) return;
    if (is_program_) take_last_write(found, first);
    add(found);
  }

  /// True if the target reads, in some iteration, an element that the source writes.
  bool meets(const Dependence& found, std::size_t first) const {
    Ranges made = statement(found.source).box;
    for (std::size_t loop = first; loop < depth_; ++loop) made[loop] = made[loop].shifted(found.distance[loop]);
    for (std::size_t loop = 0; loop < first; ++loop) made[loop] = nest_.loops[loop].range;
    return !is_empty(intersection(made, statement(found.target).box));
  }

  /// Sets the distance along the loops that the array lacks: the last iteration of these that wrote before the read.
  void take_last_write(Dependence& found, std::size_t first) {
    if (!is_before(found, first)) {
      if (first == 0) {
        refuse(found,
               "is read before a statement writes it: with an array in place statements run in the order in "
               "which they are written, `order: cells` or `order: statements`");
      }
      take_previous(found, first);
    }
  }
  /// True if the source writes in the same iteration of the lacking loops, before the target reads.
  bool is_before(const Dependence& found, std::size_t first) const {
    const auto sign = [&](std::size_t begin, std::size_t end) {
      for (std::size_t loop = begin; loop < end; ++loop) {
        if (found.distance[loop] != 0) return found.distance[loop] > 0 ? 1 : -1;
      }
      return 0;
    };
    if (nest_.order == Order::statements) {
      const int outer = first == 0 ? sign(0, 1) : 0;
      if (outer != 0) return outer > 0;
      if (found.source != found.target) return found.source < found.target;
      return sign(std::max<std::size_t>(first, 1), depth_) > 0;
    }
    const int all = sign(first, depth_);
    return all != 0 ? all > 0 : found.source < found.target;
  }
  /// The iteration before, of the loops that the array lacks: their innermost one steps back, or wraps.
  void take_previous(Dependence& found, std::size_t first) {
    const std::size_t stepping = stepping_loop(nest_, first);
    found.distance[stepping] = 1;
    // Loops that no array has are one loop (Skew::first): steps back never wrap.
    if (first <= shared_) return;
    for (std::size_t loop = 0; loop < stepping; ++loop) {
      if (nest_.loops[loop].range.size() <= 1) continue;
      refuse(found, "has no constant distance: the array lacks the loops " + nest_.loops[loop].name + " and " +
                        nest_.loops[stepping].name + ", and another array of the nest does not lack both");
    }
  }

  void add(const Dependence& found) {
    for (std::size_t loop = 0; loop < depth_; ++loop) {
      if (std::abs(found.distance[loop]) <= most_distance) continue;
      refuse(found, "is " + std::to_string(std::abs(found.distance[loop])) + " iterations of " +
                        nest_.loops[loop].name + " away from where it is written: distances are at most " +
                        std::to_string(most_distance));
    }
    if (std::find(all_.begin(), all_.end(), found) == all_.end()) all_.push_back(found);
  }
  [[noreturn]] void refuse(const Dependence& found, const std::string& what) const {
    throw DistanceFault{found.target, found.access,
                        nest_.in_words(nest_.accesses[static_cast<std::size_t>(found.access)]) + " " + what};
  }

  std::size_t shared_loops() const {
    std::size_t shared = depth_;
    for (const Array& array : nest_.arrays) shared = std::min(shared, array.first_loop);
    return shared;
  }

  const Nest& nest_;
  std::size_t depth_;
  bool is_program_;
  std::size_t shared_ = shared_loops();
  std::vector<Dependence> all_;
};

}  // namespace

std::vector<Dependence> flow_of(const Nest& nest) { return FlowFinder(nest).find(); }

std::vector<Dependence> with_false_dependences(const Nest& nest, const std::vector<Dependence>& flow) {
  std::vector<Dependence> all = flow;
  const auto add = [&](const Dependence& found) {
    if (std::find(all.begin(), all.end(), found) == all.end()) all.push_back(found);
  };
  const auto first_loop = [&](int statement) {
    const int array = nest.statements[static_cast<std::size_t>(statement)].array;
    return nest.arrays[static_cast<std::size_t>(array)].first_loop;
  };
  // The next write of an element comes one iteration of the lacking loops after the one that was read.
  for (const Dependence& one : flow) {
    for (const Point& step : steps_to_next(nest, first_loop(one.source))) {
      Dependence next{Dependence::anti, one.target, one.source, step, one.access};
      for (std::size_t loop = 0; loop < nest.depth(); ++loop) next.distance[loop] -= one.distance[loop];
      const bool is_itself = next.source == next.target && next.distance == Point{};
      if (!is_itself) add(next);
    }
  }
  for (int number = 0; number < static_cast<int>(nest.statements.size()); ++number) {
    for (const Point& step : steps_to_next(nest, first_loop(number))) {
      add({Dependence::output, number, number, step, -1});
    }
  }
  return all;
}

bool reads_first_values(const Nest& nest, const std::vector<Dependence>& flow, int array) {
  const auto first = static_cast<std::ptrdiff_t>(nest.arrays[static_cast<std::size_t>(array)].first_loop);
  return std::any_of(flow.begin(), flow.end(), [&](const Dependence& one) {
    return nest.statements[static_cast<std::size_t>(one.source)].array == array &&
           std::any_of(one.distance.begin(), one.distance.begin() + first, [](i64 distance) { return distance > 0; });
  });
}

std::string to_string(const Point& distance, std::size_t depth) {
  std::string text = "(";
  for (std::size_t loop = 0; loop < depth; ++loop) text += (loop > 0 ? ", " : "") + std::to_string(distance[loop]);
  return text + ")";
}

}  // namespace terrace::nest
