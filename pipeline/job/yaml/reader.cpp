#include "pipeline/job/yaml/reader.hpp"

#include <algorithm>

#include "pipeline/base/element_type.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/declared_names.hpp"

namespace terrace::job {
namespace {

constexpr const char* array_word = "ARRAY";

}  // namespace

std::vector<std::string> words_of(const Parameter& parameter) {
  if (!parameter.choices) return {};
  std::vector<std::string> words = split_words(parameter.choices);
  std::erase(words, array_word);
  return words;
}

bool takes_array(const Parameter& parameter) {
  if (!parameter.choices) return false;
  const std::vector<std::string> words = split_words(parameter.choices);
  return std::find(words.begin(), words.end(), array_word) != words.end();
}

bool has_word(const Parameter& parameter, const std::string& word) {
  const auto words = words_of(parameter);
  return std::find(words.begin(), words.end(), word) != words.end();
}

namespace {

/// The words that a value may be, types of elements among them.
std::vector<std::string> all_words_of(const Parameter& parameter) {
  std::vector<std::string> words = words_of(parameter);
  if (parameter.kind != ParameterKind::type) return words;
  using enum ElementType;
  for (const ElementType type : {u8, i8, u16, i16, u32, i32, u64, i64, f32, f64}) words.emplace_back(name_of(type));
  return words;
}

}  // namespace

std::nullopt_t ValueReader::refuse(const Node& node, const std::string& hint) {
  std::string message = quote(parameter_.name) + " takes " + expected(parameter_) + ", not " + describe(node);
  if (!hint.empty()) message += "; " + hint;
  else if (node.kind == Node::Kind::scalar) message += did_you_mean(node.text, all_words_of(parameter_));
  context_.complaints.add(node.position, message);
  return std::nullopt;
}

}  // namespace terrace::job
