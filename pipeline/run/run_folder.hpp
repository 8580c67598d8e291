// The folder `<output>.run/` in which a run lives until its result is complete.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/run_lock.hpp"

namespace terrace::run {

/// Where the files of a run are.
///
/// `lock` (held through the kernel), `result.h5` (partial), `plan.json` (its presence marks the start), `ledger/`,
/// `metadata.copy` (bytes of the result outside of its large extents, from the moment of finishing), `progress`
/// (blocks done, for counting what is repeated). A folder without `plan.json` is debris.
class RunFolder {
 public:
  /// Makes the folder where it is missing and takes its lock. @throws io::LockHeld, IoError
  explicit RunFolder(const std::filesystem::path& output);
  /// Removes the folder again when nothing was begun in it.
  ~RunFolder();

  static std::filesystem::path path_for(const std::filesystem::path& output);

  const std::filesystem::path& output() const { return output_; }
  const std::filesystem::path& path() const { return folder_; }
  std::filesystem::path result() const { return folder_ / "result.h5"; }
  std::filesystem::path ledger() const { return folder_ / "ledger"; }
  std::filesystem::path metadata() const { return folder_ / "metadata.copy"; }

  /// The plan of the run that was begun here; nothing when none was. @throws IoError
  std::optional<nlohmann::json> plan() const;
  /// Marks the start, durably.
  void begin(const nlohmann::json& plan);
  /// Removes everything but the lock: what an earlier run left, its scratch files included.
  void clear();
  /// Gives the complete result its name and removes the folder, scratch files first named by the plan.
  void finish();

  /// Blocks of a stage done so far, durable against a kill of the process only.
  void note_done(std::int64_t stage, std::int64_t blocks);
  /// What an earlier attempt noted for that stage.
  std::int64_t noted(std::int64_t stage) const;

 private:
  void take_lock();
  void remove_folder() noexcept;
  void remove_scratch() const;

  std::filesystem::path output_, folder_;
  std::unique_ptr<io::RunLock> lock_;
  int progress_file_ = -1;
  std::int64_t noted_stage_ = -1, noted_blocks_ = 0;
};

}  // namespace terrace::run
