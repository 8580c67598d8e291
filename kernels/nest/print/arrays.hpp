// The arrays of a nest as source: WrittenArray (print.hpp).
#pragma once

#include <string>
#include <vector>

#include "kernels/nest/print.hpp"
#include "kernels/nest/print/reads.hpp"

namespace terrace::nest {

class ArrayPrinter {
 public:
  /// @param spec outlives it, as `reads` does
  ArrayPrinter(const NestSpec& spec, const PrintedReads& reads, Rim rim)
      : spec_(spec), nest_(*spec.nest), reads_(reads), rim_(rim) {}

  /// An array after those before it.
  std::string print(std::size_t number_of);
  /// True of each array printed so far if an element that no statement writes may have no value.
  const std::vector<bool>& first_fails() const { return first_fails_; }

 private:
  /// The first value of an element that iterations of the block may not read: the block need not have the inputs.
  std::string first_anywhere(const Array& array, const std::string& value, const std::string& statements) const;
  std::string from_input(const Array& array, bool is_anywhere) const;

  const NestSpec& spec_;
  const Nest& nest_;
  const PrintedReads& reads_;
  Rim rim_;
  std::vector<bool> first_fails_;
};

}  // namespace terrace::nest
