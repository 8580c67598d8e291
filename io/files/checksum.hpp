// Checksums of stored bytes: XXH3, 64 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "pipeline/base/box.hpp"

namespace terrace::io {

/// XXH3 (64 bits, no seed) of the bytes.
std::uint64_t checksum(std::span<const std::byte> bytes);

/// The same checksum of bytes that arrive in pieces.
class RunningChecksum {
 public:
  RunningChecksum();
  RunningChecksum(RunningChecksum&&) noexcept;
  RunningChecksum& operator=(RunningChecksum&&) noexcept;
  ~RunningChecksum();

  void add(std::span<const std::byte> bytes);
  /// Checksum of all bytes added so far.
  std::uint64_t value() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// XXH3 of a box of a row-major array in memory: equal to the checksum of the box's packed copy.
/// @param array first byte of the array of shape `shape`; @param box half-open, within the shape
/// @throws Error if the box does not lie in the array
std::uint64_t checksum_box(const void* array, const Extents& shape, std::size_t element_size, const Box& box);

}  // namespace terrace::io
