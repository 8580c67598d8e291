#include "pipeline/run/mover.hpp"

#include <algorithm>
#include <span>

#include "io/checksum.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::run {

int location_of(const device::Context& context, int device) { return context.shares_host_memory() ? 0 : device + 1; }

Mover::Mover(Store& store, std::vector<device::Context*> devices, std::vector<Pool*> pools, Completions& completions,
             Profile& profile)
    : store_(store),
      devices_(std::move(devices)),
      pools_(std::move(pools)),
      completions_(completions),
      profile_(profile),
      resident_(pools_.size()),
      leaving_(pools_.size()) {}

void Mover::record(const Version& version, Movement movement, int location, double begin, double end) {
  CopyRecord copy;
  copy.array = version.key.array;
  copy.tile = version.key.tile;
  copy.generation = version.key.generation;
  copy.movement = movement;
  copy.device = location - 1;
  copy.bytes = static_cast<std::int64_t>(version.bytes);
  copy.begin = begin;
  copy.end = end;
  profile_.add(copy);
}

bool Mover::ensure(Version& version, int location, std::int64_t sequence) {
  Copy& copy = version.copies[static_cast<std::size_t>(location)];
  if (copy.data == nullptr && !take_buffer(version, location, sequence)) return false;
  if (!has_content(version) || copy.valid) return true;
  if (copy.incoming) return false;
  if (location == 0) {
    const int from = valid_location(version);
    if (from > 0) copy_down(version, from, [] {});
    else fetch(version);
    return false;
  }
  Copy& host = version.copies[0];
  if (host.valid) copy_up(version, location);
  else ensure(version, 0, sequence);
  return false;
}

bool Mover::take_buffer(Version& version, int location, std::int64_t sequence) {
  const auto at = static_cast<std::size_t>(location);
  std::byte* data = pools_[at]->take(version.buffer);
  if (data == nullptr && make_room(location, version.buffer, sequence)) data = pools_[at]->take(version.buffer);
  if (data == nullptr) return false;
  version.copies[at].data = data;
  version.copies[at].valid = false;
  resident_[at].insert(&version);
  return true;
}

bool Mover::droppable(const Version& version, int location) const {
  const Copy& copy = version.copies[static_cast<std::size_t>(location)];
  if (!copy.valid || version.on_disk()) return true;
  for (std::size_t other = 0; other < version.copies.size(); ++other) {
    if (other != static_cast<std::size_t>(location) && version.copies[other].valid) return true;
  }
  return false;
}

bool Mover::make_room(int location, std::size_t bytes, std::int64_t sequence) {
  // A frozen pool makes no buffer out of others. What left it in vain would be fetched again, and would make what is
  // to leave another location through this one start anew, for ever.
  const bool same_size = pools_[static_cast<std::size_t>(location)]->frozen();
  std::vector<Version*> victims;
  for (Version* version : resident_[static_cast<std::size_t>(location)]) {
    const Copy& copy = version->copies[static_cast<std::size_t>(location)];
    const bool idle = copy.holders == 0 && !copy.incoming && !version->copies[0].incoming && version->storing == 0;
    if (same_size && version->buffer != bytes) continue;
    if (idle && version->next_use() > sequence) victims.push_back(version);
  }
  std::sort(victims.begin(), victims.end(), [](const Version* a, const Version* b) {
    if (a->next_use() != b->next_use()) return a->next_use() > b->next_use();
    return std::tie(a->key.array, a->key.tile) < std::tie(b->key.array, b->key.tile);
  });
  std::size_t room = leaving_[static_cast<std::size_t>(location)];
  for (Version* victim : victims) {
    if (!droppable(*victim, location)) {
      if (room >= bytes) continue;
      room += victim->buffer;
      evict(*victim, location);
      continue;
    }
    drop(*victim, location);
    if (pools_[static_cast<std::size_t>(location)]->available(bytes)) return true;
  }
  return false;
}

void Mover::evict(Version& version, int location) {
  std::size_t& leaving = leaving_[static_cast<std::size_t>(location)];
  leaving += version.buffer;
  auto left = [&leaving, bytes = version.buffer] { leaving -= bytes; };
  if (location > 0) {
    if (version.copies[0].data == nullptr && !take_buffer(version, 0, -1)) return left();
    copy_down(version, location, left);
  } else if (!write_back(version, [left](const StoredVersion&) { left(); })) {
    wants_cut_ = true;
    left();
  }
}

void Mover::fetch(Version& version) {
  if (!version.on_disk()) throw Error("a tile that was written is neither in memory nor on disk");
  Copy& host = version.copies[0];
  host.incoming = true;
  const double begin = profile_.now();
  store_.read(version, host.data, when_ended([this, &version, begin] {
                Copy& copy = version.copies[0];
                copy.incoming = false;
                copy.valid = true;
                const std::uint64_t checksum = io::checksum(std::span(copy.data, version.bytes));
                store_.check(version, checksum);
                on_read(version, checksum);
                record(version, Movement::read, 0, begin, profile_.now());
                on_moved(version);
              }));
}

/// What a read or write on disk calls when it has ended, on any thread: `done` follows on the executor's.
std::function<void(std::exception_ptr)> Mover::when_ended(std::function<void()> done) {
  ++outstanding_;
  return [this, number = ++transfers_, done = std::move(done)](std::exception_ptr error) {
    completions_.post([this, number, done, error] {
      --outstanding_;
      try {
        if (error) std::rethrow_exception(error);
        done();
      } catch (...) {
        if (number < failed_transfer_) first_failure_ = std::current_exception();
        failed_transfer_ = std::min(failed_transfer_, number);
        throw;
      }
    });
  };
}

void Mover::copy_up(Version& version, int location) {
  device::Context& context = *devices_[static_cast<std::size_t>(location - 1)];
  Copy& target = version.copies[static_cast<std::size_t>(location)];
  Copy& host = version.copies[0];
  target.incoming = true;
  ++host.holders;
  const double begin = profile_.now();
  context.copy(device::Queue::up, target.data, host.data, version.bytes);
  copies_.push_back({context.record(device::Queue::up), [this, &version, location, begin] {
                       Copy& copy = version.copies[static_cast<std::size_t>(location)];
                       copy.incoming = false;
                       copy.valid = true;
                       --version.copies[0].holders;
                       record(version, Movement::copy_up, location, begin, profile_.now());
                       on_moved(version);
                     }});
}

void Mover::copy_down(Version& version, int location, std::function<void()> done) {
  device::Context& context = *devices_[static_cast<std::size_t>(location - 1)];
  Copy& source = version.copies[static_cast<std::size_t>(location)];
  Copy& host = version.copies[0];
  host.incoming = true;
  ++source.holders;
  const double begin = profile_.now();
  const std::int64_t changes = version.changes;
  context.copy(device::Queue::down, host.data, source.data, version.bytes);
  copies_.push_back({context.record(device::Queue::down), [this, &version, location, begin, changes, done] {
                       Copy& copy = version.copies[0];
                       copy.incoming = false;
                       copy.valid = version.changes == changes;
                       --version.copies[static_cast<std::size_t>(location)].holders;
                       record(version, Movement::copy_down, location, begin, profile_.now());
                       done();
                       on_moved(version);
                     }});
}

bool Mover::write_back(Version& version, std::function<void(const StoredVersion&)> done) {
  const std::int64_t slot = store_.place_for(version.key);
  if (slot == no_slot) return false;
  store_.hold(version.key, slot);
  ++version.storing;
  WriteBack request{&version, slot, std::move(done)};
  if (!advance_write_back(request)) waiting_.push_back(std::move(request));
  return true;
}

bool Mover::advance_write_back(WriteBack& request) {
  Version& version = *request.version;
  Copy& host = version.copies[0];
  // What changes while it is written has no checksum that could hold.
  if (host.incoming || version.writers > 0) return false;
  if (host.valid) {
    request.changes = version.changes;
    ++host.holders;
    write(request);
    return true;
  }
  const int from = valid_location(version);
  if (host.data == nullptr && !take_buffer(version, 0, -1)) return false;
  request.changes = version.changes;
  ++host.holders;
  copy_down(version, from, [this, request] { write(request); });
  return true;
}

void Mover::write(const WriteBack& request) {
  Version& version = *request.version;
  const double begin = profile_.now();
  const std::byte* data = version.copies[0].data;
  StoredVersion stored{request.slot, 0, version.filled, version.reads};
  if (request.slot != home_slot) stored.checksum = io::checksum(std::span(data, version.bytes));
  store_.write(version, request.slot, data, when_ended([this, request, begin, stored] {
                 --request.version->copies[0].holders;
                 record(*request.version, Movement::write, 0, begin, profile_.now());
                 finish_write(request, stored);
               }));
}

void Mover::finish_write(const WriteBack& request, const StoredVersion& stored) {
  Version& version = *request.version;
  if (version.changes == request.changes && !version.dead) {
    store_.release(version.key, version.slot);
    store_.hold(version.key, stored.slot);
    version.slot = stored.slot;
    version.checksum = stored.checksum;
  }
  request.done(stored);
  store_.release(version.key, stored.slot);  // the hold of the request itself
  --version.storing;                         // until here nobody may remove the version
  on_moved(version);
}

void Mover::drop(Version& version, int location) {
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

void Mover::drop_all(Version& version) {
  for (std::size_t location = 0; location < version.copies.size(); ++location) {
    drop(version, static_cast<int>(location));
  }
}

void Mover::hand_over(Version& source, Version& target) {
  for (std::size_t location = 0; location < source.copies.size(); ++location) {
    if (source.copies[location].data == nullptr) continue;
    resident_[location].erase(&source);
    resident_[location].insert(&target);
    target.copies[location] = std::exchange(source.copies[location], {});
    target.copies[location].valid = false;
  }
  target.awaited = false;
}

void Mover::hand_back(Version& source, Version& target, int location) {
  for (std::size_t at = 0; at < target.copies.size(); ++at) {
    if (target.copies[at].data == nullptr) continue;
    resident_[at].erase(&target);
    resident_[at].insert(&source);
    source.copies[at] = std::exchange(target.copies[at], {});
    source.copies[at].valid = at == static_cast<std::size_t>(location);
  }
  target.awaited = true;
}

void Mover::changed(Version& version, int location) {
  for (std::size_t other = 0; other < version.copies.size(); ++other) {
    version.copies[other].valid = other == static_cast<std::size_t>(location);
  }
  store_.release(version.key, version.slot);
  version.slot = no_slot;
  version.checksum = 0;
}

bool Mover::poll() {
  bool moved = false;
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
  return moved;
}

void Mover::abandon() noexcept {
  for (DeviceCopy& copy : copies_) {
    try {
      copy.event->wait();
    } catch (...) {
      // The error that made us leave is the one to report.
    }
  }
  copies_.clear();
  waiting_.clear();
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
