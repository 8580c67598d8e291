// The times at which blocks were computed, and tiles read, copied and written.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pipeline/run/profile/block_log.hpp"
#include "pipeline/run/profile/block_record.hpp"
#include "pipeline/run/profile/busy_time.hpp"
#include "pipeline/run/profile/memory_log.hpp"

namespace terrace::run {

/// The movement of a tile, or of parts of it: from disk, from the host to a device, from a device to the host, to
/// disk, from one device to another, and within the memory of a device into one buffer.
enum class Movement : std::uint8_t { read, copy_up, copy_down, write, peer, assemble };

/// One tile, or parts of it, moved between two locations.
struct CopyRecord {
  std::int64_t stage = 0;
  int array = 0;
  std::int64_t tile = 0, generation = 0;  // tile -1: several
  Movement movement = Movement::read;
  int device = -1;  // of copies; between devices, the receiver
  int from = -1;    // of movements between devices: the sender
  std::int64_t bytes = 0;
  double begin = 0, end = 0;
  std::int64_t written_by = -1;  // the stage whose array it is; -1: the stage that moved the tile
};

/// Sums of the blocks of a stage that do one kind of work (Plan::part).
struct PartRecord {
  std::string name;
  std::int64_t blocks = 0;
  double operations = 0;
  BusyTime computing = {};  // at least one of them
};

/// Operations of blocks.
struct Work {
  double operations = 0;  // as Plan::block counts them
  double skipped = 0;     // of these, left out because they cannot change the result
};

/// Sums of one stage.
struct StageRecord {
  std::string name;
  std::int64_t blocks = 0, repeated = 0, checkpoints = 0;
  double begin = 0, end = 0;
  BusyTime computing = {};  // at least one block, by the clock of its device
  double operations = 0;
  double skipped = 0;  // of these, left out because they cannot change the result
  Work before = {};    // of earlier attempts
  std::int64_t bytes_read = 0, bytes_up = 0, bytes_down = 0, bytes_written = 0;
  std::int64_t peak_host = 0, peak_device = 0;
  std::int64_t budget_host = 0, budget_device = 0;  // that the stage may hold
  double predicted_seconds = 0;
  std::string method = {};      // that computes it
  std::string backend = {};     // of the method: "cuda", "cpu"
  std::string unit = {};        // of operations
  double rate = 0;              // operations a second while computing
  double limit = 0;             // in the same unit
  std::string limit_kind = {};  // "operations", "device memory", "disk", ...
  double whole = 0;             // operations of the whole problem (Stage::whole); 0: as many as are done
  std::vector<PartRecord> parts = {};

  /// Adds a block that is done. @param part of the stage's work; empty: the stage has no parts
  void add(const BlockRecord& block, const std::string& part);
  /// Share of the whole problem's operations that no attempt did, because they cannot change the result; 0 to 1.
  double left_out() const;
};

/// Collects the records of one run. Beyond `most_records` records, neighbouring blocks share one.
class Profile {
 public:
  static constexpr std::size_t most_records = 1'000'000;

  Profile() : start_(std::chrono::steady_clock::now()) {}
  /// Seconds since the start of the run's first attempt.
  double now() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
  /// Nanoseconds of the steady clock at that start.
  std::uint64_t steady_zero() const {
    return static_cast<std::uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(start_.time_since_epoch()).count());
  }

  /// Takes over the records of earlier attempts, and logs the blocks of this one for the next.
  /// @param folder of the ledger; @param number of this attempt, from 1
  void begin_attempt(const io::Entry& folder, std::int64_t number);
  /// Start of the first attempt, in seconds since 1970; seconds since the start of this one.
  double started() const { return started_; }
  double seconds() const { return now() - attempt_begin_; }
  /// Writes the blocks that are not in the log yet, at most once a second.
  /// @param at_once in any case
  void log_blocks(bool at_once);

  void begin_stage(StageRecord stage);
  StageRecord& stage() { return stages_.back(); }
  /// @param part of the stage's work; empty: the stage has no parts
  void add(BlockRecord block, const std::string& part = {});
  void add(CopyRecord copy);
  /// Notes the bytes that a location holds now. @param device -1: the host
  void note_memory(int device, std::int64_t bytes);
  /// Ends the stage: it holds no memory any more.
  void end_stage();

  /// The profile of some of the stages alone, which are numbered anew in that order.
  Profile of_stages(const std::vector<std::size_t>& numbers) const;

  const std::vector<StageRecord>& stages() const { return stages_; }
  const std::vector<BlockRecord>& blocks() const { return blocks_; }
  const std::vector<CopyRecord>& copies() const { return copies_; }
  const std::vector<MemoryRecord>& memory() const { return memory_.records(); }

 private:
  void append(const BlockRecord& block);

  std::chrono::steady_clock::time_point start_;
  double started_ = 0, attempt_begin_ = 0;
  std::int64_t attempt_ = 1;
  std::unique_ptr<BlockLog> log_;
  std::vector<BlockRecord> unlogged_;
  std::size_t logged_ = 0;  // records in the log
  double last_logged_ = 0;
  std::vector<StageRecord> stages_;
  std::vector<BlockRecord> blocks_;
  std::vector<CopyRecord> copies_;
  MemoryLog memory_;
  std::int64_t run_length_ = 1;  // blocks that share one record
};

}  // namespace terrace::run
