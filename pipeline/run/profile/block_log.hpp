// The log of the blocks that an attempt of a run has computed, for later attempts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/files/durable.hpp"
#include "pipeline/run/profile/block_record.hpp"

namespace terrace::run {

/// The file `<attempt>.blocks` of one attempt, in the ledger's folder: records in pieces, each with its checksum.
/// Only the profile needs it: it is not synced, a power cut may lose its end, and a torn end is ignored.
class BlockLog {
 public:
  /// The blocks of one attempt.
  struct Attempt {
    double started = 0;  // seconds since 1970
    std::vector<BlockRecord> blocks;
  };
  /// The attempts that left records, in order.
  static std::vector<Attempt> read(const io::Entry& folder);

  /// Begins the file of an attempt. @throws IoError
  BlockLog(const io::Entry& folder, std::int64_t attempt, double started);
  /// @throws IoError
  void append(std::span<const BlockRecord> records);

 private:
  std::filesystem::path path_;
  double started_;
  io::Descriptor file_;
  std::int64_t length_ = 0;
};

}  // namespace terrace::run
