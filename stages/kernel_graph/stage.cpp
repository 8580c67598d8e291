#include "stages/kernel_graph/stage.hpp"

#include <algorithm>
#include <utility>

#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/near_name.hpp"
#include "stages/kernel_graph/definition.hpp"
#include "stages/kernel_graph/measured.hpp"
#include "stages/kernel_graph/plan.hpp"
#include "stages/kernel_graph/tally.hpp"
#include "stages/refuse.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

class KernelGraphStage : public run::Stage {
 public:
  KernelGraphStage(const Request& request, GraphDefinition definition, std::int64_t slab_rows,
                   const graph::GraphMethod& method)
      : name_(request.stage.name),
        resources_(request.resources),
        plan_(std::move(definition), slab_rows, method),
        tally_(plan_, name_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    const auto kept = plan_.kept_of(array);
    if (!kept) return {};
    const graph::Node& node = plan_.graph().node(plan_.graph().kept[*kept].value);
    return {"/" + name_ + "/" + node.name,        {}, {}, {node.name + "_row", node.name + "_column"}, "",
            "node " + node.name + ": " + op(node)};
  }
  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    run::Prediction p;
    p.blocks = graph::slabs_of(plan_.spec());
    p.unit = "cell";
    p.operations = plan_.cells();
    p.operations_per_second = 1 / plan_.method().cost(plan_.spec(), resources_.device).seconds;
    for (const run::ArraySpec& array : plan_.arrays()) {
      const double bytes = static_cast<double>(size_of(array.type)) * static_cast<double>(volume(array.shape));
      (array.role == run::Role::input ? p.bytes_read : p.bytes_written) += bytes;
    }
    const std::int64_t rows = graph::most_kept_rows(plan_.graph());
    p.block_shape = std::to_string(plan_.spec().slab_rows) + " x " +
                    std::to_string(static_cast<std::int64_t>(plan_.cells()) / rows);
    p.block_bytes = static_cast<std::size_t>(plan_.block_memory().block);
    p.workspace_bytes = plan_.method().workspace(plan_.spec(), resources_.device);
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    return stage_methods(graph::graph_methods(), plan_.method(), plan_.spec(), resources_.device);
  }

  std::vector<std::string> analysis() const override {
    const graph::Graph& all = plan_.graph();
    std::vector<std::string> lines = {"graph: " + counted(std::ssize(all.nodes), "node") + ", " +
                                      counted(std::ssize(all.inputs), "input") + ", computed in " +
                                      std::string(name_of(all.type))};
    for (const graph::Node& node : all.nodes) {
      std::string line = node.name + ": " + op(node) + " of ";
      for (const int operand : node.operands) {
        line += (operand == node.operands.front() && line.ends_with(" of ") ? "" : ", ") +
                (all.is_node(operand) ? all.node(operand).name : all.inputs[static_cast<std::size_t>(operand)].name);
      }
      lines.push_back(line + ", " + graph::to_string(node.shape));
    }
    return lines;
  }

  nlohmann::json choices() const override {
    return {{"method", run::method_of(*this)}, {"slab_rows", plan_.spec().slab_rows}};
  }

 private:
  static std::string op(const graph::Node& node) {
    return graph::operators()[static_cast<std::size_t>(node.op)].name;
  }

  std::string name_;
  Resources resources_;
  GraphPlan plan_;
  GraphTally tally_;
};

/// On the CPU the kernel's workspace is a part of the block.
BlockMemory memory_of(const GraphPlan& plan, const Resources& resources) {
  BlockMemory memory = plan.block_memory();
  const auto workspace = static_cast<std::int64_t>(plan.method().workspace(plan.spec(), resources.device));
  (resources.cuda ? memory.workspace : memory.block) += workspace;
  return memory;
}

/// Rows of a slab: as many as fit the budgets, and hardly more than so many bytes of values.
std::int64_t choose_slab_rows(const Request& request, const GraphDefinition& definition,
                              const graph::GraphMethod& method) {
  for (std::int64_t rows = graph::most_kept_rows(*definition.graph);; rows = (rows + 1) / 2) {
    const GraphPlan plan(definition, rows, method);
    const BlockMemory memory = memory_of(plan, request.resources);
    const bool fits = holds(request.resources, memory);
    if (fits && (rows == 1 || memory.block + memory.workspace <= measured::graph_slab_bytes)) return rows;
    if (rows == 1) refuse_budgets(request.resources, memory);
  }
}

}  // namespace

std::unique_ptr<run::Stage> make_kernel_graph(const Request& request) {
  GraphDefinition definition = define_graph(request);
  const std::string& schedule = request.stage.settings.text("schedule");
  const graph::GraphMethod& method =
      method_for(request, graph::graph_methods(), schedule, graph::GraphSpec{definition.graph, 1});
  const std::int64_t rows = request.choices != nullptr ? request.choices->at("slab_rows").get<std::int64_t>()
                                                       : choose_slab_rows(request, definition, method);
  return std::make_unique<KernelGraphStage>(request, std::move(definition), rows, method);
}

}  // namespace terrace::stages
