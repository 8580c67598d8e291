// A row-major array stored uncompressed in a file, read by positioned reads.
#pragma once

#include <cstdint>
#include <filesystem>
#include <utility>
#include <vector>

#include "io/input_file.hpp"
#include "io/source.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// Any number of threads may read at once: there is no file position and no lock.
class RawArray {
 public:
  /// @param offset byte of the first element; @param big_endian true if the file's byte order is big-endian
  /// @throws IoError if the file is too short for the shape
  RawArray(InputFile file, std::int64_t offset, ElementType type, const Extents& shape, bool big_endian);

  ElementType type() const { return type_; }
  const Extents& shape() const { return shape_; }
  const InputFile& file() const { return file_; }
  /// Copies `box` into `buffer`, row-major, tightly packed. @throws IoError
  void read(const Box& box, void* buffer) const;

 private:
  InputFile file_;
  std::int64_t offset_;
  ElementType type_;
  Extents shape_;
  bool big_endian_;
};

/// Such an array as a source.
class RawSource : public Source {
 public:
  explicit RawSource(RawArray array) : array_(std::move(array)) {}

  ElementType type() const override { return array_.type(); }
  const Extents& shape() const override { return array_.shape(); }
  void read(const Box& box, void* buffer) override { array_.read(box, buffer); }
  std::vector<std::filesystem::path> files() const override { return {array_.file().path()}; }

 private:
  RawArray array_;
};

/// Reverses the byte order of `count` elements of `size` bytes (1, 2, 4, 8).
void swap_bytes(void* elements, std::int64_t count, std::size_t size);

/// Checks that the file holds an array of `shape` from `offset` on.
/// @throws IoError with the length that the file has and the length that the array needs
void check_length(const InputFile& file, std::int64_t offset, ElementType type, const Extents& shape);

}  // namespace terrace::io
