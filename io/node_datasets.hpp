// The datasets of a result that hold the names of nodes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "io/node_names.hpp"

namespace terrace::io {

/// The names that two datasets hold. @param names of `node` @param ids of `node_id`, if it is there
std::shared_ptr<const NodeNames> names_from_datasets(NodeNames::List names, std::optional<NodeNames::List> ids);

/// The rows of the nodes that `source` names, among all nodes; null if a name is none of theirs, or that of several.
std::shared_ptr<const std::vector<std::int64_t>> rows_from_dataset(const NodeNames::List& sources,
                                                                   const NodeNames& nodes);

}  // namespace terrace::io
