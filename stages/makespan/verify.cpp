#include "stages/makespan/verify.hpp"

#include <algorithm>
#include <limits>

#include "stages/makespan/definition.hpp"
#include "stages/makespan/exact/definition.hpp"
#include "stages/makespan/exact/verify.hpp"
#include "stages/makespan/plan.hpp"
#include "stages/makespan/results.hpp"
#include "stages/makespan/tally.hpp"
#include "stages/makespan/verify_loads.hpp"

namespace terrace::stages {
namespace {

constexpr double most_cells = 3e7, most_look_ups = 1e9;  // of a table that is computed again

/// The value of a table's last cell, cell by cell: the least number of machines.
std::int64_t least_machines(const dp_table::Table& table) {
  const Extents strides = row_major_strides(table.extents);
  std::vector<std::int64_t> offsets;
  for (std::int64_t number = 0; number < table.steps.count(); ++number) {
    std::int64_t offset = 0;
    for (int d = 0; d < strides.rank(); ++d) offset += table.steps.step(number)[d] * strides[d];
    offsets.push_back(offset);
  }
  constexpr std::int32_t none = std::numeric_limits<std::int32_t>::max() - 1;
  std::vector<std::int32_t> cells(static_cast<std::size_t>(volume(table.extents)), none);
  cells[0] = 0;
  Extents index = Extents::filled(strides.rank(), 0);
  const auto fits = [&](const std::int64_t* step) {
    for (int d = 0; d < index.rank(); ++d) {
      if (step[d] > index[d]) return false;
    }
    return true;
  };
  for (std::size_t cell = 1; cell < cells.size(); ++cell) {
    for (int d = index.rank() - 1; ++index[d] == table.extents[d]; --d) index[d] = 0;
    for (std::size_t number = 0; number < offsets.size(); ++number) {
      if (!fits(table.steps.step(static_cast<std::int64_t>(number)))) continue;
      cells[cell] = std::min(cells[cell], cells[cell - static_cast<std::size_t>(offsets[number])] + 1);
    }
  }
  return cells.back();
}

class ScheduleCheck {
 public:
  explicit ScheduleCheck(const VerifyRequest& request) : ScheduleCheck(request, define_search(request.request)) {}

  std::vector<Checked> run() {
    makespan_ = check_loads(request_, instance(), found_);
    go_through_search();
    check_tables();
    check_bound();
    return std::move(found_);
  }

 private:
  ScheduleCheck(const VerifyRequest& request, DefinedSearch defined)
      : request_(request),
        left_out_(defined.known && defined.search.lower < defined.search.upper &&
                  read_all<std::int64_t>(request, "tables/target").empty()),
        plan_(search_of(defined, left_out_), !defined.known) {}

  static SearchDefinition search_of(DefinedSearch& defined, bool left_out) {
    if (left_out) leave_out_tables(defined.search);
    return std::move(defined.search);
  }

  const Instance& instance() const { return plan_.definition().instance; }
  void compare(const char* name, const std::vector<std::int64_t>& expected, const std::string& what) {
    found_.push_back(check_texts(request_, name, texts_of(expected), what));
  }

  /// Takes the outcome of each round from the stored tables, until one is missing.
  void go_through_search() {
    const auto targets = read_all<std::int64_t>(request_, "tables/target");
    const auto feasible = read_all<std::uint8_t>(request_, "tables/feasible");
    const auto is_feasible = [&](std::int64_t target) {
      const auto at = std::find(targets.begin(), targets.end(), target) - targets.begin();
      return at < std::ssize(feasible) && feasible[static_cast<std::size_t>(at)] != 0;
    };
    const TablesOfSearch& tables = plan_.tables();
    for (TargetSearch search = tables.search({}); !search.done(); search = tables.search(outcome_.outcomes)) {
      std::int64_t first = tables.tables_of(search);
      for (std::int64_t n = first; n-- > 0;) {
        if (is_feasible(search.targets()[static_cast<std::size_t>(n)])) first = n;
      }
      for (std::int64_t n = 0; n < tables.tables_of(search); ++n) {
        const std::int64_t target = search.targets()[static_cast<std::size_t>(n)];
        add_table(target, is_feasible(target));
      }
      outcome_.outcomes.push_back(first);
    }
    if (const auto end = plan_.end_target(outcome_.outcomes)) add_table(*end, true);
  }

  void add_table(std::int64_t target, bool feasible) {
    for (const MadeTable& table : outcome_.tables) {
      if (table.target == target) return;
    }
    const RoundedJobs jobs = plan_.tables().rounding().jobs(target);
    auto table = table_of(jobs, target, plan_.definition().type, instance().machines);
    const Extents extents = jobs.extents();
    outcome_.tables.push_back({target, volume(extents), table ? table->steps.count() : 0,
                               std::vector<std::int64_t>(extents.begin(), extents.end()), feasible});
    if (!table) return;
    const double cells = static_cast<double>(volume(extents)), steps = static_cast<double>(table->steps.count());
    if (cells <= most_cells && cells * steps <= most_look_ups) small_.push_back(outcome_.tables.size() - 1);
  }

  void check_tables() {
    const TableColumns columns = columns_of(outcome_.tables);
    compare("tables/target", columns.target, "searched again");
    compare("tables/extents", columns.extents, "rounded again");
    compare("tables/cells", columns.cells, "rounded again");
    compare("tables/steps", columns.steps, "counted again");
    const Parts parts{"tables/feasible", std::ssize(small_), "tables that are not too large"};
    found_.push_back(check_parts(request_, "tables/feasible", parts, [&](std::int64_t part) {
      const MadeTable& made = outcome_.tables[small_[static_cast<std::size_t>(part)]];
      const auto table = table_of(plan_.tables().rounding().jobs(made.target), made.target, plan_.definition().type,
                                  instance().machines);
      const bool feasible = least_machines(*table) <= instance().machines;
      if (feasible == made.feasible) return std::string();
      return "target " + std::to_string(made.target) + ": " + (made.feasible ? "1" : "0") + " is stored, " +
             (feasible ? "1" : "0") + " was computed";
    }));
  }

  void check_bound() {
    const std::int64_t bound = lower_bound_after(plan_, outcome_);
    compare("lower_bound", {bound}, "of the times and the tables");
    const double guarantee = guarantee_of(makespan_, bound);
    found_.push_back(check_texts(request_, "guarantee", {text_of(guarantee)},
                                 left_out_ ? "divided again; there are no tables" : "divided again"));
    const double promised = 1 + request_.request.stage.settings.number("epsilon");
    if (!left_out_ && guarantee > promised * (1 + 1e-12) && found_.back().difference.empty()) {
      found_.back().difference = text_of(guarantee) + " is more than 1 + epsilon";
    }
  }

  const VerifyRequest& request_;
  bool left_out_;  // true if the search was left out, for its tables did not fit
  MakespanPlan plan_;
  SearchFindings outcome_;          // as the stored tables tell it
  std::vector<std::size_t> small_;  // tables that can be computed again
  std::int64_t makespan_ = 0;       // of the assignment
  std::vector<Checked> found_;
};

}  // namespace

std::vector<Checked> verify_makespan(const VerifyRequest& request) {
  if (is_exact(request.request.stage.settings)) return verify_exact(request);
  return ScheduleCheck(request).run();
}

}  // namespace terrace::stages
