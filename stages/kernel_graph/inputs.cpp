#include "stages/kernel_graph/inputs.hpp"

#include <algorithm>

#include "io/inputs/selection.hpp"
#include "io/truths.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/moves.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {

std::string fault_at(const Request& request, const Place& place, const std::string& what) {
  const Place& shown = place.text.empty() ? request.stage.place : place;
  return message_at(shown, "stage '" + request.stage.name + "': " + what);
}

namespace {

/// An array of the job as inputs of a graph are made from it.
class Opener {
 public:
  Opener(const Request& request, const std::string& parameter, graph::Graph& graph, GraphDefinition& made,
         std::vector<std::string>& faults)
      : request_(request),
        place_(place_of(request.stage, parameter)),
        array_(request.stage.settings.text(parameter)),
        source_(io::numbers_of_truths(request.array(array_))),
        graph_(graph),
        made_(made),
        faults_(faults) {
    refuse_letters(request, parameter, *source_);
  }

  void add_image(const std::string& name) {
    const Extents& shape = source_->shape();
    if (shape.rank() != 2) {
      fault("is " + to_string(shape) + ": a graph reads arrays of rows and columns" + remedy_for_list(*source_));
    } else {
      check_extents("pixels");
    }
    add({name, source_->type(), pixels()}, source_);
  }
  void add_flow(const std::string& name) {
    const Extents& shape = source_->shape();
    const bool is_flow = shape.rank() == 3 && shape[2] == 2;
    if (!is_flow) {
      fault("is " + to_string(shape) +
            ": a flow is rows x columns x 2, the displacements along columns and along rows");
    } else if (!is_floating(source_->type())) {
      fault("is of " + std::string(name_of(source_->type())) + ": displacements are f32 or f64");
    } else {
      check_extents("displacements");
    }
    for (const std::int64_t component : {0, 1}) {
      add({name + (component == 0 ? "/u" : "/v"), source_->type(), pixels(), true},
          is_flow ? io::at_last_index(source_, component) : source_);
    }
  }

 private:
  void fault(const std::string& what) { faults_.push_back(fault_at(request_, place_, quote(array_) + " " + what)); }
  void check_extents(const char* elements) {
    const Extents& shape = source_->shape();
    if (shape[0] < 1 || shape[1] < 1) fault(std::string("has no ") + elements + ": it is " + to_string(shape));
    if (!graph::is_possible(pixels())) {
      fault("is " + to_string(shape) + ", too large for a graph: it has at most " +
            std::to_string(graph::most_extent) + " rows and columns, and " + std::to_string(graph::most_cells) +
            " cells");
    }
  }
  graph::Shape pixels() const {
    const Extents& shape = source_->shape();
    return shape.rank() < 2 ? graph::Shape{} : graph::Shape{shape[0], shape[1]};
  }
  void add(graph::Input input, std::shared_ptr<io::Source> source) {
    graph_.inputs.push_back(std::move(input));
    made_.inputs.push_back(std::move(source));
    made_.arrays.push_back(array_);
    made_.places.push_back(place_);
  }

  const Request& request_;
  const Place& place_;
  std::string array_;
  std::shared_ptr<io::Source> source_;
  graph::Graph& graph_;
  GraphDefinition& made_;
  std::vector<std::string>& faults_;
};

}  // namespace

void open_input(const Request& request, const std::string& name, const std::string& parameter, graph::Graph& graph,
                GraphDefinition& made, std::vector<std::string>& faults) {
  Opener(request, parameter, graph, made, faults).add_image(name);
}

void open_flow(const Request& request, const std::string& name, const std::string& parameter, graph::Graph& graph,
               GraphDefinition& made, std::vector<std::string>& faults) {
  Opener(request, parameter, graph, made, faults).add_flow(name);
}

void take_graph(const Request& request, graph::Graph graph, GraphDefinition& made) {
  made.graph = std::make_shared<const graph::Graph>(with_known_moves(graph));
  try {
    made.parts = cut_into_parts(made.graph);
  } catch (const Error& error) {
    throw JobError(fault_at(request, {}, error.what()));
  }
}

ElementType type_of_graph(const Settings& settings, bool has_wide) {
  const std::string& type = settings.text("type");
  return type == "f64" || (type == "auto" && has_wide) ? ElementType::f64 : ElementType::f32;
}

}  // namespace terrace::stages
