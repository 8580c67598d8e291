// Texts one after another in a text, each after its length, a number of 64 bits in the order of this machine.
#pragma once

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

namespace terrace::compiled {

inline void add_number(std::string& to, std::uint64_t number) {
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

inline void add_text(std::string& to, std::string_view text) {
  add_number(to, text.size());
  to += text;
}

/// Takes the number with which `from` begins; nullopt if it is too short.
inline std::optional<std::uint64_t> take_number(std::string_view& from) {
  std::uint64_t number = 0;
  if (from.size() < sizeof number) return std::nullopt;
  std::memcpy(&number, from.data(), sizeof number);
  from.remove_prefix(sizeof number);
  return number;
}

/// Takes the text with which `from` begins; nullopt if it is too short.
inline std::optional<std::string_view> take_text(std::string_view& from) {
  const std::optional<std::uint64_t> size = take_number(from);
  if (!size || *size > from.size()) return std::nullopt;
  const std::string_view text = from.substr(0, *size);
  from.remove_prefix(*size);
  return text;
}

}  // namespace terrace::compiled
