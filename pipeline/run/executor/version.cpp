#include "pipeline/run/executor/version.hpp"

namespace terrace::run {

namespace {

/// Removes the parts that blocks in the window will still write.
void remove_unwritten(const Version& version, std::vector<Box>& boxes) {
  for (const PendingUse& use : version.pending) {
    if (boxes.empty()) break;
    if (use.mode == Mode::write) boxes = missing(boxes, Parts(use.part));
  }
}

}  // namespace

void note_taken(Version& version, std::int64_t sequence, const Box& part, bool taken) {
  const auto noted = std::find_if(version.pending.begin(), version.pending.end(), [&](const PendingUse& use) {
    return use.sequence == sequence && use.mode == Mode::read && use.part == part && use.taken != taken;
  });
  if (noted != version.pending.end()) noted->taken = taken;
}

bool has_content(const Version& version) { return version.filled > 0; }

std::vector<Box> lacking(const Version& version, int location, const Box& box) {
  const Parts& valid = version.at(location).valid;
  if (valid.covers(box)) return {};
  std::vector<Box> rest = valid.missing(box);
  remove_unwritten(version, rest);
  return rest;
}

bool is_in_memory(const Version& version) {
  if (!version.on_disk() || !has_content(version)) return true;
  Parts held;
  for (const Copy& copy : version.copies) {
    for (const Box& part : copy.valid.boxes()) held.add(part);
  }
  if (!version.read_early) return held.volume() >= version.filled;
  std::vector<Box> rest = held.missing(version.box);
  remove_unwritten(version, rest);
  return rest.empty();
}

void forget_unwritten(const Version& version, Copy& copy) {
  for (const PendingUse& use : version.pending) {
    if (use.mode == Mode::write) copy.valid.remove(use.part);
  }
}

bool is_held_elsewhere(const Version& version, int location) {
  std::vector<Box> rest = version.at(location).valid.boxes();
  for (std::size_t other = 0; other < version.copies.size() && !rest.empty(); ++other) {
    if (static_cast<int>(other) != location) rest = missing(rest, version.copies[other].valid);
  }
  return rest.empty();
}

Version& owner(Version& version) {
  Version* found = &version;
  while (found->heir != nullptr) found = found->heir;
  return *found;
}

StoredVersion stored_of(const Version& version) {
  return {version.slot, version.checksum, version.filled, version.reads,
          version.complete() ? std::vector<TilePart>() : version.parts};
}

Version* Versions::find(const VersionKey& key) {
  auto at = map_.find(key);
  return at == map_.end() ? nullptr : at->second.get();
}

Version& Versions::add(std::unique_ptr<Version> version) {
  VersionKey key = version->key;
  return *(map_[key] = std::move(version));
}

void Versions::remove(const VersionKey& key) {
  map_.erase(key);
  stored_.erase(key);
}

void Versions::put_aside(const VersionKey& key) {
  stored_[key] = stored_of(*map_.at(key));
  map_.erase(key);
}

const StoredVersion* Versions::aside(const VersionKey& key) const {
  auto at = stored_.find(key);
  return at == stored_.end() ? nullptr : &at->second;
}

std::optional<StoredVersion> Versions::take_aside(const VersionKey& key) {
  auto at = stored_.find(key);
  if (at == stored_.end()) return std::nullopt;
  StoredVersion stored = at->second;
  stored_.erase(at);
  return stored;
}

}  // namespace terrace::run
