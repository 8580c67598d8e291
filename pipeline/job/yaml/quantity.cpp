#include "pipeline/job/yaml/quantity.hpp"

#include <algorithm>
#include <string_view>

#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {

bool is_not_finite(std::string_view text) {
  if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
  if (text.starts_with('.')) text.remove_prefix(1);
  std::string folded(text);
  std::transform(folded.begin(), folded.end(), folded.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  return folded == "nan" || folded == "inf";
}

bool is_like_number(std::string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return true;
  const bool begins_like_one = std::string_view("0123456789+-.,").find(text.front()) != text.npos;
  return begins_like_one && text.find_first_of("0123456789") != text.npos &&
         text.find_first_not_of("0123456789+-.,eE_") == text.npos;
}

namespace {

class QuantityReader : ValueReader {
 public:
  QuantityReader(const Parameter& parameter, CheckContext& context) : ValueReader(parameter, context) {}

  std::optional<Value> read_one(const Node& node) {
    if (node.kind == Node::Kind::scalar && !node.quoted) {
      if (const Scalar<double> number = read_number(node); number.valid) return wrap(finite(node, number));
    }
    return wrap(name(node));
  }

  std::optional<Value> read_list(const Node& node) {
    return list_or_one<std::string>(node, [this](const Node& item) { return entry(item); });
  }

 private:
  std::optional<std::string> entry(const Node& node) {
    const auto value = read_one(node);
    if (!value) return std::nullopt;
    return node.text;
  }

  std::optional<double> finite(const Node& node, const Scalar<double>& number) {
    if (is_not_finite(node.text)) return refuse(node, "a number is finite here");
    return bounded(node, number);
  }

  std::optional<std::string> name(const Node& node) {
    if (node.kind != Node::Kind::scalar || node.text.empty()) return refuse(node, "");
    if (node.quoted) {
      // An entry of a list is kept as its text, which then would be taken for a number.
      if (read_number({Node::Kind::scalar, {}, node.text}).valid) return refuse(node, "take the quotes away");
      return node.text;
    }
    if (is_not_finite(node.text)) return refuse(node, "a number is finite here");
    if (!is_like_number(node.text)) return node.text;
    const std::string hint = read_number(node).hint;
    return refuse(node, hint.empty() ? "a name that is like a number stands in quotes" : hint);
  }
};

}  // namespace

std::optional<Value> read_quantity(const Parameter& parameter, const Node& node, CheckContext& context) {
  return QuantityReader(parameter, context).read_one(node);
}

std::optional<Value> read_quantities(const Parameter& parameter, const Node& node, CheckContext& context) {
  return QuantityReader(parameter, context).read_list(node);
}

}  // namespace terrace::job
