#include "stages/kernel_graph/definition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "kernels/graph/operators.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

using graph::Graph;
using graph::Shape;

class GraphDefiner {
 public:
  explicit GraphDefiner(const Request& request)
      : request_(request), settings_(request.stage.settings), texts_(read_nodes(settings_)) {}

  GraphDefinition define() && {
    for (const std::string& name : texts_.inputs) open_input(name);
    stop_if_wrong();
    choose_type();
    for (const NodeText& node : texts_.nodes) add_node(node);
    stop_if_wrong();
    keep();
    made_.parts = cut_into_parts(graph_);
    made_.graph = std::make_shared<const Graph>(std::move(graph_));
    return std::move(made_);
  }

 private:
  void fault(const Place& place, const std::string& what) {
    const Place& shown = place.text.empty() ? request_.stage.place : place;
    faults_.push_back(message_at(shown, "stage '" + request_.stage.name + "': " + what));
  }
  void stop_if_wrong() const {
    if (!faults_.empty()) throw JobError(faults_);
  }

  void open_input(const std::string& name) {
    const std::string parameter = "inputs." + name, array = settings_.text(parameter);
    const std::shared_ptr<io::Source> source = request_.array(array);
    refuse_letters(request_, parameter, *source);
    const Extents& shape = source->shape();
    const Place& place = place_of(request_.stage, parameter);
    graph::Input input{name, source->type(), {}};
    if (shape.rank() != 2) {
      fault(place, quote(array) + " is " + to_string(shape) + ": a graph reads arrays of rows and columns" +
                       remedy_for_list(*source));
    } else {
      input.shape = {shape[0], shape[1]};
      if (shape[0] < 1 || shape[1] < 1) fault(place, quote(array) + " has no pixels: it is " + to_string(shape));
      if (std::max(shape[0], shape[1]) > graph::most_extent) fault(place, quote(array) + " is too large for a graph");
    }
    values_[name] = graph_.values();
    graph_.inputs.push_back(input);
    made_.inputs.push_back(source);
    made_.arrays.push_back(array);
    made_.places.push_back(place);
  }

  void choose_type() {
    const std::string& type = settings_.text("type");
    const auto is_wide = [](const graph::Input& input) { return input.type == ElementType::f64; };
    const bool has_wide = std::ranges::any_of(graph_.inputs, is_wide);
    graph_.type = type == "f64" || (type == "auto" && has_wide) ? ElementType::f64 : ElementType::f32;
  }

  /// Adds a node whose operands are there; one that depends on a wrong node is left out.
  void add_node(const NodeText& text) {
    graph::Node node;
    node.name = text.name;
    node.op = text.op;
    node.settings = text.settings;
    std::vector<Shape> shapes;
    for (const NodeText::Operand& operand : text.operands) {
      const auto value = values_.find(operand.name);
      if (value == values_.end()) return;
      node.operands.push_back(value->second);
      shapes.push_back(graph_.shape(value->second));
    }
    if (text.reduction) return add_reduction(*text.reduction, node.operands.at(0));
    if (text.number) {
      const auto number = numbers_.find(text.number->name);
      if (number == numbers_.end()) return;
      node.settings.known.at(0).number = number->second;
    }
    std::optional<Shape> wanted;
    if (text.like) {
      const auto value = values_.find(text.like->name);
      if (value == values_.end()) return;
      wanted = graph_.shape(value->second);
    }
    for (const double number : text.settings.numbers) refuse_large(text, number);
    refuse_large(text, text.settings.boundary_value);
    const std::string wrong = graph::take_shape(node, shapes, wanted);
    if (!wrong.empty()) return fault(text.place, "node " + quote(text.name) + ": " + wrong);
    values_[text.name] = graph_.values();
    graph_.nodes.push_back(std::move(node));
  }

  void add_reduction(graph::Reduction reduction, int value) {
    reduction.value = value;
    numbers_[reduction.name] = static_cast<int>(graph_.reductions.size());
    graph_.reductions.push_back(std::move(reduction));
  }

  void refuse_large(const NodeText& text, double number) {
    if (graph_.type == ElementType::f64 || std::abs(number) <= std::numeric_limits<float>::max()) return;
    fault(text.place, "node " + quote(text.name) + ": " + fmt::format("{}", number) +
                          " is too large for f32, in which the graph is computed; give `type: f64`");
  }

  void keep() {
    for (const std::size_t number : texts_.kept) {
      const NodeText& text = texts_.nodes[number];
      if (!text.reduction) graph_.kept.push_back({values_.at(text.name), text.kept_as.value_or(graph_.type)});
      else if (!text.reduction->counts) made_.kept_numbers.push_back(numbers_.at(text.name));
    }
  }

  const Request& request_;
  const Settings& settings_;
  NodeTexts texts_;
  Graph graph_;
  GraphDefinition made_;
  std::map<std::string, int> values_, numbers_;  // of the graph; of its reductions
  std::vector<std::string> faults_;
};

}  // namespace

GraphDefinition define_graph(const Request& request) { return GraphDefiner(request).define(); }

}  // namespace terrace::stages
