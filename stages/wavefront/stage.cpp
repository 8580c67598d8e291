#include "stages/wavefront/stage.hpp"

#include <algorithm>
#include <iterator>

#include "kernels/wavefront/schedule.hpp"
#include "stages/wavefront/blocks.hpp"
#include "stages/wavefront/letters.hpp"
#include "stages/wavefront/program.hpp"
#include "stages/wavefront/types.hpp"

namespace terrace::stages {
namespace {

using wavefront::Items;
using wavefront::ProblemInfo;
using wavefront::SweepSpec;

/// What a cell costs.
struct Cost {
  /// Operations of 32 bits that it needs at least, tracking of the best cell included: on a GPU those on the narrow
  /// pipe (min, max, fused add-max, logic), on the CPU all on vectors (compare, select, add, max).
  double operations;
  double cells_per_second;  // for predictions: measured (tests/benchmarks/RESULTS.md), and only that
  bool narrows = true;      // a vector of the CPU takes twice as many cells of 16 bits
};

/// Scores alone in differences, a bit a row.
constexpr Cost in_bits(double operations_a_word, double cells_per_second) {
  return {operations_a_word / 32, cells_per_second, false};
}

struct CellCost {
  const char* problem;          // null: any
  const char* variant;          // the parameter that picks it; null: any
  Cost cpu_table, cpu_score;    // of one core with AVX2, where the table is kept, and where it is not
  Cost cuda_table, cuda_score;  // of an H200
};

constexpr CellCost cell_costs[] = {
    {"smith_waterman", "gap_open", {10, 5e9}, {10, 5e9}, {4, 1.5e12}, {4, 1.5e12}},
    {"smith_waterman", nullptr, {7, 5e9}, {7, 5e9}, {3, 1.7e12}, {3, 1.7e12}},
    {"edit_distance", nullptr, {4, 1e10}, in_bits(9, 3.5e10), {3, 2.6e12}, in_bits(9, 8.6e12)},
    {"lcs", nullptr, {4, 1e10}, in_bits(6, 6e10), {3, 2.8e12}, in_bits(6, 1.15e13)},
    {"summed_area", nullptr, {2, 1e9}, {2, 1e9}, {2, 1.9e11}, {2, 1.9e11}},
    {nullptr, nullptr, {4, 5e9}, {4, 5e9}, {3, 1.5e12}, {3, 1.5e12}},  // any other
};

Cost cost_of(const SweepSpec& spec, bool cuda) {
  const CellCost* found = std::find_if(std::begin(cell_costs), std::end(cell_costs), [&](const CellCost& cost) {
    return (cost.problem == nullptr || spec.problem == cost.problem) &&
           (cost.variant == nullptr || spec.settings.has(cost.variant));
  });
  if (cuda) return spec.table ? found->cuda_table : found->cuda_score;
  return spec.table ? found->cpu_table : found->cpu_score;
}

std::shared_ptr<io::Source> sequence(const Request& request, const std::string& parameter, Side side) {
  const Settings& settings = request.stage.settings;
  const std::string& name = settings.text(parameter);
  std::shared_ptr<io::Source> source = request.array(name);
  if (source->type() != ElementType::u8 || source->shape().rank() != 1) {
    refuse(request.stage, parameter,
           "'" + name + "' is an array of " + std::string(name_of(source->type())) + " (" +
               to_string(source->shape()) +
               "); a sequence is a one-dimensional array of letters (u8), as from a FASTA file");
  }
  const std::string& alphabet = settings.text("alphabet");
  const std::string& ambiguous = settings.text("ambiguous");
  return io::translate(std::move(source), letter_codes(alphabet, ambiguous, side), name,
                       letter_error(alphabet, ambiguous));
}

class WavefrontStage : public run::Stage {
 public:
  WavefrontStage(const Request& request, SweepSpec spec, const ProblemInfo& problem, const WavefrontInputs& inputs)
      : name_(request.stage.name),
        resources_(request.resources),
        scale_(problem.items == Items::letters ? wavefront::score_scale(problem.name, spec.settings) : 1),
        need_(need_of(spec, problem)),
        program_(std::move(spec), problem, inputs) {}

  static TableNeed need_of(const SweepSpec& spec, const ProblemInfo& problem) {
    TableNeed need;
    need.rows = spec.rows;
    need.columns = spec.columns;
    if (spec.table) need.table_bytes = static_cast<std::int64_t>(size_of(*spec.table));
    if (problem.items == Items::grid) need.grid_bytes = static_cast<std::int64_t>(size_of(spec.grid));
    const BorderPlanes planes = border_planes(spec);
    need.border_bytes = std::max(planes.row, planes.column) * static_cast<std::int64_t>(size_of(spec.border));
    return need;
  }

  run::Program& program() override { return program_; }

  io::DatasetSpec dataset(int) const override {
    return {"/" + name_ + "/table", {}, {}, {"row", "column"}, "", long_name("table")};
  }

  std::vector<io::SmallDataset> small() const override {
    if (program_.problem().items == Items::grid) return {};
    std::vector<io::SmallDataset> results;
    const WavefrontScore& found = program_.score();
    const SweepSpec& spec = program_.spec();
    WavefrontScore score = found;
    if (program_.blocks() == 0) score = {empty_score(), 0, 0};
    const std::string path = "/" + name_ + "/";
    if (scale_ == 1) {
      results.push_back(io::small_scalar<std::int64_t>(path + "score", score.score, "", long_name("score")));
    } else {
      results.push_back(io::small_scalar<double>(
          path + "score", static_cast<double>(score.score) / static_cast<double>(scale_), "", long_name("score")));
    }
    if (program_.problem().report == wavefront::Report::best) {
      const std::int64_t end[2] = {score.row, score.column};
      results.push_back(io::small_dataset<std::int64_t>(path + "end", {2}, {"side"}, end, "",
                                                        "letters of rows and columns up to the end of the best "
                                                        "alignment"));
    }
    const std::int64_t lengths[2] = {spec.rows, spec.columns};
    results.push_back(
        io::small_dataset<std::int64_t>(path + "lengths", {2}, {"side"}, lengths, "", "letters of rows and columns"));
    return results;
  }

  std::vector<io::Attribute> attributes() const override { return {}; }

  run::Prediction prediction() const override {
    const SweepSpec& spec = program_.spec();
    const Cost cost = cost_of(spec, resources_.cuda);
    run::Prediction p;
    p.blocks = program_.blocks();
    p.unit = "cell";
    p.operations = static_cast<double>(spec.rows) * static_cast<double>(spec.columns);
    p.operations_per_second = cost.cells_per_second * (resources_.cuda ? 1 : resources_.device.processors);
    p.bytes_written = p.operations * static_cast<double>(need_.table_bytes);
    p.bytes_read = need_.grid_bytes > 0 ? p.operations * static_cast<double>(need_.grid_bytes)
                                        : static_cast<double>(spec.rows + spec.columns);
    if (resources_.cuda) {
      p.bytes_up = p.bytes_read;
      p.bytes_down = p.bytes_written;
      p.workspace_bytes = wavefront::cuda_workspace_bytes(spec, resources_.device);
    }
    const BlockShape shape{spec.block_rows, spec.block_columns};
    p.block_shape = std::to_string(shape.rows) + " x " + std::to_string(shape.columns);
    p.block_bytes = static_cast<std::size_t>(block_bytes(need_, shape));
    // The ceiling counts operations on 32 bits; a vector register of the CPU holds twice as many of 16.
    const double lanes = resources_.cuda || !cost.narrows ? 1 : 4.0 / static_cast<double>(size_of(spec.value));
    p.limit = lanes * resources_.device.operations_per_second / cost.operations;
    p.limit_kind = "operations";
    const double cell_bytes = static_cast<double>(need_.table_bytes + need_.grid_bytes);
    const auto bound = [&](double bytes_per_second, double bytes, const char* kind) {
      if (bytes_per_second <= 0 || bytes <= 0) return;
      const double rate = bytes_per_second / bytes;
      if (p.limit <= 0 || rate < p.limit) p.limit = rate, p.limit_kind = kind;
    };
    bound(resources_.device.memory_bytes_per_second, cell_bytes, "device memory");
    bound(resources_.device.link_bytes_per_second, static_cast<double>(std::max(need_.table_bytes, need_.grid_bytes)),
          "link");
    if (p.limit <= 0) p.limit_kind = "";
    // What was measured elsewhere is no faster than what this machine can do.
    else p.operations_per_second = std::min(p.operations_per_second, p.limit);
    return p;
  }

  nlohmann::json choices() const override {
    const SweepSpec& spec = program_.spec();
    return {{"block_rows", spec.block_rows},
            {"block_columns", spec.block_columns},
            {"rows", spec.rows},
            {"columns", spec.columns},
            {"value", name_of(spec.value)},
            {"border", name_of(spec.border)},
            {"table", spec.table ? nlohmann::json(name_of(*spec.table)) : nlohmann::json(nullptr)},
            {"schedule", wavefront::name_of(spec.schedule)}};
  }

 private:
  std::string long_name(const std::string& what) const {
    return what + " of " + program_.problem().name + ": " + program_.problem().help;
  }
  /// What the recurrence's border says of a table without cells.
  std::int64_t empty_score() const {
    const SweepSpec& spec = program_.spec();
    std::int64_t score = 0;
    wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
      if constexpr (P::report == wavefront::Report::last && P::items == Items::letters) {
        const auto constants = wavefront::problem_constants<P>(spec.settings);
        score = spec.rows == 0 ? P::template top<wavefront::i64>(constants, spec.columns - 1).h
                               : P::template left<wavefront::i64>(constants, spec.rows - 1).h;
      }
    });
    return score;
  }

  std::string name_;
  Resources resources_;
  std::int64_t scale_;
  TableNeed need_;
  WavefrontProgram program_;
};

}  // namespace

std::unique_ptr<run::Stage> make_wavefront(const Request& request) {
  const ProblemInfo& problem = *wavefront::find_problem(request.stage.problem);
  WavefrontInputs inputs;
  SweepSpec spec;
  spec.problem = request.stage.problem;
  spec.settings = request.stage.settings;
  spec.schedule = *wavefront::schedule_from(request.stage.settings.text("schedule"));
  if (problem.items == Items::grid) {
    inputs.grid = request.array(request.stage.settings.text("grid"));
    if (inputs.grid->shape().rank() != 2) {
      refuse(request.stage, "grid",
             "'" + request.stage.settings.text("grid") + "' has " + std::to_string(inputs.grid->shape().rank()) +
                 " dimensions; a grid has two (rows and columns)");
    }
    spec.rows = inputs.grid->shape()[0];
    spec.columns = inputs.grid->shape()[1];
    spec.grid = inputs.grid->type();
    choose_sum_types(request, spec);
  } else {
    inputs.rows = sequence(request, "rows", Side::rows);
    inputs.columns = sequence(request, "columns", Side::columns);
    spec.rows = inputs.rows->shape()[0];
    spec.columns = inputs.columns->shape()[0];
    choose_score_types(request, spec);
  }
  spec.block_rows = std::max<std::int64_t>(1, spec.rows);
  spec.block_columns = std::max<std::int64_t>(1, spec.columns);
  if (request.choices != nullptr) {
    spec.block_rows = request.choices->at("block_rows");
    spec.block_columns = request.choices->at("block_columns");
    spec.value = *element_type_from(request.choices->at("value").get<std::string>());
    spec.border = *element_type_from(request.choices->at("border").get<std::string>());
  } else {
    const TableNeed need = WavefrontStage::need_of(spec, problem);
    const auto workspace = [&](const BlockShape& block) -> std::int64_t {
      if (!request.resources.cuda) return 0;
      SweepSpec cut = spec;
      cut.block_rows = block.rows;
      cut.block_columns = block.columns;
      return static_cast<std::int64_t>(wavefront::cuda_workspace_bytes(cut, request.resources.device));
    };
    const BlockShape shape = choose_blocks(need, request.resources, workspace);
    spec.block_rows = shape.rows;
    spec.block_columns = shape.columns;
  }
  return std::make_unique<WavefrontStage>(request, std::move(spec), problem, inputs);
}

}  // namespace terrace::stages
