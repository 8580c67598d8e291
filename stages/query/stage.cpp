#include "stages/query/stage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/packing.hpp"
#include "kernels/recursive/reduction.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/block_memory.hpp"
#include "stages/query/measured.hpp"
#include "stages/query/pairs.hpp"
#include "stages/query/tables.hpp"
#include "stages/query/tally.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/weights.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

/// The questions about the table.
struct Questions {
  std::vector<std::string> reduce;
  std::vector<NodePair> pairs;
  std::shared_ptr<io::Source> matrix;  // in the form of the algebra
  PathTable paths;
  std::shared_ptr<const TableNodes> nodes;
  bool has_pairs = false;

  bool asks(const std::string& reduction) const {
    return std::find(reduce.begin(), reduce.end(), reduction) != reduce.end();
  }
};

class QueryStage : public run::Stage {
 public:
  QueryStage(const Request& request, Questions questions, std::unique_ptr<QueryPlan> plan)
      : name_(request.stage.name),
        resources_(request.resources),
        questions_(std::move(questions)),
        plan_(std::move(plan)),
        tally_(*plan_) {}

  const run::Plan& plan() const override { return *plan_; }
  run::Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int array) const override {
    return array == 0 ? io::DatasetSpec{} : histogram_dataset(name_);
  }
  std::vector<io::Attribute> attributes() const override { return {}; }

  std::vector<io::SmallDataset> small() const override {
    std::vector<io::SmallDataset> found;
    dispatch(plan_->cut().value, [&](auto value) { add_totals<decltype(value)>(found); });
    if (const auto& bins = plan_->cut().bins) {
      for (io::SmallDataset& dataset : histogram_small(name_, *bins, uncounted()))
        found.push_back(std::move(dataset));
    }
    if (questions_.has_pairs) add_pairs(found);
    return found;
  }

  std::vector<run::StageMethod> methods() const override { return query_method.chosen(resources_.backend()); }

  run::Prediction prediction() const override {
    const QueryCut& cut = plan_->cut();
    const double elements = cut.totals ? static_cast<double>(cut.from) * static_cast<double>(cut.nodes) : 0;
    const auto element = static_cast<double>(size_of(cut.value));
    run::Prediction p;
    p.blocks = plan_->blocks();
    p.operations = elements;
    p.unit = "distance";
    p.operations_per_second = measured::query_rate * std::max(1, resources_.device.processors);
    p.bytes_read = elements * element;
    if (resources_.cuda) {
      p.bytes_up = p.bytes_read;
      p.workspace_bytes = recursive::reduction_cuda_bytes();
    }
    p.block_shape = std::to_string(cut.rows) + " x " + std::to_string(cut.nodes);
    p.block_bytes = static_cast<std::size_t>(cut.rows * cut.nodes) * size_of(cut.value) +
                    static_cast<std::size_t>(histogram_bytes(cut.bins));
    return p;
  }

  nlohmann::json choices() const override { return {{"rows", plan_->cut().rows}}; }

 private:
  Uncounted uncounted() const {
    const QueryCut& cut = plan_->cut();
    const std::int64_t pairs = cut.from * std::max<std::int64_t>(0, cut.nodes - 1);
    return {tally_.totals().outside, pairs - tally_.totals().finite};
  }
  std::string path(const char* name) const { return "/" + name_ + "/" + name; }

  template <class T>
  void add_totals(std::vector<io::SmallDataset>& found) const {
    const DistanceTotals& totals = tally_.totals();
    if constexpr (std::is_signed_v<T> && sizeof(T) > 1) {
      constexpr bool real = std::is_floating_point_v<T>;
      const auto one = [&](const char* name, std::int64_t whole, double number, const char* meaning) {
        const T value = totals.finite == 0 ? recursive::infinity<T>()
                                           : static_cast<T>(real ? static_cast<T>(number) : static_cast<T>(whole));
        if (!questions_.asks(name)) return;
        found.push_back(io::small_scalar(path(name), value, "", meaning));
        found.back().spec.no_value = no_path_of(plan_->cut().value);
      };
      if (questions_.asks("eccentricity")) {
        std::vector<T> values;
        if constexpr (real) values.assign(totals.farthest_real.begin(), totals.farthest_real.end());
        else
          for (const std::int64_t value : totals.farthest) values.push_back(static_cast<T>(value));
        found.push_back(io::small_dataset<T>(path("eccentricity"), {plan_->cut().from},
                                             {plan_->cut().sources ? io::source_dataset : "from"}, values, "",
                                             "largest finite distance from each node to another"));
        found.back().spec.no_value = no_path_of(plan_->cut().value);
      }
      one("diameter", totals.most, totals.most_real, "largest finite distance between different nodes");
      one("minimum", totals.least, totals.least_real, "least finite distance between different nodes");
      if (questions_.asks("count")) {
        found.push_back(io::small_scalar(path("count"), totals.finite, "", "pairs of different nodes with a path"));
      }
      const char* meaning = "sum of the finite distances between different nodes";
      if (!questions_.asks("sum")) return;
      if constexpr (real) found.push_back(io::small_scalar(path("sum"), totals.sum_real, "", meaning));
      else found.push_back(io::small_scalar(path("sum"), whole_sum(totals), "", meaning));
    }
  }

  std::int64_t whole_sum(const DistanceTotals& totals) const {
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    if (totals.high > most || totals.high < -most - 1) {
      throw ComputeError("stage '" + name_ + "': the sum of all distances leaves i64; give the matrix as f64");
    }
    return totals.high * (std::int64_t{1} << 32) + totals.low;
  }

  void add_pairs(std::vector<io::SmallDataset>& found) const {
    const auto count = static_cast<std::int64_t>(questions_.pairs.size());
    const ElementType type = plan_->cut().value;
    found.push_back({{path("distance"), type, {count}, {"pair"}, "", "distance of each pair", no_path_of(type)},
                     elements_at(*questions_.matrix, questions_.pairs)});
    if (!questions_.paths.table) return;
    const FollowedPaths paths = follow(questions_.paths, *questions_.nodes, questions_.pairs);
    const auto length = static_cast<std::int64_t>(paths.nodes.size());
    const char* meaning = "nodes of all paths, one path after another";
    const io::NodeNames::List names = questions_.nodes->names().names(paths.nodes);
    if (const auto* texts = std::get_if<io::NodeNames::Texts>(&names)) {
      found.push_back({{path("path"), ElementType::i64, {length}, {"step"}, "", meaning}, *texts});
    } else {
      const auto& ids = std::get<io::NodeNames::Numbers>(names);
      found.push_back(io::small_dataset<std::int64_t>(path("path"), {length}, {"step"}, ids, "", meaning));
    }
    found.push_back(io::small_dataset<std::int64_t>(
        path("path_begin"), {static_cast<std::int64_t>(paths.begin.size())}, {"bound"}, paths.begin, "",
        "where each path begins in `path`, and the end of the last one"));
  }

  std::string name_;
  Resources resources_;
  Questions questions_;
  std::unique_ptr<QueryPlan> plan_;
  QueryTally tally_;
};

Questions read_questions(const Request& request, const io::Source& matrix) {
  const Settings& settings = request.stage.settings;
  Questions questions;
  if (settings.has("reduce")) questions.reduce = settings.get<std::vector<std::string>>("reduce");
  questions.has_pairs = settings.has("pairs");
  if (questions.reduce.empty() && !questions.has_pairs) {
    refuse(request.stage, "matrix",
           "nothing is asked of '" + settings.text("matrix") + "': give `pairs` or `reduce`");
  }
  if (const std::string key = path_key(settings); !key.empty() && !questions.has_pairs) {
    refuse(request.stage, key, "`" + key + "` is there for the paths of `pairs`: give them, too");
  }
  questions.paths = open_paths(request, matrix);
  questions.nodes = std::make_shared<TableNodes>(matrix);
  if (questions.has_pairs) questions.pairs = pairs_of(request, *questions.nodes);
  return questions;
}

/// Rows of a block. @throws JobError if the memory does not hold a single one
std::int64_t choose_rows(const QueryCut& cut, const Resources& resources) {
  const std::int64_t row = std::max<std::int64_t>(1, cut.nodes) * static_cast<std::int64_t>(size_of(cut.value));
  const std::int64_t histogram = histogram_bytes(cut.bins);
  const auto bytes = [&](std::int64_t rows) { return whole_pages(rows * row) + histogram + 4096; };
  const auto budget = static_cast<std::int64_t>(std::min(resources.host_budget, resources.device_budget));
  const std::int64_t workspace =
      resources.cuda ? static_cast<std::int64_t>(recursive::reduction_cuda_bytes()) + 4096 : 0;
  if (bytes(1) + workspace > budget) refuse_budgets(resources, bytes(1), workspace);
  std::int64_t rows = std::clamp<std::int64_t>(measured::query_band_bytes / row, 1, recursive::reduction_rows);
  while (rows > 1 && 3 * bytes(rows) + workspace > budget) --rows;
  return rows;
}

}  // namespace

std::unique_ptr<run::Stage> make_query(const Request& request) {
  OpenTable table = open_table(request);
  Questions questions = read_questions(request, *table.matrix);
  QueryCut cut;
  cut.value = distance_type(table.matrix->type());
  cut.from = table.matrix->shape()[0];
  cut.nodes = table.matrix->shape()[1];
  cut.sources = questions.nodes->sources();
  cut.totals = !questions.reduce.empty();
  cut.each = questions.asks("eccentricity");
  if (questions.asks("histogram")) cut.bins = bins_of(request.stage.settings);
  cut.rows = request.choices != nullptr ? request.choices->at("rows").get<std::int64_t>()
                                        : choose_rows(cut, request.resources);
  questions.matrix = weights(table.matrix, cut.value, table.rules);
  auto plan = std::make_unique<QueryPlan>(std::move(cut), questions.matrix);
  return std::make_unique<QueryStage>(request, std::move(questions), std::move(plan));
}

}  // namespace terrace::stages
