#include "pipeline/run/result_summary.hpp"

#include <unistd.h>

#include <algorithm>
#include <ctime>

namespace terrace::run {
namespace {

std::string time_text(std::time_t time) {
  char text[32];
  std::tm parts{};
  gmtime_r(&time, &parts);
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// A table as a group of columns of one length.
class Columns {
 public:
  Columns(io::Finish& finish, std::string group, std::string dimension, std::size_t rows)
      : finish_(finish), group_(std::move(group)), dimension_(std::move(dimension)), rows_(rows) {}

  template <class Record, class Get>
  void add(const std::string& name, const std::vector<Record>& records, Get&& get, const std::string& units = {}) {
    using T = std::decay_t<decltype(get(records[0]))>;
    const Extents shape{static_cast<std::int64_t>(rows_)};
    if constexpr (std::is_same_v<T, std::string>) {
      std::vector<std::string> values;
      for (const Record& record : records) values.push_back(get(record));
      finish_.small.push_back({{group_ + name, ElementType::u8, shape, {dimension_}, units, {}}, std::move(values)});
    } else {
      std::vector<T> values;
      for (const Record& record : records) values.push_back(get(record));
      finish_.small.push_back(
          io::small_dataset<T>(group_ + name, shape, {dimension_}, std::span<const T>(values), units));
    }
  }

 private:
  io::Finish& finish_;
  std::string group_, dimension_;
  std::size_t rows_;
};

void add_stages(const Profile& profile, io::Finish& finish) {
  const auto& records = profile.stages();
  Columns columns(finish, "/profile/stages/", "stage", records.size());
  using R = StageRecord;
  columns.add("name", records, [](const R& r) { return r.name; });
  columns.add("blocks", records, [](const R& r) { return r.blocks; });
  columns.add("repeated", records, [](const R& r) { return r.repeated; });
  columns.add("cuts", records, [](const R& r) { return r.cuts; });
  columns.add(
      "seconds", records, [](const R& r) { return r.end - r.begin; }, "s");
  columns.add(
      "compute_seconds", records, [](const R& r) { return r.compute_seconds; }, "s");
  columns.add(
      "predicted_seconds", records, [](const R& r) { return r.predicted_seconds; }, "s");
  columns.add("operations", records, [](const R& r) { return r.operations; });
  columns.add("whole_operations", records, [](const R& r) { return r.whole > 0 ? r.whole : r.operations; });
  columns.add("skipped", records, [](const R& r) { return r.left_out(); });
  columns.add("unit", records, [](const R& r) { return r.unit; });
  columns.add(
      "rate", records, [](const R& r) { return r.rate; }, "s-1");
  columns.add(
      "limit", records, [](const R& r) { return r.limit; }, "s-1");
  columns.add("limit_kind", records, [](const R& r) { return r.limit_kind; });
  columns.add("fraction", records, [](const R& r) { return r.limit > 0 ? r.rate / r.limit : 0.0; });
  columns.add(
      "bytes_read", records, [](const R& r) { return r.bytes_read; }, "byte");
  columns.add(
      "bytes_up", records, [](const R& r) { return r.bytes_up; }, "byte");
  columns.add(
      "bytes_down", records, [](const R& r) { return r.bytes_down; }, "byte");
  columns.add(
      "bytes_written", records, [](const R& r) { return r.bytes_written; }, "byte");
  columns.add(
      "peak_host", records, [](const R& r) { return r.peak_host; }, "byte");
  columns.add(
      "peak_device", records, [](const R& r) { return r.peak_device; }, "byte");
}

/// What stages that do several kinds of work did of each.
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
  columns.add("stage", records, [](const R& r) { return r.stage; });
  columns.add("name", records, [](const R& r) { return r.part.name; });
  columns.add("blocks", records, [](const R& r) { return r.part.blocks; });
  columns.add("operations", records, [](const R& r) { return r.part.operations; });
  columns.add(
      "seconds", records, [](const R& r) { return r.part.seconds; }, "s");
}

void add_blocks(const Profile& profile, io::Finish& finish) {
  const auto& records = profile.blocks();
  Columns columns(finish, "/profile/blocks/", "block", records.size());
  using R = BlockRecord;
  columns.add("stage", records, [](const R& r) { return r.stage; });
  columns.add("phase", records, [](const R& r) { return r.phase; });
  columns.add("first", records, [](const R& r) { return r.first; });
  columns.add("count", records, [](const R& r) { return r.count; });
  columns.add("device", records, [](const R& r) { return static_cast<std::int32_t>(r.device); });
  columns.add("attempts", records, [](const R& r) { return static_cast<std::int32_t>(r.attempts); });
  columns.add("operations", records, [](const R& r) { return r.operations; });
  columns.add(
      "begin", records, [](const R& r) { return r.begin; }, "s");
  columns.add(
      "end", records, [](const R& r) { return r.end; }, "s");
}

void add_copies(const RunPlan& plan, const Profile& profile, io::Finish& finish) {
  const auto& records = profile.copies();
  Columns columns(finish, "/profile/copies/", "copy", records.size());
  using R = CopyRecord;
  static constexpr const char* movements[] = {"read", "copy up", "copy down", "write"};
  columns.add("stage", records, [](const R& r) { return r.stage; });
  columns.add("array", records, [&](const R& r) {
    const auto& arrays = plan.stages[static_cast<std::size_t>(r.stage)].stage->program().arrays();
    return arrays[static_cast<std::size_t>(r.array)].name;
  });
  columns.add("tile", records, [](const R& r) { return r.tile; });
  columns.add("generation", records, [](const R& r) { return r.generation; });
  columns.add("movement", records,
              [](const R& r) { return std::string(movements[static_cast<std::size_t>(r.movement)]); });
  columns.add("device", records, [](const R& r) { return static_cast<std::int32_t>(r.device); });
  columns.add(
      "bytes", records, [](const R& r) { return r.bytes; }, "byte");
  columns.add(
      "begin", records, [](const R& r) { return r.begin; }, "s");
  columns.add(
      "end", records, [](const R& r) { return r.end; }, "s");
}

void add_devices(const RunSettings& settings, io::Finish& finish) {
  std::vector<device::Limits> records;
  for (const device::Context* context : settings.devices) records.push_back(context->limits());
  Columns columns(finish, "/profile/devices/", "device", records.size());
  using R = device::Limits;
  columns.add("name", records, [](const R& r) { return r.name; });
  columns.add("kind", records, [](const R& r) { return r.kind; });
  columns.add(
      "memory", records, [](const R& r) { return static_cast<std::int64_t>(r.memory_bytes); }, "byte");
  columns.add("processors", records, [](const R& r) { return static_cast<std::int64_t>(r.processors); });
  columns.add(
      "memory_rate", records, [](const R& r) { return r.memory_bytes_per_second; }, "byte s-1");
  columns.add(
      "link_rate", records, [](const R& r) { return r.link_bytes_per_second; }, "byte s-1");
  columns.add(
      "operation_rate", records, [](const R& r) { return r.operations_per_second; }, "s-1");
}

}  // namespace

PredictedTimes predicted_times(const Prediction& p) {
  return {p.operations_per_second > 0 ? p.operations / p.operations_per_second : 0,
          std::max(p.bytes_up, p.bytes_down) / assumed_link_bytes_per_second,
          (p.bytes_read + p.bytes_written) / assumed_disk_bytes_per_second};
}

double predicted_seconds(const Prediction& p) {
  const PredictedTimes times = predicted_times(p);
  return std::max({times.compute, times.link, times.disk});
}

void summarise(const RunPlan& plan, const RunSettings& settings, const RunReport& report, io::Finish& finish) {
  for (const PlannedStage& planned : plan.stages) {
    if (planned.temporary) continue;
    for (io::SmallDataset& small : planned.stage->small()) finish.small.push_back(std::move(small));
    for (io::Attribute& attribute : planned.stage->attributes()) finish.attributes.push_back(std::move(attribute));
  }
  finish.small.push_back(io::small_text("/job", plan.job_text, "the job as run"));
  add_stages(report.profile, finish);
  add_parts(report.profile, finish);
  add_blocks(report.profile, finish);
  add_copies(plan, report.profile, finish);
  add_devices(settings, finish);

  char host[256] = {};
  ::gethostname(host, sizeof host - 1);
  std::vector<std::string> devices;
  for (const device::Context* context : settings.devices) devices.push_back(context->limits().name);
  const std::time_t now = std::time(nullptr);
  auto root = [&](const std::string& name, io::Attribute::Value value) {
    finish.attributes.push_back({"/", name, std::move(value)});
  };
  root("title", plan.job_name);
  root("source", "Terrace " + version_text());
  root("version", version_text());
  root("commit", build_id());
  root("host", std::string(host));
  root("devices", devices);
  root("started", time_text(now - static_cast<std::time_t>(report.seconds)));
  root("finished", time_text(now));
  root("attempts", report.attempts);
  root("identity", plan.identity.dump());
  root("inputs", plan.inputs.dump());
  root("folder", plan.job_folder);
  root("settings", plan.settings.dump());
}

}  // namespace terrace::run
