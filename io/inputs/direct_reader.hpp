// Reading boxes of a large file past the page cache, with many requests in flight.
#pragma once

#include "io/files/stxxl_lanes.hpp"
#include "io/input_file.hpp"
#include "pipeline/base/box.hpp"

namespace terrace::io {

/// Reads through STXXL's file layer; the file's last, partial page, which direct I/O cannot read, is read through the
/// page cache. Several threads may read at once.
class DirectReader {
 public:
  /// @param file outlives the reader; its file system takes O_DIRECT (`StxxlLanes::supported`)
  explicit DirectReader(const InputFile& file) : file_(file), lanes_(file.path(), false) {}

  /// Copies `box` of the row-major array that begins at byte `origin` into `buffer`, tightly packed. @throws IoError
  void read(const Extents& shape, std::int64_t origin, const Box& box, std::int64_t element_size, void* buffer);

 private:
  const InputFile& file_;
  StxxlLanes lanes_;
};

}  // namespace terrace::io
