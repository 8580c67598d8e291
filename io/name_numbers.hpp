// Numbers of names, in the order in which they come first.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "io/node_names.hpp"

namespace terrace::io {

/// Counts names as they come: equal ones have one number.
class NameNumbers {
 public:
  std::int64_t number_of(std::string_view name) {
    const auto [named, added] = numbers_.emplace(name, static_cast<std::int64_t>(texts_.size()));
    if (!added) return named->second;
    texts_.push_back(named->first);
    bytes_ += static_cast<std::int64_t>(2 * (name.size() + sizeof(std::string)) + 4 * sizeof(std::int64_t));
    return named->second;
  }
  /// Bytes of memory, about.
  std::int64_t memory() const { return bytes_; }
  /// The name of each number.
  NodeNames::Texts take() { return std::move(texts_); }

 private:
  NodeNames::Texts texts_;
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::int64_t bytes_ = 0;
};

}  // namespace terrace::io
