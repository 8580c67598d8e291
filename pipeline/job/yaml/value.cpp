#include "pipeline/job/yaml/value.hpp"

#include <algorithm>
#include <array>

#include "pipeline/base/element_type.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/faces.hpp"
#include "pipeline/job/yaml/quantity.hpp"
#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {
namespace {

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

/// "[[1], [2]], or [[1, 2]] for one vector": what a list of numbers may have been meant to be.
std::string nested_in_words(const Node& list) {
  constexpr std::size_t most = 3;
  std::string each, all;
  for (std::size_t i = 0; i < std::min(most, list.items.size()); ++i) {
    const Scalar<std::int64_t> number = read_count(list.items[i]);
    const std::string text = number.valid ? std::to_string(number.value) : "0", comma = i == 0 ? "" : ", ";
    each += comma + "[" + text + "]";
    all += comma + text;
  }
  const std::string rest = list.items.size() > most ? ", ..." : "";
  return "[" + each + rest + "], or [[" + all + rest + "]] for one vector";
}

class Reader : ValueReader {
 public:
  Reader(const Parameter& parameter, CheckContext& context) : ValueReader(parameter, context) {}

  std::optional<Value> read(const Node& node) {
    if (node.kind == Node::Kind::null) return refuse(node, "");
    if (is_word(node) || (takes_array(parameter_) && is_name(node))) return Value(node.text);
    switch (parameter_.kind) {
      case ParameterKind::integers:
        return integers(node);
      case ParameterKind::numbers:
        return list<double>(node, [this](const Node& item) { return bounded(item, read_number(item)); });
      case ParameterKind::decimals:
        return decimals(node);
      case ParameterKind::texts:
        return texts(node);
      case ParameterKind::ranges:
        return ranges(node);
      case ParameterKind::vectors:
        return vectors(node);
      case ParameterKind::selection:
        return selection(node);
      case ParameterKind::node_pairs:
        return node_pairs(node);
      case ParameterKind::quantity:
        return read_quantity(parameter_, node, context_);
      case ParameterKind::quantities:
        return read_quantities(parameter_, node, context_);
      case ParameterKind::faces:
        return read_faces(parameter_, node, context_);
      case ParameterKind::names:
        return names(node);
      case ParameterKind::items:
        return items_of(node);
      default:
        return node.kind == Node::Kind::scalar ? scalar(node) : refuse(node, "");
    }
  }

 private:
  /// True for a text that is not meant to be a number.
  static bool is_name(const Node& node) {
    if (node.kind != Node::Kind::scalar || node.text.empty()) return false;
    return node.quoted || (!is_like_number(node.text) && !is_not_finite(node.text));
  }

  std::optional<Value> integers(const Node& node) {
    const auto read_item = [this](const Node& item) { return bounded(item, read_count(item)); };
    return takes_array(parameter_) ? list_or_one<std::int64_t>(node, read_item) : list<std::int64_t>(node, read_item);
  }

  bool is_word(const Node& node) const {
    const bool of_elements = parameter_.kind == ParameterKind::texts || parameter_.kind == ParameterKind::faces;
    return node.kind == Node::Kind::scalar && !of_elements && has_word(parameter_, node.text);
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
        return text(node);
      case ParameterKind::array:
        return node.text.empty() ? refuse(node, "") : std::optional<Value>(node.text);
      default:
        return refuse(node, "");
    }
  }

  std::optional<Value> flag(const Node& node) {
    const Scalar<bool> value = read_flag(node);
    if (!value.valid) return refuse(node, value.hint);
    return Value(value.value);
  }

  /// Results record texts, and HDF5 would cut them at a zero byte; the system would cut paths.
  static bool has_zero_byte(const Node& node) { return node.text.find('\0') != std::string::npos; }

  std::optional<Value> text(const Node& node) {
    if (has_zero_byte(node)) return refuse(node, "a text holds no zero byte");
    return Value(node.text);
  }

  std::optional<Value> file(const Node& node) {
    if (node.text.empty()) return refuse(node, "");
    if (has_zero_byte(node)) return refuse(node, "a path holds no zero byte");
    if (node.text == "~" || node.text.starts_with("~/"))
      return refuse(node, "write out the folder that ~ stands for");
    const auto& folder = node.position.source > 0 ? context_.current_folder : context_.job_folder;
    return Value((folder / node.text).lexically_normal().string());
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
    const auto nested = std::find_if(node.items.begin(), node.items.end(),
                                     [](const Node& item) { return item.kind == Node::Kind::list; });
    if (nested != node.items.end()) return refuse_nested(node, *nested);
    return list_or_one<std::string>(node, [this](const Node& item) { return decimal(item); });
  }

  std::optional<std::string> text_item(const Node& item) {
    if (item.kind != Node::Kind::scalar || (parameter_.choices && !has_word(parameter_, item.text))) {
      return refuse(item, "");
    }
    return item.text;
  }

  /// One word in place of a list is a list of one. A list of words of `choices` names each once.
  std::optional<Value> texts(const Node& node) {
    const auto value = list_or_one<std::string>(node, [this](const Node& item) { return text_item(item); });
    if (!value || !parameter_.choices) return value;
    for (auto item = node.items.begin(); item != node.items.end(); ++item) {
      const auto same = [&](const Node& before) { return before.text == item->text; };
      if (std::any_of(node.items.begin(), item, same)) return refuse_repeated(*item);
    }
    return value;
  }

  std::nullopt_t refuse_repeated(const Node& item) {
    context_.complaints.add(item.position,
                            quote(parameter_.name) + " names " + quote(item.text) + " twice; leave one of them out");
    return std::nullopt;
  }

  using Range = std::array<std::int64_t, 2>;

  std::optional<Range> range(const Node& node) {
    if (node.kind != Node::Kind::list || node.items.size() != 2) return refuse(node, "a range is [begin, end]");
    const auto begin = bounded(node.items[0], read_count(node.items[0]));
    const auto end = bounded(node.items[1], read_count(node.items[1]));
    if (!begin || !end) return std::nullopt;
    if (*begin > *end) return refuse(node, "a range [begin, end) begins at or before its end");
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

  /// A range, or the index that takes its place.
  std::optional<std::vector<std::int64_t>> range_or_index(const Node& node) {
    if (node.kind == Node::Kind::scalar) {
      const auto index = bounded(node, read_count(node));
      return index ? std::optional(std::vector{*index}) : std::nullopt;
    }
    const auto found = range(node);
    return found ? std::optional(std::vector{(*found)[0], (*found)[1]}) : std::nullopt;
  }

  /// Two numbers are one range, in place of a list of one.
  std::optional<Value> selection(const Node& node) {
    const auto is_scalar = [](const Node& item) { return item.kind == Node::Kind::scalar; };
    const bool single = node.kind == Node::Kind::list && node.items.size() == 2 &&
                        std::all_of(node.items.begin(), node.items.end(), is_scalar);
    if (!single)
      return list<std::vector<std::int64_t>>(node, [this](const Node& item) { return range_or_index(item); });
    const auto only = range_or_index(node);
    if (!only) return std::nullopt;
    return Value(std::vector<std::vector<std::int64_t>>{*only});
  }

  using Texts = std::vector<std::string>;

  std::optional<Texts> node_pair(const Node& node) {
    if (node.kind != Node::Kind::list || node.items.size() != 2) return refuse(node, "a pair is [FROM, TO]");
    for (const Node& item : node.items) {
      if (item.kind != Node::Kind::scalar || item.text.empty()) return refuse(item, "a node is a name or an id");
    }
    return Texts{node.items[0].text, node.items[1].text};
  }

  /// The name of an array, or pairs; one pair in place of a list is a list of one.
  std::optional<Value> node_pairs(const Node& node) {
    if (node.kind == Node::Kind::scalar)
      return node.text.empty() ? refuse(node, "") : std::optional<Value>(node.text);
    const bool single =
        node.kind == Node::Kind::list && !node.items.empty() && node.items[0].kind == Node::Kind::scalar;
    const auto pairs = single ? std::optional(std::vector<Texts>{})
                              : items<Texts>(node, [this](const Node& item) { return node_pair(item); });
    if (!pairs) return std::nullopt;
    Texts all;
    for (const Texts& pair : *pairs) all.insert(all.end(), pair.begin(), pair.end());
    if (!single) return Value(all);
    return wrap(node_pair(node));
  }

  /// Only defaults come here as maps, and have no keys: keys and what they hold are read as settings of their own.
  std::optional<Value> names(const Node& node) {
    if (node.kind != Node::Kind::map || !node.entries.empty()) return refuse(node, "");
    return Value(Texts{});
  }

  std::optional<Value> items_of(const Node& node) {
    if (node.kind != Node::Kind::list || !node.items.empty()) return refuse(node, "");
    return Value(std::int64_t{0});
  }

  using Vector = std::vector<std::int64_t>;

  std::optional<Vector> vector(const Node& node, std::size_t length) {
    if (node.kind != Node::Kind::list || node.items.empty()) {
      return refuse(node, "each list in the list has at least one number");
    }
    const auto numbers =
        items<std::int64_t>(node, [this](const Node& item) { return bounded(item, read_count(item)); });
    if (!numbers || numbers->size() == length) return numbers;
    return refuse(node, "all are of one length, and the first has " + std::to_string(length));
  }

  std::optional<Value> vectors(const Node& node) {
    const auto is_scalar = [](const Node& item) { return item.kind == Node::Kind::scalar; };
    const bool flat = !node.items.empty() && std::all_of(node.items.begin(), node.items.end(), is_scalar);
    if (flat) return refuse(node, "write " + nested_in_words(node));
    // The length is that of the first list; one that is no list is refused as itself.
    const auto first =
        std::find_if(node.items.begin(), node.items.end(), [](const Node& item) { return !item.items.empty(); });
    const std::size_t length = first == node.items.end() ? 0 : first->items.size();
    return list<Vector>(node, [&](const Node& item) { return vector(item, length); });
  }
};

}  // namespace

std::optional<Value> read_value(const Parameter& parameter, const Node& node, CheckContext& context) {
  return Reader(parameter, context).read(node);
}

}  // namespace terrace::job
