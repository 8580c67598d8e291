// The names of a nest and what they stand for, and the ranges that are written with them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/nest/affine.hpp"
#include "kernels/nest/write.hpp"

namespace terrace::nest {

class Names {
 public:
  /// @param text outlives it @throws NestFault
  explicit Names(const NestText& text) : text_(text) { check(); }

  const std::vector<std::string>& all() const { return all_; }
  const std::vector<std::string>& loops() const { return loops_; }
  /// The number of the input, or of the array, of that name; -1: there is none.
  int input_of(const std::string& word) const;
  int array_of(const std::string& word) const;
  /// Null if there is none of that name.
  const NestText::Parameter* parameter_of(const std::string& word) const;
  std::vector<std::string> input_names() const;
  /// Names in sums of loops and constants.
  AffineNames affine_names() const;
  /// size(input, axis).
  i64 size_in(const formula::Syntax& syntax) const;
  /// @param setting where it is @throws NestFault
  Range range_in(const std::string& setting, const RangeText& text) const;

 private:
  void check();
  void add_name(const std::string& map, const std::string& name);
  std::optional<i64> constant_in(const formula::Syntax& syntax) const;
  i64 bound_in(const std::string& text) const;

  const NestText& text_;
  std::vector<std::string> all_, loops_;
};

}  // namespace terrace::nest
