// `terrace show`: a result in words, or the state of a run that is active or stopped.
#include <ostream>

#include "io/child_check.hpp"
#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/show/kerchunk.hpp"
#include "pipeline/app/show/paf.hpp"
#include "pipeline/app/show/pairs.hpp"
#include "pipeline/app/show/result.hpp"
#include "pipeline/app/show/result_json.hpp"
#include "pipeline/app/show/run.hpp"
#include "pipeline/app/show/xdmf.hpp"
#include "pipeline/app/text_table.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;

/// True if the file exists and this user may see it: folders of runs can be read by their owner alone.
bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// True if the path leads to a regular file: a pipe would wait for a writer.
bool is_plain_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// The folder of the run that a path means: the folder itself, the run folder of an output that does not exist yet,
/// or the folder around a partial result. Empty if there is none.
fs::path run_folder_of(const fs::path& path) {
  const fs::path plain = path.has_filename() ? path : path.parent_path();
  if (fs::is_directory(plain)) return plain;
  if (fs::exists(plain)) return is_there(plain.parent_path() / "plan.json") ? plain.parent_path() : fs::path();
  const fs::path folder = run::RunFolder::path_for(plain);
  return fs::is_directory(folder) ? folder : fs::path();
}

}  // namespace

int show(Session& session, const ShowArguments& arguments) {
  const fs::path named = arguments.path;
  if (is_plain_file(named) && job::is_batch(named, {})) return show_batch(session, arguments);
  const auto output = is_plain_file(named) ? job::output_of_job(named) : std::nullopt;
  const fs::path path = output.value_or(named);  // of a job its result
  const fs::path folder = run_folder_of(path);
  if (!folder.empty()) {
    if (!arguments.stage.empty())
      throw JobError(folder.string() + ": is a run that has not ended: it has no results yet");
    if (arguments.json) return session.answer_json(run_json(folder));
    session.answer(wrap_lines(describe_run(folder), session.columns, 4));
    return exit_done;
  }
  if (!fs::exists(path)) {
    throw JobError(path.string() + ": is not there, and neither is a run " + run::RunFolder::path_for(path).string() +
                   " that would make it");
  }
  check_is_file(path);
  if (arguments.kerchunk) return session.answer_json(kerchunk_of(path, arguments.stage));
  const auto describe = [&] {
    if (arguments.paf) return paf_lines(path, arguments.stage);
    if (arguments.tsv) return tsv_lines(path, arguments.stage);
    if (arguments.xdmf) return xdmf_of(path, arguments.stage);
    if (arguments.json) return text_of_json(result_json(path, arguments.stage));
    return describe_result(path, arguments.stage, session.columns);
  };
  const std::string answer = io::call_in_child(path.string(), "HDF5", io::limits_for(path), describe);
  if (arguments.json) session.out << answer;
  else session.answer(answer);
  if (const fs::path other = run::RunFolder::path_for(path); is_there(other / "plan.json")) {
    session.note("there is a run that would replace it: see " + other.string());
  }
  return exit_done;
}

}  // namespace terrace::app
