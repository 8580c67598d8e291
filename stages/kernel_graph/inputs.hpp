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

/// Opens an array of the job of rows x columns x 2, a flow, as the next two inputs: NAME/u, the displacements along
/// columns, and NAME/v, those along rows. They may be NaN. Adds to the faults if it is no flow.
void open_flow(const Request& request, const std::string& name, const std::string& parameter, graph::Graph& graph,
               GraphDefinition& made, std::vector<std::string>& faults);

/// The type in which a graph is computed, by the setting `type`. @param has_wide true if nodes read an array of f64
ElementType type_of_graph(const Settings& settings, bool has_wide);

/// Takes a graph whose inputs are there, and cuts it into parts. @throws JobError at the stage's place if it has no
/// parts that can be computed
void take_graph(const Request& request, graph::Graph graph, GraphDefinition& made);

/// A fault of a graph, at a place or at the stage's.
std::string fault_at(const Request& request, const Place& place, const std::string& what);

}  // namespace terrace::stages
