// From what a job writes to a nest: names resolved, types found, and everything refused that is no nest with uniform
// reads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "kernels/formula/syntax.hpp"
#include "kernels/nest/nest.hpp"

namespace terrace::nest {

/// A range as it is written: an end, or a begin and an end.
struct RangeText {
  std::string loop;
  std::vector<std::string> ends;
};

struct NestText {
  struct Parameter {
    std::string name;
    formula::Number number;
  };
  struct Array {
    std::string name;
    std::optional<ElementType> type;  // nullopt: to be found
    int from = -1;                    // among `inputs`
    std::optional<std::string> outside;
  };
  struct Cell {
    std::vector<RangeText> ranges;  // of `for`
    std::string text;
    bool is_map = false;  // {for: ..., do: text}, for places
  };
  std::vector<RangeText> loops;
  std::vector<Parameter> parameters;
  std::vector<Input> inputs;  // those without a name cannot be read
  std::vector<Array> arrays;
  std::vector<Cell> cells;
  Order order = Order::cells;
};

/// A fault of what is written, and the setting where it is: "loops.i", "arrays.D.outside", "cells[0].do".
struct NestFault {
  std::string setting;
  int element;  // of a setting that is a list; -1: the setting
  formula::Fault fault;
};

/// The reason why the `outside` of an array cannot be computed for all of these elements: it reads an input beyond
/// its ends; nullopt: it can. @param elements of an array that has one
std::optional<formula::Fault> outside_fault(const Nest& nest, int array, const Ranges& elements);

/// @throws NestFault
Nest write(const NestText& text);

}  // namespace terrace::nest
