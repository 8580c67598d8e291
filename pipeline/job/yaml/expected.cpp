// Texts of errors: what a parameter takes, and what a node is.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/faces.hpp"
#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {
namespace {

std::string kind_in_words(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::integer:
    case ParameterKind::count:
      return "a whole number";
    case ParameterKind::number:
    case ParameterKind::quantity:
      return "a number";
    case ParameterKind::text:
      return "a text";
    case ParameterKind::choice:
      return "one of " + std::string(parameter.choices ? parameter.choices : "");
    case ParameterKind::flag:
      return "true or false";
    case ParameterKind::array:
    case ParameterKind::node_pairs:
      return "the name of an input, or stage/output of an earlier stage";
    case ParameterKind::size:
      return "a size in bytes";
    case ParameterKind::duration:
      return "a time";
    case ParameterKind::type:
      return "a type (u8, i8, u16, i16, u32, i32, u64, i64, f32, f64)";
    case ParameterKind::integers:
      return "a list of whole numbers";
    case ParameterKind::numbers:
    case ParameterKind::decimals:
      return "a list of numbers";
    case ParameterKind::texts:
      return parameter.choices ? "a list of " + std::string(parameter.choices) : "a list of texts";
    case ParameterKind::ranges:
      return "a list of half-open ranges";
    case ParameterKind::selection:
      return "a list of half-open ranges and indices";
    case ParameterKind::file:
      return "a path";
    case ParameterKind::quantities:
      return "a list of numbers and names of arrays";
    case ParameterKind::vectors:
      return "a list of lists of whole numbers, all of one length";
    case ParameterKind::faces:
      return faces_in_words(parameter);
    case ParameterKind::names:
      return "a map with names of your choice";
    case ParameterKind::items:
      return "a list";
  }
  return "a value";
}

/// The rest of kind_in_words(), after the bounds.
std::string rest_in_words(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::quantity:
      return " or the name of an array (an input, or stage/output), such as 0.1 or conductivity";
    case ParameterKind::count:
      return ", such as 5000, 1e9 or 64Ki";
    case ParameterKind::size:
      return ", such as 4GiB";
    case ParameterKind::duration:
      return ", such as 30s";
    case ParameterKind::integers:
      return ", such as [1, 2]";
    case ParameterKind::numbers:
    case ParameterKind::decimals:
      return ", such as [1, 0.5]";
    case ParameterKind::ranges:
      return ", such as [[0, 10], [5, 8]]";
    case ParameterKind::quantities:
      return ", such as [0.1, west, 0.2]";
    case ParameterKind::selection:
      return ", such as [2, [0, 100]]";
    case ParameterKind::vectors:
      return parameter.minimum < 0 ? ", such as [[0, 1], [-1, 0]]" : ", such as [[0, 1], [1, 0]]";
    case ParameterKind::node_pairs:
      return ", or a list of pairs, such as [[Berlin, Rome], [4, 17]]";
    case ParameterKind::faces:
      return lists_of_faces_in_words(parameter);
    default:
      return "";
  }
}

/// The words before the bounds of numbers that are only a part of the value.
const char* bounded_part(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::integers:
    case ParameterKind::numbers:
    case ParameterKind::ranges:
    case ParameterKind::selection:
    case ParameterKind::vectors:
      return ", each";
    case ParameterKind::quantities:
      return ", each number";
    case ParameterKind::faces:
      return ", the number";
    default:
      return "";
  }
}

/// The bounds of the number of names or items.
std::string number_in_words(const Parameter& parameter) {
  const bool low = parameter.minimum > 0, high = parameter.maximum < no_bound;
  if (low && high) return fmt::format(", {} to {}", parameter.minimum, parameter.maximum);
  if (low) return fmt::format(", at least {}", parameter.minimum);
  return high ? fmt::format(", at most {}", parameter.maximum) : "";
}

std::string bounds_in_words(const Parameter& parameter) {
  const bool low = std::fabs(parameter.minimum) < no_bound, high = std::fabs(parameter.maximum) < no_bound;
  const std::string part = bounded_part(parameter.kind);
  std::string unit = parameter.unit ? " " + std::string(parameter.unit) : "";
  if (parameter.kind == ParameterKind::duration) unit = " s";
  if (parameter.kind == ParameterKind::names || parameter.kind == ParameterKind::items)
    return number_in_words(parameter);
  if (low && high) return fmt::format("{} from {} to {}{}", part, parameter.minimum, parameter.maximum, unit);
  if (low) return fmt::format("{} of at least {}{}", part, parameter.minimum, unit);
  if (high) return fmt::format("{} of at most {}{}", part, parameter.maximum, unit);
  return "";
}

/// True if the words of `choices` stand in place of a value, and are not named with the kind.
bool has_words_apart(const Parameter& parameter) {
  constexpr ParameterKind with_words[] = {ParameterKind::choice, ParameterKind::texts, ParameterKind::faces};
  return parameter.choices &&
         std::find(std::begin(with_words), std::end(with_words), parameter.kind) == std::end(with_words);
}

std::string array_in_words(ParameterKind kind) {
  const std::string one = kind == ParameterKind::vectors ? "" : ", or one number";
  return one + ", or the name of an array (an input, or stage/output)";
}

}  // namespace

std::string expected(const Parameter& parameter) {
  const bool array = takes_array(parameter);
  const bool words = has_words_apart(parameter) && !words_of(parameter).empty();
  return kind_in_words(parameter) + bounds_in_words(parameter) + rest_in_words(parameter) +
         (array ? array_in_words(parameter.kind) : "") + (words ? ", or " + std::string(parameter.choices) : "");
}

std::string describe(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return "nothing";
    case Node::Kind::list:
      return node.items.empty() ? "an empty list"
                                : "a list of " + counted(static_cast<std::int64_t>(node.items.size()), "value");
    case Node::Kind::map:
      return "a map";
    case Node::Kind::scalar:
      break;
  }
  return (node.quoted ? "the text " : "") + quote(node.text);
}

}  // namespace terrace::job
