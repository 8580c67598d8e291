// The choice of methods and of slabs for the parts of a graph.
#pragma once

#include "stages/kernel_graph/plan.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// The plan of a graph: as chosen by the attempt to resume, else for the budgets.
/// @throws JobError if no plan fits them, naming the least
GraphPlan plan_graph(const Request& request, GraphDefinition definition);

/// The part that does the most work.
std::size_t heaviest_part(const GraphParts& parts);

}  // namespace terrace::stages
