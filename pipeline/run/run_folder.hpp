// The folder `<output>.run/` in which a run lives until its result is complete.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/files/durable.hpp"
#include "io/files/run_lock.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/run/folder/check.hpp"

namespace terrace::run {

/// The progress of a run, noted after every block.
struct RunNote {
  std::int64_t stage = -1, blocks = 0;  // the stage under way, and how many of its blocks are done
  double share = 0;                     // of the stage's expected operations
};

/// The folder of a run's files.
///
/// `lock` (held through the kernel), `result.h5` (partial), `plan.json` (its presence marks the start), `fresh.json`
/// (the wish to start over, until a plan records it), `ledger/`, `modules/` (kernels that were compiled for this
/// run), `metadata.copy` (bytes of the result outside its large extents, as they are until it is finished),
/// `progress` (blocks done, to count those that are repeated), `profiles.json` (profiles of stages that are taken
/// over, until the result holds them),
/// `<run's id>-<stage>-<array>` (scratch), `kept.h5` (a result of the stages that were complete when an earlier run
/// failed). All but that is debris in a folder without `plan.json`. Only files of these
/// names are ever removed, and a folder that holds others is not touched, nor one that anybody but this user may have
/// written to. The folder is held open: no link in it or in its place is followed.
class RunFolder {
 public:
  /// Makes the folder if it is missing, for this user alone, and takes its lock. Changes nothing else. @throws
  /// io::LockHeld; UnfitOutput if it cannot be made at that path, or holds files that no run put there; IoError
  explicit RunFolder(const std::filesystem::path& output);
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;
  /// Removes the folders that it made, and a cleared folder, if no run was begun and no wish was noted.
  ~RunFolder();

  static std::filesystem::path path_for(const std::filesystem::path& output);
  /// The place of `kept.h5`.
  static std::filesystem::path kept_for(const std::filesystem::path& output);

  const std::filesystem::path& output() const { return output_; }
  const std::filesystem::path& path() const { return folder_; }
  const io::Folder& held() const { return *held_; }
  io::Entry result() const { return *held_ / "result.h5"; }
  io::Entry ledger() const { return *held_ / "ledger"; }
  io::Entry metadata() const { return *held_ / "metadata.copy"; }
  io::Entry modules() const { return *held_ / "modules"; }

  /// The plan of the run that was begun here and has not failed, or nullopt. @throws IoError if it is damaged
  std::optional<nlohmann::json> plan() const { return read_plan(*held_); }
  static std::optional<nlohmann::json> read_plan(const io::Folder& folder);
  /// Notes profiles of stages that are taken over, by names of stages, before the start.
  void note_profiles(const nlohmann::json& profiles) const;
  /// The profiles that were noted; empty if there are none, or they are damaged: no run fails for its profile.
  nlohmann::json profiles() const;
  /// Marks the start, durably. @param plan without `fresh` and `replaces`, which are added
  void begin(nlohmann::json plan);
  /// Takes over the run that this plan began.
  /// @param replaces the file that has the output's name, which the result may replace if the run was begun to do so:
  /// if its plan names another file, the plan is written anew
  void resume(nlohmann::json plan, const std::optional<io::FileState>& replaces);
  /// Empties the folder for a new run; what an earlier one has kept stays until finish(), and the wish for a fresh
  /// run until begin().
  /// @param replaces the file that has the output's name, which the result may replace
  void start_over(bool fresh, const std::optional<io::FileState>& replaces);
  /// Removes everything but the lock and what is kept: all files of an earlier run, its scratch files included.
  void clear();
  /// Ends the run, whose result holds the stages that are complete and is a finished file: it becomes `kept.h5`.
  void keep();
  /// Removes what an earlier run has kept.
  void drop_kept() const;

  // A run begun with --fresh: its plan has the member `fresh` with the state of the file that its result may replace.
  // A run that takes over all of a result without --fresh has the member `replaces` instead.

  bool fresh() const { return fresh_; }
  static bool is_fresh(const nlohmann::json& plan) { return plan.contains("fresh"); }
  /// True if the file that has the output's name is the one that the run was begun to replace.
  /// @param plan or wish
  bool may_replace(const nlohmann::json& plan) const;

  /// Notes durably that a run is to start over, before it has a plan.
  /// @param wish without `fresh`, which is added: the state of the file that the result may replace
  void note_wish(nlohmann::json wish, const std::optional<io::FileState>& replaces) const;
  /// The wish that was noted here, or nullopt. @throws IoError if it is damaged
  std::optional<nlohmann::json> wish() const;
  void forget_wish();

  /// Gives the complete result its name and removes the folder, scratch files first named by the plan.
  /// @throws IoError if another file has the name: the result stays here, and the next attempt gives it its name
  void finish();

  /// Blocks of a stage done so far, durable against a kill of the process only.
  void note_done(const RunNote& note);
  /// The last note of the run in a folder, which any process may hold; nullopt if it has noted nothing.
  static std::optional<RunNote> read_note(const io::Folder& folder);
  /// Done blocks that an earlier attempt noted for that stage.
  std::int64_t noted(std::int64_t stage) const;

 private:
  void check_place() const;
  void take_lock();
  void write_plan(const nlohmann::json& plan) const;
  void publish() const;
  io::Entry output_entry() const { return *above_ / output_.filename().string(); }
  void remove_folder() noexcept;
  void remove_made_folders() const noexcept;
  bool is_kept() const;
  void remove_files(bool but_wish, bool but_kept) const;
  void remove_all(bool but_wish);
  void remove_wish() const;
  void remove_scratch() const;

  std::filesystem::path output_, folder_;
  std::vector<std::filesystem::path> made_;  // folders, the outermost first, the run's own last
  bool cleared_ = false;
  std::optional<io::Folder> held_, above_;  // the folder, and the one that it and the output are in
  std::unique_ptr<io::RunLock> lock_;
  bool fresh_ = false;
  std::optional<io::FileState> replaced_;  // the file that the result may replace
  io::Descriptor progress_file_;
  RunNote noted_;
};

}  // namespace terrace::run
