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

#include "io/files/checksum.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/run/folder/scratch_files.hpp"

namespace terrace::run {

namespace fs = std::filesystem;

namespace {

/// @throws UnfitOutput if another path would help, else IoError
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

constexpr const char* plan_name = "plan.json";
constexpr const char* wish_name = "fresh.json";
constexpr const char* profiles_name = "profiles.json";
constexpr const char* result_name = "result.h5";
constexpr const char* kept_name = "kept.h5";
constexpr const char* fresh_key = "fresh";
constexpr const char* replaces_key = "replaces";

std::uint64_t sum_of(const nlohmann::json& content) {
  const std::string text = content.dump();
  return io::checksum(std::as_bytes(std::span(text)));
}

/// Writes a file that holds the content, called so, and its checksum.
void write_sealed(const io::Entry& file, const std::string& name, const nlohmann::json& content) {
  const nlohmann::json sealed{{name, content}, {"checksum", sum_of(content)}};
  io::write_file_durably(file, std::string_view(sealed.dump(1)));
}

/// The content of such a file, or nullopt if there is none. @throws IoError if it is damaged
std::optional<nlohmann::json> read_sealed(const io::Entry& file, const std::string& name) {
  if (!io::status_of(file)) return std::nullopt;
  const std::vector<std::byte> bytes = io::read_file(file);
  const nlohmann::json sealed =
      nlohmann::json::parse(reinterpret_cast<const char*>(bytes.data()),
                            reinterpret_cast<const char*>(bytes.data()) + bytes.size(), nullptr, false);
  const bool whole =
      sealed.is_object() && sealed.contains(name) && sealed.contains("checksum") && sealed[name].is_object();
  if (!whole || sealed["checksum"] != sum_of(sealed[name])) {
    throw IoError(file.path().string(), std::string("is damaged; ") + remedy_for_runs);
  }
  return sealed[name];
}

nlohmann::json state_json(const std::optional<io::FileState>& state) {
  if (!state) return nullptr;
  return {{"inode", state->inode}, {"size", state->size}, {"modified", state->modified}, {"changed", state->changed}};
}

}  // namespace

fs::path RunFolder::path_for(const fs::path& output) { return fs::path(output.string() + ".run"); }

fs::path RunFolder::kept_for(const fs::path& output) { return path_for(output) / kept_name; }

bool RunFolder::is_kept() const { return io::status_of(*held_ / kept_name).has_value(); }

RunFolder::RunFolder(const fs::path& output) : output_(fs::absolute(output)), folder_(path_for(output_)) {
  take_lock();
  noted_ = read_note(*held_).value_or(RunNote{});
}

/// Checks the folder's place before anything is made.
void RunFolder::check_place() const {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(folder_, error);
  if (status.type() == fs::file_type::none) refuse_path(folder_, "cannot be looked at", error);
  const auto found = io::status_of(folder_);
  if (!found) return;
  if (S_ISDIR(found->st_mode)) return check_owner(folder_, *found);
  throw UnfitOutput(folder_.string(), "is where the run of " + output_.filename().string() +
                                          " would live, and is no folder; move it away, or name another output");
}

/// Makes the folder and takes its lock; tries again if a run that ends just then removes the folder in between.
void RunFolder::take_lock() {
  for (int tries = 0; !lock_; ++tries) {
    check_place();
    try {
      for (const fs::path& folder : io::make_folders(folder_, 0700)) {
        if (std::find(made_.begin(), made_.end(), folder) == made_.end()) made_.push_back(folder);
      }
    } catch (const fs::filesystem_error& error) {
      refuse_path(error.path1(), "cannot be made", error.code());
    }
    held_.reset();
    try {
      above_ = io::Folder::open(output_.parent_path());
      held_ = io::Folder::open(*above_ / folder_.filename().string());
      check_run_folder(*held_, output_);
      lock_ = std::make_unique<io::RunLock>(*held_ / "lock");
    } catch (const io::LockHeld&) {
      throw;
    } catch (const UnfitOutput&) {
      remove_made_folders();
      throw;
    } catch (const IoError&) {
      if (tries > 100 || (held_ && held_->still_there())) throw;
    }
  }
}

RunFolder::~RunFolder() {
  try {
    const bool mine = cleared_ || std::find(made_.begin(), made_.end(), folder_) != made_.end();
    if (!mine || !lock_->still_there()) return;
    if (io::status_of(*held_ / plan_name) || io::status_of(*held_ / wish_name) || is_kept()) return;
  } catch (const std::exception&) {
    return;
  }
  remove_folder();
  remove_made_folders();
}

/// Removes the folders that this object has made and that are empty.
void RunFolder::remove_made_folders() const noexcept {
  std::error_code ignored;
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) fs::remove(*folder, ignored);
}

/// Removes the files of a run except its lock and, with `but_wish` and `but_kept`, these files; leaves other files.
void RunFolder::remove_files(bool but_wish, bool but_kept) const {
  for (const std::string& name : held_->names()) {
    if (name == "lock" || !is_name_of_run(name)) continue;
    if ((but_wish && name == wish_name) || (but_kept && name == kept_name)) continue;
    if (!is_folder_of_run(name)) {
      io::remove_file(*held_ / name);
      continue;
    }
    const io::Folder inner = io::Folder::open(*held_ / name);
    for (const std::string& file : inner.names()) {
      if (is_name_in(name, file)) io::remove_file(inner / file);
    }
    io::remove_empty_folder(*held_ / name);
  }
}

/// Removes the lock last: from then on another process may use the folder.
void RunFolder::remove_folder() noexcept {
  try {
    remove_files(false, false);
    lock_->remove();
    io::remove_empty_folder(*above_ / folder_.filename().string());
  } catch (const std::exception&) {
    // Debris: the next run of this output removes it.
    return;
  }
}

std::optional<nlohmann::json> RunFolder::read_plan(const io::Folder& folder) {
  // A run begins with a result and fails by giving it another name, before its plan is removed.
  if (!io::status_of(folder / result_name) && io::status_of(folder / kept_name)) return std::nullopt;
  return read_sealed(folder / plan_name, "plan");
}

void RunFolder::write_plan(const nlohmann::json& plan) const { write_sealed(*held_ / plan_name, "plan", plan); }

void RunFolder::begin(nlohmann::json plan) {
  held_->sync();
  if (fresh_) plan[fresh_key] = state_json(replaced_);
  else if (replaced_) plan[replaces_key] = state_json(replaced_);
  write_plan(plan);
  remove_wish();
}

void RunFolder::note_profiles(const nlohmann::json& profiles) const {
  if (!profiles.empty()) write_sealed(*held_ / profiles_name, "profiles", profiles);
}

nlohmann::json RunFolder::profiles() const {
  try {
    return read_sealed(*held_ / profiles_name, "profiles").value_or(nlohmann::json::object());
  } catch (const IoError&) {
    return nlohmann::json::object();
  }
}

void RunFolder::note_wish(nlohmann::json wish, const std::optional<io::FileState>& replaces) const {
  wish[fresh_key] = state_json(replaces);
  write_sealed(*held_ / wish_name, "wish", wish);
}

std::optional<nlohmann::json> RunFolder::wish() const { return read_sealed(*held_ / wish_name, "wish"); }

void RunFolder::forget_wish() {
  remove_wish();
  cleared_ = true;
}

/// Removes the wish durably: if it came back, it would discard all that the run has computed since.
void RunFolder::remove_wish() const {
  if (io::remove_file(*held_ / wish_name)) held_->sync();
}

void RunFolder::start_over(bool fresh, const std::optional<io::FileState>& replaces) {
  remove_all(fresh);
  fresh_ = fresh;
  replaced_ = replaces;
}

void RunFolder::resume(nlohmann::json plan, const std::optional<io::FileState>& replaces) {
  remove_wish();
  fresh_ = is_fresh(plan);
  const char* key = fresh_ ? fresh_key : replaces_key;
  if (!plan.contains(key)) return;
  replaced_ = replaces;
  if (!replaces || plan.at(key) == state_json(replaces)) return;
  plan[key] = state_json(replaces);
  write_plan(plan);
}

bool RunFolder::may_replace(const nlohmann::json& plan) const {
  const auto state = io::file_state(output_entry());
  const char* key = is_fresh(plan) ? fresh_key : replaces_key;
  return state && plan.contains(key) && plan.at(key) == state_json(state);
}

void RunFolder::remove_scratch() const {
  try {
    if (const auto begun = plan()) remove_scratch_files(*held_, *begun);
  } catch (const IoError&) {
    return;  // a damaged plan names nothing
  }
}

void RunFolder::clear() { remove_all(false); }

void RunFolder::remove_all(bool but_wish) {
  remove_scratch();
  io::remove_file(*held_ / plan_name);
  held_->sync();
  remove_files(but_wish, true);
  progress_file_ = io::Descriptor();
  noted_ = {};
  cleared_ = true;
}

void RunFolder::keep() {
  io::rename_durably(result(), *held_ / kept_name);
  clear();
}

void RunFolder::drop_kept() const {
  if (io::remove_file(*held_ / kept_name)) held_->sync();
}

void RunFolder::publish() const {
  if (!io::status_of(result())) return;
  if (io::rename_to_new(result(), output_entry())) return;
  if (!replaced_ || io::file_state(output_entry()) != replaced_) {
    throw IoError(output_.string(),
                  "has appeared while the run was under way, and is not replaced; move it away, and the same command "
                  "gives the result, which is complete, its name");
  }
  io::rename_durably(result(), output_entry());
}

void RunFolder::finish() {
  publish();
  remove_scratch();
  io::remove_file(*held_ / plan_name);
  held_->sync();
  remove_folder();
}

void RunFolder::note_done(const RunNote& note) {
  const auto bytes = std::bit_cast<std::array<std::byte, sizeof note>>(note);
  if (!progress_file_) progress_file_ = io::open_file(*held_ / "progress", O_RDWR | O_CREAT, 0600);
  if (::pwrite(progress_file_.get(), bytes.data(), bytes.size(), 0) < 0) {
    // Only the count of repeated blocks and the output of `show` depend on it.
    return;
  }
}

std::optional<RunNote> RunFolder::read_note(const io::Folder& folder) {
  try {
    RunNote note;
    const io::Descriptor file = io::open_file(folder / "progress", O_RDONLY);
    if (::pread(file.get(), &note, sizeof note, 0) != static_cast<ssize_t>(sizeof note)) return std::nullopt;
    return note.stage < 0 ? std::nullopt : std::optional(note);
  } catch (const IoError&) {
    return std::nullopt;  // the run has noted nothing yet, or has just ended
  }
}

std::int64_t RunFolder::noted(std::int64_t stage) const { return stage == noted_.stage ? noted_.blocks : 0; }

}  // namespace terrace::run
