#include "pipeline/run/executor/residence.hpp"

#include <algorithm>

#include "pipeline/base/error.hpp"

namespace terrace::run {

int location_of(const device::Context& context, int device) { return context.shares_host_memory() ? 0 : device + 1; }

namespace {

// With this many bytes of results on their way home, blocks wait for their buffers. The system must find the pages
// of a new buffer and fill them with zeros, which often takes longer than the disk takes to free a used one.
constexpr std::size_t enough_coming_back = 256u << 20;
constexpr std::size_t least_coming_back = 2;  // buffers, so that blocks are computed while others are written
constexpr int copying_threads = 2;            // of the host, into assemblies

}  // namespace

Residence::Residence(Store& store, std::vector<device::Context*> devices, std::vector<Pool*> pools,
                     Completions& completions, Profile& profile)
    : store_(store),
      devices_(std::move(devices)),
      pools_(std::move(pools)),
      completions_(completions),
      profile_(profile),
      copying_(copying_threads),
      reached_(devices_.size(), std::vector<bool>(devices_.size())),
      resident_(pools_.size()),
      home_(store),
      leaving_(pools_.size()),
      wanted_(pools_.size()) {
  for (std::size_t to = 0; to < devices_.size(); ++to) {
    for (std::size_t from = 0; from < devices_.size(); ++from) {
      reached_[to][from] = to != from && devices_[to]->reaches(*devices_[from]);
    }
  }
}

/// True if the output of a block should wait for a buffer that is being written home, and not take a new one. Then a
/// write is in flight, whose completion wakes this thread.
bool Residence::waits_for_used(const Version& version, int location) const {
  if (location > 0 || writing_ == 0 || has_content(version) || pools_[0]->keeps(version.buffer)) return false;
  return coming_back_ >= std::max(enough_coming_back, least_coming_back * version.buffer);
}

bool Residence::take_buffer(Version& version, int location, std::int64_t sequence, Room room) {
  const auto at = static_cast<std::size_t>(location);
  std::byte* data = pools_[at]->take(version.buffer);
  if (data == nullptr && make_room(location, version.buffer, sequence, room)) data = pools_[at]->take(version.buffer);
  if (data == nullptr) return false;
  version.copies[at].data = data;
  version.copies[at].valid.clear();
  resident_[at].insert(&version);
  return true;
}

bool Residence::droppable(const Version& version, int location) const {
  // Content on disk is given up when a running block has written a part of the tile.
  const bool stays_on_disk = version.on_disk() && version.writers == 0;
  return version.at(location).valid.empty() || stays_on_disk || is_held_elsewhere(version, location);
}

/// True if this is the only copy in memory of content that will be needed again.
bool Residence::lost_if_dropped(const Version& version, int location) const {
  if (version.at(location).valid.empty() || version.pending.empty()) return false;
  return !is_held_elsewhere(version, location);
}

/// The loss when the copy leaves: 0 none, 1 a host copy of content that a device has, 2 a copy to be made again.
int Residence::cost_of_leaving(const Version& version, int location) const {
  if (version.at(location).valid.empty() || (version.pending.empty() && droppable(version, location))) return 0;
  return location == 0 && is_held_elsewhere(version, location) ? 1 : 2;
}

/// True if nobody uses the copy at a location, and nothing of the version is on its way to the host.
bool Residence::is_idle(const Version& version, int location) const {
  const Copy& copy = version.at(location);
  // A tile is written to disk from host memory, and stays there meanwhile.
  const bool leaves_alone = version.queued && !droppable(version, location);
  const bool stored_from = location == 0 && (version.storing > 0 || leaves_alone);
  return copy.holders == 0 && copy.transfers == 0 && !copy.incoming && !version.copies[0].incoming &&
         version.being_written == 0 && !stored_from;
}

/// Versions whose copies at a location may leave to make room for block `sequence`, the best ones first.
std::vector<Version*> Residence::victims(int location, std::size_t bytes, std::int64_t sequence) const {
  // A frozen pool makes no buffer out of others. A copy that left it in vain would be fetched again, and an eviction
  // from another location through this one would start again, without end.
  const bool same_size = pools_[static_cast<std::size_t>(location)]->frozen();
  struct Candidate {
    int cost;
    std::int64_t next_use;
    Version* version;
  };
  std::vector<Candidate> found;
  for (Version* version : resident_[static_cast<std::size_t>(location)]) {
    if (same_size && version->buffer != bytes) continue;
    const int cost = cost_of_leaving(*version, location);
    if (is_idle(*version, location) && (cost < 2 || !version->is_needed(location, sequence))) {
      found.push_back({cost, version->next_use(), version});
    }
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.next_use != b.next_use) return a.next_use > b.next_use;
    return std::tie(a.version->key.array, a.version->key.tile) < std::tie(b.version->key.array, b.version->key.tile);
  });
  std::vector<Version*> order;
  order.reserve(found.size());
  for (const Candidate& candidate : found) order.push_back(candidate.version);
  return order;
}

bool Residence::make_room(int location, std::size_t bytes, std::int64_t sequence, Room room) {
  const auto at = static_cast<std::size_t>(location);
  Pool& pool = *pools_[at];
  if (pool.growing()) return false;  // there will be room soon
  // If the pool can grow after a thaw, moving tiles to make room is not worth it.
  const bool grows = location == 0 && pool.frozen() && pool.available_thawed(bytes);
  bool moves = room == Room::any && !grows;
  if (room == Room::any) wanted_[at] += bytes;
  for (Version* victim : victims(location, bytes, sequence)) {
    // Making room in host memory for one that leaves a device may have begun to move another one.
    if (!is_idle(*victim, location)) continue;
    if ((room == Room::unneeded || grows) && cost_of_leaving(*victim, location) == 2) return false;
    // Content that only a device has in memory is better moved to the host than read again.
    const bool worth_moving =
        location > 0 && moves && leaving_[at] < wanted_[at] && lost_if_dropped(*victim, location);
    if (worth_moving && evict(*victim, location)) continue;
    if (droppable(*victim, location)) {
      drop(*victim, location);
      if (!pool.available(bytes)) continue;
      if (room == Room::any) wanted_[at] -= bytes;
      return true;
    }
    if (!moves) continue;
    if (leaving_[at] >= wanted_[at]) return false;
    moves = evict(*victim, location);
  }
  return false;
}

/// Begins to move the version away. @return false if that is impossible now
bool Residence::evict(Version& version, int location) {
  std::size_t& leaving = leaving_[static_cast<std::size_t>(location)];
  auto left = [&leaving, bytes = version.buffer] { leaving -= bytes; };
  if (location > 0) {
    // Content that is on disk may only replace content that is needed later.
    const std::int64_t sequence = version.on_disk() ? version.next_use() : -1;
    if (version.copies[0].data == nullptr && !take_buffer(version, 0, sequence, Room::any)) return false;
    leaving += version.buffer;
    transfer(version, location, 0, missing(version.at(location).valid.boxes(), version.at(0).valid), left);
    return true;
  }
  leaving += version.buffer;
  if (write_back(version, [left](const StoredVersion&) { left(); })) return true;
  left();
  wants_checkpoint_ = true;
  return false;
}

void Residence::let_go(Version& version, int location) {
  if (version.at(location).data == nullptr || !is_idle(version, location)) return;
  if (droppable(version, location)) drop(version, location);
  else evict(version, location);
}

void Residence::drop(Version& version, int location) {
  Copy& copy = version.copies[static_cast<std::size_t>(location)];
  if (copy.data == nullptr) return;
  pools_[static_cast<std::size_t>(location)]->give(copy.data, version.buffer);
  copy = {};
  resident_[static_cast<std::size_t>(location)].erase(&version);
  for (const Copy& other : version.copies) {
    if (other.data != nullptr) return;
  }
  emptied_.push_back(version.key);
}

void Residence::drop_all(Version& version) {
  for (std::size_t location = 0; location < version.copies.size(); ++location) {
    drop(version, static_cast<int>(location));
  }
}

void Residence::hand_over(Version& source, Version& target) {
  for (std::size_t location = 0; location < source.copies.size(); ++location) {
    if (source.copies[location].data == nullptr) continue;
    resident_[location].erase(&source);
    resident_[location].insert(&target);
    target.copies[location] = std::exchange(source.copies[location], {});
    target.copies[location].valid.clear();
  }
  target.awaited = false;
  source.heir = &target;
}

void Residence::hand_back(Version& source, Version& target, int location) {
  if (target.heir != nullptr) throw Error("an update of a tile is taken back before the update that follows it");
  for (std::size_t at = 0; at < target.copies.size(); ++at) {
    if (target.copies[at].data == nullptr) continue;
    resident_[at].erase(&target);
    resident_[at].insert(&source);
    source.copies[at] = std::exchange(target.copies[at], {});
    source.copies[at].valid.clear();
  }
  // If the block that makes the source was not begun either, there is no content.
  if (has_content(source)) source.at(location).valid.add(source.box);
  target.awaited = true;
  source.heir = nullptr;
}

void Residence::changed(Version& version, int location, const Box& part) {
  for (std::size_t other = 0; other < version.copies.size(); ++other) {
    if (other == static_cast<std::size_t>(location)) continue;
    if (!version.copies[other].valid.empty()) version.copies[other].valid.remove(part);
  }
  // A later update of the same launch may have the buffer, and its content, already.
  if (version.heir == nullptr) version.at(location).valid.add(part);
  store_.release(version.key, version.slot);
  version.slot = no_slot;
  version.checksum = 0;
}

bool Residence::poll() {
  bool moved = pools_[0]->collect();
  std::fill(wanted_.begin(), wanted_.end(), 0);
  for (auto copy = copies_.begin(); copy != copies_.end();) {
    if (!copy->event->done()) {
      ++copy;
      continue;
    }
    auto done = std::move(copy->done);
    copy = copies_.erase(copy);
    done();
    moved = true;
  }
  for (auto request = waiting_.begin(); request != waiting_.end();) {
    WriteBack attempt = *request;
    if (advance_write_back(attempt)) {
      request = waiting_.erase(request);
      moved = true;
    } else {
      ++request;
    }
  }
  return write_home() || moved;
}

void Residence::abandon() noexcept {
  for (DeviceCopy& copy : copies_) {
    try {
      copy.event->wait();
    } catch (...) {
      // The error that caused this abort is the one to report.
    }
  }
  copies_.clear();
  waiting_.clear();
  home_.clear();
  home_group_ = {};
  on_moved = [](Version&) {};
  on_read = [](const Version&, std::uint64_t) {};
  while (outstanding_ > 0) {
    completions_.wait_for(std::chrono::microseconds(1000));
    try {
      completions_.drain();
    } catch (...) {
      // As above.
    }
  }
}

}  // namespace terrace::run
