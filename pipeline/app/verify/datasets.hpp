// Datasets of a stage that no verifier of its kind looks at.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "io/node_names.hpp"
#include "pipeline/app/earlier/made_result.hpp"
#include "stages/verifier.hpp"

namespace terrace::app {

/// Compares the names of nodes beside the tables of a stage: `node`, `node_id`, and the axes `from` and `to`.
/// @param nodes read by the stage; null: none @return nullopt if the result has no names there
/// @throws IoError if the result cannot be read
std::optional<stages::Checked> check_names(const MadeResult& result, const job::Stage& stage,
                                           const std::shared_ptr<const io::NodeNames>& nodes);

/// The datasets of a stage in the result that no finding names, as a finding; nullopt if there are none.
/// @throws as above
std::optional<stages::Checked> not_compared(const MadeResult& result, const job::Stage& stage,
                                            const std::vector<stages::Checked>& found);

}  // namespace terrace::app
