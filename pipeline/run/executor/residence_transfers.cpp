// Transfers of parts of tiles: between locations, from disk, and into assemblies.
#include <algorithm>
#include <numeric>

#include "pipeline/base/error.hpp"
#include "pipeline/run/executor/residence.hpp"
#include "pipeline/run/executor/strided_copy.hpp"

namespace terrace::run {
namespace {

constexpr std::size_t least_row_bytes = 1u << 10;    // parts in shorter rows are moved with the rest of the tile
constexpr std::size_t least_part_bytes = 64u << 10;  // and so are parts of smaller tiles

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

void Residence::record(const Version& version, Movement movement, int location, std::int64_t bytes, double begin,
                       int from) {
  CopyRecord copy;
  copy.array = version.key.array;
  copy.tile = version.key.tile;
  copy.generation = version.key.generation;
  copy.movement = movement;
  copy.device = location - 1;
  if (movement == Movement::peer) copy.from = from - 1;
  copy.bytes = bytes;
  copy.begin = begin;
  copy.end = profile_.now();
  profile_.add(copy);
}

bool Residence::ensure_room(Version& version, int location, std::int64_t sequence) {
  if (version.at(location).data == nullptr) {
    if (waits_for_used(version, location) || !take_buffer(version, location, sequence, Room::any)) return false;
  }
  // The slot on disk is given up when the block has written its part: its content must be in memory then.
  if (is_in_memory(version)) return true;
  ensure(version, 0, sequence, version.box);
  return false;
}

bool Residence::ensure(Version& version, int location, std::int64_t sequence, const Box& part) {
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

bool Residence::ensure_room(Assembly& assembly, int location, std::int64_t sequence) {
  if (assembly.data != nullptr || assembly.box.empty()) return true;
  Pool& pool = *pools_[static_cast<std::size_t>(location)];
  assembly.data = pool.take(assembly.buffer());
  if (assembly.data == nullptr && make_room(location, assembly.buffer(), sequence, Room::any)) {
    assembly.data = pool.take(assembly.buffer());
  }
  return assembly.data != nullptr;
}

bool Residence::assemble(Assembly& assembly, Version& version, int location, std::int64_t sequence, const Box& part) {
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
    record(version, movement, location, bytes_of(source.parts, element), begin, source.location);
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

void Residence::drop(Assembly& assembly, int location) {
  if (assembly.data != nullptr) pools_[static_cast<std::size_t>(location)]->give(assembly.data, assembly.buffer());
  assembly.data = nullptr;
  assembly.there.clear();
}

bool Residence::is_only_on_disk(Version& version, const Box& part) const {
  if (!version.on_disk() || !has_content(version) || version.at(0).incoming) return false;
  const std::vector<Box> wanted = lacking(version, 0, part);
  return !wanted.empty() && source_of(version, 0, wanted).location < 0;
}

bool Residence::read_ahead(Version& version, std::int64_t sequence) {
  if (version.at(0).data == nullptr) {
    const bool room = pools_[0]->available(version.buffer) || make_room(0, version.buffer, sequence, Room::any);
    if (!room || !take_buffer(version, 0, sequence, Room::any)) return false;
  }
  fetch(version);
  return true;
}

void Residence::fetch(Version& version) {
  if (!version.on_disk()) throw Error("a tile that was written is neither in memory nor on disk");
  Copy& host = version.at(0);
  host.incoming = true;
  version.read_early |= !version.complete();
  reading_ += version.buffer;
  const double begin = profile_.now();
  const auto found = std::make_shared<StoredVersion>(stored_of(version));
  auto ended = when_ended([this, &version, begin, found] {
    reading_ -= version.buffer;
    Copy& copy = version.copies[0];
    copy.incoming = false;
    copy.valid = Parts(version.box);
    if (version.read_early) forget_unwritten(version, copy);
    store_.check(version, *found);
    on_read(version, found->checksum);
    record(version, Movement::read, 0, static_cast<std::int64_t>(version.bytes), begin);
    on_moved(version);
  });
  store_.read(version, host.data, *found, std::move(ended));
}

/// The callback for the end of a disk read or write, on any thread; it calls `done` on the executor's thread.
std::function<void(std::exception_ptr)> Residence::when_ended(std::function<void()> done) {
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

bool Residence::reaches(int from, int to) const {
  return from > 0 && to > 0 && reached_[static_cast<std::size_t>(to) - 1][static_cast<std::size_t>(from) - 1];
}

/// The best location that holds some of the parts: a device that is reached, else the host, else another device.
Residence::Source Residence::source_of(const Version& version, int location, const std::vector<Box>& parts) const {
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

/// Widens parts of small tiles, and parts in short rows, to all that `from` holds and `to` lacks.
std::vector<Box> Residence::widened(const Version& version, int from, int to, std::vector<Box> parts) const {
  const std::size_t element =
      version.bytes / std::max<std::size_t>(1, static_cast<std::size_t>(version.box.volume()));
  const bool wide = std::all_of(parts.begin(), parts.end(), [&](const Box& part) {
    return copied_row_bytes(version.box, part, element) >= least_row_bytes;
  });
  if (wide && version.bytes >= least_part_bytes) return parts;
  std::vector<Box> all;
  for (const Box& held : version.at(from).valid.boxes()) {
    // Nothing may be copied into parts that blocks are writing.
    const std::vector<Box> lacked = lacking(version, to, held);
    all.insert(all.end(), lacked.begin(), lacked.end());
  }
  return all;
}

/// Submits copies between two locations, one of which may be the host.
void Residence::submit(int from, int to, const std::function<void(device::Context&, device::Queue)>& copies,
                       std::function<void()> done) {
  const bool down = to == 0;
  device::Context& context = *devices_[static_cast<std::size_t>((down ? from : to) - 1)];
  const device::Queue queue = down ? device::Queue::down : device::Queue::up;
  copies(context, queue);
  copies_.push_back({context.record(queue), std::move(done)});
}

/// Copies parts that `from` holds to the buffer at `to`.
void Residence::transfer(Version& version, int from, int to, std::vector<Box> parts, std::function<void()> done) {
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
    if (version.read_early) forget_unwritten(version, copy);
    --version.at(from).transfers;
    const Movement movement = to == 0 ? Movement::copy_down : from == 0 ? Movement::copy_up : Movement::peer;
    record(version, movement, to == 0 ? from : to, bytes_of(parts, element), begin, from);
    done();
    on_moved(version);
  });
}

}  // namespace terrace::run
