// Numbers in text, read strictly.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipeline/base/element_type.hpp"

namespace terrace::io {

/// Collects numbers written as text into one array of one element type. If no type is wanted, the type is i64 as long
/// as all are whole numbers in plain digits, and f64 from the first other number on.
class NumberList {
 public:
  explicit NumberList(std::optional<ElementType> wanted) : wanted_(wanted) {}

  /// Adds one number: "-3", "+1.5", "1e9", "nan", "inf"; for integer types also "1e3" and "2.0" if they are whole.
  /// @return nullopt, or the fault of the text: "'x' is no number", "'300' does not fit u8"
  std::optional<std::string> add(std::string_view text);

  std::size_t count() const {
    return wanted_ ? bytes_.size() / size_of(*wanted_) : std::max(whole_.size(), real_.size());
  }
  ElementType type() const { return wanted_ ? *wanted_ : real_.empty() ? ElementType::i64 : ElementType::f64; }
  /// Hands the elements over; the list is empty afterwards.
  std::vector<std::byte> take();

 private:
  std::optional<std::string> add_wanted(std::string_view text);
  std::optional<std::string> add_any(std::string_view text);

  std::optional<ElementType> wanted_;
  std::vector<std::byte> bytes_;
  std::vector<std::int64_t> whole_;
  std::vector<double> real_;
};

/// The shortest text that reads back as the number: "1e300", "0.1", "-3".
std::string format_number(double number);

}  // namespace terrace::io
