// The blocks that earlier attempts of a run have computed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "io/files/durable.hpp"
#include "pipeline/run/profile/block_record.hpp"

namespace terrace::run {

/// The file `<attempt>.blocks` of one attempt, beside the ledger: records in pieces, each with its checksum. For the
/// profile alone: it is not synced, what a power cut takes of it is lost, and a torn end counts for nothing.
class BlockLog {
 public:
  /// What one attempt computed.
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
