#include "pipeline/run/inputs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <set>
#include <span>

#include "io/files/checksum.hpp"
#include "io/held_source.hpp"
#include "io/item_set.hpp"
#include "io/packing.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/run/ledger.hpp"

namespace terrace::run {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::int64_t most_bytes = 4 << 20;  // read at a time, beyond one slice
constexpr const char* advice = "; put the file back, or start over with --fresh=all";

std::string list_of(const std::vector<fs::path>& files) {
  constexpr std::size_t most = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(most, files.size()); ++i) text += (i > 0 ? ", " : "") + files[i].string();
  return files.size() > most ? text + " and " + std::to_string(files.size() - most) + " more" : text;
}

ChangedSinceBegun changed_plan_input(const std::string& name, const io::Source& source) {
  return ChangedSinceBegun("input '" + name + "' has changed since the run was begun: the plan was made by what " +
                           list_of(source.files()) + " held" + advice);
}

Box box_of(const Json& part) { return {extents_from(part.at(0)), extents_from(part.at(1))}; }

/// The part of a run's work that reads inputs again. @param what "input 'a'"
WatchedPart comparing(const std::string& what, std::int64_t bytes, const Watch& watch) {
  return {watch, "comparing " + what + " with what was read", "byte", bytes};
}

/// @param reading advances by the bytes that are read
std::uint64_t checksum_of(io::Source& source, const Box& box, WatchedPart& reading) {
  const std::size_t element = size_of(source.type());
  io::RunningChecksum sum;
  std::vector<std::byte> buffer;
  const auto add = [&](const Box& piece) {
    buffer.resize(static_cast<std::size_t>(piece.volume()) * element);
    source.read(piece, buffer.data());
    sum.add(buffer);
    reading.advance(static_cast<std::int64_t>(buffer.size()));
  };
  if (box.rank() == 0) {
    add(box);
    return sum.value();
  }
  const std::int64_t slice = box.empty() ? 1 : box.volume() / box.shape()[0] * static_cast<std::int64_t>(element);
  const std::int64_t most = std::max<std::int64_t>(1, most_bytes / slice);
  for (Box piece = box; piece.begin[0] < box.end[0]; piece.begin[0] = piece.end[0]) {
    piece.end[0] = std::min(box.end[0], piece.begin[0] + most);
    add(piece);
  }
  return sum.value();
}

void add_number(io::RunningChecksum& sum, std::uint64_t number) { sum.add(std::as_bytes(std::span(&number, 1))); }

/// Files of inputs that have changed, by their present names.
std::set<fs::path> changed_files(const Json& before, const Json& now) {
  std::set<fs::path> changed;
  for (const auto& [name, input] : now.items()) {
    const Json old_files = before.value(name, Json::object()).value("files", Json::array());
    const Json& files = input.at("files");
    for (std::size_t i = 0; i < files.size(); ++i) {
      const bool same = i < old_files.size() && !file_difference(old_files[i], files[i], true);
      if (!same) changed.insert(text_from(files[i].at("path")));
    }
  }
  return changed;
}

bool any_of_files(const std::vector<fs::path>& files, const std::set<fs::path>& set) {
  return std::any_of(files.begin(), files.end(), [&](const fs::path& file) { return set.contains(file); });
}

/// Names the job's inputs that come from those files.
/// @param how the end of the message: "stage 'sums' reads it from ..."
ChangedSinceBegun changed_input(const Json& inputs, const std::vector<fs::path>& files, const std::string& array,
                                const std::string& how) {
  const std::set<fs::path> set(files.begin(), files.end());
  std::string names;
  for (const auto& [name, input] : inputs.items()) {
    const Json& of_input = input.at("files");
    const bool named = std::any_of(of_input.begin(), of_input.end(),
                                   [&](const Json& file) { return set.contains(text_from(file.at("path"))); });
    if (named) names += (names.empty() ? "'" : " or '") + name + "'";
  }
  if (names.empty()) names = "'" + array + "'";
  return ChangedSinceBegun("input " + names + " has changed since the run was begun: " + how);
}

/// Compares tiles of arrays that come from changed files. Generated arrays and results of earlier stages have no
/// files. @param read receives the files of which tiles were read
void verify_stage(const RunPlan& plan, const PlannedStage& planned, const InputChecksums& tiles,
                  const std::set<fs::path>& changed, std::set<fs::path>& read, const Watch& watch) {
  const auto& arrays = planned.stage->plan().arrays();
  const auto bytes_of = [&](const VersionKey& key) {
    const ArraySpec& spec = arrays.at(static_cast<std::size_t>(key.array));
    if (!any_of_files(spec.source->files(), changed)) return std::int64_t{0};
    return TileGrid(spec.shape, spec.tile).box(key.tile).volume() * static_cast<std::int64_t>(size_of(spec.type));
  };
  std::int64_t bytes = 0;
  for (const auto& tile : tiles) bytes += bytes_of(tile.first);
  WatchedPart reading = comparing("inputs of stage '" + planned.name + "'", bytes, watch);
  for (const auto& [key, checksum] : tiles) {
    const ArraySpec& spec = arrays.at(static_cast<std::size_t>(key.array));
    const std::vector<fs::path> files = spec.source->files();
    read.insert(files.begin(), files.end());
    if (!any_of_files(files, changed)) continue;
    if (checksum_of(*spec.source, TileGrid(spec.shape, spec.tile).box(key.tile), reading) == checksum) continue;
    throw changed_input(plan.inputs, files, spec.name,
                        "stage '" + planned.name + "' reads it from " + list_of(files) + advice);
  }
}

/// @throws ChangedSinceBegun: one of the input's files has changed, and nothing of it was read
[[noreturn]] void fail_unread(const std::string& name, const Json& before, const Json& now) {
  const Json old_files = before.value(name, Json::object()).value("files", Json::array());
  const Json& files = now.at(name).at("files");
  std::string how;
  for (std::size_t i = 0; i < files.size() && how.empty(); ++i) {
    how = i < old_files.size() ? file_difference(old_files[i], files[i], true).value_or("")
                               : text_from(files[i].at("path")) + " is new";
  }
  throw ChangedSinceBegun("input '" + name + "' has changed since the run was begun: " + how +
                          "; nothing of it was read that could be compared: start over with --fresh=all");
}

/// Nanoseconds since 1970 as people write them.
std::string format_time(std::int64_t time) {
  constexpr std::int64_t second = 1'000'000'000;
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:09}Z", fmt::gmtime(time / second), time % second);
}

}  // namespace

InputChanged::InputChanged(std::string array, std::vector<fs::path> files)
    : Error("'" + array + "', read from " + list_of(files) + ", has changed: a part that was read again is another"),
      array_(std::move(array)),
      files_(std::move(files)) {}

ChangedSinceBegun InputChanged::in_stage(const std::string& stage, const Json& inputs) const {
  return changed_input(
      inputs, files_, array_,
      "stage '" + stage + "' reads it from " + list_of(files_) +
          ", and a part that was read again is not what it was; put the file back (a run that has come to a "
          "checkpoint then goes on), or start over with --fresh=all");
}

/// The parts of one input that have been read.
struct InputReads::Log {
  struct Part {
    Box box;
    io::RunningChecksum sum;
  };
  std::string name;
  std::vector<Part> parts;
  std::atomic<bool> open = true;

  /// A box that continues the one before it along the first dimension becomes a part of it.
  void add(const io::Source& source, const Box& box, std::span<const std::byte> bytes) {
    const auto continues = [&](const Box& last) {
      Box joined = last;
      if (box.rank() == 0 || box.begin[0] != last.end[0]) return false;
      joined.begin[0] = box.begin[0];
      joined.end[0] = box.end[0];
      return joined == box;
    };
    for (const Part& part : parts) {
      if (part.box != box) continue;
      if (part.sum.value() != io::checksum(bytes)) throw changed_plan_input(name, source);
      return;
    }
    if (parts.empty() || !continues(parts.back().box)) parts.push_back({box, {}});
    else parts.back().box.end[0] = box.end[0];
    parts.back().sum.add(bytes);
    drop_repeated(source);
  }

  /// An array that is read a second time, in pieces, becomes what it was when its last piece is there.
  void drop_repeated(const io::Source& source) {
    const Part& last = parts.back();
    const auto same =
        std::find_if(parts.begin(), parts.end() - 1, [&](const Part& part) { return part.box == last.box; });
    if (same == parts.end() - 1) return;
    if (same->sum.value() != last.sum.value()) throw changed_plan_input(name, source);
    parts.pop_back();
  }
};

class InputReads::Watched : public io::Source {
 public:
  /// @param log null: the source has no files @param elements counts those that are read
  Watched(std::shared_ptr<io::Source> source, std::shared_ptr<Log> log,
          std::shared_ptr<std::atomic<std::int64_t>> elements)
      : source_(std::move(source)), log_(std::move(log)), elements_(std::move(elements)) {}

  ElementType type() const override { return source_->type(); }
  const Extents& shape() const override { return source_->shape(); }
  std::vector<fs::path> files() const override { return source_->files(); }
  std::string place_of(const Extents& index) const override { return source_->place_of(index); }
  bool letters() const override { return source_->letters(); }
  bool truths() const override { return source_->truths(); }
  std::size_t memory() const override { return source_->memory(); }
  std::optional<io::KnownRange> known_range() const override { return source_->known_range(); }
  std::shared_ptr<const io::Packing> packing() const override { return source_->packing(); }
  std::shared_ptr<const io::NodeNames> nodes() const override { return source_->nodes(); }
  std::shared_ptr<const std::vector<std::int64_t>> sources() const override { return source_->sources(); }
  std::shared_ptr<const io::ItemSet> items() const override { return source_->items(); }
  std::shared_ptr<const io::NodeNames> element_names() const override { return source_->element_names(); }
  std::string matrix_letters() const override { return source_->matrix_letters(); }
  void read(const Box& box, void* buffer) override {
    source_->read(box, buffer);
    *elements_ += box.volume();
    if (!log_ || !log_->open || box.empty()) return;
    const std::size_t bytes = static_cast<std::size_t>(box.volume()) * size_of(type());
    log_->add(*source_, box, {static_cast<const std::byte*>(buffer), bytes});
  }

 private:
  std::shared_ptr<io::Source> source_;
  std::shared_ptr<Log> log_;
  std::shared_ptr<std::atomic<std::int64_t>> elements_;
};

InputReads::InputReads() : held_(Json::object()), elements_(std::make_shared<std::atomic<std::int64_t>>(0)) {}
InputReads::~InputReads() = default;

std::shared_ptr<io::Source> InputReads::watch(const std::string& name, std::shared_ptr<io::Source> source) {
  if (source->files().empty()) {
    if (io::held_content(*source)) return source;
    return std::make_shared<Watched>(std::move(source), nullptr, elements_);
  }
  if (const auto content = io::held_content(*source)) {
    held_[name] = {{"content", *content}};
    return source;
  }
  std::shared_ptr<Log>& log = logs_[name];
  if (!log) log = std::make_shared<Log>(), log->name = name;
  return std::make_shared<Watched>(std::move(source), log, elements_);
}

Json InputReads::close() {
  Json reads = held_;
  for (const auto& [name, log] : logs_) {
    log->open = false;
    Json& parts = reads[name]["parts"] = Json::array();
    for (const Log::Part& part : log->parts) {
      parts.push_back({extents_json(part.box.begin), extents_json(part.box.end), part.sum.value()});
    }
  }
  return reads;
}

bool holds_reads(const std::string& name, const Json& reads, io::Source& source, const Watch& watch) {
  std::int64_t elements = 0;
  for (const Json& part : reads.value("parts", Json::array())) elements += box_of(part).volume();
  WatchedPart reading =
      comparing("input '" + name + "'", elements * static_cast<std::int64_t>(size_of(source.type())), watch);
  bool same = !reads.contains("content") || io::held_content(source) == reads["content"].get<std::uint64_t>();
  for (const Json& part : reads.value("parts", Json::array())) {
    same = same && checksum_of(source, box_of(part), reading) == part.at(2).get<std::uint64_t>();
  }
  return same;
}

void compare_reads(const Json& reads, const Inputs& inputs, const Watch& watch) {
  for (const auto& [name, record] : reads.items()) {
    if (!holds_reads(name, record, *inputs.at(name), watch)) throw changed_plan_input(name, *inputs.at(name));
  }
}

Json content_of(const io::Source& source) {
  Json content = Json::object();
  if (const auto values = io::held_content(source)) content["values"] = *values;
  if (const auto nodes = source.nodes()) content["nodes"] = nodes->content();
  if (const auto sources = source.sources()) content["sources"] = io::checksum(std::as_bytes(std::span(*sources)));
  if (const auto items = source.items()) content["items"] = items->content();
  if (const auto names = source.element_names()) content["names"] = names->content();
  if (const auto packing = source.packing()) content["packing"] = io::text_of(*packing);
  return content;
}

Json tiles_read(const Plan& plan, const InputChecksums& tiles) {
  std::map<int, std::map<std::int64_t, std::uint64_t>> by_array;
  for (const auto& [key, checksum] : tiles) by_array[key.array][key.tile] = checksum;
  Json record = Json::array();
  for (const auto& [array, checksums] : by_array) {
    const ArraySpec& spec = plan.arrays().at(static_cast<std::size_t>(array));
    if (spec.source->files().empty()) continue;
    Intervals numbers;
    io::RunningChecksum sum;
    for (const auto& [tile, checksum] : checksums) {
      numbers.add(tile, tile + 1);
      add_number(sum, checksum);
    }
    Json ranges = Json::array();
    for (const auto& [begin, end] : numbers.ranges()) ranges.push_back({begin, end});
    record.push_back({{"array", spec.name},
                      {"type", name_of(spec.type)},
                      {"shape", extents_json(spec.shape)},
                      {"tile", extents_json(spec.tile)},
                      {"tiles", ranges},
                      {"checksum", sum.value()}});
  }
  return record;
}

namespace {

/// True if the source holds what was read. @param record of one array by tiles_read()
bool holds_tiles(const Json& record, io::Source& source, const Watch& watch) {
  const TileGrid grid(source.shape(), extents_from(record.at("tile")));
  std::int64_t elements = 0;
  const auto each = [&](const auto& act) {
    for (const Json& range : record.at("tiles")) {
      for (std::int64_t tile = range.at(0); tile < range.at(1).get<std::int64_t>(); ++tile) act(grid.box(tile));
    }
  };
  each([&](const Box& box) { elements += box.volume(); });
  const std::string name = record.at("array");
  WatchedPart reading =
      comparing("'" + name + "'", elements * static_cast<std::int64_t>(size_of(source.type())), watch);
  io::RunningChecksum sum;
  each([&](const Box& box) { add_number(sum, checksum_of(source, box, reading)); });
  return sum.value() == record.at("checksum").get<std::uint64_t>();
}

}  // namespace

std::optional<std::set<fs::path>> compare_tiles(const Json& tiles, const Plan& plan, const std::set<fs::path>& files,
                                                const Watch& watch) {
  std::set<fs::path> compared;
  for (const Json& record : tiles) {
    const auto& arrays = plan.arrays();
    const auto spec = std::find_if(arrays.begin(), arrays.end(), [&](const ArraySpec& array) {
      return array.name == record.at("array").get<std::string>() && array.source;
    });
    if (spec == arrays.end()) return std::nullopt;
    const std::vector<fs::path> of_array = spec->source->files();
    if (!any_of_files(of_array, files)) continue;
    if (name_of(spec->type) != record.at("type").get<std::string>() ||
        spec->shape != extents_from(record.at("shape"))) {
      return std::nullopt;
    }
    if (!holds_tiles(record, *spec->source, watch)) return std::nullopt;
    compared.insert(of_array.begin(), of_array.end());
  }
  return compared;
}

Json joined_reads(const Json& before, const Json& now, const Inputs& inputs) {
  Json all = before;
  for (const auto& [name, record] : now.items()) {
    for (const Json& part : record.value("parts", Json::array())) {
      Json& parts = all[name]["parts"];
      const auto same = std::find_if(parts.begin(), parts.end(),
                                     [&](const Json& other) { return other[0] == part[0] && other[1] == part[1]; });
      if (same == parts.end()) parts.push_back(part);
      else if ((*same)[2] != part[2]) throw changed_plan_input(name, *inputs.at(name));
    }
  }
  return all;
}

std::optional<std::string> file_difference(const Json& before, const Json& now, bool all) {
  const std::string name = text_from(now.at("path"));
  if (!now.contains("size") || !before.contains("size")) return name + " is gone";
  if (before["size"] != now["size"]) {
    return fmt::format("{} had {} bytes and has {}", name, before["size"].get<std::int64_t>(),
                       now["size"].get<std::int64_t>());
  }
  if (before.at("time") != now["time"]) {
    return fmt::format("{} was last modified at {} and now at {}", name,
                       format_time(before["time"].get<std::int64_t>()), format_time(now["time"].get<std::int64_t>()));
  }
  if (!all) return std::nullopt;
  if (before.at("inode") != now.at("inode")) return name + " is another file of that size and time";
  if (before.at("changed") != now.at("changed")) {
    return fmt::format("{} was last changed (ctime) at {} and now at {}", name,
                       format_time(before["changed"].get<std::int64_t>()),
                       format_time(now["changed"].get<std::int64_t>()));
  }
  return std::nullopt;
}

void verify_inputs(const RunPlan& plan, const Json& before, const Json& now, const Progress& progress,
                   const Watch& watch) {
  const std::set<fs::path> changed = changed_files(before, now);
  std::set<fs::path> read;
  for (const auto& [number, stage] : progress.completed) {
    verify_stage(plan, plan.stages.at(number), stage.inputs, changed, read, watch);
  }
  if (progress.current) {
    const PlannedStage& stage = plan.stages.at(static_cast<std::size_t>(progress.current->stage));
    verify_stage(plan, stage, progress.current->inputs, changed, read, watch);
  }
  for (const auto& [name, record] : plan.reads.items()) {
    const std::vector<fs::path> files = plan.sources.at(name)->files();
    if (!any_of_files(files, changed)) continue;
    Json one;
    one[name] = record;
    compare_reads(one, plan.sources, watch);
    const bool compared = record.contains("content") || !record.at("parts").empty() || any_of_files(files, read);
    if (!compared) fail_unread(name, before, now);
  }
}

}  // namespace terrace::run
