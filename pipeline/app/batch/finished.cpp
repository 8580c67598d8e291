#include "pipeline/app/batch/finished.hpp"

#include "io/results/reader.hpp"
#include "pipeline/app/batch/task_status.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/identity.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

/// The parts of a signature that need no device.
Signature signature_now(const job::OpenJob& open) {
  Signature now;
  now.identity = job::defining_json(open.job);
  now.inputs = inputs_of(open);
  now.defaults = job::defaults_of(open.job);
  return now;
}

}  // namespace

bool is_finished(const Session& session, const JobArguments& arguments) {
  if (status_of(*arguments.task).state != TaskState::done) return false;
  try {
    const job::OpenJob open = job::load_and_open(arguments.path, arguments.settings, session.stages.declarations(),
                                                 session.kinds, false, arguments.task.get());
    const auto texts = io::root_texts(open.job.output, {"identity", "inputs"});
    if (!texts[0] || !texts[1]) return false;
    Signature before;
    before.identity = Json::parse(*texts[0]);
    before.inputs = Json::parse(*texts[1]);
    const Signature now = signature_now(open);
    const Outdated old = outdated(before, now);
    return !job::first_difference(before.identity, now.identity, now.defaults) && old.inputs.empty() &&
           old.stages.empty() && !input_difference(before.inputs, now.inputs, FileStates::content);
  } catch (const Error&) {
    return false;  // its run says what is wrong
  } catch (const Json::exception&) {
    return false;
  }
}

}  // namespace terrace::app
