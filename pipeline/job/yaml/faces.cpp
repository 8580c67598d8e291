#include "pipeline/job/yaml/faces.hpp"

#include <fmt/format.h>

#include <cmath>

#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/reader.hpp"

namespace terrace::job {
namespace {

/// A face that both sides of an axis have, or none.
constexpr const char* on_both_sides = "periodic";

class FacesReader : ValueReader {
 public:
  FacesReader(const Parameter& parameter, CheckContext& context) : ValueReader(parameter, context) {}

  std::optional<Value> read(const Node& node) {
    if (node.kind == Node::Kind::list && node.items.empty()) return refuse(node, "");
    return list_or_one<std::string>(node, [this](const Node& item) { return axis(item); });
  }

 private:
  std::optional<std::string> axis(const Node& node) {
    return node.kind == Node::Kind::list ? sides(node) : face(node);
  }

  std::optional<std::string> sides(const Node& node) {
    if (node.items.size() != 2) return refuse(node, "a list in the list is [low side, high side] of its axis");
    const auto low = face(node.items[0]), high = face(node.items[1]);
    if (!low || !high) return std::nullopt;
    if (*low == *high) return low;
    if (*low != on_both_sides && *high != on_both_sides) return *low + " " + *high;
    context_.complaints.add(node.position, quote(parameter_.name) +
                                               ": both sides of an axis are periodic, or none; " + *low + " and " +
                                               *high + " do not go together");
    return std::nullopt;
  }

  std::optional<std::string> face(const Node& node) {
    if (node.kind == Node::Kind::map) return value(node);
    if (node.kind != Node::Kind::scalar) return refuse(node, "");
    if (has_word(parameter_, node.text)) return node.text;
    return refuse(node, hint_for(node));
  }

  /// The map that a number, `value` or value=0.5 was probably meant to be.
  static std::string hint_for(const Node& node) {
    const bool with_key = node.text.starts_with("value=");
    const std::string number = with_key ? node.text.substr(6) : node.text;
    if (read_number({Node::Kind::scalar, {}, number}).valid) return "write {value: " + number + "}";
    return node.text == "value" || with_key ? "write {value: 0.5}, with the number that you want" : "";
  }

  std::optional<std::string> value(const Node& map) {
    const Node* number = map.find("value");
    for (const Entry& entry : map.entries) {
      if (entry.key == "value") continue;
      context_.complaints.add(entry.position, "unknown key " + quote(entry.key) + " in " + quote(parameter_.name) +
                                                  "; it takes value alone, as {value: 0.5}");
      return std::nullopt;
    }
    if (!number) return refuse(map, "");
    const Scalar<double> scalar = read_number(*number);
    const bool infinite = scalar.valid && std::isinf(scalar.value);
    const auto found = infinite ? refuse(*number, "the number is finite") : bounded(*number, scalar);
    if (!found) return std::nullopt;
    return fmt::format("value={}", *found);
  }
};

}  // namespace

std::optional<Value> read_faces(const Parameter& parameter, const Node& node, CheckContext& context) {
  return FacesReader(parameter, context).read(node);
}

std::string faces_in_words(const Parameter& parameter) {
  return parameter.choices ? "one of " + std::string(parameter.choices) + " or {value: NUMBER}" : "{value: NUMBER}";
}

std::string lists_of_faces_in_words(const Parameter& parameter) {
  std::vector<std::string> examples;
  for (const std::string& word : words_of(parameter)) {
    if (word != on_both_sides) examples.push_back(word);
  }
  while (examples.size() < 2) examples.emplace_back("{value: 0.5}");
  const std::string pair = "[" + examples[0] + ", " + examples[1] + "]";
  return ", or a list with one for each axis, such as " + pair +
         ", or with two for its low and its high side, such as [" + pair + ", " + examples[0] + "]";
}

}  // namespace terrace::job
