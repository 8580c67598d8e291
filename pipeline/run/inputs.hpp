// The checksums of all that a run has read from its inputs: recorded during planning and as tiles are read; compared
// with every later read, when the run resumes, and at its end.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/watch.hpp"
#include "pipeline/run/input_checksums.hpp"
#include "pipeline/run/run_plan.hpp"

namespace terrace::run {

class Plan;
struct Progress;

/// An input has changed since an unfinished run was begun: the run cannot be resumed (exit code 2).
class ChangedSinceBegun : public JobError {
 public:
  using JobError::JobError;
};

/// A tile of an input differs from an earlier read of it.
class InputChanged : public Error {
 public:
  /// @param array of the stage; @param files that it is read from
  InputChanged(std::string array, std::vector<std::filesystem::path> files);
  /// The error of the run that meets it. @param inputs as RunPlan::inputs
  ChangedSinceBegun in_stage(const std::string& stage, const nlohmann::json& inputs) const;

 private:
  std::string array_;
  std::vector<std::filesystem::path> files_;
};

/// Records the reads of inputs during planning: for inputs held in memory the checksum of all elements, for others
/// the boxes that were read, with a checksum each. Generated inputs and values have no files and are left out.
class InputReads {
 public:
  InputReads();
  ~InputReads();

  /// The source to plan with: until close() its reads are recorded under that name.
  std::shared_ptr<io::Source> watch(const std::string& name, std::shared_ptr<io::Source> source);
  /// Elements that were read so far of inputs that are not held in memory.
  std::int64_t elements() const { return *elements_; }
  /// Ends the recording. @return by name {"content": checksum} or {"parts": [[begin, end, checksum], ...]}
  nlohmann::json close();

 private:
  struct Log;
  class Watched;
  std::map<std::string, std::shared_ptr<Log>> logs_;
  nlohmann::json held_;
  std::shared_ptr<std::atomic<std::int64_t>> elements_;
};

/// Compares the reads of planning with the present content of the inputs. Reads all of it again.
/// @param reads InputReads::close() of the attempt that made the plan
/// @throws ChangedSinceBegun naming the input; what the watch throws
void compare_reads(const nlohmann::json& reads, const Inputs& inputs, const Watch& watch);

/// The union of the reads of two attempts during planning. @throws ChangedSinceBegun naming the input if a part that
/// both read differs
nlohmann::json joined_reads(const nlohmann::json& before, const nlohmann::json& now, const Inputs& inputs);

/// The checksums by which an input is known without reading its files: `values` if it is held in memory, `nodes` if
/// its nodes have names; and `packing`, what attributes say of its elements (io::Packing), if they say anything.
nlohmann::json content_of(const io::Source& source);

/// A record of all tiles that a complete stage has read of inputs with files, for the result: by arrays of the plan.
nlohmann::json tiles_read(const Plan& plan, const InputChecksums& tiles);

/// Reads files again of which a stage has read tiles. @param tiles tiles_read() of the complete stage
/// @param plan of the stage for the files of today; it may have other tiles
/// @param files to look at @return those of which something was compared; nullopt if something differs
/// @throws what the watch throws
std::optional<std::set<std::filesystem::path>> compare_tiles(const nlohmann::json& tiles, const Plan& plan,
                                                             const std::set<std::filesystem::path>& files,
                                                             const Watch& watch);
/// Compares what was read of an input to plan. @param reads its member of InputReads::close()
/// @return false if it has changed @throws what the watch throws
bool holds_reads(const std::string& name, const nlohmann::json& reads, io::Source& source, const Watch& watch);

/// A description of the change of a file's size or time of content, for people; nullopt if both are the same.
/// @param all reports also another file of the same name, and changed attributes
std::optional<std::string> file_difference(const nlohmann::json& before, const nlohmann::json& now, bool all);

/// Reads again all that was read of inputs whose files have changed, for the plan and in tiles, and compares it.
/// An input of which nothing was read has changed if one of its files has.
/// @param before, now as RunPlan::inputs @param progress with the checksums of tiles
/// @throws ChangedSinceBegun naming the input; what the watch throws
void verify_inputs(const RunPlan& plan, const nlohmann::json& before, const nlohmann::json& now,
                   const Progress& progress, const Watch& watch);

}  // namespace terrace::run
