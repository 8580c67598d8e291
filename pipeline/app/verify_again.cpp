#include "pipeline/app/verify_again.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ostream>

#include "pipeline/app/prepare.hpp"
#include "pipeline/app/stop_signals.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t piece_bytes = 4 << 20;  // compared at a time

/// A file beside the result, which goes with the run that makes it.
class TemporaryOutput {
 public:
  explicit TemporaryOutput(const fs::path& result)
      : path_(fs::absolute(result).string() + ".verify-" + std::to_string(::getpid()) + ".h5") {}
  TemporaryOutput(const TemporaryOutput&) = delete;
  TemporaryOutput& operator=(const TemporaryOutput&) = delete;
  ~TemporaryOutput() {
    std::error_code ignored;
    fs::remove(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

/// The job as it is run again: in the recorded memory, with the recorded back end where it is here. Results of
/// earlier versions do not record them: then as a job that does not name them.
job::OpenJob job_again(const MadeResult& result, const job::OpenJob& open, const fs::path& output) {
  job::OpenJob again = open;
  again.job.output = output;
  const auto text = result.reader().attribute("settings");
  const nlohmann::json settings = nlohmann::json::parse(text.value_or("{}"), nullptr, false);
  if (!settings.is_object()) throw IoError(result.path().string() + ", attribute settings", "is damaged");
  const auto budget = [&](const char* name) -> std::optional<std::int64_t> {
    const nlohmann::json value = settings.value("memory", nlohmann::json::object()).value(name, nlohmann::json());
    return value.is_number_integer() ? std::optional(value.get<std::int64_t>()) : std::nullopt;
  };
  again.job.host_memory = budget("host");
  again.job.device_memory = budget("device");
  if (settings.value("backend", "") == "cpu") again.job.backend = job::Backend::cpu;
  return again;
}

void run_again(Session& session, const job::OpenJob& open) {
  StopSignals signals([&] { session.note("stopping; what was computed again is removed"); });
  Machine machine = open_machine(open);
  run::RunPlan plan =
      make_new_plan(open, machine, session.stages, [&](const std::string& why) { session.note(why); });
  run::RunFolder folder(open.job.output);
  run::RunSettings settings;
  settings.devices = machine.devices();
  settings.host_budget = machine.resources.host_budget;
  settings.device_budget = machine.resources.device_budget;
  settings.stop = &signals.flag();
  try {
    run::execute(plan, folder, settings);
  } catch (...) {
    folder.clear();
    throw;
  }
}

/// The numbers of one dataset in two files, piece by piece. @return where the first difference lies; empty: nowhere
std::string first_difference(io::Source& stored, io::Source& again) {
  if (stored.type() != again.type() || stored.shape() != again.shape()) {
    return fmt::format("{} of {} is stored, {} of {} was computed", to_string(stored.shape()), name_of(stored.type()),
                       to_string(again.shape()), name_of(again.type()));
  }
  const Extents& shape = stored.shape();
  if (volume(shape) == 0) return "";
  // Boxes of whole rows of the last dimensions, as many as a piece holds.
  Extents tile = Extents::filled(shape.rank(), 1);
  std::int64_t room = piece_bytes / static_cast<std::int64_t>(size_of(stored.type()));
  for (int d = shape.rank() - 1; d >= 0; --d) {
    tile[d] = std::min(shape[d], std::max<std::int64_t>(1, room));
    room /= tile[d];
  }
  const TileGrid grid(shape, tile);
  std::vector<std::byte> before, now;
  for (std::int64_t number = 0; number < grid.count(); ++number) {
    const Box box = grid.box(number);
    before.resize(static_cast<std::size_t>(box.volume()) * size_of(stored.type()));
    now.resize(before.size());
    stored.read(box, before.data());
    again.read(box, now.data());
    if (std::memcmp(before.data(), now.data(), before.size()) != 0) return "box " + to_string(box);
  }
  return "";
}

std::string compare(const MadeResult& stored, const MadeResult& again, const io::DatasetSummary& dataset) {
  if (!stored.reader().has(dataset.path)) return "is missing";
  if (dataset.type != "text" && dataset.shape.rank() > 0) {
    return first_difference(*stored.dataset(dataset.path), *again.dataset(dataset.path));
  }
  const auto before = stored.reader().texts(dataset.path), now = again.reader().texts(dataset.path);
  return before == now ? "" : "other values were computed";
}

bool is_of(const job::Stage& stage, const io::DatasetSummary& dataset) {
  return !dataset.only_dimension && dataset.path.starts_with("/" + stage.name + "/");
}

/// Whether a stage's results depend on how a run is cut: its real numbers are rounded in another order then, and with
/// them all that follows from comparisons of such numbers.
bool depends_on_cut(const job::Stage& stage, const std::vector<io::DatasetSummary>& datasets) {
  if (stage.kind != "recursive" && stage.kind != "query") return false;
  return std::any_of(datasets.begin(), datasets.end(), [&](const io::DatasetSummary& dataset) {
    return is_of(stage, dataset) && (dataset.type == "f32" || dataset.type == "f64");
  });
}

}  // namespace

VerifyCounts verify_again(Session& session, const MadeResult& result, const job::OpenJob& open,
                          const stages::Sampler& sampler) {
  const TemporaryOutput output(result.path());
  session.note("running the job again");
  run_again(session, job_again(result, open, output.path()));
  const MadeResult again(output.path());
  VerifyCounts counts;
  const std::vector<io::DatasetSummary> datasets = again.reader().datasets();
  for (const job::Stage& stage : open.job.stages) {
    const bool excused = depends_on_cut(stage, datasets);
    bool by_sample = false;
    for (const io::DatasetSummary& dataset : datasets) {
      if (!is_of(stage, dataset)) continue;
      const std::string difference = compare(result, again, dataset), name = dataset.path.substr(1);
      if (!difference.empty() && excused) {
        session.answer(fmt::format("{}: run again, not equal bit by bit, as real numbers need not be\n", name));
        by_sample = true;
        continue;
      }
      ++counts.compared;
      if (!difference.empty()) ++counts.different;
      session.answer(
          fmt::format("{}: run again, {}\n", name, difference.empty() ? "equal" : "DIFFERENT: " + difference));
    }
    if (!by_sample) continue;
    const VerifyCounts more = report_stage(session, stage, check_stage(session, result, open, stage, sampler));
    counts.compared += more.compared;
    counts.different += more.different;
  }
  return counts;
}

}  // namespace terrace::app
