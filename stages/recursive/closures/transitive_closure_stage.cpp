#include "stages/recursive/closures/transitive_closure_stage.hpp"

#include <algorithm>

#include "kernels/recursive/problems.hpp"
#include "stages/recursive/closures/edges.hpp"
#include "stages/recursive/closures/program.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/tiles.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

// Cells a second (tests/benchmarks/RESULTS.md): of a core, and of a GPU by its logic operations on words.
constexpr double cpu_rate = 2e12, cuda_rate = 2e14;

class TransitiveClosureStage : public run::Stage {
 public:
  TransitiveClosureStage(const Request& request, std::unique_ptr<ClosureProgram> program)
      : name_(request.stage.name), resources_(request.resources), program_(std::move(program)) {}

  run::Program& program() override { return *program_; }

  io::DatasetSpec dataset(int) const override {
    const bool packed = program_->plan().spec.table == recursive::Table::packed_bits;
    return {"/" + name_ + "/closure",
            {},
            {},
            {"from", packed ? "byte" : "to"},
            "",
            packed ? "bit j % 8 of byte j / 8 says whether node j is reached" : "1: the node is reached"};
  }

  std::vector<io::SmallDataset> small() const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const ClosurePlan& plan = program_->plan();
    const auto n = static_cast<double>(plan.nodes);
    run::Prediction p;
    p.blocks = program_->updates();
    p.operations = n * n * n;
    p.unit = "cell";
    p.operations_per_second = resources_.cuda ? cuda_rate : cpu_rate * resources_.device.processors;
    const double table = n * n / 8, closure = plan.spec.table == recursive::Table::bits ? n * n : table;
    const auto block = static_cast<double>(block_bytes(plan.spec, plan.tile));
    set_traffic(p, {table, block, program_->across(), plan.ways}, {table, closure}, resources_);
    set_blocks(p, plan.spec, plan.tile, resources_);
    return p;
  }

  nlohmann::json choices() const override {
    const ClosurePlan& plan = program_->plan();
    return {{"tile", plan.tile}, {"nodes", plan.nodes}, {"ways", plan.ways}};
  }

 private:
  std::string name_;
  Resources resources_;
  std::unique_ptr<ClosureProgram> program_;
};

}  // namespace

std::unique_ptr<run::Stage> make_transitive_closure(const Request& request) {
  const Settings& settings = request.stage.settings;
  const std::string& name = settings.text("matrix");
  const std::shared_ptr<io::Source> matrix = open_square_matrix(request);
  ClosurePlan plan;
  plan.spec.semiring = recursive::find_problem(request.stage.problem)->semiring;
  plan.spec.value = ElementType::u32;
  plan.spec.table = settings.flag("packed") ? recursive::Table::packed_bits : recursive::Table::bits;
  plan.nodes = matrix->shape()[0];
  if (request.choices != nullptr) {
    plan.tile = request.choices->at("tile");
    plan.ways = request.choices->at("ways").get<std::vector<std::int64_t>>();
  } else {
    plan.tile = choose_tile(plan.nodes, plan.spec, request.resources);
    const std::int64_t across = (plan.nodes + plan.tile - 1) / plan.tile;
    plan.ways = choose_ways(settings.text("schedule"), across, plan.tile, 1, request.resources);
  }
  auto bits = edge_bits(matrix, label_of(request.stage, "matrix"), no_edge_of(request, *matrix));
  return std::make_unique<TransitiveClosureStage>(
      request, std::make_unique<ClosureProgram>(std::move(plan), std::move(bits), name));
}

}  // namespace terrace::stages
