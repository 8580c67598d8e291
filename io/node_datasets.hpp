// The datasets of a result that hold the names of nodes.
#pragma once

#include <memory>
#include <optional>

#include "io/node_names.hpp"

namespace terrace::io {

/// The names that two datasets hold. @param names of `node` @param ids of `node_id`, if it is there
std::shared_ptr<const NodeNames> names_from_datasets(NodeNames::List names, std::optional<NodeNames::List> ids);

}  // namespace terrace::io
