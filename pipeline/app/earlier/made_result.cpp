#include "pipeline/app/earlier/made_result.hpp"

#include "io/child_check.hpp"
#include "io/kinds.hpp"
#include "pipeline/app/earlier/read_again.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/file_kind.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/job/recorded_job.hpp"
#include "pipeline/run/inputs.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

/// Bytes that the library may cache of a dataset. Datasets written contiguously need no cache.
constexpr std::int64_t most_kept = 64 << 20;

Json parsed(const io::ResultReader& reader, const fs::path& path, const char* attribute) {
  const auto text = reader.attribute(attribute);
  if (!text) {
    throw IoError(path.string(), "is an HDF5 file that Terrace did not make, or did not finish");
  }
  Json json = Json::parse(*text, nullptr, false);
  if (json.is_discarded()) throw IoError(path.string() + ", attribute " + attribute, "is damaged");
  return json;
}

/// Calls `read`, which takes values out of the record of inputs. @throws IoError if they are not there
template <class Read>
auto read_inputs(const fs::path& path, const Read& read) {
  const auto damaged = [&] { return IoError(path.string() + ", attribute inputs", "is damaged"); };
  try {
    return read();
  } catch (const Json::exception&) {
    throw damaged();
  } catch (const std::logic_error&) {
    throw damaged();
  }
}

/// The folder that `relative` lies in, if the whole path ends with it.
std::optional<fs::path> folder_above(const fs::path& whole, const fs::path& relative) {
  if (relative.is_absolute() || relative.empty()) return std::nullopt;
  fs::path folder = whole;
  for (auto part = std::make_reverse_iterator(relative.end()); part != std::make_reverse_iterator(relative.begin());
       ++part) {
    if (folder.filename() != *part) return std::nullopt;
    folder = folder.parent_path();
  }
  return folder;
}

/// The job's folder, derived from paths: a setting of an input is relative to it, a recorded file is not.
std::optional<fs::path> folder_of_inputs(const Json& identity, const Json& inputs) {
  for (const auto& [name, input] : inputs.items()) {
    for (const Json& file : input.value("files", Json::array())) {
      const fs::path path = text_from(file.at("path"));
      for (const auto& [key, setting] : identity.at("inputs").at(name).at("settings").items()) {
        if (!setting.is_string() && !setting.is_object()) continue;
        if (const auto folder = folder_above(path, text_from(setting))) return folder;
      }
    }
  }
  return std::nullopt;
}

/// Reads everything that only the library reads, to find out whether the library survives a damaged file.
void read_all_that_is_small(const fs::path& path) {
  constexpr std::int64_t most_values = 1 << 20;
  const io::ResultReader reader(path);
  reader.read_all_attributes();
  for (const io::DatasetSummary& dataset : reader.datasets()) {
    if (dataset.path.starts_with("/profile/") || dataset.type == "other") continue;
    if (volume(dataset.shape) <= most_values) static_cast<void>(reader.texts(dataset.path));
  }
}

}  // namespace

void check_is_file(const std::filesystem::path& result) {
  if (std::filesystem::exists(result) && !std::filesystem::is_regular_file(result)) {
    throw JobError(result.string() + ": is " + describe_file(result) + ", which holds no result");
  }
  if (const auto output = job::output_of_job(result)) {
    throw JobError(result.string() + ": is a job, not a result; its result is " + output->string());
  }
}

void check_is_there(const fs::path& path) {
  const fs::path run = run::RunFolder::path_for(path);
  if (fs::is_directory(path)) throw JobError(path.string() + ": is a folder; name the result of a run, a file");
  check_is_file(path);
  if (!fs::exists(path)) {
    throw JobError(path.string() + (fs::exists(run)
                                        ? ": is not there yet: " + run.string() + " holds a run that has not ended"
                                        : ": is not there"));
  }
}

MadeResult::MadeResult(const fs::path& path) : path_(path) {
  check_is_there(path);
  io::try_in_child(path.string(), "HDF5", io::limits_for(path), [&] { read_all_that_is_small(path); });
  reader_ = std::make_unique<io::ResultReader>(path);
  identity_ = parsed(*reader_, path, "identity");
  inputs_ = parsed(*reader_, path, "inputs");
}

fs::path MadeResult::job_folder() const {
  if (const auto folder = reader_->attribute("folder")) return *folder;
  const fs::path beside = fs::absolute(path_).lexically_normal().parent_path();
  return read_inputs(path_, [&] { return folder_of_inputs(identity_, inputs_).value_or(beside); });
}

std::shared_ptr<io::Source> MadeResult::dataset(const std::string& name) const {
  Settings settings;
  settings.set("hdf5", path_.string());
  settings.set("dataset", name);
  try {
    io::OpenContext context;
    context.host_memory = most_kept;
    return io::hdf5_kind().open(settings, context);
  } catch (const JobError& error) {
    throw IoError(path_.string(), error.what());
  }
}

namespace {

/// Warns of inputs whose files have changed. @throws Error if one has another shape or type
void compare_inputs(Session& session, const MadeResult& result, const job::OpenJob& open) {
  Json now = inputs_of(open);
  for (const std::string& name : outdated_in(result, open).inputs) now.erase(name);
  if (const auto found = input_difference(result.inputs(), now, FileStates::none))
    throw Error(*found + ": the result cannot be computed again");
  const Json contents = Json::parse(result.reader().attribute("contents").value_or("{}")), none = Json::object();
  for (const auto& [name, files] : now.items()) {
    const Json& before = contents.contains(name) ? contents[name] : none;
    const InputState state =
        compare_input(name, {result.inputs().at(name), before}, {files, run::content_of(*open.inputs.at(name))});
    const bool of_content =
        input_difference({{name, result.inputs().at(name)}}, {{name, files}}, FileStates::content).has_value();
    if (state.same == Same::no || (state.same == Same::unknown && of_content)) {
      session.warn(state.why + "; it is read as it is now");
    }
  }
}

/// Gives inputs that are now read otherwise the defaults of the version that made the result.
/// @return true if there are any
bool restore_defaults(const MadeResult& result, job::OpenJob& open) {
  const std::set<std::string> outdated = outdated_in(result, open).inputs;
  bool any = false;
  for (job::Input& input : open.job.inputs) {
    if (!outdated.contains(input.name)) continue;
    for (const EarlierDefault& earlier : input.earlier_defaults) {
      if (input.settings.has(earlier.parameter)) continue;
      input.settings.set(earlier.parameter, earlier.value);
      any = true;
    }
  }
  return any;
}

}  // namespace

Outdated outdated_in(const MadeResult& result, const job::OpenJob& open) {
  try {
    return outdated({result.identity(), Json(), result.inputs()},
                    {job::defining_json(open.job), Json(), inputs_of(open)});
  } catch (const Json::exception&) {
    throw IoError(result.path().string() + ", attributes identity and inputs", "are damaged");
  }
}

job::OpenJob open_made_job(Session& session, const MadeResult& result) {
  job::OpenJob open;
  try {
    open.job =
        job::recorded_job(result.identity(), result.job_folder(), session.stages.declarations(), session.kinds);
  } catch (const JobError& error) {
    throw Error(error.what());
  }
  open.inputs = job::open_recorded(open.job, session.kinds);
  if (restore_defaults(result, open)) open.inputs = job::open_recorded(open.job, session.kinds);
  read_inputs(result.path(), [&] { compare_inputs(session, result, open); });
  return open;
}

}  // namespace terrace::app
