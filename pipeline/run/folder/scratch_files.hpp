// Scratch files: in the run's folder or a shared one, identified by the run's id in their names and first bytes.
#pragma once

#include <string>

#include "io/files/entry.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::run {

/// The file that a plan's member `scratch` names: by its name alone in the run's folder, else by its absolute path.
/// @param id the run's. @throws IoError if the name does not begin with it
io::Entry scratch_entry(const io::Folder& run_folder, const std::string& id, const nlohmann::json& file);

/// @throws IoError if the status is not of a file that a run makes: of a link, or of another user's file
void check_scratch_file(const io::Entry& file, const struct stat& status);

/// Makes the file if nothing has its name: exclusively, for this user alone, and with the run's id in its first
/// bytes. @return false if it exists. @throws IoError, also if the existing file was not made by this run
bool make_scratch_file(const io::Entry& file, const std::string& id);

/// Removes the scratch files that the plan names, if this run has made them; failures are ignored.
void remove_scratch_files(const io::Folder& run_folder, const nlohmann::json& plan) noexcept;

}  // namespace terrace::run
