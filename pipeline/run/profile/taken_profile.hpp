// The rows of a stage in the profile of another result, from which the stage is taken over.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "io/results/stored_group.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::run {

/// The columns of `/profile/stages`, `/profile/parts`, `/profile/blocks` and `/profile/copies` with the rows of one
/// stage, and all of `/profile/devices`. No columns: the other result had no such rows.
using TakenProfile = std::vector<io::SmallDataset>;

/// @param profile the group `/profile` of the other result @param stage its name there
TakenProfile profile_of_stage(const io::StoredGroup& profile, const std::string& stage);

/// Puts the rows of stages that are taken over into the tables of a new profile: the row of `/profile/stages` in
/// place of the one that is there, the others at the end. Numbers of stages and devices become those of the new
/// profile; devices that it lacks are added. Columns that an earlier version did not write are 0 or empty.
/// @param columns of the new profile, among other datasets
/// @param taken by numbers of stages in the new profile
void add_taken(std::vector<io::SmallDataset>& columns, const std::map<std::size_t, TakenProfile>& taken);

nlohmann::json profile_json(const TakenProfile& profile);
/// @throws nlohmann::json::exception, std::invalid_argument if it is damaged
TakenProfile taken_profile_from(const nlohmann::json& json);

}  // namespace terrace::run
