// Checks that nobody but this user has put anything into the folder of a run.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "io/files/entry.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::run {

/// The output that a job names cannot be the output of a run here: the job is wrong, not the disk.
class UnfitOutput : public IoError {
 public:
  using IoError::IoError;
};

/// True if a run makes files or folders of this name in its folder.
bool is_name_of_run(const std::string& name);
/// True for the name of a scratch file of the run, "<run's id>-<stage>-<array>".
bool is_scratch_name(const std::string& name, const std::string& run_id);
/// True for the folders `ledger` and `modules`, which a run makes in its folder.
bool is_folder_of_run(const std::string& name);
/// True if a run makes files of this name in that folder of its folder.
bool is_name_in(const std::string& folder, const std::string& name);

/// @throws UnfitOutput unless the folder is this user's, and nobody else may write to it; the message names the
/// command that mends it
void check_owner(const std::filesystem::path& folder, const struct stat& status);

/// Reads names and statuses alone.
/// @throws UnfitOutput as check_owner does, and unless the folder holds only files of a run, of this user and without
/// second names: a file of another user could lead elsewhere. IoError
void check_run_folder(const io::Folder& folder, const std::filesystem::path& output);

/// The reason why a file cannot have been made by this user's process: a link, no regular file, another user's, or
/// with a second name; else nullopt.
std::optional<std::string> foreign_because(const struct stat& status);

}  // namespace terrace::run
