#include "pipeline/run/run_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>

#include "io/checksum.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::run {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t run_id_letters = 16;

/// Whether a run makes files or folders of this name.
bool is_ours(const std::string& name) {
  static constexpr std::array<std::string_view, 8> names{
      "lock", "progress", "plan.json", "plan.json.new", "result.h5", "ledger", "metadata.copy", "metadata.copy.new"};
  if (std::find(names.begin(), names.end(), name) != names.end()) return true;
  return name.size() > run_id_letters && name[run_id_letters] == '-' &&
         name.find_first_not_of("0123456789abcdef") == run_id_letters;
}

/// Throws what the system's refusal means: another path helps, or it does not.
[[noreturn]] void refuse_path(const fs::path& path, const std::string& what, const std::error_code& error) {
  static constexpr std::array<std::errc, 7> of_the_path{
      std::errc::not_a_directory,   std::errc::filename_too_long,       std::errc::too_many_symbolic_link_levels,
      std::errc::permission_denied, std::errc::operation_not_permitted, std::errc::read_only_file_system,
      std::errc::file_exists};
  const std::string text = what + ": " + error.message();
  const auto known = [&](std::errc reason) { return error == reason; };
  if (std::any_of(of_the_path.begin(), of_the_path.end(), known)) {
    throw UnfitOutput(path.string(), text + "; name another output");
  }
  throw IoError(path.string(), text);
}

std::uint64_t sum_of(const nlohmann::json& plan) {
  const std::string text = plan.dump();
  return io::checksum(std::as_bytes(std::span(text)));
}

nlohmann::json state_json(const std::optional<io::FileState>& state) {
  if (!state) return nullptr;
  return {{"inode", state->inode}, {"size", state->size}, {"modified", state->modified}, {"changed", state->changed}};
}

}  // namespace

fs::path RunFolder::path_for(const fs::path& output) { return fs::path(output.string() + ".run"); }

RunFolder::RunFolder(const fs::path& output) : output_(output), folder_(path_for(output)) {
  refuse_others();
  take_lock();
  progress_file_ = ::open((folder_ / "progress").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (progress_file_ < 0) {
    throw io::system_error((folder_ / "progress").string(), "cannot be opened", errno);
  }
  noted_ = read_note(folder_).value_or(RunNote{});
}

void RunFolder::refuse_others() const {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder_, error);
  if (status.type() == fs::file_type::none) refuse_path(folder_, "cannot be looked at", error);
  if (!fs::exists(status)) return;
  const std::string advice = "; move it away, or name another output";
  if (!fs::is_directory(status)) {
    throw UnfitOutput(folder_.string(), "is where the run of " + output_.filename().string() +
                                            " would live, and is no folder" + advice);
  }
  for (fs::directory_iterator entry(folder_, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (!is_ours(name)) {
      throw UnfitOutput(entry->path().string(), "was not made by a run, and lies in the folder in which the run of " +
                                                    output_.filename().string() + " would live" + advice);
    }
  }
  if (error && error != std::errc::no_such_file_or_directory) {
    throw IoError(folder_.string(), "cannot be read: " + error.message());
  }
}

/// Makes the folder and takes its lock; again when a run that ends just then removes the folder in between.
void RunFolder::take_lock() {
  for (int tries = 0; !lock_; ++tries) {
    try {
      for (const fs::path& folder : io::make_folders(folder_)) {
        if (std::find(made_.begin(), made_.end(), folder) == made_.end()) made_.push_back(folder);
      }
    } catch (const fs::filesystem_error& error) {
      refuse_path(error.path1(), "cannot be made", error.code());
    }
    try {
      lock_ = std::make_unique<io::RunLock>(folder_ / "lock");
    } catch (const io::LockHeld&) {
      throw;
    } catch (const IoError&) {
      if (tries > 100 || fs::exists(folder_)) throw;
    }
  }
}

RunFolder::~RunFolder() {
  if (progress_file_ >= 0) ::close(progress_file_);
  std::error_code ignored;
  const bool mine = cleared_ || std::find(made_.begin(), made_.end(), fs::absolute(folder_)) != made_.end();
  if (!mine || !lock_->still_there() || fs::exists(folder_ / "plan.json", ignored)) return;
  remove_folder();
  // Those above it that are not empty stay.
  for (auto above = made_.rbegin(); above != made_.rend(); ++above) fs::remove(*above, ignored);
}

/// The lock goes last: from then on the folder may be another process's.
void RunFolder::remove_folder() noexcept {
  try {
    for (const fs::path& entry : io::folder_entries(folder_)) {
      const std::string name = entry.filename().string();
      if (name != "lock" && is_ours(name)) fs::remove_all(entry);
    }
    lock_->remove();
    fs::remove(folder_);
  } catch (const std::exception&) {
    // Debris: the next run of this output removes it.
    return;
  }
}

std::optional<nlohmann::json> RunFolder::read_plan(const fs::path& folder) {
  const fs::path path = folder / "plan.json";
  if (!fs::exists(path)) return std::nullopt;
  const std::vector<std::byte> bytes = io::read_file(path);
  const nlohmann::json sealed =
      nlohmann::json::parse(reinterpret_cast<const char*>(bytes.data()),
                            reinterpret_cast<const char*>(bytes.data()) + bytes.size(), nullptr, false);
  const bool whole =
      sealed.is_object() && sealed.contains("plan") && sealed.contains("checksum") && sealed["plan"].is_object();
  if (!whole || sealed["checksum"] != sum_of(sealed["plan"])) {
    throw IoError(path.string(), "is damaged; start over with --fresh");
  }
  return sealed["plan"];
}

void RunFolder::write_plan(const nlohmann::json& plan) const {
  const nlohmann::json sealed{{"plan", plan}, {"checksum", sum_of(plan)}};
  io::write_file_durably(folder_ / "plan.json", std::string_view(sealed.dump(1)));
}

void RunFolder::begin(nlohmann::json plan) {
  io::fsync_folder(folder_);
  if (fresh_) plan["fresh"] = state_json(replaced_);
  write_plan(plan);
}

void RunFolder::start_over(bool fresh, const std::optional<io::FileState>& replaces) {
  clear();
  fresh_ = fresh;
  if (fresh) replaced_ = replaces;
}

void RunFolder::resume(nlohmann::json plan, const std::optional<io::FileState>& replaces) {
  fresh_ = is_fresh(plan);
  if (!fresh_) return;
  replaced_ = replaces;
  if (!replaces || plan.at("fresh") == state_json(replaces)) return;
  plan["fresh"] = state_json(replaces);
  write_plan(plan);
}

bool RunFolder::may_replace(const nlohmann::json& plan) const {
  const auto state = io::file_state(output_);
  return state && is_fresh(plan) && plan.at("fresh") == state_json(state);
}

void RunFolder::remove_scratch() const {
  std::error_code ignored;
  std::optional<nlohmann::json> begun;
  try {
    begun = plan();
  } catch (const IoError&) {
    return;  // a damaged plan names nothing
  }
  if (!begun || !begun->contains("scratch")) return;
  for (const auto& file : (*begun)["scratch"]) fs::remove(folder_ / text_from(file.at("path")), ignored);
}

void RunFolder::clear() {
  remove_scratch();
  fs::remove(folder_ / "plan.json");
  io::fsync_folder(folder_);
  for (const fs::path& entry : io::folder_entries(folder_)) {
    const std::string name = entry.filename().string();
    if (name != "lock" && name != "progress" && is_ours(name)) fs::remove_all(entry);
  }
  noted_ = {};
  note_done(noted_);
  cleared_ = true;
}

void RunFolder::publish() const {
  if (!fs::exists(result())) return;
  if (io::rename_to_new(result(), output_)) return;
  if (!replaced_ || io::file_state(output_) != replaced_) {
    throw IoError(output_.string(),
                  "has appeared while the run was under way, and is not replaced; move it away, and the same command "
                  "gives the result, which is complete, its name");
  }
  io::rename_durably(result(), output_);
}

void RunFolder::finish() {
  publish();
  remove_scratch();
  fs::remove(folder_ / "plan.json");
  io::fsync_folder(folder_);
  remove_folder();
}

void RunFolder::note_done(const RunNote& note) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof note>>(note);
  if (::pwrite(progress_file_, bytes.data(), bytes.size(), 0) < 0) {
    // Only the count of repeated blocks, and what `show` says, depend on it.
    return;
  }
}

std::optional<RunNote> RunFolder::read_note(const fs::path& folder) {
  try {
    RunNote note;
    const io::Descriptor file = io::open_file(folder / "progress", O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    if (::pread(file.get(), &note, sizeof note, 0) != static_cast<ssize_t>(sizeof note)) return std::nullopt;
    return note.stage < 0 ? std::nullopt : std::optional(note);
  } catch (const IoError&) {
    return std::nullopt;  // the run has noted nothing yet, or has just ended
  }
}

std::int64_t RunFolder::noted(std::int64_t stage) const { return stage == noted_.stage ? noted_.blocks : 0; }

}  // namespace terrace::run
