#include "pipeline/run/run_folder.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstring>

#include "io/durable.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::run {

namespace fs = std::filesystem;

fs::path RunFolder::path_for(const fs::path& output) { return fs::path(output.string() + ".run"); }

RunFolder::RunFolder(const fs::path& output) : output_(output), folder_(path_for(output)) {
  take_lock();
  std::array<std::int64_t, 2> values{-1, 0};
  progress_file_ = ::open((folder_ / "progress").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (progress_file_ < 0) {
    throw io::system_error((folder_ / "progress").string(), "cannot be opened", errno);
  }
  if (::pread(progress_file_, values.data(), sizeof values, 0) == static_cast<ssize_t>(sizeof values)) {
    noted_stage_ = values[0];
    noted_blocks_ = values[1];
  }
}

/// Makes the folder and takes its lock; again when a run that ends just then removes the folder in between.
void RunFolder::take_lock() {
  for (int tries = 0; !lock_; ++tries) {
    std::error_code error;
    fs::create_directories(folder_, error);
    if (error) throw IoError(folder_.string(), "cannot be made: " + error.message());
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
  if (lock_->still_there() && !fs::exists(folder_ / "plan.json", ignored)) remove_folder();
}

/// The lock goes last: from then on the folder may be another process's.
void RunFolder::remove_folder() noexcept {
  try {
    for (const auto& entry : fs::directory_iterator(folder_)) {
      if (entry.path().filename() != "lock") fs::remove_all(entry.path());
    }
    lock_->remove();
    fs::remove(folder_);
  } catch (const std::exception&) {
    // Debris: the next run of this output removes it.
    return;
  }
}

std::optional<nlohmann::json> RunFolder::plan() const {
  const fs::path path = folder_ / "plan.json";
  if (!fs::exists(path)) return std::nullopt;
  const std::vector<std::byte> bytes = io::read_file(path);
  try {
    return nlohmann::json::parse(reinterpret_cast<const char*>(bytes.data()),
                                 reinterpret_cast<const char*>(bytes.data()) + bytes.size());
  } catch (const nlohmann::json::exception& error) {
    throw IoError(path.string(), std::string("is damaged (") + error.what() + "); start over with --fresh");
  }
}

void RunFolder::begin(const nlohmann::json& plan) {
  io::fsync_folder(folder_);
  io::write_file_durably(folder_ / "plan.json", std::string_view(plan.dump(1)));
  io::fsync_folder(fs::absolute(folder_).parent_path());
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
  for (const auto& file : (*begun)["scratch"]) fs::remove(folder_ / file.at("path").get<std::string>(), ignored);
}

void RunFolder::clear() {
  remove_scratch();
  fs::remove(folder_ / "plan.json");
  io::fsync_folder(folder_);
  for (const auto& entry : fs::directory_iterator(folder_)) {
    const std::string name = entry.path().filename().string();
    if (name != "lock" && name != "progress") fs::remove_all(entry.path());
  }
  note_done(-1, 0);
  noted_stage_ = -1;
}

void RunFolder::finish() {
  if (fs::exists(result())) io::rename_durably(result(), output_);
  remove_scratch();
  fs::remove(folder_ / "plan.json");
  io::fsync_folder(folder_);
  remove_folder();
}

void RunFolder::note_done(std::int64_t stage, std::int64_t blocks) {
  const std::array<std::int64_t, 2> values{stage, blocks};
  if (::pwrite(progress_file_, values.data(), sizeof values, 0) < 0) {
    // Only the count of repeated blocks depends on it.
    return;
  }
}

std::int64_t RunFolder::noted(std::int64_t stage) const { return stage == noted_stage_ ? noted_blocks_ : 0; }

}  // namespace terrace::run
