#include "pipeline/run/version.hpp"

namespace terrace::run {

bool has_content(const Version& version) { return version.filled > 0; }

int valid_location(const Version& version) {
  for (std::size_t location = 0; location < version.copies.size(); ++location) {
    if (version.copies[location].valid) return static_cast<int>(location);
  }
  return -1;
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
