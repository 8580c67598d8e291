// Graphs in formats that have an edge a line.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "io/inputs/graph/lines.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t most_whole = std::int64_t{1} << 53;  // whole numbers beyond are not all of f64

/// @throws IoError where a file has another number of edges than it says, as one that was cut has
void check_count(const InputFile& file, const EdgeList& list, std::int64_t said) {
  const auto edges = static_cast<std::int64_t>(list.edges.size());
  if (edges == said) return;
  throw IoError(file.path().string(),
                "has " + counted(edges, "edge") + ", and says that it has " + std::to_string(said));
}

}  // namespace

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) return std::nullopt;
  return number;
}

bool has_leading_zero(std::string_view text) {
  return text.size() > 1 && text.front() == '0' && whole_number(text).has_value();
}

std::string message_without_weight(const std::string& weight, const std::vector<std::string>& keys) {
  const std::string others = keys.empty() ? "" : "; it has " + quote_names(keys) + did_you_mean(weight, keys);
  return "this edge has no " + quote(weight) + others +
         "; name the key of its weight by `weight`, or say `unweighted: true`";
}

void GraphLines::cut(bool at_tabs) {
  const bool tabs = at_tabs && line_.find('\t') != line_.npos;
  split_fields(line_, tabs ? FieldRule{Separation::character, '\t'} : FieldRule{Separation::either, ','}, fields_);
}

bool GraphLines::next() {
  while (reader_.next(line_)) {
    cut(tabs_);
    if (fields_.empty() || comments_.find(line_[fields_[0].at]) != std::string_view::npos) continue;
    for (std::size_t field = 0; field < fields_.size(); ++field) {
      const std::string_view text = fields_[field].text;
      if (text.starts_with('"')) fail(field, "this quote is not closed" + advice_on_separators(text));
    }
    return true;
  }
  return false;
}

std::string GraphLines::place(std::size_t field) const {
  const std::size_t at = field < fields_.size() ? fields_[field].at : line_.size();
  return path_ + ":" + std::to_string(number()) + ":" + std::to_string(at + 1);
}

std::int64_t GraphLines::node(std::size_t field, const std::string& advice) const {
  if (const auto number = whole_number(fields_[field].text)) return *number;
  fail(field, quote(fields_[field].text) + " is no number of a node" + advice);
}

std::int64_t GraphLines::node_of(const EdgeList& list, std::size_t field) const {
  const std::int64_t number = node(field);
  if (!list.nodes || (number >= list.first && number - list.first < *list.nodes)) return number;
  fail(field, "node " + std::to_string(number) + " is none of the " + std::to_string(*list.nodes) +
                  " nodes, counted from " + std::to_string(list.first) + ", that the file says it has");
}

void GraphLines::add_edge(EdgeList& list, std::size_t from, std::optional<std::size_t> weight) const {
  if (fields_.size() < from + 2) fail(fields_.size(), "an edge has two nodes");
  if (weight && (*weight >= fields_.size() || fields_[*weight].text.empty())) fail(*weight, no_weight);
  const auto wrong = list.add(node_of(list, from), node_of(list, from + 1), weight ? fields_[*weight].text : "");
  if (wrong) fail(*weight, *wrong);
}

std::optional<std::string> EdgeList::add(std::int64_t from, std::int64_t to, std::string_view text) {
  double weight = 1;
  if (!text.empty()) {
    const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(begin, end, weight);
    if (error != std::errc{} || last != end) return quote(text) + " is no number";
    if (!std::isfinite(weight)) return quote(text) + " is no weight of an edge";
    const bool digits = text.find_first_not_of("+-0123456789") == std::string_view::npos;
    std::int64_t number = 0;
    if (digits && (std::from_chars(begin, end, number).ec != std::errc{} || std::abs(number) > most_whole)) {
      return quote(text) + " is too large: whole weights have magnitudes up to 2^53";
    }
    whole = whole && digits;
  }
  edges.push_back({from, to, weight});
  return std::nullopt;
}

EdgeList read_dimacs(const InputFile& file, const EdgeRules& rules) {
  EdgeList list;
  list.first = 1;
  GraphLines lines(file, "c", rules.check_kept);
  std::int64_t said = 0;
  while (lines.next()) {
    const auto& fields = lines.fields();
    if (fields[0].text == "p") {
      if (list.nodes) lines.fail(0, "a second problem line");
      if (fields.size() != 4 || fields[1].text != "sp") lines.fail(0, "give `p sp NODES EDGES`");
      list.nodes = lines.node(2);
      said = lines.node(3);
    } else if (fields[0].text == "a") {
      if (!list.nodes) lines.fail(0, "an edge before the problem line `p sp NODES EDGES`");
      if (fields.size() > 4) lines.fail(4, "more than `a FROM TO WEIGHT`");
      lines.add_edge(list, 1, rules.unweighted ? std::nullopt : std::optional<std::size_t>(3));
    } else {
      const bool is_number = fields[0].text.find_first_not_of("0123456789") == std::string_view::npos;
      lines.fail(0, quote(fields[0].text) + " begins no line of a shortest-path file (c, p, a)" +
                        (is_number && !list.nodes ? "; if it is a list of edges, say `format: edges`" : ""));
    }
  }
  if (!list.nodes) throw IoError(file.path().string(), "has no problem line `p sp NODES EDGES`");
  check_count(file, list, said);
  return list;
}

EdgeList read_matrix_market(const InputFile& file, const EdgeRules& rules) {
  EdgeList list;
  list.first = 1;
  GraphLines banner(file, "", rules.check_kept);
  if (!banner.next()) throw IoError(file.path().string(), "is empty");
  std::vector<std::string> words;
  for (const Field& field : banner.fields()) {
    words.emplace_back(field.text);
    for (char& letter : words.back()) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  }
  const auto one_of = [&](std::size_t word, std::initializer_list<const char*> known) {
    return word < words.size() && std::find(known.begin(), known.end(), words[word]) != known.end();
  };
  if (!one_of(0, {"%%matrixmarket"}) || !one_of(1, {"matrix"}) || !one_of(2, {"coordinate"}) ||
      !one_of(3, {"real", "integer", "pattern"}) || !one_of(4, {"general", "symmetric"})) {
    banner.fail(0,
                "a graph begins with `%%MatrixMarket matrix coordinate`, then `real`, `integer` or `pattern`, then "
                "`general` or `symmetric`");
  }
  list.directed = words[4] == "general";
  const bool weighted = words[3] != "pattern" && !rules.unweighted;
  GraphLines lines(file, "%", rules.check_kept);
  std::int64_t expected = -1;
  while (lines.next()) {
    if (expected < 0) {
      if (lines.fields().size() != 3) lines.fail(0, "give rows, columns and the number of entries");
      list.nodes = lines.node(0);
      if (lines.node(1) != *list.nodes) lines.fail(1, "the matrix of a graph is square");
      expected = lines.node(2);
    } else {
      lines.add_edge(list, 0, weighted ? std::optional<std::size_t>(2) : std::nullopt);
    }
  }
  check_count(file, list, expected);
  return list;
}

}  // namespace terrace::io
