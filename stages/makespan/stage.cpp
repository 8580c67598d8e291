#include "stages/makespan/stage.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "kernels/dp_table/methods.hpp"
#include "stages/dp_table/seconds.hpp"
#include "stages/makespan/definition.hpp"
#include "stages/makespan/epsilon.hpp"
#include "stages/makespan/exact/definition.hpp"
#include "stages/makespan/exact/stage.hpp"
#include "stages/makespan/results.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

class MakespanStage : public run::Stage {
 public:
  /// @param left_out the reason why there are no tables; empty: they fit
  MakespanStage(const Request& request, SearchDefinition definition, std::optional<JobSchedule> known,
                std::string left_out)
      : name_(request.stage.name),
        epsilon_(request.stage.settings.number("epsilon")),
        resources_(request.resources),
        known_(std::move(known)),
        left_out_(std::move(left_out)),
        plan_(std::move(definition), !known_),
        tally_(plan_) {}

  const run::Plan& plan() const override { return plan_; }
  run::Tally& tally() override { return tally_; }
  io::DatasetSpec dataset(int) const override { return {}; }
  std::vector<io::Attribute> attributes() const override { return {}; }
  std::vector<io::SmallDataset> small() const override {
    return search_datasets("/" + name_ + "/", plan_, tally_.findings(), known_);
  }

  std::vector<std::string> warnings() const override {
    if (left_out_.empty()) return {};
    const std::int64_t makespan = known_->makespan(), bound = plan_.definition().instance.least_makespan();
    std::ostringstream text;
    text << "stage '" << name_ << "': the result is the best schedule of LPT and MULTIFIT, with a makespan of "
         << makespan << " and a guarantee of " << guarantee_of(makespan, bound) << " in place of " << 1 + epsilon_
         << ", for the tables of the search do not fit: " << left_out_ << "; with `bounds: false` this is an error";
    return {text.str()};
  }

  std::vector<run::StageMethod> methods() const override { return makespan_method.chosen(resources_.backend()); }

  /// The tables of the first round, and in the rounds after it as many like that of the lower bound.
  run::Prediction prediction() const override {
    const SearchDefinition& search = plan_.definition();
    run::Prediction p;
    p.unit = "cell";
    p.block_shape = "0";
    p.block_bytes = static_cast<std::size_t>(search.cut.block_bytes(search.type));
    if (plan_.tables().search({}).done()) return p;
    const auto first = plan_.tables().round({});
    TablesTotal total;
    for (const ProbeTable& probe : first->probes) add(total, probe.sized.table, 1);
    p.block_shape = std::to_string(volume(first->probes.front().tiles.shape()));
    const double later = std::floor(std::log(static_cast<double>(search.upper - search.lower)) /
                                    std::log(static_cast<double>(search.probes + 1)));
    const RoundedJobs jobs = plan_.tables().rounding().jobs(search.lower);
    if (const auto tile = cut_of(jobs, search.cut.tile_cells)) {
      const auto last =
          sized_table(jobs, search.lower, search.type, search.instance.machines, *tile, search.cut.ordered);
      if (last) add_later(total, last->table, later, *first, p);
    }
    p.blocks = static_cast<std::int64_t>(total.blocks);
    p.operations = total.cells;
    p.operations_per_second = total.cells / total.seconds;
    p.limit = dp_table::look_up_limit(search.type, resources_.backend(), resources_.device) /
              (total.look_ups / total.cells);
    p.limit_kind = p.limit <= 0 ? "" : resources_.cuda ? "look-ups" : "operations";
    p.bytes_read = total.read, p.bytes_written = total.written;
    if (!resources_.cuda) return p;
    p.bytes_up = total.up, p.bytes_down = total.down;
    p.link_waits = 2 * total.waiting > std::max(total.up, total.down);
    p.workspace_bytes = static_cast<std::size_t>(search.workspace);
    return p;
  }

  nlohmann::json choices() const override {
    const SearchCut& cut = plan_.definition().cut;
    return {{"tile_cells", cut.tile_cells}, {"tiles", cut.tiles},
            {"sources", cut.sources},       {"live", cut.live},
            {"ordered", cut.ordered},       {"workspace", plan_.definition().workspace},
            {"left_out", left_out_}};
  }

 private:
  /// Sums over tables.
  struct TablesTotal {
    double cells = 0, look_ups = 0, seconds = 0, blocks = 0;
    double read = 0, written = 0, up = 0, down = 0;  // bytes: on disk, over the link
    double waiting = 0;                              // of these that are moved while nothing is computed
  };

  /// Adds `times` tables like this one.
  void add(TablesTotal& total, const dp_table::Table& table, double times) const {
    const double cells = static_cast<double>(volume(table.extents));
    total.cells += times * cells;
    total.look_ups += times * cells * static_cast<double>(std::max<std::int64_t>(1, table.steps.count()));
    total.seconds += times * table_seconds(table, false, resources_);
    total.blocks += times * static_cast<double>(dp_table::Tiles(table).count());
    const std::int64_t tile_cells = plan_.definition().cut.tile_cells;
    const TableTraffic disk = table_traffic(table, tile_cells, resources_.host_budget),
                       link = table_traffic(table, tile_cells, resources_.device_budget);
    total.read += times * disk.up, total.written += times * disk.down;
    total.up += times * link.up, total.down += times * link.down;
    if (!moves_beside(table, tile_cells, plan_.definition().workspace, resources_)) {
      total.waiting += times * std::max(link.up, link.down);
    }
  }

  /// Adds `rounds` rounds after the first one, of tables like this one.
  void add_later(TablesTotal& total, const dp_table::Table& table, double rounds, const RoundTables& first,
                 run::Prediction& p) const {
    add(total, table, rounds * static_cast<double>(first.probes.size()));
    if (!plan_.definition().cut.stays()) add_kept(total, table);
    if (volume(table.extents) > volume(first.probes.front().sized.table.extents)) {
      p.block_shape = std::to_string(volume(dp_table::Tiles(table).shape()));
    }
  }

  /// Adds the table of the search's end, which is made again and kept.
  void add_kept(TablesTotal& total, const dp_table::Table& table) const {
    TablesTotal made;
    add(made, table, 1);
    const double bytes = made.cells * static_cast<double>(size_of(table.type));
    total.cells += made.cells, total.look_ups += made.look_ups, total.seconds += made.seconds;
    total.blocks += made.blocks, total.read += made.read, total.up += made.up;
    total.waiting += made.waiting;
    total.written += bytes, total.down += bytes;
  }

  std::string name_;
  double epsilon_;
  Resources resources_;
  std::optional<JobSchedule> known_;
  std::string left_out_;
  MakespanPlan plan_;
  MakespanTally tally_;
};

/// The smallest epsilon with that k, of three decimals.
std::string epsilon_of(std::int64_t k) {
  std::ostringstream text;
  text << std::ceil(1000.0 / static_cast<double>(k) - 1e-9) / 1000;
  return text.str();
}

/// A choice of the cut of a search's tables, and the smallest epsilon whose tables fit if these do not.
struct CutOfSearch {
  CutChoice choice;
  std::string coarser;  // a clause; empty: there is no such epsilon
};

/// @param known_makespan of a known schedule: no epsilon is named for which it suffices; nullopt: there is none
CutOfSearch choose_cut(const Request& request, const SearchDefinition& search,
                       std::optional<std::int64_t> known_makespan) {
  const auto choice_for = [&](std::int64_t k) {
    const Rounding rounding(search.instance, k);
    return choose_search_cut(
        {rounding, search.lower, search.upper, search.type, search.instance.machines, search.probes},
        request.resources);
  };
  CutOfSearch found{choice_for(search.k), ""};
  if (found.choice.cut) return found;
  const auto needs_tables = [&](std::int64_t k) {
    return !known_makespan ||
           sufficient_bound(*known_makespan, 1 / static_cast<double>(k)) > search.instance.least_makespan();
  };
  std::int64_t k = std::min<std::int64_t>(search.k - 1, 40);
  while (k > 0 && needs_tables(k) && !choice_for(k).cut) --k;
  if (k > 0 && needs_tables(k)) found.coarser = "the smallest epsilon whose tables fit is " + epsilon_of(k);
  return found;
}

/// @throws JobError that names the least budgets or the smallest epsilon whose tables fit
[[noreturn]] void refuse_tables(const Request& request, const SearchDefinition& search, const CutOfSearch& found) {
  const std::string& coarser = found.coarser;
  if (found.choice.least) {
    try {
      refuse_budgets(request.resources, *found.choice.least);
    } catch (const JobError& error) {
      throw JobError(error.what() + (coarser.empty() ? "" : "; with these budgets " + coarser));
    }
  }
  const bool scratch = found.choice.fault.find("scratch space") != std::string::npos;
  const bool fewer = !coarser.empty() && search.probes > 1 && scratch;
  refuse(request.stage, "epsilon",
         found.choice.fault + ": " + (coarser.empty() ? "give more memory or scratch space" : coarser) +
             (fewer ? "; fewer `probes` take less room" : "") +
             "; or let `bounds: true` give the schedule without tables where they do not fit");
}

}  // namespace

std::unique_ptr<run::Stage> make_makespan(const Request& request) {
  if (is_exact(request.stage.settings)) return make_exact(request);
  auto [search, known] = define_search(request);
  std::string left_out;
  if (request.choices != nullptr) {
    search.cut.tile_cells = request.choices->at("tile_cells");
    search.cut.tiles = request.choices->at("tiles");
    search.cut.sources = request.choices->at("sources");
    search.cut.live = request.choices->at("live");
    search.cut.ordered = request.choices->at("ordered");
    search.workspace = request.choices->at("workspace");
    left_out = request.choices->at("left_out");
  } else if (search.lower < search.upper) {
    const CutOfSearch found = choose_cut(request, search, known ? std::optional(known->makespan()) : std::nullopt);
    if (found.choice.cut) {
      search.cut = *found.choice.cut;
      search.workspace = found.choice.workspace;
    } else if (known) {
      left_out = found.choice.fault + (found.coarser.empty() ? "" : ": " + found.coarser);
    } else {
      refuse_tables(request, search, found);
    }
  }
  if (!left_out.empty()) leave_out_tables(search);
  return std::make_unique<MakespanStage>(request, std::move(search), std::move(known), std::move(left_out));
}

}  // namespace terrace::stages
