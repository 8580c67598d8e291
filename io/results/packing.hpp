// Texts and numbers as one text, on its way from one process of this machine to another.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace terrace::io {

/// Joins the values that are added. Texts may hold any bytes.
class Packer {
 public:
  void add(std::int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof number); }
  void add(std::string_view text) {
    add(static_cast<std::int64_t>(text.size()));
    bytes_ += text;
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

/// Returns the values that a Packer has joined, in the same order; asked for more, or for others, it returns garbage.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : left_(bytes) {}

  std::int64_t number() {
    std::int64_t number = 0;
    const std::string_view bytes = next(sizeof number);
    std::memcpy(&number, bytes.data(), bytes.size());
    return number;
  }
  std::string_view text() { return next(static_cast<std::size_t>(number())); }

 private:
  std::string_view next(std::size_t count) {
    const std::string_view bytes = left_.substr(0, count);
    left_.remove_prefix(bytes.size());
    return bytes;
  }

  std::string_view left_;
};

}  // namespace terrace::io
