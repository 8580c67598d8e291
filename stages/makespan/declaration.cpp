// The declaration of the stage `makespan`.
#include "stages/makespan/epsilon.hpp"
#include "stages/makespan/exact/definition.hpp"
#include "stages/makespan/exact/stage.hpp"
#include "stages/makespan/instance.hpp"
#include "stages/makespan/search.hpp"
#include "stages/makespan/stage.hpp"
#include "stages/makespan/verify.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

namespace {

constexpr const char* by_tables = "epsilon above 0";

bool has_tables(const Settings& settings) { return !is_exact(settings); }

bool is_given(const Settings& settings, const char* name) {
  return settings.has(name) && !settings.place(name).text.empty();
}

std::vector<job::Finding> check_together(const std::string&, const Settings& settings) {
  const double epsilon = settings.number("epsilon");
  if (epsilon > 0) {
    std::vector<job::Finding> found;
    if (epsilon < least_epsilon) found.push_back({"epsilon", "give 0, or a number from 1e-09 to 1"});
    if (is_given(settings, "time_limit")) {
      found.push_back({"time_limit", "only the search of `epsilon: 0` has a limit; leave it out"});
    }
    return found;
  }
  std::vector<job::Finding> found;
  if (is_given(settings, "probes")) {
    found.push_back(
        {"probes", "`epsilon: 0` is computed without tables, and so tries no targets by them; leave it out"});
  }
  if (!settings.flag("bounds")) {
    found.push_back({"bounds", "`epsilon: 0` is computed without tables, so they cannot decide alone; leave it out"});
  }
  return found;
}

std::vector<run::StageMethod> all_methods() {
  std::vector<run::StageMethod> methods = makespan_method.all();
  methods.push_back(exact_method.on(device::Backend::cpu));
  return methods;
}

std::optional<CpuAlone> cpu_alone(const Request& request) {
  const job::Stage& stage = request.stage;
  if (!is_exact(stage.settings)) return std::nullopt;
  return CpuAlone{"epsilon", "`epsilon: 0` is computed on the CPU only; give another, or `backend: cpu`"};
}

}  // namespace

StageKind makespan_stage() {
  StageKind kind;
  kind.declaration.name = "makespan";
  kind.declaration.help =
      "jobs on identical machines, so that the last one ends at most 1 + epsilon times as late as possible, or as "
      "early "
      "as possible";
  kind.declaration.parameters = {
      {"times", ParameterKind::array,
       "the time of each job, of at most 16777216: whole numbers, not negative, in one dimension, row or column"},
      {"machines", ParameterKind::count, "the number of machines", nullptr, nullptr, 1,
       static_cast<double>(most_machines)},
      {"epsilon", ParameterKind::number,
       "the guarantee: at most 1 + epsilon times the least makespan; 0: the least makespan, by branch and bound on "
       "the "
       "CPU",
       nullptr, nullptr, 0, 1},
      {"time_limit", ParameterKind::duration,
       "with `epsilon: 0`: the computing time, of all attempts together, after which the best schedule that was "
       "found "
       "is the result, with a warning; 60s if it is not given",
       "", nullptr, 0, 1e9, "s"},
      {"probes", ParameterKind::integer, "targets that are tried at a time", "4", nullptr, 1,
       static_cast<double>(TargetSearch::most_probes)},
      {"bounds", ParameterKind::flag,
       "true: schedules by LPT and MULTIFIT bound the search, which ends once one of them is proved to be within "
       "epsilon; they are the result where they are better, or where the tables do not fit. false: tables alone "
       "decide, "
       "and tables that do not fit are an error",
       "true"}};
  kind.declaration.outputs = {
      {"makespan", "one value", "when the last job ends", job::Ties::none},
      {"assignment", "jobs", "the machine of each job, from 0", job::Ties::open},
      {"load", "machines", "the time of all jobs of each machine", job::Ties::open},
      {"lower_bound", "one value", "no schedule has a smaller makespan", job::Ties::none},
      {"guarantee", "one value", "makespan / lower_bound", job::Ties::none},
      {"tables/target", "tables", "the makespan that each table was made for", job::Ties::none, by_tables,
       has_tables},
      {"tables/extents", "tables x dimensions", "one more than the number of long jobs of each size; 0: no dimension",
       job::Ties::none, by_tables, has_tables},
      {"tables/cells", "tables", "of each table", job::Ties::none, by_tables, has_tables},
      {"tables/steps", "tables", "configurations of one machine, as each table was made with", job::Ties::none,
       by_tables, has_tables},
      {"tables/feasible", "tables", "1 if the long jobs, rounded down, end at the target", job::Ties::none, by_tables,
       has_tables}};
  kind.declaration.example = {"times: {values: [7, 3, 9, 4, 6, 2, 8, 5]}",
                              {"{times: times, machines: 3, epsilon: 0.25}", "bounds: false",
                               "{times: times, machines: 3, epsilon: 0, time_limit: 10s}"}};
  kind.make = make_makespan;
  kind.methods = all_methods;
  kind.cpu_alone = cpu_alone;
  kind.declaration.check = check_together;
  kind.verify = verify_makespan;
  kind.declaration.results = 2;  // the search ends as soon as the schedules that bound it suffice
  kind.deals = always_deals;
  return kind;
}

}  // namespace terrace::stages
