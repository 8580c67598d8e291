#include "pipeline/app/earlier/existing_output.hpp"

#include "io/input_file.hpp"
#include "io/results/reader.hpp"
#include "pipeline/base/json.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// The record in a result of the job that made it, as text. Results of earlier versions have no last two.
struct Record {
  std::string identity, inputs;
  std::optional<std::string> contents, stages;
};

/// The record in the file that has the output's name, or nullopt if the file is not one of Terrace's.
/// @throws JobError if the file is damaged or may not be read; io::DiskError
std::optional<Record> record_in(const job::Job& job) {
  try {
    const auto texts = io::root_texts(job.output, {"identity", "inputs", "contents", "stages"});
    if (!texts[0] || !texts[1]) return std::nullopt;
    return Record{*texts[0], *texts[1], texts[2], texts[3]};
  } catch (const io::DiskError&) {
    throw;  // the job is right
  } catch (const IoError& error) {
    throw output_error(job, std::string(error.what()) +
                                "; it is not replaced, since Terrace may not have made it: move it away, or name "
                                "another output");
  }
}

/// @throws as record_in(); JobError if another program made the file
Record record_of_output(const job::Job& job) {
  std::optional<Record> record = record_in(job);
  if (record) return *std::move(record);
  throw output_error(
      job, job.output.string() + " is there and was not made by Terrace: it is not replaced; name another output");
}

/// Calls `read`, which takes values out of attributes of the output. @throws DamagedRecord
template <class Read>
auto read_attributes(const job::Job& job, const char* names, const Read& read) {
  return read_json(job.output.string() + ", attributes " + names, "replace the result with --fresh", read);
}

/// The first input that does not hold what it held when the stages that read it were computed, for people.
std::optional<std::string> changed_since(const Record& record, const Json& inputs, const job::OpenJob& open,
                                         const Signature& now, ReadAgain& again) {
  const Json contents = Json::parse(record.contents.value_or("{}")),
             stages = Json::parse(record.stages.value_or("{}"));
  const Json contents_now = contents_of(open), none = Json::object();
  for (const job::Stage& stage : open.job.stages) {
    const Json& of_stage = stages.contains(stage.name) ? stages[stage.name] : none;
    auto found = changed_input(open, stage, of_stage, {inputs, contents}, {now.inputs, contents_now}, again);
    if (found) return found;
  }
  return std::nullopt;
}

/// The first difference between the job of a result and this job.
std::optional<Difference> difference_from(const Record& record, const job::OpenJob& open, Signature now,
                                          ReadAgain& again) {
  now.fixed = Json::object();
  Json inputs;
  auto found = read_attributes(open.job, "`identity` and `inputs`", [&] {
    inputs = Json::parse(record.inputs);
    return difference({Json::parse(record.identity), Json::object(), inputs}, now);
  });
  if (found) return found;
  const auto changed = read_attributes(open.job, "`inputs`, `contents` and `stages`",
                                       [&] { return changed_since(record, inputs, open, now, again); });
  return changed ? std::optional(Difference{*changed}) : std::nullopt;
}

}  // namespace

JobError output_error(const job::Job& job, const std::string& message) {
  return JobError(message_at(job.output_place, message));
}

void check_output(const job::Job& job) {
  if (io::file_state(job.output)) record_of_output(job);
}

ExistingOutput look_at_output(const job::OpenJob& open, const Signature& now, Fresh fresh, ReadAgain& again) {
  const auto state = io::file_state(open.job.output);
  if (!state) return {};
  const Record record = record_of_output(open.job);
  try {
    return {state, difference_from(record, open, now, again)};
  } catch (const DamagedRecord&) {
    if (fresh == Fresh::nothing) throw;
    return {state, Difference{"its attributes are damaged"}};
  }
}

}  // namespace terrace::app
