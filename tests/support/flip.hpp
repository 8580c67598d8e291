// Damage of a file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <fstream>

namespace terrace::test {

/// Flips a bit of a byte.
inline void flip(const std::filesystem::path& path, std::int64_t offset, int bit = 3) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekg(offset);
  const int byte = file.get();
  file.seekp(offset);
  file.put(static_cast<char>(byte ^ 1 << bit));
}

}  // namespace terrace::test
