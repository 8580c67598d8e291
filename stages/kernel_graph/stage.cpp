#include "stages/kernel_graph/stage.hpp"

#include <algorithm>
#include <utility>

#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/kernel_graph/definition.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/plan.hpp"
#include "stages/kernel_graph/slab_rows.hpp"
#include "stages/kernel_graph/tally.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

class KernelGraphStage : public run::Stage {
 public:
  KernelGraphStage(const Request& request, GraphPlan plan)
      : name_(request.stage.name), resources_(request.resources), plan_(std::move(plan)), tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    if (plan_.arrays()[static_cast<std::size_t>(array)].role != run::Role::result) return {};
    const GraphArray* own = plan_.array(array);
    if (own == nullptr) {
      const graph::Reduction& counts = plan_.reduction(array);
      return {"/" + name_ + "/" + counts.name, {}, {},
              {counts.name + "_bin"},          "", "node " + counts.name + ": " + graph::Histogram::name};
    }
    const graph::Node& node = whole_graph().node(own->value);
    const std::string name = dataset_name(node.name);
    return {"/" + name_ + "/" + name,          {}, {},
            {name + "_row", name + "_column"}, "", "node " + node.name + ": " + op(node)};
  }
  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> found;
    for (const int number : plan_.definition().kept_numbers) {
      const std::string& name = whole_graph().reductions[static_cast<std::size_t>(number)].name;
      found.push_back(io::small_scalar("/" + name_ + "/" + name, tally_.number(number), "",
                                       "node " + name + ": " + graph::Reduce::name));
    }
    return found;
  }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    run::Prediction p;
    p.unit = "cell";
    double seconds = 0;
    for (std::size_t n = 0; n < plan_.parts().size(); ++n) {
      const PlannedPart& own = plan_.parts()[n];
      const double cells = cells_of(*own.spec.graph);
      p.blocks += graph::slabs_of(own.spec);
      p.operations += cells;
      seconds += cells * own.method->cost(own.spec, resources_.device).seconds;
      for (const int array : own.part.inputs) p.bytes_read += bytes_of(array);
      for (const int array : own.part.kept) p.bytes_written += bytes_of(array);
      if (static_cast<std::size_t>(plan_.block_memory(n).block) <= p.block_bytes) continue;
      p.block_bytes = static_cast<std::size_t>(plan_.block_memory(n).block);
      const std::int64_t rows = graph::most_kept_rows(*own.spec.graph);
      p.block_shape =
          std::to_string(own.spec.slab_rows) + " x " + std::to_string(static_cast<std::int64_t>(cells) / rows);
    }
    p.operations_per_second = p.operations / seconds;
    p.workspace_bytes = workspace_bytes(plan_, resources_.device);
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    const PlannedPart& main = plan_.parts()[heaviest_part(plan_.definition().parts)];
    return stage_methods(graph::graph_methods(), *main.method, main.spec, resources_.device);
  }

  std::vector<std::string> analysis() const override {
    const graph::Graph& all = whole_graph();
    std::vector<std::string> lines = {
        "graph: " + counted(std::ssize(all.nodes) + std::ssize(all.reductions), "node") + ", " +
        counted(std::ssize(all.inputs), "input") + ", computed in " + std::string(name_of(all.type))};
    for (const graph::Node& node : all.nodes) {
      std::string line = node.name + ": " + op(node) + " of ";
      for (const int operand : node.operands) {
        line += (operand == node.operands.front() && line.ends_with(" of ") ? "" : ", ") + name_of_value(operand);
      }
      lines.push_back(line + ", " + graph::to_string(node.shape));
    }
    for (const graph::Reduction& own : all.reductions) {
      const char* kind = own.counts ? graph::Histogram::name : graph::Reduce::name;
      lines.push_back(own.name + ": " + kind + " of " + name_of_value(own.value));
    }
    const auto parts = std::ssize(plan_.parts());
    if (parts > 1) lines.push_back("computed in " + counted(parts, "part") + ", one after another");
    return lines;
  }

  nlohmann::json choices() const override {
    std::vector<std::int64_t> slab_rows;
    for (const PlannedPart& part : plan_.parts()) slab_rows.push_back(part.spec.slab_rows);
    return {{"method", run::method_of(*this)}, {"slab_rows", slab_rows}};
  }

 private:
  const graph::Graph& whole_graph() const { return *plan_.definition().graph; }
  const std::string& name_of_value(int value) const {
    const graph::Graph& all = whole_graph();
    return all.is_node(value) ? all.node(value).name : all.inputs[static_cast<std::size_t>(value)].name;
  }
  double bytes_of(int array) const {
    const run::ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(array)];
    return static_cast<double>(size_of(spec.type)) * static_cast<double>(volume(spec.shape));
  }
  static std::string op(const graph::Node& node) {
    return graph::operators()[static_cast<std::size_t>(node.op)].name;
  }

  std::string name_;
  Resources resources_;
  GraphPlan plan_;
  GraphTally tally_;
};

}  // namespace

std::unique_ptr<run::Stage> make_kernel_graph(const Request& request) {
  const GraphDefinition definition = define_graph(request);
  return std::make_unique<KernelGraphStage>(request, plan_graph(request, definition));
}

}  // namespace terrace::stages
