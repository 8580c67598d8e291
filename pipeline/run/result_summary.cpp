#include "pipeline/run/result_summary.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <span>
#include <tuple>

#include "pipeline/base/json.hpp"
#include "pipeline/run/build_id.hpp"

namespace terrace::run {
namespace {

using Json = nlohmann::json;

std::string time_text(std::time_t time) {
  char text[32];
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// The machine and the times of a run.
struct Origin {
  std::string host, started, finished;
};

Origin origin_of(const RunReport& report) {
  Origin origin;
  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  origin.host = host;
  const double started = report.profile.started();  // 0 in what a run keeps that has failed
  if (started > 0) origin.started = time_text(static_cast<std::time_t>(started));
  origin.finished = time_text(std::time(nullptr));
  return origin;
}

/// True if another back end may give another result of the stage, within what its problem allows.
bool depends_on_backend(const PlannedStage& planned, const std::vector<io::SmallDataset>& small) {
  const auto& arrays = planned.stage->plan().arrays();
  const auto real = [](const io::SmallDataset& dataset) {
    return std::holds_alternative<std::vector<std::byte>>(dataset.values) && is_floating(dataset.spec.type);
  };
  return planned.ties || std::any_of(small.begin(), small.end(), real) ||
         std::any_of(arrays.begin(), arrays.end(),
                     [](const ArraySpec& spec) { return spec.role == Role::result && is_floating(spec.type); });
}

/// The checksums of all that a stage has read of files, for read_again(): `tiles` of its blocks, and `parts`, by its
/// arrays, what was read of each input to plan the run; null for arrays that are no inputs, or are held in memory.
Json reads_of(const PlannedStage& planned, const RunPlan& plan) {
  Json parts = Json::array();
  for (const std::string& input : planned.inputs) {
    const Json reads = plan.reads.value(input, Json::object());
    parts.push_back(reads.value("parts", Json()));
  }
  return {{"tiles", planned.tiles_read}, {"parts", parts}};
}

std::vector<std::string> names_of(const std::vector<device::Context*>& devices) {
  std::vector<std::string> names;
  for (const device::Context* context : devices) names.push_back(context->limits().name);
  return names;
}

/// The devices of the run, and the CPU beside them if it computes a stage.
std::vector<device::Context*> all_devices(const RunPlan& plan, const RunSettings& settings) {
  std::vector<device::Context*> devices = settings.devices;
  const bool on_cpu = std::any_of(plan.stages.begin(), plan.stages.end(), uses_cpu);
  if (on_cpu && settings.cpu != nullptr) devices.push_back(settings.cpu);
  return devices;
}

/// The origin of a stage: program, machine, times, and checksums of what it read; and the back end, if its results
/// depend on that.
Json record_of(const PlannedStage& planned, const RunPlan& plan, const RunSettings& settings, const Origin& origin,
               const std::vector<io::SmallDataset>& small) {
  if (const TakenStage* taken = planned.taken_stage()) return taken->record();
  Json record{{"version", version_text()},       {"commit", build_id()},
              {"host", text_json(origin.host)},  {"devices", names_of(devices_of(planned, settings))},
              {"started", origin.started},       {"finished", origin.finished},
              {"reads", reads_of(planned, plan)}};
  const std::string backend = backend_of(planned, plan);
  if (depends_on_backend(planned, small) && !backend.empty()) record["backend"] = backend;
  return record;
}

/// The end of the run that computed the stage.
/// @param finished of this run
std::string date_of(const PlannedStage& planned, const std::string& finished) {
  const TakenStage* taken = planned.taken_stage();
  if (taken == nullptr) return finished;
  const Json date = taken->record().value("finished", Json());
  return date.is_string() ? date.get<std::string>() : "";
}

/// Puts the profiles of stages that are taken over into the tables.
void add_taken_profiles(const RunPlan& plan, const RunReport& report, io::Finish& finish) {
  std::map<std::size_t, TakenProfile> taken;
  for (std::size_t number = 0; number < plan.stages.size(); ++number) {
    const auto profile = report.taken.find(plan.stages[number].name);
    if (plan.stages[number].is_taken() && profile != report.taken.end()) taken[number] = profile->second;
  }
  add_taken(finish.small, taken);
}

/// A table as a group of columns of one length.
class Columns {
 public:
  Columns(io::Finish& finish, std::string group, std::string dimension, std::size_t rows)
      : finish_(finish), group_(std::move(group)), dimension_(std::move(dimension)), rows_(rows) {}

  /// @param meaning the column's `long_name`
  template <class Record, class Get>
  void add(const std::string& name, const std::string& meaning, const std::vector<Record>& records, Get&& get,
           const std::string& units = {}) {
    using T = std::decay_t<decltype(get(records[0]))>;
    const Extents shape{static_cast<std::int64_t>(rows_)};
    if constexpr (std::is_same_v<T, std::string>) {
      std::vector<std::string> values;
      for (const Record& record : records) values.push_back(get(record));
      finish_.small.push_back(
          {{group_ + name, ElementType::u8, shape, {dimension_}, units, meaning}, std::move(values)});
    } else {
      std::vector<T> values;
      for (const Record& record : records) values.push_back(get(record));
      finish_.small.push_back(
          io::small_dataset<T>(group_ + name, shape, {dimension_}, std::span<const T>(values), units, meaning));
    }
  }

 private:
  io::Finish& finish_;
  std::string group_, dimension_;
  std::size_t rows_;
};

/// @param plan with as many stages as the profile
void add_stages(const RunPlan& plan, const Profile& profile, const std::string& finished, io::Finish& finish) {
  const auto& records = profile.stages();
  Columns columns(finish, "/profile/stages/", "stage", records.size());
  using R = StageRecord;
  columns.add("name", "name of the stage in the job", plan.stages,
              [](const PlannedStage& stage) { return stage.name; });
  columns.add("computed", "end of the run that computed the stage (UTC)", plan.stages,
              [&](const PlannedStage& stage) { return date_of(stage, finished); });
  columns.add("taken_over",
              "1: another run computed the stage, and this one has taken over its results and its profile; times of "
              "its blocks and copies are since the start of that run; 0: this run computed it",
              plan.stages, [](const PlannedStage& stage) { return static_cast<std::int32_t>(stage.is_taken()); });
  columns.add("method", "kernel that computed the stage (terrace methods)", records,
              [](const R& r) { return r.method; });
  columns.add("backend", "back end that computed the stage: cuda, cpu", records,
              [](const R& r) { return r.backend; });
  columns.add("blocks", "blocks computed by the last attempt", records, [](const R& r) { return r.blocks; });
  columns.add("repeated", "blocks computed again after a stop", records, [](const R& r) { return r.repeated; });
  columns.add("cuts", "checkpoints made", records, [](const R& r) { return r.checkpoints; });
  columns.add(
      "seconds", "time from the start of the stage to its end", records, [](const R& r) { return r.end - r.begin; },
      "s");
  columns.add(
      "compute_seconds", "time during which at least one block was being computed", records,
      [](const R& r) { return r.computing.seconds(); }, "s");
  columns.add(
      "predicted_seconds", "time that the plan expected", records, [](const R& r) { return r.predicted_seconds; },
      "s");
  columns.add("operations", "operations of the blocks computed", records, [](const R& r) { return r.operations; });
  columns.add("whole_operations", "operations of the whole problem", records,
              [](const R& r) { return r.whole > 0 ? r.whole : r.operations; });
  columns.add("skipped", "share of the whole problem that was left out because it cannot change the result", records,
              [](const R& r) { return r.left_out(); });
  columns.add("unit", "what an operation is", records, [](const R& r) { return r.unit; });
  columns.add(
      "rate", "operations per second while computing", records, [](const R& r) { return r.rate; }, "s-1");
  columns.add(
      "limit", "the least of the limits of the rate", records, [](const R& r) { return r.limit; }, "s-1");
  columns.add("limit_kind", "what sets the limit", records, [](const R& r) { return r.limit_kind; });
  columns.add("fraction", "rate over limit", records,
              [](const R& r) { return r.limit > 0 ? r.rate / r.limit : 0.0; });
  columns.add(
      "bytes_read", "bytes read from disk", records, [](const R& r) { return r.bytes_read; }, "byte");
  columns.add(
      "bytes_up", "bytes copied to devices", records, [](const R& r) { return r.bytes_up; }, "byte");
  columns.add(
      "bytes_down", "bytes copied from devices", records, [](const R& r) { return r.bytes_down; }, "byte");
  columns.add(
      "bytes_written", "bytes written to disk", records, [](const R& r) { return r.bytes_written; }, "byte");
  columns.add(
      "peak_host", "most host memory held at a time", records, [](const R& r) { return r.peak_host; }, "byte");
  columns.add(
      "peak_device", "most memory of a device held at a time", records, [](const R& r) { return r.peak_device; },
      "byte");
  columns.add(
      "budget_host", "host memory that the stage may hold", records, [](const R& r) { return r.budget_host; },
      "byte");
  columns.add(
      "budget_device", "memory of a device that the stage may hold; 0: devices share the memory of the host", records,
      [](const R& r) { return r.budget_device; }, "byte");
}

/// Adds the sums of each kind of work, for stages with several.
void add_parts(const Profile& profile, io::Finish& finish) {
  struct R {
    std::int64_t stage;
    PartRecord part;
  };
  std::vector<R> records;
  for (std::size_t s = 0; s < profile.stages().size(); ++s) {
    for (const PartRecord& part : profile.stages()[s].parts) records.push_back({static_cast<std::int64_t>(s), part});
  }
  Columns columns(finish, "/profile/parts/", "part", records.size());
  columns.add("stage", "index of the stage", records, [](const R& r) { return r.stage; });
  columns.add("name", "what these blocks do", records, [](const R& r) { return r.part.name; });
  columns.add("blocks", "blocks that do it", records, [](const R& r) { return r.part.blocks; });
  columns.add("operations", "their operations", records, [](const R& r) { return r.part.operations; });
  columns.add(
      "seconds", "time during which at least one of them was being computed", records,
      [](const R& r) { return r.part.computing.seconds(); }, "s");
}

/// For each record, the times that its block has been computed so far, in its own attempt and earlier ones.
std::vector<std::int64_t> attempts_of(const std::vector<BlockRecord>& records) {
  const auto place = [&](std::size_t at) {
    const BlockRecord& r = records[at];
    return std::tuple(r.stage, r.phase, r.first, r.attempt);
  };
  std::vector<std::size_t> order(records.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return place(a) < place(b); });
  std::vector<std::int64_t> attempts(records.size());
  std::vector<std::size_t> open;  // earlier in the order, and not known to end before the next begins
  for (const std::size_t at : order) {
    const BlockRecord& block = records[at];
    std::erase_if(open, [&](std::size_t other) {
      const BlockRecord& r = records[other];
      return r.stage != block.stage || r.phase != block.phase || r.first + r.count <= block.first;
    });
    attempts[at] += block.attempts;
    for (const std::size_t other : open) {
      if (records[other].attempt < block.attempt) attempts[at] += records[other].attempts;
      else attempts[other] += block.attempts;
    }
    open.push_back(at);
  }
  return attempts;
}

void add_blocks(const Profile& profile, io::Finish& finish) {
  const auto& records = profile.blocks();
  const std::vector<std::int64_t> attempts = attempts_of(records);
  Columns columns(finish, "/profile/blocks/", "block", records.size());
  using R = BlockRecord;
  columns.add("stage", "index of the stage", records, [](const R& r) { return r.stage; });
  columns.add("phase", "number of the phase in the stage", records, [](const R& r) { return r.phase; });
  columns.add("first", "number of the block in its phase, or the first of several", records,
              [](const R& r) { return r.first; });
  columns.add("count", "blocks that share this row", records, [](const R& r) { return r.count; });
  columns.add("device", "index of the device", records,
              [](const R& r) { return static_cast<std::int32_t>(r.device); });
  columns.add("attempt", "attempt of the run that computed the block, from 1", records,
              [](const R& r) { return r.attempt; });
  columns.add("attempts", "how often the block has been computed until then, by this attempt and those before",
              attempts, [](std::int64_t count) { return static_cast<std::int32_t>(count); });
  columns.add("operations", "operations of the block", records, [](const R& r) { return r.operations; });
  columns.add(
      "begin", "when the device began the block, since the start of the run's first attempt", records,
      [](const R& r) { return r.begin; }, "s");
  columns.add(
      "end", "when the device had completed the block, since the start of the run's first attempt", records,
      [](const R& r) { return r.end; }, "s");
}

void add_copies(const RunPlan& plan, const Profile& profile, io::Finish& finish) {
  const auto& records = profile.copies();
  Columns columns(finish, "/profile/copies/", "copy", records.size());
  using R = CopyRecord;
  static constexpr const char* movements[] = {"read", "copy up", "copy down", "write", "peer", "assemble"};
  columns.add("stage", "index of the stage", records, [](const R& r) { return r.stage; });
  columns.add("array", "name of the array; STAGE/NAME of what an earlier stage wrote and was read to be checked",
              records, [&](const R& r) {
                const bool own = r.written_by < 0;
                const PlannedStage& of = plan.stages[static_cast<std::size_t>(own ? r.stage : r.written_by)];
                const std::string& name = of.stage->plan().arrays()[static_cast<std::size_t>(r.array)].name;
                return own ? name : of.name + "/" + name;
              });
  columns.add("tile", "number of the tile in the array; -1: several", records, [](const R& r) { return r.tile; });
  columns.add("generation", "how often the tile had been made anew", records,
              [](const R& r) { return r.generation; });
  columns.add(
      "movement",
      "way of the tile: from disk (read), to a device (copy up), from it (copy down), to disk (write), from one "
      "device to another (peer), within a device into one buffer (assemble)",
      records, [](const R& r) { return std::string(movements[static_cast<std::size_t>(r.movement)]); });
  columns.add("device", "index of the device; -1: none", records,
              [](const R& r) { return static_cast<std::int32_t>(r.device); });
  columns.add("from", "index of the device that sent the tile, of movements between devices; -1: none", records,
              [](const R& r) { return static_cast<std::int32_t>(r.from); });
  columns.add(
      "bytes", "bytes moved", records, [](const R& r) { return r.bytes; }, "byte");
  columns.add(
      "begin", "when the movement began, since the start of the run's first attempt", records,
      [](const R& r) { return r.begin; }, "s");
  columns.add(
      "end", "when the movement ended, since the start of the run's first attempt", records,
      [](const R& r) { return r.end; }, "s");
}

/// Adds the memory that each location held.
void add_memory(const Profile& profile, io::Finish& finish) {
  const auto& records = profile.memory();
  Columns columns(finish, "/profile/memory/", "change", records.size());
  using R = MemoryRecord;
  columns.add("stage", "index of the stage", records, [](const R& r) { return r.stage; });
  columns.add("device", "index of the device; -1: the host", records,
              [](const R& r) { return static_cast<std::int32_t>(r.device); });
  columns.add(
      "time", "from when on it is held, since the start of the run's first attempt", records,
      [](const R& r) { return r.time; }, "s");
  columns.add(
      "bytes", "memory held, the most of a short time", records, [](const R& r) { return r.bytes; }, "byte");
}

void add_devices(const std::vector<device::Context*>& devices, io::Finish& finish) {
  std::vector<device::Limits> records;
  for (const device::Context* context : devices) records.push_back(context->limits());
  Columns columns(finish, "/profile/devices/", "device", records.size());
  using R = device::Limits;
  columns.add("name", "what the device calls itself", records, [](const R& r) { return r.name; });
  columns.add("kind", "kind of the device", records, [](const R& r) { return r.kind; });
  columns.add(
      "memory", "memory of the device", records, [](const R& r) { return static_cast<std::int64_t>(r.memory_bytes); },
      "byte");
  columns.add("processors", "multiprocessors, or threads of a CPU", records,
              [](const R& r) { return static_cast<std::int64_t>(r.processors); });
  columns.add(
      "memory_rate", "rate of its memory", records, [](const R& r) { return r.memory_bytes_per_second; }, "byte s-1");
  columns.add(
      "link_rate", "rate of its link to the host; 0: it shares the memory of the host", records,
      [](const R& r) { return r.link_bytes_per_second; }, "byte s-1");
  columns.add(
      "operation_rate", "operations per second that it can do at most", records,
      [](const R& r) { return r.operations_per_second; }, "s-1");
}

}  // namespace

std::string method_of(const Stage& stage) {
  for (const StageMethod& method : stage.methods()) {
    if (method.chosen) return method.name;
  }
  return "";
}

namespace {

io::SmallDataset names_dataset(std::string path, const char* dimension, const io::NodeNames::List& names,
                               std::string meaning) {
  const auto count = std::visit([](const auto& list) { return static_cast<std::int64_t>(list.size()); }, names);
  io::DatasetSpec spec{std::move(path), ElementType::i64, {count}, {dimension}, "", std::move(meaning)};
  if (const auto* texts = std::get_if<io::NodeNames::Texts>(&names)) return {std::move(spec), *texts};
  const auto bytes = std::as_bytes(std::span(std::get<io::NodeNames::Numbers>(names)));
  return {std::move(spec), std::vector<std::byte>(bytes.begin(), bytes.end())};
}

/// Adds the names of nodes to a stage's group, and to its axes of nodes. A stage that is taken over has them.
void add_nodes(const PlannedStage& planned, io::Finish& finish) {
  if (!planned.nodes || planned.is_taken()) return;
  const io::NodeNames& nodes = *planned.nodes;
  const std::string group = "/" + planned.name + "/";
  std::set<std::string> axes;
  const auto look_at = [&](const io::DatasetSpec& spec) {
    if (!spec.path.starts_with(group)) return;
    for (std::size_t d = 0; d < spec.dimensions.size(); ++d) {
      const std::string& name = spec.dimensions[d];
      const bool of_nodes = name == "from" || name == "to";
      if (of_nodes && spec.shape[static_cast<int>(d)] == nodes.count()) axes.insert(name);
    }
  };
  for (const io::DatasetSpec& spec : finish.large) look_at(spec);
  for (const io::SmallDataset& small : finish.small) look_at(small.spec);
  const io::NodeNames::List names = nodes.names();
  finish.small.push_back(names_dataset(group + io::node_dataset, "node", names,
                                       nodes.has_labels() ? "names of the nodes, row by row" : "nodes, row by row"));
  if (nodes.has_labels()) {
    finish.small.push_back(names_dataset(group + io::node_id_dataset, "node", nodes.ids(), "ids of the nodes"));
  }
  for (const std::string& axis : axes) {
    finish.small.push_back(names_dataset(group + axis, axis.c_str(), names, "nodes along the axis `" + axis + "`"));
  }
}

}  // namespace

void summarise(const RunPlan& plan, const RunSettings& settings, const RunReport& report, io::Finish& finish) {
  const Origin origin = origin_of(report);
  Json records = Json::object();
  for (const PlannedStage& planned : plan.stages) {
    std::vector<io::SmallDataset> small;
    if (!planned.temporary) small = planned.stage->small();
    records[planned.name] = record_of(planned, plan, settings, origin, small);
    std::move(small.begin(), small.end(), std::back_inserter(finish.small));
    if (planned.temporary) continue;
    for (io::Attribute& attribute : planned.stage->attributes()) finish.attributes.push_back(std::move(attribute));
    add_nodes(planned, finish);
  }
  finish.small.push_back(io::small_text("/job", plan.job_text, "the job as run"));
  add_stages(plan, report.profile, origin.finished, finish);
  add_parts(report.profile, finish);
  add_blocks(report.profile, finish);
  add_copies(plan, report.profile, finish);
  add_memory(report.profile, finish);
  const std::vector<device::Context*> devices = all_devices(plan, settings);
  add_devices(devices, finish);
  add_taken_profiles(plan, report, finish);

  auto root = [&](const std::string& name, io::Attribute::Value value) {
    finish.attributes.push_back({"/", name, std::move(value)});
  };
  root("title", plan.job_name);
  root("source", "Terrace " + version_text());
  root("version", version_text());
  root("commit", build_id());
  root("host", origin.host);
  root("devices", names_of(devices));
  root("started", origin.started);
  root("finished", origin.finished);
  root("attempts", report.attempts);
  root("seconds", report.profile.seconds());
  root("identity", plan.identity.dump());
  root("inputs", plan.inputs.dump());
  root("contents", plan.contents.dump());
  root("stages", records.dump());
  root("folder", plan.job_folder);
  root("settings", plan.settings.dump());
}

}  // namespace terrace::run
