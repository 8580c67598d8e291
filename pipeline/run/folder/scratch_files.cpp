#include "pipeline/run/folder/scratch_files.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <span>

#include "io/files/durable.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/run/folder/check.hpp"

namespace terrace::run {

namespace {

namespace fs = std::filesystem;

/// The first bytes of a scratch file of that run.
std::string mark_of(const std::string& id) { return "terrace scratch " + id + "\n"; }

void write_mark(const io::Descriptor& file, const std::string& id, const fs::path& path) {
  const std::string mark = mark_of(id);
  io::write_fully(file.get(), std::as_bytes(std::span(mark)), 0, path);
}

IoError is_foreign(const io::Entry& file, const std::string& reason) {
  return {file.path().string(), reason + ", and has the name of a scratch file of this run; move it away"};
}

/// The reason why this run cannot have made the file, or nullopt. A run that was stopped while it made a file has
/// left zeros in the place of the mark, or an empty file.
std::optional<std::string> not_made_because(const io::Descriptor& file, const std::string& id) {
  struct stat status;
  if (fstat(file.get(), &status) != 0) return "cannot be looked at";
  if (auto reason = foreign_because(status)) return reason;
  const std::string mark = mark_of(id);
  std::string found(mark.size(), '\0');
  if (pread(file.get(), found.data(), found.size(), 0) < 0) return "cannot be read";
  const bool unmarked = std::all_of(found.begin(), found.end(), [](char byte) { return byte == '\0'; });
  if (!unmarked && found != mark) return "was not made by this run";
  return std::nullopt;
}

}  // namespace

io::Entry scratch_entry(const io::Folder& run_folder, const std::string& id, const nlohmann::json& file) {
  const fs::path path = text_from(file.at("path"));
  const std::string name = path.filename().string();
  if (!is_scratch_name(name, id)) {
    throw IoError((run_folder.path() / "plan.json").string(), "names " + path.string() +
                                                                  " as a scratch file, which is none of run " + id +
                                                                  "; discard this run with --fresh=all");
  }
  return path.has_parent_path() ? io::Folder::open(path.parent_path()) / name : run_folder / name;
}

void check_scratch_file(const io::Entry& file, const struct stat& status) {
  if (const auto reason = foreign_because(status)) throw is_foreign(file, *reason);
}

bool make_scratch_file(const io::Entry& file, const std::string& id) {
  if (!io::status_of(file)) {
    write_mark(io::open_file(file, O_RDWR | O_CREAT | O_EXCL, 0600), id, file.path());
    return true;
  }
  const io::Descriptor there = io::open_file(file, O_RDWR);
  if (const auto reason = not_made_because(there, id)) throw is_foreign(file, *reason);
  write_mark(there, id, file.path());
  return false;
}

void remove_scratch_files(const io::Folder& run_folder, const nlohmann::json& plan) noexcept {
  try {
    for (const auto& file : plan.at("scratch")) {
      try {
        const std::string id = plan.at("run");
        const io::Entry entry = scratch_entry(run_folder, id, file);
        if (!not_made_because(io::open_file(entry, O_RDONLY), id)) io::remove_file(entry);
      } catch (const IoError&) {
        continue;  // it is gone, or not of this run
      }
    }
  } catch (const std::exception&) {
    return;  // the plan names none
  }
}

}  // namespace terrace::run
