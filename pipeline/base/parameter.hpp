// Declarations of the parameters that jobs set. The loader, `terrace problems` and the reference are made
// from them. This header includes nothing, so that problems which are also compiled at run time may use it.
#pragma once

namespace terrace {

enum class ParameterKind {
  integer,     // a whole number
  number,      // a number, possibly with a fraction
  text,        // a string
  choice,      // one of `choices`
  flag,        // true or false
  array,       // the name of an input or of an earlier stage's array, as `stage/output`
  size,        // bytes: 4GiB
  count,       // a whole number with units: 1e9, 64Ki
  duration,    // seconds: 30s
  type,        // an element type, or a word of `choices`
  integers,    // a list of whole numbers
  numbers,     // a list of numbers
  decimals,    // a list of numbers of any type, kept as they are written, NaN among them
  texts,       // a list of strings
  ranges,      // a list of pairs [begin, end)
  file,        // a path, relative to the job's folder
  quantity,    // a finite number, or the name of an array as of `array`
  quantities,  // a list of quantities; numbers are kept as they are written
  node_pairs,  // the name of an array as of `array`, or a list of pairs of texts, kept two after another
  selection,   // a list of ranges [begin, end) and indices, kept as lists of two numbers and of one
  vectors,     // a list of lists of whole numbers, all lists of the same length of at least 1
  faces,       // for each side of each axis one of `choices` or {value: NUMBER}; written as `Value` says
  names,       // a map whose keys the user chooses; `minimum` and `maximum` bound their number
  items        // a list of maps, or of values; `minimum` and `maximum` bound their number
};

/// One parameter. Texts are written as in a job; a null pointer means "none".
struct Parameter {
  const char* name;  // dots: nested maps; NAMES.*: each of `names`; ITEMS[]: each of `items`
  ParameterKind kind;
  const char* help;                    // one sentence, no full stop
  const char* default_text = nullptr;  // as written in a job; null: required; "": absent unless given
  const char* choices = nullptr;       // "affine, linear"; the words of a choice
  double minimum = -9.2e18;            // least value of numbers, inclusive
  double maximum = 9.2e18;             // largest value of numbers, inclusive
  const char* unit = nullptr;          // unit of the value, if it has one
};

/// Declared parameters, in the order in which they are documented.
struct ParameterList {
  const Parameter* first = nullptr;
  int count = 0;

  constexpr const Parameter* begin() const { return first; }
  constexpr const Parameter* end() const { return first + count; }
};

}  // namespace terrace
