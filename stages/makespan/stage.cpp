#include "stages/makespan/stage.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "stages/makespan/definition.hpp"
#include "stages/makespan/measured.hpp"
#include "stages/makespan/results.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

class MakespanStage : public run::Stage {
 public:
  MakespanStage(const Request& request, SearchDefinition definition, std::optional<JobSchedule> known)
      : name_(request.stage.name),
        resources_(request.resources),
        known_(std::move(known)),
        plan_(std::move(definition), !known_),
        tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int) const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }
  std::vector<io::SmallDataset> small() const override {
    return search_datasets("/" + name_ + "/", plan_, tally_.findings(), known_);
  }

  /// The tables of the first round, and in the rounds after it as many like that of the lower bound.
  run::Prediction prediction() const override {
    const SearchDefinition& search = plan_.definition();
    run::Prediction p;
    p.unit = "cell";
    p.block_shape = "0";
    p.block_bytes = static_cast<std::size_t>(search.cut.block_bytes(search.type));
    if (plan_.tables().search({}).done()) return p;
    const auto first = plan_.tables().round({});
    double looked_up = 0;
    const auto add = [&](const dp_table::Table& table, double times) {
      const double cells = times * static_cast<double>(volume(table.extents));
      p.operations += cells;
      looked_up += cells * static_cast<double>(std::max<std::int64_t>(1, table.steps.count()));
    };
    for (const ProbeTable& probe : first->probes) add(probe.table, 1);
    const double later = std::floor(std::log(static_cast<double>(search.upper - search.lower)) /
                                    std::log(static_cast<double>(search.probes + 1)));
    const auto probes = static_cast<double>(first->probes.size());
    const auto last =
        table_of(plan_.tables().rounding().jobs(search.lower), search.lower, search.type, search.instance.machines);
    const bool again = !search.cut.stays();  // makes the table of the search's end again
    if (last) add(*last, later * probes + (again ? 1 : 0));
    p.blocks = static_cast<std::int64_t>((later + 1) * static_cast<double>(first->blocks)) +
               (again ? first->probes.front().tiles.count() : 0);
    p.block_shape = std::to_string(first->probes.front().tile_cells());
    const double steps = looked_up / p.operations;
    const double rate =
        resources_.cuda ? measured::search_cuda_rate : measured::search_cpu_rate * resources_.device.processors;
    p.operations_per_second = rate / steps;
    p.limit = resources_.device.operations_per_second * 4 / static_cast<double>(size_of(search.type)) / steps;
    p.limit_kind = p.limit > 0 ? "operations" : "";
    add_traffic(p);
    return p;
  }

  nlohmann::json choices() const override {
    const SearchCut& cut = plan_.definition().cut;
    return {{"tile_cells", cut.tile_cells}, {"tiles", cut.tiles}, {"sources", cut.sources}, {"live", cut.live}};
  }

 private:
  /// If memory does not hold the tiles that are needed at a time, each is written once, and about as much is read.
  void add_traffic(run::Prediction& p) const {
    const SearchDefinition& search = plan_.definition();
    const double element = static_cast<double>(size_of(search.type)), bytes = p.operations * element;
    const double tile = static_cast<double>(search.cut.tile_cells) * element;
    const double live = static_cast<double>(search.cut.live) * tile;
    if (live > static_cast<double>(resources_.host_budget)) p.bytes_read = p.bytes_written = bytes;
    else if (!search.cut.stays()) p.bytes_written = static_cast<double>(search.cut.tiles) * tile;  // the last one
    if (resources_.cuda) {
      p.workspace_bytes = static_cast<std::size_t>(plan_.definition().workspace);
      if (live > static_cast<double>(resources_.device_budget)) p.bytes_up = p.bytes_down = bytes;
    }
  }

  std::string name_;
  Resources resources_;
  std::optional<JobSchedule> known_;
  MakespanPlan plan_;
  MakespanTally tally_;
};

/// The smallest epsilon with that k, of three decimals.
std::string epsilon_of(std::int64_t k) {
  std::ostringstream text;
  text << std::ceil(1000.0 / static_cast<double>(k) - 1e-9) / 1000;
  return text.str();
}

/// The cut of the search's tables. @throws JobError that names the smallest epsilon whose tables fit
SearchCut choose_cut(const Request& request, SearchDefinition& search) {
  const auto choice_for = [&](std::int64_t k) {
    const Rounding rounding(search.instance, k);
    return choose_search_cut(
        {rounding, search.lower, search.upper, search.type, search.instance.machines, search.probes},
        request.resources);
  };
  const CutChoice choice = choice_for(search.k);
  if (choice.cut) {
    search.workspace = choice.workspace;
    return *choice.cut;
  }
  const bool scratch = choice.fault.find("scratch space") != std::string::npos;
  std::int64_t k = std::min<std::int64_t>(search.k - 1, 40);
  while (k > 0 && !choice_for(k).cut) --k;
  refuse(request.stage, "epsilon",
         choice.fault + (k > 0 ? ": the smallest epsilon whose tables fit is " + epsilon_of(k) +
                                     (search.probes > 1 && scratch ? "; fewer `probes` take less room" : "")
                               : ": give more memory or scratch space"));
}

}  // namespace

std::unique_ptr<run::Stage> make_makespan(const Request& request) {
  auto [search, known] = define_search(request);
  if (request.choices != nullptr) {
    search.cut.tile_cells = request.choices->at("tile_cells");
    search.cut.tiles = request.choices->at("tiles");
    search.cut.sources = request.choices->at("sources");
    search.cut.live = request.choices->at("live");
  } else {
    search.cut = choose_cut(request, search);
  }
  return std::make_unique<MakespanStage>(request, std::move(search), std::move(known));
}

}  // namespace terrace::stages
