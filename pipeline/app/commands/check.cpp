// `terrace check`: loads a job, opens its inputs and plans it without reading large arrays.
#include <fmt/format.h>

#include <iterator>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/app/batch/batch_commands.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/existing_output.hpp"
#include "pipeline/app/job_check.hpp"
#include "pipeline/app/message_json.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/app/warnings.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// `job`, `valid`, `errors` and `warnings`; of a valid job also the numbers of its `inputs` and `stages`, and, if
/// anything was found out about stages, by their names, `analysis`.
int check_as_json(Session& session, const JobArguments& arguments) {
  Json answer = {{"job", text_json(arguments.path)}, {"errors", Json::array()}, {"warnings", Json::array()}};
  const auto add = [&](const char* list, const std::string& message) {
    answer[list].push_back(message_json(message, arguments.path, arguments.settings));
    session.record(message);
  };
  try {
    const auto warn = [&](const std::string& warning) { add("warnings", warning); };
    const auto [job, analyses] = check_job(session, arguments, warn);
    answer["inputs"] = job.inputs.size();
    answer["stages"] = job.stages.size();
    for (const auto& [stage, lines] : analyses) answer["analysis"][stage] = lines;
  } catch (const JobError& error) {
    for (const std::string& message : error.messages()) add("errors", message);
  }
  const bool valid = answer["errors"].empty();
  answer["valid"] = valid;
  session.answer_json(answer);
  return valid ? exit_done : exit_wrong;
}

}  // namespace

CheckedJob check_job(Session& session, const JobArguments& arguments, const Warn& warn) {
  const job::OpenJob open = job::load_and_open(arguments.path, arguments.settings, session.stages.declarations(),
                                               session.kinds, false, arguments.task.get());
  session.keep_log_apart(open.job);
  for (const std::string& warning : open.job.warnings) warn(warning);
  warn_of_budgets(open.job, warn);
  CheckedJob all{open.job, check_plan(open, session.stages, warn)};
  check_output(open.job);
  check_scratch_folder(open.job);
  return all;
}

int check(Session& session, const PlanArguments& arguments) {
  if (job::is_batch(arguments.job.path, arguments.job.settings)) return check_batch(session, arguments);
  if (arguments.json) return check_as_json(session, arguments.job);
  const auto [job, analyses] =
      check_job(session, arguments.job, [&](const std::string& what) { session.warn(what); });
  session.out << fmt::format("{} is fine: {}, {}\n", printable(arguments.job.path),
                             counted(std::ssize(job.inputs), "input"), counted(std::ssize(job.stages), "stage"));
  for (const auto& [stage, lines] : analyses) {
    session.out << fmt::format("stage {}\n", stage);
    for (const std::string& line : lines) session.out << fmt::format("  analysis      {}\n", printable(line));
  }
  return exit_done;
}

}  // namespace terrace::app
