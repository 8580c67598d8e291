#include "stages/makespan/stage.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "stages/makespan/heuristics.hpp"
#include "stages/makespan/inputs.hpp"
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

  /// As if every round had tables like the first one.
  run::Prediction prediction() const override {
    const SearchDefinition& search = plan_.definition();
    run::Prediction p;
    p.unit = "cell";
    double steps = 1;
    if (!plan_.tables().search({}).done()) {
      const auto first = plan_.tables().round({});
      const double rounds = 1 + std::log(static_cast<double>(search.upper - search.lower)) /
                                    std::log(static_cast<double>(search.probes + 1));
      double cells = 0, looked_up = 0;
      for (const ProbeTable& probe : first->probes) {
        const auto here = static_cast<double>(volume(probe.table.extents));
        cells += here;
        looked_up += here * static_cast<double>(std::max<std::int64_t>(1, probe.table.steps.count()));
      }
      p.blocks = static_cast<std::int64_t>(rounds * static_cast<double>(first->blocks));
      p.operations = rounds * cells;
      steps = looked_up / cells;
      p.block_shape = std::to_string(first->probes.front().tile_cells());
    }
    const double rate =
        resources_.cuda ? measured::search_cuda_rate : measured::search_cpu_rate * resources_.device.processors;
    p.operations_per_second = rate / steps;
    p.block_bytes = static_cast<std::size_t>(search.cut.block_bytes(search.type));
    const double bytes = p.operations * static_cast<double>(size_of(search.type));
    if (search.cut.tiles > 1) p.bytes_written = bytes;
    if (search.cut.tiles > 1) p.bytes_read = bytes * static_cast<double>(search.cut.sources);
    return p;
  }

  nlohmann::json choices() const override {
    const SearchCut& cut = plan_.definition().cut;
    return {{"tile_cells", cut.tile_cells}, {"tiles", cut.tiles}, {"sources", cut.sources}};
  }

 private:
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
SearchCut choose_cut(const Request& request, const SearchDefinition& search) {
  const auto choice_for = [&](std::int64_t k) {
    const Rounding rounding(search.instance, k);
    return choose_search_cut(
        {rounding, search.lower, search.upper, search.type, search.instance.machines, search.probes},
        request.resources);
  };
  const CutChoice choice = choice_for(search.k);
  if (choice.cut) return *choice.cut;
  std::int64_t k = std::min<std::int64_t>(search.k - 1, 40);
  while (k > 0 && !choice_for(k).cut) --k;
  refuse(request.stage, "epsilon",
         choice.fault + (k > 0 ? ": the smallest epsilon whose tables fit is " + epsilon_of(k) +
                                     (search.probes > 1 ? "; fewer `probes` take less room" : "")
                               : ": give more memory or scratch space"));
}

}  // namespace

std::unique_ptr<run::Stage> make_makespan(const Request& request) {
  const Settings& settings = request.stage.settings;
  SearchDefinition search;
  search.instance = read_instance(request);
  search.k = divisor_of_epsilon(settings.number("epsilon"));
  search.probes = settings.integer("probes");
  search.type = cell_type(search.instance);
  search.lower = search.instance.least_makespan();
  search.upper = search.instance.most_makespan();
  std::optional<JobSchedule> known;
  if (settings.flag("bounds")) {
    known = multifit(search.instance, longest_processing_time(search.instance));
    search.upper = std::min(search.upper, known->makespan());
  }
  if (request.choices != nullptr) {
    search.cut.tile_cells = request.choices->at("tile_cells");
    search.cut.tiles = request.choices->at("tiles");
    search.cut.sources = request.choices->at("sources");
  } else {
    search.cut = choose_cut(request, search);
  }
  return std::make_unique<MakespanStage>(request, std::move(search), std::move(known));
}

}  // namespace terrace::stages
