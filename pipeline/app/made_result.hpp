// A finished result as something that can be computed again: its job, its inputs, its datasets.
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "io/results/reader.hpp"
#include "pipeline/app/session.hpp"
#include "pipeline/app/signature.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

/// @throws IoError where the path leads to no regular file: to a pipe, say, which would be waited for
void check_is_file(const std::filesystem::path& result);

/// A finished result of Terrace, open for reading.
class MadeResult {
 public:
  /// Opens the file in a child first, which a damaged file may kill or keep for ever.
  /// @throws IoError where it is not there, is damaged, is a run that has not ended, or was not made by Terrace
  explicit MadeResult(const std::filesystem::path& path);

  const std::filesystem::path& path() const { return path_; }
  const io::ResultReader& reader() const { return *reader_; }
  /// The recorded job and the files of its inputs as they were.
  const nlohmann::json& identity() const { return identity_; }
  const nlohmann::json& inputs() const { return inputs_; }
  /// Where relative paths of the job's files begin. Results of earlier versions do not record it: it then follows
  /// from the inputs that lay in it, or else is the folder of the result.
  std::filesystem::path job_folder() const;
  /// A dataset, by its full name. @throws IoError where there is none, or of text
  std::shared_ptr<io::Source> dataset(const std::string& name) const;

 private:
  std::filesystem::path path_;
  std::unique_ptr<io::ResultReader> reader_;
  nlohmann::json identity_, inputs_;
};

/// The job of the result with its inputs, opened. Inputs that have changed in size or time since are named as
/// warnings. Inputs that this version reads otherwise are not compared.
/// @throws IoError naming an input that is gone; Error where one has another shape or type
job::OpenJob open_made_job(Session& session, const MadeResult& result);

/// The parts of the result that this version would make otherwise. @param open the job of the result
Outdated outdated_in(const MadeResult& result, const job::OpenJob& open);

}  // namespace terrace::app
