// What a run has read of its inputs: recorded while it is planned and while it reads tiles, and compared with every
// later read, before the run goes on, and at its end.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/watch.hpp"

namespace terrace::run {

struct Progress;
struct RunPlan;

/// The inputs of a job by name.
using Inputs = std::map<std::string, std::shared_ptr<io::Source>>;

/// A tile of an input is not what an earlier read of it gave.
class InputChanged : public Error {
 public:
  /// @param array of the stage; @param files that it is read from
  InputChanged(std::string array, std::vector<std::filesystem::path> files);
  /// The error of the run that meets it. @param inputs as RunPlan::inputs
  JobError in_stage(const std::string& stage, const nlohmann::json& inputs) const;

 private:
  std::string array_;
  std::vector<std::filesystem::path> files_;
};

/// Records what is read of inputs to make a plan: of those that are held in memory the checksum of all elements, of
/// others the boxes that were read, and a checksum each. Generated inputs and values have no files and are left out.
class InputReads {
 public:
  InputReads();
  ~InputReads();

  /// The source to plan with: until close() its reads are recorded under that name.
  std::shared_ptr<io::Source> watch(const std::string& name, std::shared_ptr<io::Source> source);
  /// Ends the recording. @return by name {"content": checksum} or {"parts": [[begin, end, checksum], ...]}
  nlohmann::json close();

 private:
  struct Log;
  class Watched;
  std::map<std::string, std::shared_ptr<Log>> logs_;
  nlohmann::json held_;
};

/// Compares what was read to make a plan with what the inputs hold now. Reads all of it again.
/// @param reads InputReads::close() of the attempt that made the plan
/// @throws JobError naming the input that has changed; what the watch throws
void compare_reads(const nlohmann::json& reads, const Inputs& inputs, const Watch& watch);

/// What two attempts read to make their plans, together. @throws JobError likewise where a part differs that both
/// read
nlohmann::json joined_reads(const nlohmann::json& before, const nlohmann::json& now, const Inputs& inputs);

/// How a file differs from what it was, in size or time of its content, for people; nullopt if in nothing.
/// @param all also whether it is another file, or its attributes have changed
std::optional<std::string> file_difference(const nlohmann::json& before, const nlohmann::json& now, bool all);

/// Compares what was read of inputs whose files have changed, to make the plan and in tiles, with what they hold now.
/// Reads it again. An input of which nothing was read has changed if one of its files has.
/// @param before, now as RunPlan::inputs @param progress with the checksums of tiles
/// @throws JobError naming the input that has changed; what the watch throws
void verify_inputs(const RunPlan& plan, const nlohmann::json& before, const nlohmann::json& now,
                   const Progress& progress, const Watch& watch);

}  // namespace terrace::run
