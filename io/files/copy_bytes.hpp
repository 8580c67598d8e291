// Bytes of one file put into another: shared by the file system if it can, else copied.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "io/files/entry.hpp"

namespace terrace::io {

/// Bytes [offset, ...) of an open file.
struct FilePlace {
  int descriptor = -1;
  std::filesystem::path path;  // for messages
  std::int64_t offset = 0;
};

/// Lets the file `to` share the first whole blocks of `bytes` bytes with the file `from`, so that they take no space,
/// if the file system can. @return bytes shared; 0 if it cannot
std::int64_t share_bytes(const FilePlace& from, const FilePlace& to, std::int64_t bytes);

/// Copies bytes within the system, or through memory from one file system to another.
/// @param progress called with the bytes copied since its last call; it may throw
/// @throws IoError, also if `from` ends before
void copy_bytes(FilePlace from, FilePlace to, std::int64_t bytes, const std::function<void(std::int64_t)>& progress);

}  // namespace terrace::io
