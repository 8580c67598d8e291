// Formulas of whole numbers that are exact or fail, as programs over registers: the same values as checked.hpp gives,
// cell after cell, fast. What is not chosen is computed, too, so a failure is one only if checked.hpp finds it.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/formula/formula.hpp"

namespace terrace::formula {

/// The value of a node: `whole` of whole numbers and conditions, else `real`, which holds values of f32 exactly.
union Register {
  std::int64_t whole;
  double real;
};

class Program {
 public:
  /// @param formula with one result
  explicit Program(const Formula& formula);

  /// False if no program computes the formula: it has look-ups.
  bool is_there() const { return is_there_; }
  /// Registers with the constants set: one a node, by its number.
  const std::vector<Register>& registers() const { return registers_; }
  /// The nodes whose registers are to be set for each cell: reads, series, indices, extents, steps.
  const std::vector<int>& leaves() const { return leaves_; }
  int result() const { return result_; }
  /// Computes the other registers. @return false if an operation fails
  bool run(Register* registers) const;

 private:
  struct Step {
    std::uint8_t code;
    int to, a, b, c;
  };
  std::vector<Step> steps_;
  std::vector<Register> registers_;
  std::vector<int> leaves_;
  int result_ = 0;
  bool is_there_ = true;
};

}  // namespace terrace::formula
