// Files that may have changed, compared with what a stage has read of them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run.hpp"

namespace terrace::app {

/// Inputs that only reading their files again can compare, by name; the reason to doubt, for people.
using Doubts = std::map<std::string, std::string>;

/// Reads again what stages have read of inputs that are not held in memory. The checksums of a stage are of elements
/// as the stage takes them, so the job is planned for that, once and only if it is needed.
class ReadAgain {
 public:
  enum class Mode {
    compare,
    note  // reads nothing: inputs in doubt count as unchanged, and doubt() tells which stages read them
  };

  /// @param open must outlive it @param plan plans all of the job @param watch of what is read
  ReadAgain(const job::OpenJob& open, std::function<run::RunPlan()> plan, Watch watch, Mode mode = Mode::compare)
      : open_(open), make_plan_(std::move(plan)), watch_(std::move(watch)), mode_(mode) {}

  /// The reason to doubt the first of some inputs that do not hold what a stage has read of them; nullopt if all do.
  /// An input of which nothing was read has changed, unless it is empty. The answer is kept.
  /// @param stage of the job, which reads the inputs, or inputs that are made of them
  /// @param record of the stage, in the root's attribute `stages`; an empty one, of an earlier version, has no reads
  /// @throws what the watch throws
  std::optional<std::string> changed(const job::Stage& stage, const nlohmann::json& record, const Doubts& inputs);
  /// With Mode::note: the reason to doubt an input of the stage; empty if changed() has met none.
  std::string doubt(const std::string& stage) const;
  /// The back end that computes a stage, as planned; nullopt if the job cannot be planned.
  std::optional<std::string> backend_of(const std::string& stage);
  /// Plans the job if that has not been done. @return false if it cannot be planned
  bool plan();
  /// Plans the job if that has not been done. @throws what planning the job throws
  void plan_or_fail();

 private:
  std::optional<std::string> compare(const job::Stage& stage, const nlohmann::json& reads, const Doubts& inputs);
  std::optional<std::string> first_changed(const job::Stage& stage, const nlohmann::json& reads,
                                           const Doubts& inputs) const;

  const job::OpenJob& open_;
  std::function<run::RunPlan()> make_plan_;
  Watch watch_;
  Mode mode_;
  std::map<std::string, std::string> doubts_;                     // by stages
  std::map<nlohmann::json, std::optional<std::string>> answers_;  // by stage, reads and inputs
  std::optional<run::RunPlan> plan_;
  bool failed_ = false;
};

/// An input as a run has recorded it, or as it is now.
struct InputRecord {
  const nlohmann::json &files, &content;  // its members in Signature::inputs and RunPlan::contents
};
enum class Same { yes, no, unknown };  // unknown: only reading its files again can tell
struct InputState {
  Same same = Same::yes;
  std::string why = {};  // for people: the first difference; of `unknown` the reason to doubt
};
/// The difference of two members of RunPlan::contents that tells of elements which are stored alike that they mean
/// something else, for people: names of nodes, and attributes by which elements are unpacked. nullopt: there is none.
std::optional<std::string> meaning_difference(const nlohmann::json& before, const nlohmann::json& now);

/// Compares what an input holds, but not its settings. @param name of the input now
InputState compare_input(const std::string& name, const InputRecord& before, const InputRecord& now);

/// The inputs of the job that a stage reads, and those that they are made of.
std::set<std::string> all_inputs_of(const job::Job& job, const job::Stage& stage);

/// The inputs of a job by name, as a run of it has recorded them or as they are now.
struct InputRecords {
  const nlohmann::json &files, &contents;  // Signature::inputs and RunPlan::contents
};
/// The first input of a stage that does not hold what it held when the stage was computed, for people; nullopt if all
/// do. @param stage of the job @param record of the stage, as for ReadAgain::changed()
/// @throws nlohmann::json::exception if a record is damaged; as ReadAgain::changed()
std::optional<std::string> changed_input(const job::OpenJob& open, const job::Stage& stage,
                                         const nlohmann::json& record, const InputRecords& before,
                                         const InputRecords& now, ReadAgain& again);

}  // namespace terrace::app
