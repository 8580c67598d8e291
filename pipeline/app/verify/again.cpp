#include "pipeline/app/verify/again.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "io/files/run_lock.hpp"
#include "pipeline/app/earlier/beginning.hpp"
#include "pipeline/app/earlier/resumed_plan.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/app/prepare.hpp"
#include "pipeline/base/bands.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::int64_t piece_bytes = 4 << 20;  // compared at a time

constexpr const char* verify_command = "terrace verify --all";

/// The job for the second run: with the recorded memory, and with the recorded back end if it is available here.
/// Results of earlier versions do not record these; then as if the job did not name them.
job::OpenJob job_again(const MadeResult& result, const job::OpenJob& open, const fs::path& output) {
  job::OpenJob again = open;
  again.job.output = output;
  try {
    const Json settings = Json::parse(result.reader().attribute("settings").value_or("{}"));
    const Json memory = settings.value("memory", Json::object());
    const auto budget = [&](const char* name) -> std::optional<std::int64_t> {
      const Json value = memory.value(name, Json());
      return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
    };
    again.job.host_memory = budget("host");
    again.job.device_memory = budget("device");
    if (settings.value("backend", "") == "cpu") again.job.backend = job::Backend::cpu;
  } catch (const Json::exception&) {
    throw IoError(result.path().string() + ", attribute settings", "is damaged");
  }
  return again;
}

/// The plan of an earlier verification that was stopped or killed, or nullopt if there is none or it is damaged.
std::optional<Json> earlier_plan(const run::RunFolder& folder) noexcept {
  try {
    return folder.plan();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

/// @return true if a verification of the same job on the same kind of machine has begun the run of that plan
bool can_go_on(const std::optional<Json>& plan, const Signature& now) noexcept {
  try {
    return plan && !difference(signature_in(*plan), now);
  } catch (const std::exception&) {
    return false;
  }
}

/// @throws IoError if another command than this one has begun the run in the folder
void check_command(const run::RunFolder& folder) {
  const std::optional<Json> plan = earlier_plan(folder);
  if (!plan || plan->value("command", Json()) == verify_command) return;
  throw IoError(folder.path().string(),
                "holds an unfinished run of another command, which is not removed; finish it, or move it away");
}

/// The job's second run.
class SecondRun {
 public:
  SecondRun(const Session& session, VerifyWatch& watch, run::RunFolder& folder, const job::OpenJob& open)
      : session_(session), watch_(watch), folder_(folder), open_(open) {}

  /// Leaves the complete result in the folder. @throws Stopped; all that a run throws
  void complete() {
    machine_ = open_machine(open_, session_.stages, resumes_on_cpu(folder_, Fresh::nothing));
    if (const auto begun = earlier_plan(folder_); can_go_on(begun, signature_of(open_, machine_))) {
      watch_.note("going on with the verification in " + folder_.path().string());
      watch_.keep(true);
      try {
        run::RunPlan plan = resumed_plan(open_, machine_, session_.stages, (folder_.path() / "plan.json").string(),
                                         *begun, run::Ledger::read(folder_.ledger()), watch_.watch());
        folder_.resume(*begun, std::nullopt);
        return complete(plan);
      } catch (const Stopped&) {
        throw;
      } catch (const Error& error) {
        watch_.keep(false);
        watch_.note(std::string("it cannot be gone on with: ") + error.what());
      }
    }
    watch_.note("running the job again");
    run::RunPlan plan = make_plan(open_, machine_, session_.stages, nullptr, watch_.watch(), {});
    tell_of_cpu(plan, [&](const std::string& why) { watch_.note(why); });
    plan.command = verify_command;
    watch_.check_stop();
    folder_.start_over(false, std::nullopt);
    watch_.keep(true);
    complete(plan);
  }

 private:
  void complete(run::RunPlan& plan) {
    run::RunSettings settings = settings_on(machine_);
    settings.stop = &watch_.stop();
    settings.inputs_now = [&] { return inputs_of(open_); };
    settings.warn = [&](const std::string& text) { watch_.warn(text); };
    settings.report = [&](const std::string& name, const run::StageProgress& state, const run::Prediction& p) {
      watch_.show(plan, name, state, p);
    };
    run::complete(plan, folder_, settings);
  }

  const Session& session_;
  VerifyWatch& watch_;
  run::RunFolder& folder_;
  const job::OpenJob& open_;
  Machine machine_;
};

/// Compares the numbers of datasets in two files.
class Comparison {
 public:
  /// @param all bytes of the datasets that are compared
  Comparison(VerifyWatch& watch, std::int64_t all) : watch_(watch), all_(all) {}

  /// @return the place of the first difference of one dataset; empty if there is none
  std::string first_difference(io::Source& stored, io::Source& again);

 private:
  VerifyWatch& watch_;
  std::int64_t done_ = 0, all_;
};

std::string Comparison::first_difference(io::Source& stored, io::Source& again) {
  if (stored.type() != again.type() || stored.shape() != again.shape()) {
    return fmt::format("{} of {} is stored, {} of {} was computed", to_string(stored.shape()), name_of(stored.type()),
                       to_string(again.shape()), name_of(again.type()));
  }
  const Extents& shape = stored.shape();
  if (volume(shape) == 0) return "";
  const TileGrid grid = bands_of(shape, piece_bytes / static_cast<std::int64_t>(size_of(stored.type())));
  std::vector<std::byte> before, now;
  for (std::int64_t number = 0; number < grid.count(); ++number) {
    watch_.advance("comparing", "byte", done_, all_);
    const Box box = grid.box(number);
    before.resize(static_cast<std::size_t>(box.volume()) * size_of(stored.type()));
    now.resize(before.size());
    stored.read(box, before.data());
    again.read(box, now.data());
    done_ += std::ssize(now);
    if (std::memcmp(before.data(), now.data(), before.size()) != 0) return "box " + to_string(box);
  }
  return "";
}

bool is_compared_in_pieces(const io::DatasetSummary& dataset) {
  return dataset.type != "text" && dataset.shape.rank() > 0;
}

std::string compare(const MadeResult& stored, const MadeResult& again, const io::DatasetSummary& dataset,
                    Comparison& comparison) {
  if (!stored.reader().has(dataset.path)) return "is missing";
  if (is_compared_in_pieces(dataset)) {
    return comparison.first_difference(*stored.dataset(dataset.path), *again.dataset(dataset.path));
  }
  const auto before = stored.reader().texts(dataset.path), now = again.reader().texts(dataset.path);
  return before == now ? "" : "other values were computed";
}

bool is_of(const job::Stage& stage, const io::DatasetSummary& dataset) {
  return !dataset.only_dimension && dataset.path.starts_with("/" + stage.name + "/");
}

/// True if a stage's results depend on how a run is cut: then its real numbers are rounded in another order, which
/// also affects all values that follow from comparisons of such numbers.
bool depends_on_cut(const job::Stage& stage, const std::vector<io::DatasetSummary>& datasets) {
  if (stage.kind != "recursive" && stage.kind != "query") return false;
  return std::any_of(datasets.begin(), datasets.end(), [&](const io::DatasetSummary& dataset) {
    return is_of(stage, dataset) && (dataset.type == "f32" || dataset.type == "f64");
  });
}

/// Bytes of the datasets of stages that are compared in pieces.
std::int64_t bytes_to_compare(const job::Job& job, const std::vector<io::DatasetSummary>& datasets) {
  std::int64_t bytes = 0;
  for (const io::DatasetSummary& dataset : datasets) {
    const auto is_its = [&](const job::Stage& stage) { return is_of(stage, dataset); };
    const auto element = element_type_from(dataset.type);
    if (!element || !is_compared_in_pieces(dataset) || std::none_of(job.stages.begin(), job.stages.end(), is_its))
      continue;
    bytes += volume(dataset.shape) * static_cast<std::int64_t>(size_of(*element));
  }
  return bytes;
}

/// @throws Error if this version makes another result of the job
void check_version(const MadeResult& result, const job::OpenJob& open) {
  const Outdated old = outdated_in(result, open);
  const auto refuse = [&](const std::string& what) {
    throw Error(
        result.path().string() + ": this version " + what +
        ": the result cannot be computed again as a whole; --sample computes parts of the stages that are the "
        "same");
  };
  if (!old.inputs.empty()) refuse("reads input '" + *old.inputs.begin() + "' otherwise");
  if (!old.stages.empty()) refuse("gives other results of stage '" + *old.stages.begin() + "'");
}

VerifyCounts compare_all(Session& session, VerifyWatch& watch, const MadeResult& result, const MadeResult& again,
                         const job::OpenJob& open, const stages::Sampler& sampler) {
  VerifyCounts counts;
  const std::vector<io::DatasetSummary> datasets = again.reader().datasets();
  Comparison comparison(watch, bytes_to_compare(open.job, datasets));
  for (const job::Stage& stage : open.job.stages) {
    const bool excused = depends_on_cut(stage, datasets);
    bool by_sample = false;
    for (const io::DatasetSummary& dataset : datasets) {
      if (!is_of(stage, dataset)) continue;
      const std::string difference = compare(result, again, dataset, comparison), name = dataset.path.substr(1);
      if (!difference.empty() && excused) {
        watch.answer(fmt::format("{}: run again, not equal bit by bit, as real numbers need not be\n", name));
        by_sample = true;
        continue;
      }
      ++counts.compared;
      if (!difference.empty()) ++counts.different;
      watch.answer(
          fmt::format("{}: run again, {}\n", name, difference.empty() ? "equal" : "DIFFERENT: " + difference));
    }
    watch.check_stop();
    if (!by_sample) continue;
    const VerifyCounts more = report_stage(watch, stage, check_stage(session, watch, result, open, stage, sampler));
    counts.compared += more.compared;
    counts.different += more.different;
  }
  return counts;
}

/// Clears the folder; ignores failures.
void discard(run::RunFolder& folder) noexcept {
  try {
    folder.clear();
  } catch (const std::exception&) {
    return;  // the next verification removes it
  }
}

}  // namespace

std::unique_ptr<run::RunFolder> take_second_run(const fs::path& result) {
  const fs::path output = fs::absolute(result).string() + ".verify";
  try {
    auto folder = std::make_unique<run::RunFolder>(output);
    check_command(*folder);
    return folder;
  } catch (const io::LockHeld& held) {
    throw IoError(result.string(), "another `" + std::string(verify_command) + "` of it is under way (" +
                                       held.holder() + "); wait for it or stop it");
  } catch (const run::UnfitOutput& error) {
    throw IoError(result.string(), std::string("the job cannot be run again beside it: ") + error.what() +
                                       ": a copy of the result in another folder can be verified there");
  }
}

VerifyCounts verify_again(Session& session, VerifyWatch& watch, run::RunFolder& folder, const MadeResult& result,
                          const job::OpenJob& open, const stages::Sampler& sampler) {
  check_version(result, open);
  const job::OpenJob again = job_again(result, open, folder.output());
  VerifyCounts counts;
  try {
    SecondRun(session, watch, folder, again).complete();
    counts = compare_all(session, watch, result, MadeResult(folder.result().path()), open, sampler);
  } catch (const Stopped&) {
    throw;
  } catch (const JobError& error) {
    discard(folder);
    throw Error(std::string("the job cannot be run again: ") + error.what());
  } catch (...) {
    discard(folder);
    throw;
  }
  folder.clear();
  return counts;
}

}  // namespace terrace::app
