// The declaration of the stage `makespan`.
#include "stages/makespan/epsilon.hpp"
#include "stages/makespan/instance.hpp"
#include "stages/makespan/search.hpp"
#include "stages/makespan/stage.hpp"
#include "stages/makespan/verify.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

StageKind makespan_stage() {
  StageKind kind;
  kind.declaration.name = "makespan";
  kind.declaration.help =
      "jobs on identical machines, so that the last one ends at most 1 + epsilon times as late as possible";
  kind.declaration.parameters = {
      {"times", ParameterKind::array,
       "the time of each job, of at most 16777216: whole numbers, not negative, in one dimension, row or column"},
      {"machines", ParameterKind::count, "the number of machines", nullptr, nullptr, 1,
       static_cast<double>(most_machines)},
      {"epsilon", ParameterKind::number, "the guarantee: at most 1 + epsilon times the least makespan", nullptr,
       nullptr, least_epsilon, 1},
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
      {"tables/target", "tables", "the makespan that each table was made for", job::Ties::none},
      {"tables/extents", "tables x dimensions", "one more than the number of long jobs of each size; 0: no dimension",
       job::Ties::none},
      {"tables/cells", "tables", "of each table", job::Ties::none},
      {"tables/steps", "tables", "configurations of one machine, as each table was made with", job::Ties::none},
      {"tables/feasible", "tables", "1 if the long jobs, rounded down, end at the target", job::Ties::none}};
  kind.declaration.example = {"times: {values: [7, 3, 9, 4, 6, 2, 8, 5]}",
                              {"{times: times, machines: 3, epsilon: 0.25}", "bounds: false"}};
  kind.make = make_makespan;
  kind.methods = [] { return makespan_method.all(); };
  kind.verify = verify_makespan;
  kind.declaration.results = 2;  // the search ends as soon as the schedules that bound it suffice
  kind.deals = true;
  return kind;
}

}  // namespace terrace::stages
