// The statements of a nest as source: WrittenStatement (print.hpp).
#pragma once

#include <string>
#include <vector>

#include "kernels/nest/print.hpp"
#include "kernels/nest/print/places.hpp"
#include "kernels/nest/print/reads.hpp"

namespace terrace::nest {

/// Properties that the statements of a nest share.
struct StatementsInSource {
  Rim rim;
  bool has_ghosts;
  Point stride;                                // of a tile's values
  const std::vector<formula::Bounds>& bounds;  // of arrays
  const std::vector<bool>& first_fails;        // of arrays
};

class StatementPrinter {
 public:
  /// @param places outlive it, as `reads` and `all` do
  StatementPrinter(const Places& places, const PrintedReads& reads, const StatementsInSource& all)
      : places_(places),
        reads_(reads),
        spec_(places.spec()),
        nest_(*spec_.nest),
        rim_(all.rim),
        has_ghosts_(all.has_ghosts),
        stride_(all.stride),
        bounds_(all.bounds),
        first_fails_(all.first_fails) {}

  std::string print(std::size_t number_of) const;

 private:
  /// A function that is false if no iteration of a statement lies in a box of coordinates.
  std::string may_hold(std::size_t statement, const Ranges& box) const;
  std::string clips(std::size_t statement, const Ranges& box) const;
  std::string row(const std::string& name, std::size_t statement, const Ranges& box) const;
  /// A read of a written array anywhere: of the statement that has made the element, else its first value.
  LeafInSource read_leaf(const FormulaInSource& formula, std::size_t target, int node, const formula::Node& of) const;
  /// The value of a dependence's source.
  std::string value_of(std::size_t dependence) const;
  /// The value that the element of an iteration has before statements write it.
  std::string first_value(const Statement& statement) const;
  /// Functions from coordinates to iterations.
  std::string place(std::size_t number_of) const;
  /// The row of kept values, and their elements.
  std::string results(std::size_t number_of) const;

  const Places& places_;
  const PrintedReads& reads_;
  const NestSpec& spec_;
  const Nest& nest_;
  Rim rim_;
  bool has_ghosts_;
  Point stride_;
  const std::vector<formula::Bounds>& bounds_;
  const std::vector<bool>& first_fails_;
};

}  // namespace terrace::nest
