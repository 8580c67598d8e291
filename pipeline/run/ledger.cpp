#include "pipeline/run/ledger.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <span>

#include "io/files/checksum.hpp"
#include "io/files/durable.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::run {
namespace {

using Json = nlohmann::json;

Json to_json(const VersionKey& key) { return {key.array, key.tile, key.generation}; }

VersionKey key_from(const Json& json) {
  return {json.at(0).get<int>(), json.at(1).get<std::int64_t>(), json.at(2).get<std::int64_t>()};
}

constexpr std::array<const char*, 3> orders{"any", "in_turn", "chain"};

std::string name_of(Order order) { return orders[static_cast<std::size_t>(order)]; }

/// @throws std::invalid_argument if there is no such order
Order order_from(const std::string& name) {
  const auto at = std::find(orders.begin(), orders.end(), name);
  if (at == orders.end()) throw std::invalid_argument("there is no order '" + name + "' of blocks");
  return static_cast<Order>(at - orders.begin());
}

/// The corners of each part, and its checksum.
Json to_json(const std::vector<TilePart>& parts) {
  Json json = Json::array();
  for (const auto& [box, checksum] : parts) {
    json.push_back({extents_json(box.begin), extents_json(box.end), checksum});
  }
  return json;
}

std::vector<TilePart> parts_from(const Json& json) {
  std::vector<TilePart> parts;
  for (const Json& part : json) parts.push_back({{extents_from(part.at(0)), extents_from(part.at(1))}, part.at(2)});
  return parts;
}

Json to_json(const HomeChecksums& tiles) {
  Json json = Json::array();
  for (const auto& [array, checksums] : tiles) json.push_back({array, checksums});
  return json;
}

HomeChecksums tiles_from(const Json& json) {
  HomeChecksums tiles;
  for (const Json& array : json) tiles[array.at(0)] = array.at(1).get<std::vector<std::uint64_t>>();
  return tiles;
}

Json to_json(const InputChecksums& inputs) {
  Json json = Json::array();
  for (const auto& [key, checksum] : inputs) json.push_back({key.array, key.tile, key.generation, checksum});
  return json;
}

InputChecksums inputs_from(const Json& json) {
  InputChecksums inputs;
  for (const Json& input : json) inputs[key_from(input)] = input.at(3);
  return inputs;
}

Json to_json(const Checkpoint& checkpoint) {
  Json json;
  json["stage"] = checkpoint.stage;
  json["complete"] = checkpoint.complete;
  json["frontier"] = checkpoint.frontier;
  json["work"] = numbers_json({checkpoint.work.operations, checkpoint.work.skipped});
  json["folded"] = to_hex(checkpoint.folded);
  Json& done = json["done"] = Json::array();
  for (const auto& [begin, end] : checkpoint.done.ranges()) done.push_back({begin, end});
  Json& results = json["results"] = Json::array();
  for (const auto& [sequence, bytes] : checkpoint.results) results.push_back({sequence, to_hex(bytes)});
  Json& phases = json["phases"] = Json::array();
  for (const PhaseState& phase : checkpoint.phases) {
    const std::vector<std::int64_t> value(phase.phase.value.begin(), phase.phase.value.end());
    phases.push_back({phase.phase.number, phase.first_sequence, phase.phase.count, name_of(phase.phase.order), value,
                      phase.phase.further});
  }
  Json& tiles = json["tiles"] = Json::array();
  for (const auto& [key, tile] : checkpoint.tiles) {
    tiles.push_back({key.array, key.tile, key.generation, tile.slot, tile.checksum, tile.filled, tile.reads});
    if (!tile.parts.empty() || !tile.more_slots.empty()) tiles.back().push_back(to_json(tile.parts));
    if (!tile.more_slots.empty()) tiles.back().push_back(tile.more_slots);
  }
  Json& gone = json["gone"] = Json::array();
  for (const VersionKey& key : checkpoint.gone) gone.push_back(to_json(key));
  json["inputs"] = to_json(checkpoint.inputs);
  return json;
}

Checkpoint checkpoint_from(const Json& json) {
  Checkpoint checkpoint;
  checkpoint.stage = json.at("stage");
  checkpoint.complete = json.at("complete");
  checkpoint.frontier = json.at("frontier");
  const std::vector<double> work = numbers_from(json.at("work"));
  checkpoint.work = {work.at(0), work.at(1)};
  checkpoint.folded = from_hex(json.at("folded"));
  for (const Json& range : json.at("done")) checkpoint.done.add(range.at(0), range.at(1));
  for (const Json& result : json.at("results")) checkpoint.results[result.at(0)] = from_hex(result.at(1));
  for (const Json& phase : json.at("phases")) {
    const auto value = phase.at(4).get<std::vector<std::int64_t>>();
    checkpoint.phases.push_back({phase.at(1),
                                 {phase.at(0), phase.at(2), order_from(phase.at(3)),
                                  PhaseValue::from(value.data(), value.size()), phase.at(5)}});
  }
  for (const Json& tile : json.at("tiles")) {
    checkpoint.tiles[key_from(tile)] = {
        tile.at(3),
        tile.at(4),
        tile.at(5),
        tile.at(6),
        tile.size() > 7 ? parts_from(tile.at(7)) : std::vector<TilePart>(),
        tile.size() > 8 ? tile.at(8).get<std::vector<std::int64_t>>() : std::vector<std::int64_t>()};
  }
  for (const Json& key : json.at("gone")) checkpoint.gone.push_back(key_from(key));
  checkpoint.inputs = inputs_from(json.at("inputs"));
  return checkpoint;
}

Json to_json(const Progress& progress) {
  Json json;
  Json& completed = json["completed"] = Json::array();
  for (const auto& [number, stage] : progress.completed) {
    completed.push_back({{"stage", number},
                         {"folded", to_hex(stage.folded)},
                         {"inputs", to_json(stage.inputs)},
                         {"tiles", to_json(stage.tiles)}});
  }
  json["attempt"] = progress.attempt;
  if (progress.current) json["current"] = to_json(*progress.current);
  return json;
}

Progress progress_from(const Json& json) {
  Progress progress;
  for (const Json& stage : json.at("completed")) {
    progress.completed[stage.at("stage")] = {from_hex(stage.at("folded")), inputs_from(stage.at("inputs")),
                                             tiles_from(stage.at("tiles"))};
  }
  progress.attempt = json.at("attempt");
  if (json.contains("current")) progress.current = checkpoint_from(json.at("current"));
  return progress;
}

std::string header_of(const std::string& text) {
  const std::uint64_t sum = io::checksum(std::as_bytes(std::span(text)));
  char line[64];
  std::snprintf(line, sizeof line, "%020zu %016llx\n", text.size(), static_cast<unsigned long long>(sum));
  return line;
}

constexpr std::size_t header_bytes = 38;

/// The text of the record that begins at `at`; nullopt if there is no whole record.
std::optional<std::string> record_at(const std::string& all, std::size_t at) {
  if (all.size() - at < header_bytes) return std::nullopt;
  std::size_t length = 0;
  const auto [end, error] = std::from_chars(all.data() + at, all.data() + at + 20, length);
  const bool number = error == std::errc{} && end == all.data() + at + 20;
  if (!number || length == 0 || length > all.size() - at - header_bytes) return std::nullopt;
  std::string text = all.substr(at + header_bytes, length);
  if (all.compare(at, header_bytes, header_of(text)) != 0) return std::nullopt;
  return text;
}

/// The whole records of a ledger file, in order.
/// @throws IoError if a record follows after other bytes: no interrupted write leaves that, and the tiles that the
/// earlier records name may have been overwritten since
std::vector<std::string> records_of(const io::Entry& file) {
  const std::vector<std::byte> bytes = io::read_file(file);
  const std::string all(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  std::vector<std::string> records;
  std::size_t at = 0;
  while (std::optional<std::string> text = record_at(all, at)) {
    at += header_bytes + text->size();
    records.push_back(std::move(*text));
  }
  for (std::size_t later = at; later + header_bytes < all.size(); ++later) {
    // A header ends a number of twenty digits with a space, and itself with a line.
    if (all[later + 20] != ' ' || all[later + header_bytes - 1] != '\n' || !record_at(all, later)) continue;
    throw IoError(file.path().string() + ", byte " + std::to_string(at),
                  "the record of what is durable is damaged here; start over with --fresh=all");
  }
  return records;
}

std::vector<std::int64_t> attempts_in(const io::Folder& folder) {
  std::vector<std::int64_t> attempts;
  for (const std::filesystem::path entry : folder.names()) {
    std::int64_t number = 0;
    const std::string stem = entry.stem().string();
    const auto [end, error] = std::from_chars(stem.data(), stem.data() + stem.size(), number);
    if (error == std::errc{} && entry.extension() == ".log") attempts.push_back(number);
  }
  std::sort(attempts.rbegin(), attempts.rend());
  return attempts;
}

}  // namespace

HomeChecksums home_checksums(const StoredVersions& tiles) {
  HomeChecksums all;
  for (const auto& [key, tile] : tiles) {
    if (tile.slot != home_slot || !tile.parts.empty()) continue;
    std::vector<std::uint64_t>& checksums = all[key.array];
    const auto number = static_cast<std::size_t>(key.tile);
    if (checksums.size() <= number) checksums.resize(number + 1);
    checksums[number] = tile.checksum;
  }
  return all;
}

void apply(const Checkpoint& record, Progress& progress) {
  StoredVersions tiles;
  InputChecksums inputs;
  if (progress.current && progress.current->stage == record.stage) {
    tiles = std::move(progress.current->tiles);
    inputs = std::move(progress.current->inputs);
  }
  for (const VersionKey& key : record.gone) tiles.erase(key);
  for (const auto& [key, tile] : record.tiles) tiles[key] = tile;
  for (const auto& [key, checksum] : record.inputs) inputs[key] = checksum;
  if (record.complete) {
    progress.completed[static_cast<std::size_t>(record.stage)] = {record.folded, std::move(inputs),
                                                                  home_checksums(tiles)};
    progress.current.reset();
    return;
  }
  progress.current = record;
  progress.current->gone.clear();
  progress.current->tiles = std::move(tiles);
  progress.current->inputs = std::move(inputs);
}

Progress Ledger::read(const io::Entry& entry) {
  if (!io::status_of(entry)) return {};
  const io::Folder folder = io::Folder::open(entry, false);
  const std::vector<std::int64_t> attempts = attempts_in(folder);
  for (std::int64_t attempt : attempts) {
    const io::Entry file = folder / (std::to_string(attempt) + ".log");
    const std::vector<std::string> records = records_of(file);
    if (records.empty()) continue;  // without a first record: the file before it counts
    const auto at = [&](std::size_t number) {
      return file.path().string() + ", record " + std::to_string(number + 1);
    };
    Progress progress = read_json(at(0), remedy_for_runs, [&] { return progress_from(Json::parse(records[0])); });
    for (std::size_t i = 1; i < records.size(); ++i) {
      apply(read_json(at(i), remedy_for_runs, [&] { return checkpoint_from(Json::parse(records[i])); }), progress);
    }
    progress.attempt = attempts.front();
    progress.file = file.path();
    return progress;
  }
  Progress none;
  none.attempt = attempts.empty() ? 0 : attempts.front();
  return none;
}

Ledger::Ledger(const io::Entry& entry, const Progress& progress) {
  const io::Folder folder = io::make_folder(entry);
  Progress next = progress;
  ++next.attempt;
  const io::Entry file = folder / (std::to_string(next.attempt) + ".log");
  path_ = file.path();
  file_ = io::open_file(file, O_CREAT | O_EXCL | O_WRONLY | O_APPEND);
  append_text(to_json(next).dump());
  folder.sync();
}

void Ledger::append(const Checkpoint& checkpoint) { append_text(to_json(checkpoint).dump()); }

void Ledger::append_text(const std::string& text) {
  const std::string record = header_of(text) + text;
  for (std::size_t at = 0; at < record.size();) {
    const ssize_t written = ::write(file_.get(), record.data() + at, record.size() - at);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw io::system_error(path_.string(), "cannot be written", errno);
    at += static_cast<std::size_t>(written);
  }
  if (::fdatasync(file_.get()) != 0) throw io::system_error(path_.string(), "cannot be synced", errno);
}

}  // namespace terrace::run
