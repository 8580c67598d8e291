// Moves versions between disk, host and devices, and chooses those that leave a full memory.
#pragma once

#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <list>
#include <memory>
#include <unordered_set>
#include <utility>
#include <vector>

#include "io/files/io_threads.hpp"
#include "kernels/device/context.hpp"
#include "pipeline/run/executor/completions.hpp"
#include "pipeline/run/executor/home_queue.hpp"
#include "pipeline/run/executor/pool.hpp"
#include "pipeline/run/executor/store.hpp"
#include "pipeline/run/executor/version.hpp"
#include "pipeline/run/executor/window.hpp"
#include "pipeline/run/profile.hpp"

namespace terrace::run {

/// The location of tiles for blocks of a device: 0 if it works in host memory, else the device's number + 1.
int location_of(const device::Context& context, int device);

/// All copies of parts of versions between locations. They run in parallel with one another and with blocks; their
/// completions are handed to the executor's thread.
class Residence {
 public:
  /// @param pools memory of every location, host first (null: the device works in host memory)
  Residence(Store& store, std::vector<device::Context*> devices, std::vector<Pool*> pools, Completions& completions,
            Profile& profile);

  /// Gets a buffer for the version at a location, for a block that writes a part. All written parts of the version
  /// are then in memory, too. Call again until it returns true.
  /// @param sequence the block that wants it; tiles needed before it are not evicted
  bool ensure_room(Version& version, int location, std::int64_t sequence);
  /// Likewise gets a buffer, and brings the content of a part, as far as done blocks have written it.
  bool ensure(Version& version, int location, std::int64_t sequence, const Box& part);
  /// Gets memory for an assembly at a location. @return false when there is no room now
  bool ensure_room(Assembly& assembly, int location, std::int64_t sequence);
  /// Brings the content of a part of the version into an assembly at a location. Call again until it returns true.
  bool assemble(Assembly& assembly, Version& version, int location, std::int64_t sequence, const Box& part);
  /// Gives up the memory of an assembly without transfers in flight.
  void drop(Assembly& assembly, int location);

  /// True if a part of the version must be read from disk: no location holds it, and it is not on its way to one.
  bool is_only_on_disk(Version& version, const Box& part) const;
  /// Begins to read such a version into host memory for a later block. @return false if there is no room now
  bool read_ahead(Version& version, std::int64_t sequence);
  /// Bytes of buffers that are being read from disk.
  std::size_t reading() const { return reading_; }
  /// Seconds so far during which at least one tile was being written.
  double writing_seconds() const { return writing_seconds_; }
  /// True if memory of a location was requested in vain since the last poll.
  bool short_of_memory(int location) const { return wanted_[static_cast<std::size_t>(location)] > 0; }

  /// Writes the version to a free slot or home, through host memory; `done` receives the slot on the executor's
  /// thread. @return false if no slot is free: nothing was begun
  bool write_back(Version& version, HomeQueue::Done done);

  /// Gives up the copy at a location, or begins to move it away if it is the only one. Nothing happens while it is
  /// in use.
  void let_go(Version& version, int location);
  /// Gives up the copy at a location.
  void drop(Version& version, int location);
  void drop_all(Version& version);
  /// Moves the copies of `source` to `target`, which is being made from it in place.
  void hand_over(Version& source, Version& target);
  /// Moves the copies back: the update was not begun, or left its tiles unchanged.
  void hand_back(Version& source, Version& target, int location);
  /// Records that a block has written a part, which only `location` holds now.
  void changed(Version& version, int location, const Box& part);

  /// Versions whose last copy was dropped since the last call.
  std::vector<VersionKey> emptied() { return std::exchange(emptied_, {}); }
  /// Called with every tile that was read, and its checksum.
  std::function<void(const Version&, std::uint64_t)> on_read;
  /// Called when a movement of the version has ended; may remove the version.
  std::function<void(Version&)> on_moved;

  /// Takes in finished copies and continues write-backs that waited for memory. @return true if anything happened
  bool poll();
  /// True while a device copies, or host memory is being pinned.
  bool copying() const { return !copies_.empty() || pools_[0]->growing(); }
  /// Waits for all transfers in flight and forgets them, for the cleanup after an error.
  void abandon() noexcept;
  /// The error of the failed read or write that was begun first, so that a run with the same faults always reports
  /// the same error; null if none failed.
  std::exception_ptr first_failure() const { return first_failure_; }
  /// True while transfers are in flight, which will end by themselves.
  bool under_way() const { return outstanding_ > 0 || copying(); }
  /// True while transfers are in flight or wait for memory.
  bool busy() const { return under_way() || !waiting_.empty() || !home_.empty() || !home_group_.writes.empty(); }
  /// True if an eviction found no free slot since the last call: a checkpoint would free some.
  bool wants_checkpoint() { return std::exchange(wants_checkpoint_, false); }

 private:
  struct DeviceCopy {
    std::unique_ptr<device::Event> event;
    std::function<void()> done;
  };
  /// Boxes that a location holds and another one lacks.
  struct Source {
    int location = -1;  // -1: none
    std::vector<Box> parts = {};
  };

  /// A version that is to be written to disk.
  struct WriteBack {
    WriteBack(Version& written, std::int64_t slot) : version(&written) { stored.slot = slot; }

    Version* version;
    StoredVersion stored;  // the place to write to, and the written parts
    std::vector<HomeQueue::Done> done;
    std::int64_t changes = 0;  // Version::changes of the state that is written
  };
  /// Tiles side by side that are written home together once all of them are in host memory.
  struct HomeGroup {
    std::vector<WriteBack> writes;
    std::size_t brought = 0;  // tiles before it are there, or on their way from a device
    int coming = 0;           // of these, on their way
  };

  /// The versions that may leave to make room: those whose leaving delays no block in the window, or all that are
  /// needed later.
  enum class Room { unneeded, any };
  bool waits_for_used(const Version& version, int location) const;
  bool take_buffer(Version& version, int location, std::int64_t sequence, Room room);
  bool make_room(int location, std::size_t bytes, std::int64_t sequence, Room room);
  std::vector<Version*> victims(int location, std::size_t bytes, std::int64_t sequence) const;
  bool is_idle(const Version& version, int location) const;
  bool droppable(const Version& version, int location) const;
  bool lost_if_dropped(const Version& version, int location) const;
  int cost_of_leaving(const Version& version, int location) const;
  bool evict(Version& version, int location);
  void fetch(Version& version);
  bool reaches(int from, int to) const;
  Source source_of(const Version& version, int location, const std::vector<Box>& parts) const;
  std::vector<Box> widened(const Version& version, int from, int to, std::vector<Box> parts) const;
  void submit(int from, int to, const std::function<void(device::Context&, device::Queue)>& copies,
              std::function<void()> done);
  void transfer(Version& version, int from, int to, std::vector<Box> parts, std::function<void()> done);
  bool bring_to_host(WriteBack& request, const std::function<void()>& there);
  void bring_rest(WriteBack& request, const std::function<void()>& there);
  bool advance_write_back(WriteBack& request);
  void write(WriteBack request);
  bool gather_home();
  bool write_home();
  void count_writes(int more);
  void finish_write(const WriteBack& request, double begin);
  /// @param from the location that sends, of a movement between devices
  void record(const Version& version, Movement movement, int location, std::int64_t bytes, double begin,
              int from = 0);
  std::function<void(std::exception_ptr)> when_ended(std::function<void()> done);

  Store& store_;
  std::vector<device::Context*> devices_;
  std::vector<Pool*> pools_;
  Completions& completions_;
  Profile& profile_;
  io::IoThreads copying_;                               // parts into assemblies in host memory
  std::vector<std::vector<bool>> reached_;              // [to][from]: devices that can copy
  std::vector<std::unordered_set<Version*>> resident_;  // with a buffer, by location
  std::list<DeviceCopy> copies_;
  std::list<WriteBack> waiting_;                                             // for host memory
  HomeQueue home_;                                                           // for the disk
  HomeGroup home_group_;                                                     // tiles that left it
  std::size_t going_home_ = 0;                                               // bytes of groups being written
  std::size_t coming_back_ = 0;                                              // bytes of buffers until then
  int outstanding_ = 0;                                                      // reads and writes on disk
  std::int64_t transfers_ = 0;                                               // reads and writes begun so far
  std::int64_t failed_transfer_ = std::numeric_limits<std::int64_t>::max();  // the number of the first that failed
  std::exception_ptr first_failure_;                                         // its error
  std::vector<std::size_t> leaving_;  // bytes being moved away to make room, of each location
  std::vector<std::size_t> wanted_;   // bytes requested in vain since the last poll, of each location
  std::size_t reading_ = 0;           // bytes on their way from disk
  int writing_ = 0;                   // tiles on their way to it
  double writing_since_ = 0, writing_seconds_ = 0;
  std::vector<VersionKey> emptied_;  // versions whose last copy was dropped
  bool wants_checkpoint_ = false;
};

}  // namespace terrace::run
