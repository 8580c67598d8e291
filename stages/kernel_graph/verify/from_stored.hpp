// Graphs that begin from what a result has of their nodes.
#pragma once

#include <optional>
#include <string>

#include "stages/kernel_graph/definition.hpp"
#include "stages/verifier.hpp"

namespace terrace::stages {

/// A value that is made from other kept nodes as they are stored.
struct FromStored {
  GraphDefinition definition;  // whose inputs these are, after those of the job
  int value = 0;               // in its graph
  std::string names;           // of the nodes: "'a', 'b'"
};

/// The definition of a value from the kept nodes before it whose datasets have all bits of their values; nullopt: it
/// depends on none.
std::optional<FromStored> from_stored(const VerifyRequest& request, const GraphDefinition& definition, int value);

/// The steps of the longest iteration on which a value depends, in words: "500 steps of 'i/u'"; empty: on none.
std::string longest_iteration(const graph::Graph& graph, int value);

}  // namespace terrace::stages
