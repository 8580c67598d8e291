// Scratch files: in the run's folder or one that others share, known by the run's id in their names and first bytes.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "io/files/entry.hpp"

namespace terrace::run {

/// The file that a plan's member `scratch` names: by its name alone in the run's folder, else by its absolute path.
/// @param id the run's. @throws IoError where the name does not begin with it
io::Entry scratch_entry(const io::Folder& run_folder, const std::string& id, const nlohmann::json& file);

/// @throws IoError where the status is of something that no run makes: a link, or another user's file
void check_scratch_file(const io::Entry& file, const struct stat& status);

/// Makes the file where nothing has its name: exclusively, for this user alone, and with the run's id in its first
/// bytes. @return false where it is there. @throws IoError, also where what is there was not made by this run
bool make_scratch_file(const io::Entry& file, const std::string& id);

/// Removes the scratch files that the plan names, and of these only what this run has made; failures are ignored.
void remove_scratch_files(const io::Folder& run_folder, const nlohmann::json& plan) noexcept;

}  // namespace terrace::run
