#include "stages/kernel_graph/stage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "kernels/graph/iteration.hpp"
#include "kernels/graph/iteration_strips.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/slabs.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/cell_compiler.hpp"
#include "stages/kernel_graph/definition.hpp"
#include "stages/kernel_graph/iteration_parts.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/plan.hpp"
#include "stages/kernel_graph/slab_rows.hpp"
#include "stages/kernel_graph/tally.hpp"
#include "stages/kernel_graph/times.hpp"
#include "stages/stage_methods.hpp"

namespace terrace::stages {
namespace {

class KernelGraphStage : public run::Stage {
 public:
  KernelGraphStage(const Request& request, GraphPlan plan)
      : name_(request.stage.name),
        schedule_(request.stage.settings.text("schedule")),
        resources_(request.resources),
        plan_(std::move(plan)),
        tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }

  io::DatasetSpec dataset(int array) const override {
    if (plan_.arrays()[static_cast<std::size_t>(array)].role != run::Role::result) return {};
    const GraphArray* own = plan_.array(array);
    if (own == nullptr) {
      const graph::Reduction& list = plan_.reduction(array);
      std::vector<std::string> axes = {list.name + "_bin"};
      if (list.makes == graph::Makes::positions) axes = {list.name + "_number", list.name + "_axis"};
      return {"/" + name_ + "/" + list.name, {}, {}, axes, "", "node " + list.name + ": " + op(list)};
    }
    const graph::Node& node = plan_.definition().parts.graph->node(own->value);
    const std::string name = dataset_name(node.name);
    return {"/" + name_ + "/" + name,          {}, {},
            {name + "_row", name + "_column"}, "", "node " + node.name + ": " + op(node)};
  }
  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> found;
    for (const KeptNumber& own : plan_.definition().numbers) {
      const double dividend = tally_.number(own.dividend);
      const double value = own.divisor < 0 ? dividend : dividend / tally_.number(own.divisor);
      found.push_back(io::small_scalar("/" + name_ + "/" + own.name, value, "", own.help));
    }
    return found;
  }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    run::Prediction p;
    p.unit = "cell";
    double seconds = 0;
    const std::int64_t devices = std::max(1, plan_.devices(resources_.devices));
    for (std::size_t n = 0; n < plan_.parts().size(); ++n) {
      const PlannedPart& own = plan_.parts()[n];
      const double cells = cells_of(*own.spec.graph);
      const auto times = static_cast<double>(own.part.times);
      p.blocks += own.part.times * graph::slabs_of(own.spec);
      p.operations += times * cells;
      const std::int64_t slabs = graph::slabs_of(own.spec);
      const double share =
          plan_.is_in_turn(n) ? 1 : static_cast<double>(ceiling(slabs, devices)) / static_cast<double>(slabs);
      seconds += seconds_of(own, resources_.device) * share;
      for (const int array : own.part.inputs) p.bytes_read += times * bytes_of(array);
      for (const int array : own.part.kept) p.bytes_written += times * bytes_of(array);
      if (static_cast<std::size_t>(plan_.block_memory(n).block) <= p.block_bytes) continue;
      p.block_bytes = static_cast<std::size_t>(plan_.block_memory(n).block);
      const std::int64_t rows = graph::most_kept_rows(*own.spec.graph);
      p.block_shape =
          std::to_string(own.spec.slab_rows) + " x " + std::to_string(static_cast<std::int64_t>(cells) / rows);
    }
    p.operations_per_second = p.operations * (1 - plan_.repeated_share(0, plan_.parts().size())) / seconds;
    p.workspace_bytes = static_cast<std::size_t>(plan_.workspace());
    return p;
  }

  std::vector<run::StageMethod> methods() const override {
    const PlannedPart& main = main_part();
    return stage_methods(graph::graph_methods(), main.compiled->method(), main.spec, resources_.device);
  }

  std::vector<std::string> warnings() const override {
    std::vector<std::string> found;
    for (const PlannedPart& part : plan_.parts()) {
      found = part.compiled->warnings(name_);
      if (!found.empty()) break;
    }
    const graph::GraphMethod& method = main_part().compiled->method();
    if (schedule_ != "auto" && schedule_ != method.schedule) {
      found.push_back("stage '" + name_ + "': schedule '" + schedule_ + "' is one of GPUs; on " +
                      name_of(method.backend) + " '" + method.schedule + "' computes it, with the same results");
    }
    for (const graph::Node& node : whole_graph().nodes) {
      for (const graph::KnownNumber& known : node.settings.known) {
        if (!std::isnan(tally_.number(known.number))) continue;
        found.push_back("stage '" + name_ + "': node '" + node.name + "' takes the number '" +
                        whole_graph().reductions[static_cast<std::size_t>(known.number)].name +
                        "', which is NaN: nothing is below it; look for infinite or very large values of the inputs");
      }
    }
    return found;
  }

  std::vector<std::string> analysis() const override {
    const graph::Graph& all = whole_graph();
    const std::int64_t parts = plan_.phases_before(plan_.parts().size());
    std::vector<std::string> lines = {
        "graph: " + counted(std::ssize(all.nodes) + std::ssize(all.reductions), "node") + ", " +
        counted(std::ssize(all.inputs), "input") + ", computed in " + std::string(name_of(all.type)) +
        (parts > 1 ? ", in " + counted(parts, "part") : "") + repeated()};
    for (const graph::Node& node : all.nodes) {
      std::string line = node.name + ": " + op(node) + " of ";
      for (const int operand : node.operands) {
        line += (operand == node.operands.front() && line.ends_with(" of ") ? "" : ", ") + name_of_value(operand);
      }
      lines.push_back(line + ", " + graph::to_string(node.shape));
    }
    for (const graph::Reduction& own : all.reductions) {
      lines.push_back(own.name + ": " + op(own) + " of " + name_of_value(own.value));
    }
    if (run::method_of(*this) == "ktiler") add_strips(lines);
    add_cut_iterations(lines);
    for (std::size_t part = 0; part < plan_.parts().size(); ++part) {
      const graph::GraphSpec& spec = plan_.parts()[part].spec;
      if (graph::slabs_of(spec) == 1) continue;
      const std::int64_t rows = graph::most_kept_rows(*spec.graph);
      lines.push_back(fmt::format("{}: slabs of {} of {} rows, {:.1f}% of its work in other slabs too",
                                  plan_.part_name(part), spec.slab_rows, rows,
                                  100 * plan_.repeated_share(part, part + 1)));
    }
    for (const PlannedPart& part : plan_.parts()) {
      auto own = graph::composition_in_words(*part.method, part.spec, resources_.device);
      lines.insert(lines.end(), std::make_move_iterator(own.begin()), std::make_move_iterator(own.end()));
    }
    return lines;
  }

  nlohmann::json choices() const override {
    std::vector<std::int64_t> slab_rows;
    for (const PlannedPart& part : plan_.parts()) slab_rows.push_back(part.spec.slab_rows);
    nlohmann::json made = {{"method", run::method_of(*this)},
                           {"slab_rows", slab_rows},
                           {"workspace", plan_.workspace()},
                           {"devices", plan_.dealing().devices}};
    if (const auto& steps = plan_.definition().part_steps; !steps.empty()) made["part_steps"] = steps;
    if (plan_.definition().times) made["times"] = times_json(*plan_.definition().times);
    return made;
  }

 private:
  /// What the plan does twice; empty: nothing.
  std::string repeated() const {
    const double share = plan_.repeated_share(0, plan_.parts().size());
    return share > 0 ? fmt::format("; {:.1f}% of the work is done again in other slabs", 100 * share) : "";
  }
  const PlannedPart& main_part() const { return plan_.parts()[heaviest_part(plan_.definition().parts)]; }
  const graph::Graph& whole_graph() const { return *plan_.definition().graph; }
  const std::string& name_of_value(int value) const {
    const graph::Graph& all = whole_graph();
    return all.is_node(value) ? all.node(value).name : all.inputs[static_cast<std::size_t>(value)].name;
  }
  /// Adds lines on the iterations of which a part makes some steps.
  void add_cut_iterations(std::vector<std::string>& lines) const {
    const std::vector<std::int64_t>& steps = plan_.definition().part_steps;
    const std::vector<int> iterations = graph::iterations_of(whole_graph());
    for (std::size_t n = 0; n < steps.size(); ++n) {
      if (steps[n] == 0) continue;
      const graph::Node& node = whole_graph().node(iterations[n]);
      const std::int64_t times = node.settings.iteration->times;
      lines.push_back(fmt::format("{}: {} steps, at most {} of them in a part", node.name, times, steps[n]));
    }
  }
  /// Adds lines on the strips of iterations.
  void add_strips(std::vector<std::string>& lines) const {
    for (const PlannedPart& own : plan_.parts()) {
      const graph::Graph& part = *own.spec.graph;
      for (int value = 0; value < part.values(); ++value) {
        if (graph::nodes_of_iteration(part, value) != 1) continue;  // its last node
        const graph::Node& node = part.node(value);
        const auto [steps, share] = graph::strips_of(*node.settings.iteration, graph::times_of(own.spec));
        const std::string of_plain = std::to_string(std::lround(100 * share)) + "% of the time of one after another";
        lines.push_back(
            node.name + ": " +
            (steps == 1 ? "strips save nothing"
                        : counted(steps, "step") + " at a time over strips that stay in the L2 cache, " + of_plain));
      }
    }
    lines.push_back(plan_.definition().times
                        ? "launches take what `terrace measure` has found on this device"
                        : "launches are taken to be as fast as on an H200: `terrace measure` finds out");
  }
  double bytes_of(int array) const {
    const run::ArraySpec& spec = plan_.arrays()[static_cast<std::size_t>(array)];
    return static_cast<double>(size_of(spec.type)) * static_cast<double>(volume(spec.shape));
  }
  static std::string op(const graph::Node& node) {
    return graph::operators()[static_cast<std::size_t>(node.op)].name;
  }

  static std::string op(const graph::Reduction& reduction) {
    const auto is_own = [&](const graph::OperatorInfo& info) {
      return info.is_reduction && info.makes == reduction.makes;
    };
    return std::ranges::find_if(graph::operators(), is_own)->name;
  }

  std::string name_, schedule_;  // as the job has it
  Resources resources_;
  GraphPlan plan_;
  GraphTally tally_;
};

}  // namespace

std::unique_ptr<run::Stage> make_kernel_graph(const Request& request) {
  GraphDefinition definition = define_graph(request);
  definition.compiler = cell_compiler(request.resources);
  return std::make_unique<KernelGraphStage>(request, plan_graph(request, definition));
}

}  // namespace terrace::stages
