// Parts that readers of values share: errors, bounds, lists, words.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/job/yaml/errors.hpp"
#include "pipeline/job/yaml/node.hpp"
#include "pipeline/job/yaml/scalar.hpp"

namespace terrace::job {

/// Context for checking the current job.
struct CheckContext {
  Complaints& complaints;
  Complaints& warnings;                  // valid settings that are probably not intended
  std::filesystem::path job_folder;      // base of relative paths in the file; absolute
  std::filesystem::path current_folder;  // base of relative paths on the command line; absolute
};

/// "a whole number of at least 1", "one of score, table", "true or false", ...: completes "'key' takes".
std::string expected(const Parameter& parameter);

/// "the list", "'abc'", "nothing", ...: completes "..., not".
std::string describe(const Node& node);

/// Bounds of this size and more mean that there is no bound.
inline constexpr double no_bound = 9.2e18;

/// The words of a parameter: of a choice, or allowed in place of a value.
/// The words of `choices`, without ARRAY.
std::vector<std::string> words_of(const Parameter& parameter);
/// True if the name of an array may stand in place of a value: the word ARRAY among `choices` says so, of lists of
/// numbers (`steps: items`). One number is a list of one then, too.
bool takes_array(const Parameter& parameter);
bool has_word(const Parameter& parameter, const std::string& word);

/// Reads values of one parameter; errors become complaints.
class ValueReader {
 protected:
  ValueReader(const Parameter& parameter, CheckContext& context) : parameter_(parameter), context_(context) {}

  /// Complains that the parameter does not take the node. @param hint what is valid; empty: none, or a near word
  std::nullopt_t refuse(const Node& node, const std::string& hint);

  /// The number of a scalar; it is refused if it is none, or out of the parameter's bounds.
  template <class T>
  std::optional<T> bounded(const Node& node, const Scalar<T>& scalar) {
    if (node.kind != Node::Kind::scalar || !scalar.valid) return refuse(node, scalar.hint);
    if (is_out_of_bounds(scalar.value)) return refuse(node, without_sign(node, scalar.value));
    return scalar.value;
  }

  /// Reads every element, so that all that are wrong are reported, but not thousands of one list.
  template <class T, class ReadItem>
  std::optional<std::vector<T>> items(const Node& node, ReadItem&& read_item) {
    if (node.kind != Node::Kind::list) return refuse(node, "");
    std::vector<T> values;
    const std::size_t complaints = context_.complaints.count();
    for (const Node& item : node.items) {
      if (std::optional<T> value = read_item(item)) values.push_back(std::move(*value));
      if (context_.complaints.count() < complaints + most_of_a_list) continue;
      context_.complaints.add(item.position, "the rest of this list was not looked at");
      break;
    }
    if (values.size() < node.items.size()) return std::nullopt;
    return values;
  }

  template <class T, class ReadItem>
  std::optional<Value> list(const Node& node, ReadItem&& read_item) {
    return wrap(items<T>(node, read_item));
  }

  /// As list(); one element in place of a list is a list of one.
  template <class T, class ReadItem>
  std::optional<Value> list_or_one(const Node& node, ReadItem&& read_item) {
    if (node.kind == Node::Kind::list) return list<T>(node, read_item);
    std::optional<T> only = read_item(node);
    if (!only) return std::nullopt;
    return Value(std::vector<T>{std::move(*only)});
  }

  template <class T>
  static std::optional<Value> wrap(std::optional<T> value) {
    if (!value) return std::nullopt;
    return Value(std::move(*value));
  }

  const Parameter& parameter_;
  CheckContext& context_;

 private:
  /// A hint at a negative number in place of a cost or another magnitude; empty for any other number.
  template <class T>
  std::string without_sign(const Node& node, T value) const {
    const bool meant = parameter_.kind == ParameterKind::number && parameter_.minimum == 0 && value < T(0) &&
                       !is_out_of_bounds(-value) && node.text.starts_with('-');
    return meant ? "write it without the sign: " + node.text.substr(1) : "";
  }
  bool is_out_of_bounds(double value) const {
    const bool low = value < parameter_.minimum && (parameter_.minimum > -no_bound || std::isinf(value));
    const bool high = value > parameter_.maximum && (parameter_.maximum < no_bound || std::isinf(value));
    return low || high;
  }
  /// Compares integers: beyond 2^53 a double has not all of them.
  bool is_out_of_bounds(std::int64_t value) const {
    const double least = std::ceil(parameter_.minimum), most = std::floor(parameter_.maximum);
    return (least > -no_bound && value < static_cast<std::int64_t>(least)) ||
           (most < no_bound && value > static_cast<std::int64_t>(most));
  }

  /// Most elements of one list that are complained about.
  static constexpr std::size_t most_of_a_list = 10;
};

}  // namespace terrace::job
