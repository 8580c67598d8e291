// Compares a finished result with the checksums that were recorded when it was written.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pipeline/base/box.hpp"

namespace terrace::io {

/// A difference between a result and what was written.
struct ChecksumFinding {
  std::string name;  // "/align/table", an attribute "/align/table@units", or "/" for the file as a whole
  Box box;           // the elements of a tile that differs; rank 0 if no part can be named
  std::string what;  // "differs from what was written", "is missing", ...
};

/// The result of a verification.
struct ChecksumReport {
  std::vector<ChecksumFinding> findings;  // in the order of the record; the first 1000
  std::int64_t more = 0;                  // findings beyond these
  bool recorded = true;                   // false: the file has no record, as results of earlier versions
  bool stopped = false;                   // `stop` was set before everything had been read
  std::int64_t datasets = 0;              // that were compared, in full or in part
  std::int64_t bytes = 0;                 // of their elements that were read
};

/// Called now and then with bytes compared so far and bytes in all.
using ChecksumProgress = std::function<void(std::int64_t done, std::int64_t all)>;

/// Reads every dataset once, in the order of the file, with a few MiB of memory in addition to the small parts
/// of the file, and compares it and all attributes with the root's record (io/results/checksums.hpp). Also found
/// are datasets and attributes that are missing or were added, other types and shapes, a file that was cut
/// short, and parts that the disk cannot read. A damaged file never ends the process, nor takes more memory than
/// an intact file of its size: the HDF5 library reads it in a child process, so no other thread may run during
/// this call.
/// @param progress may be empty; @param stop not 0: return soon; may be null
/// @throws IoError if there is no such file, or it may not be read
ChecksumReport verify_checksums(const std::filesystem::path& result, const ChecksumProgress& progress = {},
                                const std::atomic<int>* stop = nullptr);

}  // namespace terrace::io
