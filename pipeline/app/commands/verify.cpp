// `terrace verify`: a result against its checksums, against plain programs, or against a second run.
#include <fmt/format.h>

#include <ostream>

#include "io/results/verify_checksums.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/program.hpp"
#include "pipeline/app/verify/again.hpp"
#include "pipeline/app/verify/sample.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/units.hpp"

namespace terrace::app {
namespace {

std::string place_of(const io::ChecksumFinding& finding) {
  return finding.name + (finding.box.rank() == 0 ? "" : ", box " + to_string(finding.box));
}

/// Compares everything in the file with the checksums that were recorded when it was written. Findings are named on
/// standard output.
VerifyCounts verify_record(VerifyWatch& watch, const std::string& path) {
  const io::ChecksumReport report = io::verify_checksums(
      path, [&](std::int64_t done, std::int64_t all) { watch.advance("checksums", "byte", done, all); },
      &watch.stop());
  for (const io::ChecksumFinding& finding : report.findings) {
    watch.answer(fmt::format("{}: {}\n", place_of(finding), finding.what));
  }
  if (report.more > 0) watch.answer(fmt::format("and {} more\n", report.more));
  watch.check_stop();
  if (!report.recorded) {
    watch.warn(path +
               " holds no checksums, as results of earlier versions: that it is as it was written cannot be "
               "told; --sample computes parts of it again");
    return {};
  }
  const std::int64_t different = static_cast<std::int64_t>(report.findings.size()) + report.more;
  watch.answer(fmt::format("checksums: {} compared, {}, {}\n", counted(report.datasets, "dataset"),
                           format_size(static_cast<double>(report.bytes)),
                           different == 0 ? "all equal" : counted(different, "difference")));
  return {report.datasets, different};
}

void add(VerifyCounts& counts, const VerifyCounts& more) {
  counts.compared += more.compared;
  counts.different += more.different;
}

/// Compares, and tells the watch. @return the numbers of datasets that were compared and that differ
VerifyCounts verified(Session& session, VerifyWatch& watch, const VerifyArguments& arguments) {
  static_cast<void>(MadeResult(arguments.path));  // it can be read, and Terrace made it
  const auto second_run = arguments.all ? take_second_run(arguments.path) : nullptr;
  VerifyCounts counts = verify_record(watch, arguments.path);
  if (arguments.sample > 0 || arguments.all) {
    const MadeResult result(arguments.path);
    const job::OpenJob open = open_made_job(session, result);
    const stages::Sampler sampler(arguments.sample > 0 ? arguments.sample : 1, arguments.seed);
    if (arguments.sample > 0) add(counts, verify_sample(session, watch, result, open, sampler));
    if (arguments.all) add(counts, verify_again(session, watch, *second_run, result, open, sampler));
  }
  return counts;
}

/// Says so unless something was compared, and all of it is equal. @return the exit code
int require_equal(Session& session, const VerifyCounts& counts, const VerifyArguments& arguments) {
  if (counts.different == 0 && counts.compared > 0) return exit_done;
  session.error(arguments.path + ": " +
                (counts.different > 0 ? counted(counts.different, "difference") : "nothing could be compared"));
  return exit_failed;
}

int verify_as_json(Session& session, const VerifyArguments& arguments) {
  std::vector<std::string> answers, errors;
  VerifyCounts counts;
  const int code = run_command(
      session,
      [&] {
        VerifyWatch watch(session, &answers);
        counts = verified(session, watch, arguments);
        return require_equal(session, counts, arguments);
      },
      &errors);
  const char* state = code == exit_done      ? "equal"
                      : code == exit_stopped ? "stopped"
                      : code == exit_wrong   ? "wrong"
                      : counts.different > 0 ? "different"
                                             : "failed";
  nlohmann::json answer = {{"result", text_json(arguments.path)}, {"state", state},
                           {"compared", counts.compared},         {"differences", counts.different},
                           {"answers", nlohmann::json::array()},  {"errors", nlohmann::json::array()}};
  for (const std::string& text : answers) answer["answers"].push_back(text_json(text));
  for (const std::string& text : errors) answer["errors"].push_back(text_json(text));
  session.answer_json(answer);
  return code;
}

}  // namespace

int verify(Session& session, const VerifyArguments& arguments) {
  if (arguments.json) return verify_as_json(session, arguments);
  VerifyWatch watch(session);
  return require_equal(session, verified(session, watch, arguments), arguments);
}

}  // namespace terrace::app
