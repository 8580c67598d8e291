#include "pipeline/run/executor/residence.hpp"

#include <algorithm>
#include <numeric>

#include "pipeline/base/error.hpp"
#include "pipeline/run/executor/strided_copy.hpp"

namespace terrace::run {

int location_of(const device::Context& context, int device) { return context.shares_host_memory() ? 0 : device + 1; }

namespace {

constexpr std::size_t enough_going_home = 32u << 20;  // bytes that keep a disk busy
// Bytes of results on their way home from which on blocks wait for their buffers. A new buffer costs the system's
// zeroes, and more where the system has to look for its pages: often more than the disk takes to free a used one.
constexpr std::size_t enough_coming_back = 256u << 20;
constexpr std::size_t least_coming_back = 2;         // buffers, so that blocks are computed while others are written
constexpr std::size_t least_row_bytes = 1u << 10;    // parts in shorter rows are moved with the rest of the tile
constexpr std::size_t least_part_bytes = 64u << 10;  // and so are parts of smaller tiles
constexpr int assembling_threads = 2;

std::int64_t bytes_of(const std::vector<Box>& parts, std::size_t element) {
  return std::accumulate(parts.begin(), parts.end(), std::int64_t{0}, [&](std::int64_t sum, const Box& part) {
    return sum + part.volume() * static_cast<std::int64_t>(element);
  });
}

std::vector<Box> common(const std::vector<Box>& boxes, const Parts& parts) {
  std::vector<Box> found;
  for (const Box& box : boxes) {
    std::vector<Box> both = parts.common(box);
    found.insert(found.end(), both.begin(), both.end());
  }
  return found;
}

}  // namespace

Mover::Mover(Store& store, std::vector<device::Context*> devices, std::vector<Pool*> pools, Completions& completions,
             Profile& profile)
    : store_(store),
      devices_(std::move(devices)),
      pools_(std::move(pools)),
      completions_(completions),
      profile_(profile),
      copying_(assembling_threads),
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

void Mover::record(const Version& version, Movement movement, int location, std::int64_t bytes, double begin) {
  CopyRecord copy;
  copy.array = version.key.array;
  copy.tile = version.key.tile;
  copy.generation = version.key.generation;
  copy.movement = movement;
  copy.device = location - 1;
  copy.bytes = bytes;
  copy.begin = begin;
  copy.end = profile_.now();
  profile_.add(copy);
}

// --- towards blocks

bool Mover::ensure_room(Version& version, int location, std::int64_t sequence) {
  if (version.at(location).data == nullptr) {
    if (waits_for_used(version, location) || !take_buffer(version, location, sequence, Room::any)) return false;
  }
  // The slot on disk is given up when the block has written its part: what it holds must be in memory then.
  if (is_in_memory(version)) return true;
  ensure(version, 0, sequence, version.box);
  return false;
}

bool Mover::ensure(Version& version, int location, std::int64_t sequence, const Box& part) {
  Copy& copy = version.at(location);
  if (copy.data == nullptr) {
    if (waits_for_used(version, location) || !take_buffer(version, location, sequence, Room::any)) return false;
  }
  const std::vector<Box> wanted = lacking(version, location, part);
  if (wanted.empty()) return true;
  if (copy.incoming || (location == 0 && version.being_written > 0)) return false;
  if (Source source = source_of(version, location, wanted); source.location >= 0) {
    if (location == 0 || source.location == 0 || reaches(source.location, location)) {
      transfer(version, source.location, location,
               widened(version, source.location, location, std::move(source.parts)), [] {});
    } else {
      ensure(version, 0, sequence, part);
    }
    return false;
  }
  if (!has_content(version) || !version.on_disk()) return true;  // nobody has written it: launches order the rest
  if (location == 0) fetch(version);
  else ensure(version, 0, sequence, part);
  return false;
}

bool Mover::ensure_room(Assembly& assembly, int location, std::int64_t sequence) {
  if (assembly.data != nullptr || assembly.box.empty()) return true;
  Pool& pool = *pools_[static_cast<std::size_t>(location)];
  assembly.data = pool.take(assembly.buffer());
  if (assembly.data == nullptr && make_room(location, assembly.buffer(), sequence, Room::any)) {
    assembly.data = pool.take(assembly.buffer());
  }
  return assembly.data != nullptr;
}

bool Mover::assemble(Assembly& assembly, Version& version, int location, std::int64_t sequence, const Box& part) {
  if (assembly.there.covers(part)) return true;
  if (assembly.incoming > 0) return false;
  std::vector<Box> wanted = assembly.there.missing(part);
  for (const PendingUse& use : version.pending) {
    if (use.mode == Mode::write) wanted = missing(wanted, Parts(use.part));
  }
  if (wanted.empty()) return false;  // the rest is still to be written
  Source source;
  if (const std::vector<Box> here = common(wanted, version.at(location).valid); !here.empty()) {
    source = {location, here};
  } else {
    source = source_of(version, location, wanted);
  }
  const bool direct = source.location == location || source.location == 0 || reaches(source.location, location);
  if (source.location < 0 || !direct) {
    if (source.location < 0 && !version.on_disk()) throw Error("a part of a tile that is read was never written");
    ensure(version, 0, sequence, part);
    return false;
  }
  ++assembly.incoming;
  Copy& from = version.at(source.location);
  ++from.transfers;
  const double begin = profile_.now();
  const std::size_t element = assembly.element;
  const auto copies = [&assembly, &version, &from, element, parts = source.parts](device::Context& context,
                                                                                  device::Queue queue) {
    for (const Box& box : parts) {
      copy_box(context, queue, assembly.data, assembly.box, from.data, version.box, box, element);
    }
  };
  auto done = [this, &assembly, &version, &from, location, begin, element, source] {
    --assembly.incoming;
    --from.transfers;
    for (const Box& box : source.parts) assembly.there.add(box);
    const Movement movement = source.location == location ? Movement::assemble
                              : source.location == 0      ? Movement::copy_up
                                                          : Movement::peer;
    record(version, movement, location, bytes_of(source.parts, element), begin);
    on_moved(version);
  };
  if (location > 0) {
    submit(source.location, location, copies, std::move(done));
    return false;
  }
  ++outstanding_;
  copying_.post([this, &assembly, &version, &from, element, parts = source.parts, done] {
    for (const Box& box : parts) terrace::copy_box(from.data, version.box, assembly.data, assembly.box, box, element);
    completions_.post([this, done] {
      --outstanding_;
      done();
    });
  });
  return false;
}

void Mover::drop(Assembly& assembly, int location) {
  if (assembly.data != nullptr) pools_[static_cast<std::size_t>(location)]->give(assembly.data, assembly.buffer());
  assembly.data = nullptr;
  assembly.there.clear();
}

bool Mover::is_only_on_disk(Version& version, const Box& part) const {
  if (!version.on_disk() || !has_content(version) || version.at(0).incoming) return false;
  const std::vector<Box> wanted = lacking(version, 0, part);
  return !wanted.empty() && source_of(version, 0, wanted).location < 0;
}

bool Mover::read_ahead(Version& version, std::int64_t sequence) {
  if (version.at(0).data == nullptr) {
    const bool room = pools_[0]->available(version.buffer) || make_room(0, version.buffer, sequence, Room::any);
    if (!room || !take_buffer(version, 0, sequence, Room::any)) return false;
  }
  fetch(version);
  return true;
}

// --- memory

/// Whether what a block is to make should lie in a buffer that is being written home, and not in a new one. There is
/// a write under way then, so that its end is heard of.
bool Mover::waits_for_used(const Version& version, int location) const {
  if (location > 0 || writing_ == 0 || has_content(version) || pools_[0]->keeps(version.buffer)) return false;
  return coming_back_ >= std::max(enough_coming_back, least_coming_back * version.buffer);
}

bool Mover::take_buffer(Version& version, int location, std::int64_t sequence, Room room) {
  const auto at = static_cast<std::size_t>(location);
  std::byte* data = pools_[at]->take(version.buffer);
  if (data == nullptr && make_room(location, version.buffer, sequence, room)) data = pools_[at]->take(version.buffer);
  if (data == nullptr) return false;
  version.copies[at].data = data;
  version.copies[at].valid.clear();
  resident_[at].insert(&version);
  return true;
}

bool Mover::droppable(const Version& version, int location) const {
  // What is on disk is given up when a block that is under way has written a part of the tile.
  const bool stays_on_disk = version.on_disk() && version.writers == 0;
  return version.at(location).valid.empty() || stays_on_disk || is_held_elsewhere(version, location);
}

/// Whether the copy is the only one in memory of what will be needed again.
bool Mover::lost_if_dropped(const Version& version, int location) const {
  if (version.at(location).valid.empty() || version.pending.empty()) return false;
  return !is_held_elsewhere(version, location);
}

/// What is lost when the copy leaves: nothing, a copy of what another location has, or its place near the device.
int Mover::cost_of_leaving(const Version& version, int location) const {
  if (version.at(location).valid.empty() || (version.pending.empty() && droppable(version, location))) return 0;
  return location == 0 && is_held_elsewhere(version, location) ? 1 : 2;
}

/// Versions whose copies at a location may leave for what block `sequence` needs, in the order in which they should.
std::vector<Version*> Mover::victims(int location, std::size_t bytes, std::int64_t sequence) const {
  // A frozen pool makes no buffer out of others. What left it in vain would be fetched again, and would make what is
  // to leave another location through this one start anew, for ever.
  const bool same_size = pools_[static_cast<std::size_t>(location)]->frozen();
  struct Candidate {
    int cost;
    std::int64_t next_use;
    Version* version;
  };
  std::vector<Candidate> found;
  for (Version* version : resident_[static_cast<std::size_t>(location)]) {
    const Copy& copy = version->at(location);
    // What is being written is written from host memory.
    const bool leaves_alone = version->queued && !droppable(*version, location);
    const bool stored_from = location == 0 && (version->storing > 0 || leaves_alone);
    const bool idle = copy.holders == 0 && copy.transfers == 0 && !copy.incoming && !version->copies[0].incoming &&
                      version->being_written == 0 && !stored_from;
    if (same_size && version->buffer != bytes) continue;
    const int cost = cost_of_leaving(*version, location);
    if (idle && (cost < 2 || version->next_use() > sequence)) found.push_back({cost, version->next_use(), version});
  }
  std::sort(found.begin(), found.end(), [](const Candidate& a, const Candidate& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.next_use != b.next_use) return a.next_use > b.next_use;
    return std::tie(a.version->key.array, a.version->key.tile) < std::tie(b.version->key.array, b.version->key.tile);
  });
  std::vector<Version*> order;
  for (const Candidate& candidate : found) order.push_back(candidate.version);
  return order;
}

bool Mover::make_room(int location, std::size_t bytes, std::int64_t sequence, Room room) {
  const auto at = static_cast<std::size_t>(location);
  Pool& pool = *pools_[at];
  if (pool.growing()) return false;  // there soon will be
  // A pool that will grow when it is no longer frozen is not worth what is read or written for it.
  const bool grows = location == 0 && pool.frozen() && pool.available_thawed(bytes);
  bool moves = room == Room::any && !grows;
  if (room == Room::any) wanted_[at] += bytes;
  for (Version* victim : victims(location, bytes, sequence)) {
    if ((room == Room::unneeded || grows) && cost_of_leaving(*victim, location) == 2) return false;
    // What a device alone has in memory is better brought to the host than read again.
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

/// Begins to move the version away; whether that can be done now.
bool Mover::evict(Version& version, int location) {
  std::size_t& leaving = leaving_[static_cast<std::size_t>(location)];
  auto left = [&leaving, bytes = version.buffer] { leaving -= bytes; };
  if (location > 0) {
    // What is on disk takes the place of what is needed later alone.
    const std::int64_t sequence = version.on_disk() ? version.next_use() : -1;
    if (version.copies[0].data == nullptr && !take_buffer(version, 0, sequence, Room::any)) return false;
    leaving += version.buffer;
    transfer(version, location, 0, missing(version.at(location).valid.boxes(), version.at(0).valid), left);
    return true;
  }
  leaving += version.buffer;
  if (write_back(version, [left](const StoredVersion&) { left(); })) return true;
  left();
  wants_cut_ = true;
  return false;
}

void Mover::fetch(Version& version) {
  if (!version.on_disk()) throw Error("a tile that was written is neither in memory nor on disk");
  Copy& host = version.at(0);
  host.incoming = true;
  reading_ += version.buffer;
  const double begin = profile_.now();
  const auto found = std::make_shared<StoredVersion>(stored_of(version));
  auto ended = when_ended([this, &version, begin, found] {
    reading_ -= version.buffer;
    Copy& copy = version.copies[0];
    copy.incoming = false;
    copy.valid = Parts(version.box);
    store_.check(version, *found);
    on_read(version, found->checksum);
    record(version, Movement::read, 0, static_cast<std::int64_t>(version.bytes), begin);
    on_moved(version);
  });
  store_.read(version, host.data, *found, std::move(ended));
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

// --- between locations

bool Mover::reaches(int from, int to) const {
  return from > 0 && to > 0 && reached_[static_cast<std::size_t>(to) - 1][static_cast<std::size_t>(from) - 1];
}

/// The location from which most of the parts come soonest: a device that is reached, the host, another device.
Mover::Source Mover::source_of(const Version& version, int location, const std::vector<Box>& parts) const {
  Source best;
  int rank = 0;
  for (std::size_t at = 0; at < version.copies.size(); ++at) {
    const int from = static_cast<int>(at);
    if (from == location) continue;
    std::vector<Box> held = common(parts, version.copies[at].valid);
    const int better = held.empty() ? 0 : reaches(from, location) ? 3 : from == 0 ? 2 : 1;
    if (better <= rank) continue;
    rank = better;
    best = {from, std::move(held)};
  }
  return best;
}

/// Parts of small tiles, and those in short rows, with all else that the one location holds and the other lacks.
std::vector<Box> Mover::widened(const Version& version, int from, int to, std::vector<Box> parts) const {
  const std::size_t element =
      version.bytes / std::max<std::size_t>(1, static_cast<std::size_t>(version.box.volume()));
  const bool wide = std::all_of(parts.begin(), parts.end(), [&](const Box& part) {
    return copied_row_bytes(version.box, part, element) >= least_row_bytes;
  });
  if (wide && version.bytes >= least_part_bytes) return parts;
  std::vector<Box> all;
  for (const Box& held : version.at(from).valid.boxes()) {
    // Into parts that blocks are writing nothing may be copied.
    const std::vector<Box> lacked = lacking(version, to, held);
    all.insert(all.end(), lacked.begin(), lacked.end());
  }
  return all;
}

/// Submits copies between two locations, one of which may be the host.
void Mover::submit(int from, int to, const std::function<void(device::Context&, device::Queue)>& copies,
                   std::function<void()> done) {
  const bool down = to == 0;
  device::Context& context = *devices_[static_cast<std::size_t>((down ? from : to) - 1)];
  const device::Queue queue = down ? device::Queue::down : device::Queue::up;
  copies(context, queue);
  copies_.push_back({context.record(queue), std::move(done)});
}

/// Copies parts that `from` holds to `to`, where a buffer is.
void Mover::transfer(Version& version, int from, int to, std::vector<Box> parts, std::function<void()> done) {
  Copy& source = version.at(from);
  Copy& target = version.at(to);
  target.incoming = true;
  ++source.transfers;
  const double begin = profile_.now();
  const std::size_t element =
      version.bytes / std::max<std::size_t>(1, static_cast<std::size_t>(version.box.volume()));
  const auto copies = [&](device::Context& context, device::Queue queue) {
    for (const Box& part : parts) {
      copy_box(context, queue, target.data, version.box, source.data, version.box, part, element);
    }
  };
  submit(from, to, copies, [this, &version, from, to, parts, element, begin, done = std::move(done)] {
    Copy& copy = version.at(to);
    copy.incoming = false;
    for (const Box& part : parts) copy.valid.add(part);
    --version.at(from).transfers;
    const Movement movement = to == 0 ? Movement::copy_down : from == 0 ? Movement::copy_up : Movement::peer;
    record(version, movement, to == 0 ? from : to, bytes_of(parts, element), begin);
    done();
    on_moved(version);
  });
}

// --- to disk

bool Mover::write_back(Version& version, HomeQueue::Done done) {
  const std::int64_t slot = store_.place_for(version.key);
  if (slot == no_slot) return false;
  if (slot == home_slot && !std::exchange(version.going_home, true)) coming_back_ += version.buffer;
  if (slot == home_slot && home_.is_for(version)) {
    home_.add(version, std::move(done));
    return true;
  }
  store_.hold(version.key, slot);
  ++version.storing;
  WriteBack request(version, slot);
  request.done.push_back(std::move(done));
  if (!advance_write_back(request)) waiting_.push_back(std::move(request));
  return true;
}

/// Brings all that has been written of the version to host memory, and keeps it there until it is written; `there` is
/// called when it has come.
/// @return whether it is there or on its way; else to be called again
bool Mover::bring_to_host(WriteBack& request, const std::function<void()>& there) {
  Version& version = *request.version;
  Copy& host = version.at(0);
  // What changes while it is written has no checksum that could hold.
  if (host.incoming || version.host_writers > 0 || version.being_written > 0) return false;
  // What others are written from is soon free.
  const Room room = writing_ > 0 ? Room::unneeded : Room::any;
  if (host.data == nullptr && !take_buffer(version, 0, -1, room)) return false;
  ++host.transfers;
  bring_rest(request, there);
  return true;
}

/// Goes on with that: the parts may be on several devices.
void Mover::bring_rest(WriteBack& request, const std::function<void()>& there) {
  Version& version = *request.version;
  for (std::size_t location = 1; location < version.copies.size(); ++location) {
    std::vector<Box> parts = missing(version.copies[location].valid.boxes(), version.at(0).valid);
    if (parts.empty()) continue;
    transfer(version, static_cast<int>(location), 0, std::move(parts),
             [this, &request, there] { bring_rest(request, there); });
    return;
  }
  request.changes = version.changes;
  request.stored.filled = version.filled;
  request.stored.reads = version.reads;
  // A cut may want the parts that were done when it began.
  if (!version.complete() || version.pins > 0) request.stored.parts = version.parts;
  there();
}

bool Mover::advance_write_back(WriteBack& request) {
  // The request is what `there` keeps: of the state that is brought.
  const auto kept = std::make_shared<WriteBack>(request);
  return bring_to_host(*kept, [this, kept] { write(*kept); });
}

void Mover::write(WriteBack request) {
  Version& version = *request.version;
  ++version.being_written;
  count_writes(1);
  const auto kept = std::make_shared<WriteBack>(std::move(request));
  store_.write(version, version.copies[0].data, kept->stored,
               when_ended([this, kept, begin = profile_.now()] { finish_write(*kept, begin); }));
}

/// Takes the next tiles that wait to go home, and brings them to host memory; whether anything happened.
bool Mover::gather_home() {
  HomeGroup& group = home_group_;
  const std::size_t brought = group.brought;
  if (group.writes.empty()) {
    for (HomeQueue::Waiting& waiting : home_.take()) {
      ++waiting.version->storing;
      group.writes.emplace_back(*waiting.version, home_slot).done = std::move(waiting.done);
    }
  }
  while (group.brought < group.writes.size()) {
    ++group.coming;
    if (!bring_to_host(group.writes[group.brought], [this] { --home_group_.coming; })) {
      --group.coming;
      break;
    }
    ++group.brought;
  }
  return group.brought != brought;
}

/// Begins to write what waits to go home, unless the disk has enough to do; whether anything happened.
bool Mover::write_home() {
  bool any = false;
  for (;;) {
    any |= gather_home();
    HomeGroup& group = home_group_;
    if (group.brought == 0 || group.coming > 0 || going_home_ >= enough_going_home) return any;
    // What finds no room in host memory while nothing else is written waits for its next turn.
    const bool whole = group.brought == group.writes.size();
    if (!whole && going_home_ > 0) return any;
    for (std::size_t i = group.brought; i < group.writes.size(); ++i) {
      --group.writes[i].version->storing;
      for (HomeQueue::Done& done : group.writes[i].done) home_.add(*group.writes[i].version, std::move(done));
    }
    group.writes.erase(group.writes.begin() + static_cast<std::ptrdiff_t>(group.brought), group.writes.end());
    const auto requests = std::make_shared<std::vector<WriteBack>>(std::exchange(group, {}).writes);
    std::vector<const Version*> versions;
    std::vector<StoredVersion*> stored;
    std::size_t bytes = 0;
    for (WriteBack& request : *requests) {
      ++request.version->being_written;
      versions.push_back(request.version);
      stored.push_back(&request.stored);
      bytes += request.version->bytes;
    }
    count_writes(static_cast<int>(versions.size()));
    going_home_ += bytes;
    store_.write_home(versions, stored, when_ended([this, requests, bytes, begin = profile_.now()] {
                        going_home_ -= bytes;
                        for (const WriteBack& request : *requests) finish_write(request, begin);
                      }));
    any = true;
  }
}

/// Takes the number of writes under way, and the time during which there are some.
void Mover::count_writes(int more) {
  const double now = profile_.now();
  if (writing_ > 0) writing_seconds_ += now - writing_since_;
  writing_since_ = now;
  writing_ += more;
}

void Mover::finish_write(const WriteBack& request, double begin) {
  Version& version = *request.version;
  const StoredVersion& stored = request.stored;
  count_writes(-1);
  if (stored.slot == home_slot && std::exchange(version.going_home, false)) coming_back_ -= version.buffer;
  --version.copies[0].transfers;
  --version.being_written;
  record(version, Movement::write, 0, static_cast<std::int64_t>(version.bytes), begin);
  if (version.changes == request.changes && !version.dead) {
    store_.release(version.key, version.slot);
    store_.hold(version.key, stored.slot);
    version.slot = stored.slot;
    version.checksum = stored.checksum;
    if (!version.complete()) version.parts = stored.parts;
  }
  for (const HomeQueue::Done& done : request.done) done(stored);
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
    target.copies[location].valid.clear();
  }
  target.awaited = false;
  source.heir = &target;
}

void Mover::hand_back(Version& source, Version& target, int location) {
  for (std::size_t at = 0; at < target.copies.size(); ++at) {
    if (target.copies[at].data == nullptr) continue;
    resident_[at].erase(&target);
    resident_[at].insert(&source);
    source.copies[at] = std::exchange(target.copies[at], {});
    source.copies[at].valid.clear();
  }
  // Where the block that makes the source was not begun either, there is no content.
  if (has_content(source)) source.at(location).valid.add(source.box);
  target.awaited = true;
  source.heir = nullptr;
}

void Mover::changed(Version& version, int location, const Box& part) {
  for (std::size_t other = 0; other < version.copies.size(); ++other) {
    if (other == static_cast<std::size_t>(location)) continue;
    if (!version.copies[other].valid.empty()) version.copies[other].valid.remove(part);
  }
  // An update that follows in the same launch has the buffer, and its content, already.
  if (version.heir == nullptr) version.at(location).valid.add(part);
  store_.release(version.key, version.slot);
  version.slot = no_slot;
  version.checksum = 0;
}

bool Mover::poll() {
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
