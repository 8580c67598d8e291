// The arrays that a graph reads.
#pragma once

#include <string>
#include <vector>

#include "stages/kernel_graph/definition.hpp"

namespace terrace::stages {

/// Opens an array of the job as the next input of a graph. Adds to the faults if it is no image.
/// @param name of the input in the graph @param parameter that names the array
void open_input(const Request& request, const std::string& name, const std::string& parameter, graph::Graph& graph,
                GraphDefinition& made, std::vector<std::string>& faults);

/// The type in which a graph is computed, by the setting `type`. @param has_wide true if nodes read an array of f64
ElementType type_of_graph(const Settings& settings, bool has_wide);

/// A fault of a graph, at a place or at the stage's.
std::string fault_at(const Request& request, const Place& place, const std::string& what);

}  // namespace terrace::stages
