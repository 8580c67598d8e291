#include "pipeline/run/folder/check.hpp"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "kernels/compiled/key.hpp"

namespace terrace::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t run_id_letters = 16;

/// "alice", or "user 1000" for one without a name.
std::string user_name(uid_t user) {
  std::vector<char> buffer(16 << 10);
  passwd entry{};
  passwd* found = nullptr;
  if (getpwuid_r(user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) return entry.pw_name;
  return "user " + std::to_string(user);
}

/// The path as a word of a shell's command.
std::string shell_word(const fs::path& path) {
  std::string word = "'";
  for (const char letter : path.string()) word += letter == '\'' ? std::string("'\\''") : std::string(1, letter);
  return word + "'";
}

void check_entry(const io::Entry& entry, const fs::path& output, bool known_name, bool is_folder) {
  const auto refuse = [&](const std::string& what) {
    throw UnfitOutput(entry.path().string(), what + ", and lies in the folder in which the run of " +
                                                 output.filename().string() +
                                                 " would live; move it away, or name another output");
  };
  const auto status = io::status_of(entry);
  if (!status) return;  // a run that ends just now has removed it
  if (!known_name) refuse("was not made by a run");
  if (is_folder && S_ISDIR(status->st_mode) && status->st_uid == geteuid()) return;
  if (const auto reason = foreign_because(*status)) refuse(*reason);
  if (is_folder) refuse("is no folder");
}

}  // namespace

bool is_scratch_name(const std::string& name, const std::string& run_id) {
  return run_id.size() == run_id_letters && run_id.find_first_not_of("0123456789abcdef") == std::string::npos &&
         name.starts_with(run_id + "-") && name.find('/') == std::string::npos;
}

bool is_folder_of_run(const std::string& name) { return name == "ledger" || name == "modules"; }

bool is_name_in(const std::string& folder, const std::string& name) {
  if (folder == "modules") {
    return compiled::is_name_of_key(name.ends_with(".new") ? name.substr(0, name.size() - 4) : name);
  }
  const std::size_t digits = name.find_first_not_of("0123456789");
  return digits != 0 && digits != std::string::npos &&
         (name.substr(digits) == ".log" || name.substr(digits) == ".blocks");
}

bool is_name_of_run(const std::string& name) {
  static constexpr std::array<std::string_view, 14> names{
      "lock",    "progress", "plan.json",     "plan.json.new",     "fresh.json",    "fresh.json.new",    "result.h5",
      "kept.h5", "ledger",   "metadata.copy", "metadata.copy.new", "profiles.json", "profiles.json.new", "modules"};
  return std::find(names.begin(), names.end(), name) != names.end() ||
         is_scratch_name(name, name.substr(0, run_id_letters));
}

std::optional<std::string> foreign_because(const struct stat& status) {
  if (S_ISLNK(status.st_mode)) return "is a link, which no run makes";
  if (!S_ISREG(status.st_mode)) return "is no regular file";
  if (status.st_uid != geteuid()) return "belongs to " + user_name(status.st_uid);
  if (status.st_nlink > 1) return "has a second name (a hard link)";
  return std::nullopt;
}

void check_owner(const fs::path& folder, const struct stat& status) {
  if (status.st_uid != geteuid()) {
    throw UnfitOutput(folder.string(), "belongs to " + user_name(status.st_uid) + ", and this run is of " +
                                           user_name(geteuid()) + "; if you trust what is in it: chown -R " +
                                           std::to_string(geteuid()) + " " + shell_word(folder) +
                                           "; else name another output");
  }
  if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
    throw UnfitOutput(
        folder.string(),
        "may be written to by other users, who could lead the run to files elsewhere; if you trust what "
        "is in it: chmod go-w " +
            shell_word(folder) + "; else name another output");
  }
}

void check_run_folder(const io::Folder& folder, const fs::path& output) {
  check_owner(folder.path(), folder.status());
  for (const std::string& name : folder.names()) {
    check_entry(folder / name, output, is_name_of_run(name), is_folder_of_run(name));
    if (!is_folder_of_run(name)) continue;
    try {
      const io::Folder inner = io::Folder::open(folder / name, false);
      for (const std::string& file : inner.names()) check_entry(inner / file, output, is_name_in(name, file), false);
    } catch (const IoError&) {
      if (io::status_of(folder / name)) throw;  // else a run that ends just now has removed it
    }
  }
}

}  // namespace terrace::run
