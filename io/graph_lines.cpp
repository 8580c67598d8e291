// Graphs in formats that have an edge a line.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "io/graph.hpp"
#include "io/line_reader.hpp"
#include "io/text_fields.hpp"
#include "pipeline/base/near_name.hpp"

namespace terrace::io {
namespace {

constexpr std::int64_t most_whole = std::int64_t{1} << 53;  // whole numbers beyond are not all of f64

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc{} && end == text.data() + text.size();
}

/// Lines of a file, cut into fields; blank ones and comments are left out.
class Lines {
 public:
  Lines(const InputFile& file, std::string_view comments)
      : path_(file.path().string()), reader_(file), comments_(comments) {}

  bool next() {
    while (reader_.next(line_)) {
      split_fields(line_, {Separation::either, ','}, fields_);
      if (!fields_.empty() && comments_.find(line_[fields_[0].at]) == std::string_view::npos) return true;
    }
    return false;
  }

  const std::vector<Field>& fields() const { return fields_; }
  std::int64_t number() const { return reader_.number(); }
  std::string place(std::size_t field) const {
    const std::size_t at = field < fields_.size() ? fields_[field].at : line_.size();
    return path_ + ":" + std::to_string(number()) + ":" + std::to_string(at + 1);
  }
  [[noreturn]] void fail(std::size_t field, const std::string& what) const { throw IoError(place(field), what); }

  std::int64_t node(std::size_t field) const { return node_number(fields_[field].text, place(field)); }

  /// Adds the edge whose nodes are in two fields from `from` on, with the weight in field `weight` (none: 1).
  void add_edge(EdgeList& list, std::size_t from, std::optional<std::size_t> weight) const {
    if (fields_.size() < from + 2) fail(fields_.size(), "an edge has two nodes");
    if (weight && *weight >= fields_.size())
      fail(fields_.size(), "this edge has no weight; say `unweighted: true` where none has");
    const auto wrong = list.add(node(from), node(from + 1), weight ? fields_[*weight].text : "");
    if (wrong) fail(*weight, *wrong);
  }

 private:
  std::string path_;
  LineReader reader_;
  std::string_view comments_;
  std::string_view line_;
  std::vector<Field> fields_;
};

/// The column of the weights of a list of edges: named by the header, an index, or the third where there is one.
std::optional<std::size_t> weight_column(const Lines& lines, const EdgeRules& rules, bool header) {
  const auto& fields = lines.fields();
  if (rules.weight.empty()) return fields.size() > 2 ? std::optional<std::size_t>(2) : std::nullopt;
  for (std::size_t column = 0; header && column < fields.size(); ++column) {
    if (fields[column].text == rules.weight) return column;
  }
  std::size_t index = 0;
  const char* end = rules.weight.data() + rules.weight.size();
  const auto read = std::from_chars(rules.weight.data(), end, index);
  if (read.ec == std::errc{} && read.ptr == end && index >= 2) return index;
  lines.fail(0, "weight: '" + rules.weight + "' is neither a column of a header here nor an index from 2 on");
}

/// @throws IoError where a file has another number of edges than it says, as one that was cut has
void check_count(const InputFile& file, const EdgeList& list, std::int64_t said) {
  const auto edges = static_cast<std::int64_t>(list.edges.size());
  if (edges == said) return;
  throw IoError(file.path().string(),
                "has " + counted(edges, "edge") + ", and says that it has " + std::to_string(said));
}

}  // namespace

std::optional<std::string> EdgeList::add(std::int64_t from, std::int64_t to, std::string_view text) {
  double weight = 1;
  if (!text.empty()) {
    const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
    const char* end = text.data() + text.size();
    const auto [last, error] = std::from_chars(begin, end, weight);
    if (error != std::errc{} || last != end) return "'" + std::string(text) + "' is no number";
    if (!std::isfinite(weight)) return "'" + std::string(text) + "' is no weight of an edge";
    const bool digits = text.find_first_not_of("+-0123456789") == std::string_view::npos;
    std::int64_t number = 0;
    if (digits && (std::from_chars(begin, end, number).ec != std::errc{} || std::abs(number) > most_whole)) {
      return "'" + std::string(text) + "' is too large: whole weights have magnitudes up to 2^53";
    }
    whole = whole && digits;
  }
  edges.push_back({from, to, weight});
  return std::nullopt;
}

std::int64_t node_number(std::string_view text, const std::string& place) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number < 0) {
    throw IoError(place, "'" + std::string(text) + "' is no number of a node");
  }
  return number;
}

EdgeList read_dimacs(const InputFile& file, const EdgeRules& rules) {
  EdgeList list;
  list.first = 1;
  Lines lines(file, "c");
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
      lines.fail(0, "'" + std::string(fields[0].text) + "' begins no line of a shortest-path file (c, p, a)");
    }
  }
  if (!list.nodes) throw IoError(file.path().string(), "has no problem line `p sp NODES EDGES`");
  check_count(file, list, said);
  return list;
}

EdgeList read_edge_lines(const InputFile& file, const EdgeRules& rules) {
  EdgeList list;
  Lines lines(file, "#%");
  std::optional<std::size_t> weight;
  bool first = true, decided = rules.unweighted;
  while (lines.next()) {
    // A line of names may come first, or where the list was downloaded from.
    const bool names = std::exchange(first, false) && !is_number(lines.fields()[0].text);
    if (!decided && (!names || !rules.weight.empty())) {
      weight = weight_column(lines, rules, names);
      decided = true;
    }
    if (!names) lines.add_edge(list, 0, weight);
  }
  if (lines.number() == 0) throw IoError(file.path().string(), "is empty");
  if (list.edges.empty() && !first) {
    throw IoError(file.path().string(), "has a line of names and no edge: edges are lines of two numbers of nodes");
  }
  return list;
}

EdgeList read_matrix_market(const InputFile& file, const EdgeRules& rules) {
  EdgeList list;
  list.first = 1;
  Lines banner(file, "");
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
  Lines lines(file, "%");
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
