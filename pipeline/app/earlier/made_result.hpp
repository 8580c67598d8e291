// A finished result that can be computed again: its job, its inputs, its datasets.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "io/results/reader.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/app/session.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

/// @throws IoError if the path leads to no regular file, for example to a pipe, on which the program would wait, or
/// to a job in place of its result
void check_is_file(const std::filesystem::path& result);

/// @throws IoError if a finished result cannot be there: nothing has the name, or a folder or a pipe; if a run has
/// not ended, the error names it
void check_is_there(const std::filesystem::path& result);

/// A finished result of Terrace, open for reading.
class MadeResult {
 public:
  /// Opens the file in a child first, which a damaged file may kill or keep for ever.
  /// @throws IoError if it is not there, is damaged, is a run that has not ended, or was not made by Terrace
  explicit MadeResult(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const io::ResultReader& reader() const { return *reader_; }
  /// The recorded job and the files of its inputs as they were.
  const nlohmann::json& identity() const { return identity_; }
  const nlohmann::json& inputs() const { return inputs_; }
  /// The folder to which paths of the job's files are relative. Results of earlier versions do not record it: then it
  /// is derived from the inputs that lay in it, or else is the folder of the result.
  std::filesystem::path job_folder() const;
  /// A dataset, by its full name. @throws IoError if there is none, or it holds text
  std::shared_ptr<io::Source> dataset(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<io::ResultReader> reader_;
  nlohmann::json identity_, inputs_;
};

/// The job of the result with its inputs, opened. Inputs that have changed in size or time since are named as
/// warnings. Inputs that this version reads in another way are not compared.
/// @throws IoError naming an input that is gone; Error if one has another shape or type
job::OpenJob open_made_job(Session& session, const MadeResult& result);

/// The parts of the result that this version would compute differently. @param open the job of the result
Outdated outdated_in(const MadeResult& result, const job::OpenJob& open);

}  // namespace terrace::app
