#include "pipeline/job/yaml_value.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pipeline/base/element_type.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/declaration.hpp"
#include "pipeline/job/yaml_scalar.hpp"

namespace terrace::job {
namespace {

/// Most elements of one list that are complained about.
constexpr std::size_t most_of_a_list = 10;

/// Bounds of this size and more mean that there is no bound.
constexpr double no_bound = 9.2e18;

std::string kind_in_words(const Parameter& parameter) {
  switch (parameter.kind) {
    case ParameterKind::integer:
    case ParameterKind::count:
      return "a whole number";
    case ParameterKind::number:
      return "a number";
    case ParameterKind::text:
      return "a text";
    case ParameterKind::choice:
      return "one of " + std::string(parameter.choices ? parameter.choices : "");
    case ParameterKind::flag:
      return "true or false";
    case ParameterKind::array:
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
    case ParameterKind::file:
      return "a path";
  }
  return "a value";
}

std::string example_of(const Parameter& parameter) {
  switch (parameter.kind) {
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
    default:
      return "";
  }
}

bool is_list(ParameterKind kind) {
  return kind == ParameterKind::integers || kind == ParameterKind::numbers || kind == ParameterKind::ranges;
}

std::string bounds_in_words(const Parameter& parameter) {
  const bool low = std::fabs(parameter.minimum) < no_bound, high = std::fabs(parameter.maximum) < no_bound;
  const std::string each = is_list(parameter.kind) ? ", each" : "";
  std::string unit = parameter.unit ? " " + std::string(parameter.unit) : "";
  if (parameter.kind == ParameterKind::duration) unit = " s";
  if (low && high) return fmt::format("{} from {} to {}{}", each, parameter.minimum, parameter.maximum, unit);
  if (low) return fmt::format("{} of at least {}{}", each, parameter.minimum, unit);
  if (high) return fmt::format("{} of at most {}{}", each, parameter.maximum, unit);
  return "";
}

/// Words that are allowed in place of a value.
std::vector<std::string> words_of(const Parameter& parameter) {
  if (!parameter.choices) return {};
  return split_words(parameter.choices);
}

bool has_word(const Parameter& parameter, const std::string& word) {
  const auto words = words_of(parameter);
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// "2, 3": the extents of lists in a list, by the first of each.
std::string extents_in_words(const Node& list) {
  std::string text = std::to_string(list.items.size());
  const Node* at = &list;
  while (!at->items.empty() && at->items[0].kind == Node::Kind::list) {
    at = &at->items[0];
    text += ", " + std::to_string(at->items.size());
  }
  return text;
}

class Reader {
 public:
  Reader(const Parameter& parameter, CheckContext& context) : parameter_(parameter), context_(context) {}

  std::optional<Value> read(const Node& node) {
    if (node.kind == Node::Kind::null) return refuse(node, "");
    if (is_word(node)) return Value(node.text);
    switch (parameter_.kind) {
      case ParameterKind::integers:
        return list<std::int64_t>(node, [this](const Node& item) { return bounded(item, read_count(item)); });
      case ParameterKind::numbers:
        return list<double>(node, [this](const Node& item) { return bounded(item, read_number(item)); });
      case ParameterKind::decimals:
        return decimals(node);
      case ParameterKind::texts:
        return texts(node);
      case ParameterKind::ranges:
        return ranges(node);
      default:
        return node.kind == Node::Kind::scalar ? scalar(node) : refuse(node, "");
    }
  }

 private:
  bool is_word(const Node& node) const {
    return node.kind == Node::Kind::scalar && parameter_.kind != ParameterKind::texts &&
           has_word(parameter_, node.text);
  }

  std::nullopt_t refuse(const Node& node, const std::string& hint) {
    std::string message = quote(parameter_.name) + " takes " + expected(parameter_) + ", not " + describe(node);
    if (!hint.empty()) message += "; " + hint;
    else if (node.kind == Node::Kind::scalar) message += did_you_mean(node.text, words_of(parameter_));
    context_.complaints.add(node.position, message);
    return std::nullopt;
  }

  std::optional<Value> scalar(const Node& node) {
    switch (parameter_.kind) {
      case ParameterKind::integer:
        return wrap(bounded(node, read_integer(node)));
      case ParameterKind::number:
        return wrap(bounded(node, read_number(node)));
      case ParameterKind::size:
        return wrap(bounded(node, read_size(node)));
      case ParameterKind::count:
        return wrap(bounded(node, read_count(node)));
      case ParameterKind::duration:
        return wrap(bounded(node, read_duration(node)));
      case ParameterKind::flag:
        return flag(node);
      case ParameterKind::file:
        return file(node);
      case ParameterKind::type:
        return element_type_from(node.text) ? std::optional<Value>(node.text) : refuse(node, "");
      case ParameterKind::text:
        return Value(node.text);
      case ParameterKind::array:
        return node.text.empty() ? refuse(node, "") : std::optional<Value>(node.text);
      default:
        return refuse(node, "");
    }
  }

  template <class T>
  static std::optional<Value> wrap(std::optional<T> value) {
    if (!value) return std::nullopt;
    return Value(*value);
  }

  template <class T>
  std::optional<T> bounded(const Node& node, const Scalar<T>& scalar) {
    if (node.kind != Node::Kind::scalar || !scalar.valid) return refuse(node, scalar.hint);
    const auto value = static_cast<double>(scalar.value);
    const bool low = value < parameter_.minimum && (parameter_.minimum > -no_bound || std::isinf(value));
    const bool high = value > parameter_.maximum && (parameter_.maximum < no_bound || std::isinf(value));
    if (low || high) return refuse(node, "");
    return scalar.value;
  }

  std::optional<Value> flag(const Node& node) {
    const Scalar<bool> value = read_flag(node);
    if (!value.valid) return refuse(node, value.hint);
    return Value(value.value);
  }

  std::optional<Value> file(const Node& node) {
    if (node.text.empty()) return refuse(node, "");
    if (node.text.find('\0') != std::string::npos) return refuse(node, "a path holds no zero byte");
    const auto& folder = node.position.source > 0 ? context_.current_folder : context_.job_folder;
    return Value((folder / node.text).lexically_normal().string());
  }

  /// Reads every element, so that all that are wrong are reported, but not thousands of one list.
  template <class T, class ReadItem>
  std::optional<Value> list(const Node& node, ReadItem&& read_item) {
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
    return Value(std::move(values));
  }

  /// One complaint of all lists in the list, which mean an array of several dimensions.
  std::nullopt_t refuse_nested(const Node& node, const Node& nested) {
    context_.complaints.add(nested.position, quote(parameter_.name) + " takes " + expected(parameter_) +
                                                 ", not lists in a list; write all numbers in one list, row by row, "
                                                 "and their extents beside it, here `shape: [" +
                                                 extents_in_words(node) + "]`");
    return std::nullopt;
  }

  std::optional<std::string> decimal(const Node& item) {
    if (item.kind != Node::Kind::scalar) return refuse(item, "");
    const bool not_a_number = !item.quoted && (item.text == ".nan" || item.text == "nan");
    const Scalar<double> number = read_number(item);
    if (!number.valid && !not_a_number) return refuse(item, number.hint);
    return item.text;
  }

  /// One number in place of a list is a list of one.
  std::optional<Value> decimals(const Node& node) {
    if (node.kind == Node::Kind::list) {
      const auto nested = std::find_if(node.items.begin(), node.items.end(),
                                       [](const Node& item) { return item.kind == Node::Kind::list; });
      if (nested != node.items.end()) return refuse_nested(node, *nested);
      return list<std::string>(node, [this](const Node& item) { return decimal(item); });
    }
    const auto only = decimal(node);
    if (!only) return std::nullopt;
    return Value(std::vector<std::string>{*only});
  }

  std::optional<std::string> text_item(const Node& item) {
    if (item.kind != Node::Kind::scalar || (parameter_.choices && !has_word(parameter_, item.text))) {
      return refuse(item, "");
    }
    return item.text;
  }

  /// One word in place of a list is a list of one.
  std::optional<Value> texts(const Node& node) {
    if (node.kind == Node::Kind::list) {
      return list<std::string>(node, [this](const Node& item) { return text_item(item); });
    }
    const auto word = text_item(node);
    if (!word) return std::nullopt;
    return Value(std::vector<std::string>{*word});
  }

  using Range = std::array<std::int64_t, 2>;

  std::optional<Range> range(const Node& node) {
    if (node.kind != Node::Kind::list || node.items.size() != 2) return refuse(node, "a range is [begin, end]");
    const auto begin = bounded(node.items[0], read_count(node.items[0]));
    const auto end = bounded(node.items[1], read_count(node.items[1]));
    if (!begin || !end) return std::nullopt;
    if (*begin > *end) return refuse(node, "a range [begin, end] begins at or before its end");
    return Range{*begin, *end};
  }

  /// One range in place of a list is a list of one.
  std::optional<Value> ranges(const Node& node) {
    const bool single =
        node.kind == Node::Kind::list && !node.items.empty() && node.items[0].kind == Node::Kind::scalar;
    if (!single) return list<Range>(node, [this](const Node& item) { return range(item); });
    const auto only = range(node);
    if (!only) return std::nullopt;
    return Value(std::vector<Range>{*only});
  }

  const Parameter& parameter_;
  CheckContext& context_;
};

}  // namespace

std::string expected(const Parameter& parameter) {
  const bool words_apart =
      parameter.choices && parameter.kind != ParameterKind::choice && parameter.kind != ParameterKind::texts;
  return kind_in_words(parameter) + bounds_in_words(parameter) + example_of(parameter) +
         (words_apart ? ", or " + std::string(parameter.choices) : "");
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

std::optional<Value> read_value(const Parameter& parameter, const Node& node, CheckContext& context) {
  return Reader(parameter, context).read(node);
}

}  // namespace terrace::job
