#include "stages/kernel_graph/inputs.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

std::string fault_at(const Request& request, const Place& place, const std::string& what) {
  const Place& shown = place.text.empty() ? request.stage.place : place;
  return message_at(shown, "stage '" + request.stage.name + "': " + what);
}

void open_input(const Request& request, const std::string& name, const std::string& parameter, graph::Graph& graph,
                GraphDefinition& made, std::vector<std::string>& faults) {
  const std::string array = request.stage.settings.text(parameter);
  const std::shared_ptr<io::Source> source = request.array(array);
  refuse_letters(request, parameter, *source);
  const Extents& shape = source->shape();
  const Place& place = place_of(request.stage, parameter);
  const auto fault = [&](const std::string& what) { faults.push_back(fault_at(request, place, what)); };
  graph::Input input{name, source->type(), {}};
  if (shape.rank() != 2) {
    fault(quote(array) + " is " + to_string(shape) + ": a graph reads arrays of rows and columns" +
          remedy_for_list(*source));
  } else {
    input.shape = {shape[0], shape[1]};
    if (shape[0] < 1 || shape[1] < 1) fault(quote(array) + " has no pixels: it is " + to_string(shape));
    if (std::max(shape[0], shape[1]) > graph::most_extent) fault(quote(array) + " is too large for a graph");
  }
  graph.inputs.push_back(input);
  made.inputs.push_back(source);
  made.arrays.push_back(array);
  made.places.push_back(place);
}

ElementType type_of_graph(const Settings& settings, bool has_wide) {
  const std::string& type = settings.text("type");
  return type == "f64" || (type == "auto" && has_wide) ? ElementType::f64 : ElementType::f32;
}

}  // namespace terrace::stages
