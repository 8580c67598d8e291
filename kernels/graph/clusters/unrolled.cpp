#include "kernels/graph/clusters/unrolled.hpp"

#include <algorithm>
#include <utility>

#include "kernels/graph/costs.hpp"
#include "kernels/graph/operators.hpp"

namespace terrace::graph {
namespace {

/// Members of a cluster and steps in it, at most: larger ones take long to compile. Not measured.
constexpr std::size_t most_unrolled_members = 48;
constexpr i64 most_unrolled_steps = 12;

/// Repeats a body.
class Unroller {
 public:
  explicit Unroller(const Iteration& iteration) : iteration_(iteration), body_(iteration.body) {
    made_.type = body_.type;
    for (Input input : body_.inputs) {
      input.may_be_nan = true;
      made_.inputs.push_back(std::move(input));
    }
    for (int input = 0; at_value(input) < body_.inputs.size(); ++input) values_.push_back(input);
    std::size_t number = 0;
    for (const Node& node : body_.nodes) {
      first_numbers_.push_back(number);
      number += node.settings.numbers.size();
    }
  }

  void add_step() {
    values_.resize(body_.inputs.size());
    for (std::size_t n = 0; n < body_.nodes.size(); ++n) {
      Node node = body_.nodes[n];
      for (int& operand : node.operands) operand = values_[at_value(operand)];
      values_.push_back(add(std::move(node), first_numbers_[n]));
    }
    std::vector<int> next;
    for (const int value : iteration_.next) next.push_back(values_[at_value(value)]);
    std::ranges::copy(next, values_.begin());
  }

  std::optional<UnrolledSteps> take(i64 steps) {
    UnrolledSteps all{steps, {}, {}, {}};
    for (std::size_t state = 0; state < iteration_.states(); ++state) {
      const int value = values_[state];
      const bool is_own = made_.is_node(value) && std::ranges::count(all.states, value) == 0;
      all.states.push_back(is_own ? value : add_copy(value));
      made_.kept.push_back({all.states.back(), made_.type});
    }
    const Readers readers(made_);
    std::vector<int> members;
    for (int value = 0; value < made_.values(); ++value) {
      if (made_.is_node(value) && readers.is_wanted[at_value(value)]) members.push_back(value);
    }
    if (members.size() > most_unrolled_members) return std::nullopt;
    std::optional<Cluster> cluster = cluster_of(made_, readers, members);
    if (!cluster) return std::nullopt;
    for (StreamedValue& member : cluster->members) {
      member.first_number = numbers_[at_value(member.value) - made_.inputs.size()];
    }
    all.graph = std::move(made_);
    all.cluster = std::move(*cluster);
    return all;
  }

 private:
  int add(Node node, std::size_t first_number) {
    made_.nodes.push_back(std::move(node));
    numbers_.push_back(first_number);
    return made_.values() - 1;
  }
  int add_copy(int value) {
    Node node;
    node.op = find_operator("formula").value();
    node.operands = {value};
    node.shape = iteration_.shape();
    node.settings = settings_of(parse_node_formula("a", {"a"}, node.shape, made_.type), Boundary::edge);
    return add(std::move(node), 0);
  }

  const Iteration& iteration_;
  const Graph& body_;
  std::vector<std::size_t> first_numbers_;  // of the body's nodes
  Graph made_;
  std::vector<std::size_t> numbers_;  // where those of the made nodes begin
  std::vector<int> values_;           // of the body, in the last step
};

}  // namespace

std::optional<UnrolledSteps> unrolled(const Iteration& iteration, i64 steps) {
  Unroller unroller(iteration);
  for (i64 step = 0; step < steps; ++step) unroller.add_step();
  return unroller.take(steps);
}

std::vector<UnrolledSteps> unrolled_in_least_time(const Iteration& iteration) {
  std::vector<std::optional<UnrolledSteps>> all;  // of 1 step and more
  for (i64 steps = 1; steps <= std::min(iteration.times, most_unrolled_steps); ++steps) {
    all.push_back(unrolled(iteration, steps));
    if (!all.back()) break;
  }
  const auto seconds = [&](i64 steps) {
    const UnrolledSteps& own = *all[static_cast<std::size_t>(steps - 1)];
    return seconds_of(load_of(own.graph, own.cluster));
  };
  i64 best = 0;
  double least = 0;
  for (i64 steps = 1; steps <= std::ssize(all) && all[static_cast<std::size_t>(steps - 1)]; ++steps) {
    const i64 passes = iteration.times / steps, left = iteration.times % steps;
    const double own = static_cast<double>(passes) * seconds(steps) + (left > 0 ? seconds(left) : 0);
    if (best == 0 || own < least) best = steps, least = own;
  }
  std::vector<UnrolledSteps> made;
  if (best == 0) return made;
  made.push_back(std::move(*all[static_cast<std::size_t>(best - 1)]));
  if (const i64 left = iteration.times % best; left > 0) {
    made.push_back(std::move(*all[static_cast<std::size_t>(left - 1)]));
  }
  return made;
}

}  // namespace terrace::graph
