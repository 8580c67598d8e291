#include "stages/makespan/definition.hpp"

#include <algorithm>

#include "stages/makespan/epsilon.hpp"
#include "stages/makespan/heuristics.hpp"
#include "stages/makespan/inputs.hpp"

namespace terrace::stages {

DefinedSearch define_search(const Request& request) {
  const Settings& settings = request.stage.settings;
  DefinedSearch defined;
  SearchDefinition& search = defined.search;
  search.instance = read_instance(request);
  search.k = divisor_of_epsilon(settings.number("epsilon"));
  search.probes = settings.integer("probes");
  search.type = cell_type(search.instance);
  search.lower = search.instance.least_makespan();
  search.upper = search.instance.most_makespan();
  if (settings.flag("bounds")) {
    defined.known = multifit(search.instance, longest_processing_time(search.instance));
    // No target from there on needs a table: the known schedule is within epsilon of it.
    search.upper = std::max(search.lower, sufficient_bound(defined.known->makespan(), settings.number("epsilon")));
  }
  return defined;
}

void leave_out_tables(SearchDefinition& search) { search.upper = search.lower; }

}  // namespace terrace::stages
