// Tiles on their way to disk: to slots of scratch files, and home.
#include "pipeline/run/executor/residence.hpp"

namespace terrace::run {
namespace {

constexpr std::size_t enough_going_home = 32u << 20;  // bytes that keep a disk busy

}  // namespace

bool Residence::write_back(Version& version, HomeQueue::Done done) {
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

/// Brings all written parts of the version to host memory, and keeps them there until they are on disk; calls `there`
/// when they have come.
/// @return true if they are there or on their way; else call again
bool Residence::bring_to_host(WriteBack& request, const std::function<void()>& there) {
  Version& version = *request.version;
  Copy& host = version.at(0);
  // A tile that changes while it is written would have a wrong checksum.
  if (host.incoming || version.host_writers > 0 || version.being_written > 0) return false;
  // Buffers of other writes will be free soon.
  const Room room = writing_ > 0 ? Room::unneeded : Room::any;
  if (host.data == nullptr && !take_buffer(version, 0, -1, room)) return false;
  ++host.transfers;
  bring_rest(request, there);
  return true;
}

/// Brings the next missing parts: they may be on several devices.
void Residence::bring_rest(WriteBack& request, const std::function<void()>& there) {
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
  // A checkpoint may need the parts that were done when it began.
  if (!version.complete() || version.pins > 0) request.stored.parts = version.parts;
  there();
}

bool Residence::advance_write_back(WriteBack& request) {
  // The callback keeps a request of its own, with the state that is brought.
  const auto kept = std::make_shared<WriteBack>(request);
  return bring_to_host(*kept, [this, kept] { write(*kept); });
}

void Residence::write(WriteBack request) {
  Version& version = *request.version;
  ++version.being_written;
  count_writes(1);
  const auto kept = std::make_shared<WriteBack>(std::move(request));
  store_.write(version, version.copies[0].data, kept->stored,
               when_ended([this, kept, begin = profile_.now()] { finish_write(*kept, begin); }));
}

/// Takes the next tiles that wait to go home, and brings them to host memory. @return true if any was begun
bool Residence::gather_home() {
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

/// Begins to write tiles that wait to go home, unless the disk is busy enough. @return true if anything happened
bool Residence::write_home() {
  bool any = false;
  for (;;) {
    any |= gather_home();
    HomeGroup& group = home_group_;
    if (group.brought == 0 || group.coming > 0 || going_home_ >= enough_going_home) return any;
    // Tiles that find no room in host memory while nothing else is written wait for their next turn.
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

/// Changes the number of writes in flight by `more`, and adds up the time with at least one.
void Residence::count_writes(int more) {
  const double now = profile_.now();
  if (writing_ > 0) writing_seconds_ += now - writing_since_;
  writing_since_ = now;
  writing_ += more;
}

void Residence::finish_write(const WriteBack& request, double begin) {
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

}  // namespace terrace::run
