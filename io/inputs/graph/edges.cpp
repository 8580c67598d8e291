// Lists of edges, an edge a line: SNAP's, and plain ones with or without a first line that is a header. Nodes are
// numbers, or names.
#include <algorithm>
#include <charconv>
#include <unordered_map>

#include "io/inputs/graph/lines.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

/// The sizes in a first line of two numbers, if it is a header.
struct DeclaredSizes {
  std::int64_t nodes, edges;
  std::int64_t line;
};

/// A node that is a name was met where nodes were taken for numbers.
struct NodeIsName {
  std::string place, text;
  bool after_numbers;  // true if there were edges of numbers before
};

/// True if the text is a number as weights are written, also one that is too large for a weight.
bool is_weight(std::string_view text) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
  return error != std::errc::invalid_argument && end == text.data() + text.size();
}

/// The nodes of a list as numbers from 0 on, in the order in which names are met.
class NodeTexts {
 public:
  std::int64_t number_of(std::string_view text) {
    const auto [at, added] = numbers_.try_emplace(std::string(text), static_cast<std::int64_t>(texts_.size()));
    if (added) texts_.emplace_back(text);
    return at->second;
  }
  std::vector<std::string> take() { return std::move(texts_); }
  std::size_t count() const { return texts_.size(); }

 private:
  std::unordered_map<std::string, std::int64_t> numbers_;
  std::vector<std::string> texts_;
};

class EdgeLinesReader {
 public:
  /// @param by_name true if nodes are texts, else numbers
  EdgeLinesReader(const InputFile& file, const EdgeRules& rules, bool by_name)
      : file_(file), rules_(rules), by_name_(by_name), lines_(file, "#%", rules.check_kept) {
    if (by_name) lines_.part_at_tabs();
  }

  /// @throws NodeIsName
  EdgeList read() {
    if (!lines_.next()) {
      if (lines_.number() == 0) throw IoError(path(), "is empty");
      list_.declares_nodes = false;
      return std::move(list_);
    }
    bool more = read_first_line();
    while (more) {
      add_line();
      more = lines_.next();
    }
    if (list_.edges.empty() && header_is_words_) fail_header_alone();
    if (declared_) take_declared();
    else if (undecided_) warn_of_header();
    if (by_name_) take_names_of_nodes();
    list_.declares_nodes = declared_.has_value();
    return std::move(list_);
  }

 private:
  static constexpr std::int64_t edges_between_checks = 1 << 16;

  std::string path() const { return file_.path().string(); }

  /// Decides what the first line is, and takes it. @return whether there is another line, which is not taken yet
  bool read_first_line() {
    const std::optional<DeclaredSizes> sizes = sizes_in_line();
    if (rules_.header.value_or(is_header_of_words())) {
      if (sizes) declared_ = sizes;
      else take_names();
      return lines_.next();
    }
    if (sizes && !rules_.header) return read_two_numbers(*sizes);
    if (by_name_ && !rules_.header) note_first_names();
    return true;
  }

  /// True if the first line can be nothing but names of columns. Where nodes are names, it has a word in the column
  /// of the weights.
  bool is_header_of_words() const {
    const auto& fields = lines_.fields();
    if (!by_name_) return !is_number(fields[0].text);
    const auto named = [&](const Field& field) { return !rules_.weight.empty() && field.text == rules_.weight; };
    if (std::any_of(fields.begin(), fields.end(), named)) return true;
    const std::size_t column = whole_number(rules_.weight).value_or(2);
    return !rules_.unweighted && column < fields.size() && !is_weight(fields[column].text);
  }

  /// Two numbers are a header where the next line has a field more, else an edge.
  bool read_two_numbers(const DeclaredSizes& sizes) {
    const std::string behind = lines_.place(2);
    const std::string texts[2] = {std::string(lines_.fields()[0].text), std::string(lines_.fields()[1].text)};
    const bool more = lines_.next();
    if (more && lines_.fields().size() == 3) {
      declared_ = sizes;
      return true;
    }
    undecided_ = sizes;
    if (!rules_.weight.empty()) throw IoError(behind, no_weight);
    first_line_ = sizes.line;
    fields_ = 2;
    if (by_name_) add(nodes_.number_of(texts[0]), nodes_.number_of(texts[1]), "", sizes.line);
    else add(sizes.nodes, sizes.edges, "", sizes.line);
    return more;
  }

  std::optional<DeclaredSizes> sizes_in_line() const {
    const auto& fields = lines_.fields();
    if (fields.size() != 2) return std::nullopt;
    const auto nodes = whole_number(fields[0].text), edges = whole_number(fields[1].text);
    if (!nodes || !edges) return std::nullopt;
    return DeclaredSizes{*nodes, *edges, lines_.number()};
  }

  /// Takes the line as the names of the columns.
  void take_names() {
    header_is_words_ = true;
    const auto& fields = lines_.fields();
    for (std::size_t column = 0; column < fields.size(); ++column) {
      if (!rules_.weight.empty() && fields[column].text == rules_.weight) weight_ = column;
    }
  }

  void add_line() {
    if (fields_ == 0) begin_edges();
    const auto& fields = lines_.fields();
    if (fields.size() < 2) lines_.fail(fields.size(), "an edge has two nodes");
    if (fields.size() != fields_ && !rules_.unweighted) fail_fields();
    const std::int64_t from = node(0), to = node(1);
    const auto wrong = add(from, to, weight_ ? fields[*weight_].text : "", lines_.number());
    if (wrong) lines_.fail(*weight_, *wrong + advice_on_header());
  }

  /// Takes the first edge's line as an example for all.
  void begin_edges() {
    fields_ = lines_.fields().size();
    first_line_ = lines_.number();
    if (!weight_ && !rules_.unweighted) weight_ = weight_column();
    if (weight_ && *weight_ >= fields_) lines_.fail(fields_, no_weight);
  }

  /// The column of the weights: an index, or the third where there is one.
  std::optional<std::size_t> weight_column() const {
    if (rules_.weight.empty()) return fields_ > 2 ? std::optional<std::size_t>(2) : std::nullopt;
    if (const auto index = whole_number(rules_.weight); index && *index >= 2) return static_cast<std::size_t>(*index);
    throw JobError(message_at(rules_.weight_place, "weight: " + quote(rules_.weight) +
                                                       " is neither a column of a header of " + path() +
                                                       " nor an index from 2 on"));
  }

  [[noreturn]] void fail_fields() const {
    const auto count = [](std::size_t fields) { return counted(static_cast<std::int64_t>(fields), "field"); };
    const std::size_t fields = lines_.fields().size();
    const bool names = by_name_ || header_is_words_;
    lines_.fail(
        std::min(fields, fields_),
        "this line has " + count(fields) + ", and line " + std::to_string(first_line_) + " has " +
            std::to_string(fields_) + ": all edges have as many" +
            (undecided_ ? "; if line " + std::to_string(first_line_) + " is a header, say `header: true`" : "") +
            (names ? "; names with blanks stand in double quotes, or between commas or tabs" : ""));
  }

  [[noreturn]] void fail_header_alone() const {
    throw IoError(path(), "has a line of names and no edge: if that line is an edge, say `header: false`");
  }

  std::string advice_on_header() const {
    return by_name_ && lines_.number() == first_line_ ? "; if this line is a header, say `header: true`" : "";
  }

  std::int64_t node(std::size_t field) {
    const std::string_view text = lines_.fields()[field].text;
    if (by_name_) {
      if (text.empty()) lines_.fail(field, "a node has no name");
      if (text.find('\0') != text.npos) lines_.fail(field, "the name of a node holds no zero byte");
      return nodes_.number_of(text);
    }
    if (const auto number = whole_number(text)) return *number;
    if (text.empty()) lines_.fail(field, "a node has no number, or name");
    if (!is_number(text)) throw NodeIsName{lines_.place(field), std::string(text), !list_.edges.empty()};
    return lines_.node(field);
  }

  /// @return nothing, or what is wrong with the weight
  std::optional<std::string> add(std::int64_t from, std::int64_t to, std::string_view weight, std::int64_t line) {
    // The numbers of a first line that may be a header say nothing about the nodes of other lines.
    if (!undecided_ || line != first_line_) {
      least_ = std::min({least_, from, to});
      if (const std::int64_t larger = std::max(from, to); larger > largest_) largest_ = larger, largest_line_ = line;
    }
    if (first_names_ && line != first_names_->line && (from < 2 || to < 2)) first_names_.reset();
    const auto edges = static_cast<std::int64_t>(list_.edges.size());
    if (rules_.check_kept && edges % edges_between_checks == 0) {
      rules_.check_kept(edges * static_cast<std::int64_t>(sizeof(Edge)));
    }
    return list_.add(from, to, weight);
  }

  /// Nodes are counted from 0 where there is a node 0, else from 1.
  void take_declared() {
    const auto edges = static_cast<std::int64_t>(list_.edges.size());
    const std::string said = path() + ":" + std::to_string(declared_->line);
    if (edges != declared_->edges) {
      throw IoError(said, "the file says that it has " + counted(declared_->edges, "edge") + ", and has " +
                              std::to_string(edges) + "; it was cut short, or its first line is wrong");
    }
    list_.results = 2;  // the first number took such a line for an edge
    list_.nodes = declared_->nodes;
    if (by_name_) return check_declared_names(said);
    list_.first = list_.edges.empty() || least_ == 0 ? 0 : 1;
    if (largest_ >= list_.first + declared_->nodes) {
      throw IoError(path() + ":" + std::to_string(largest_line_),
                    "node " + std::to_string(largest_) + " is none of the " + std::to_string(declared_->nodes) +
                        " nodes, counted from " + std::to_string(list_.first) + ", that line " +
                        std::to_string(declared_->line) + " says there are");
    }
    if (edges > 0 && least_ > 0 && largest_ < declared_->nodes && rules_.warn) {
      rules_.warn(said + ": the file has " + std::to_string(declared_->nodes) +
                  " nodes, and neither node 0 nor node " + std::to_string(declared_->nodes) +
                  " has an edge: they are counted from 1");
    }
  }

  void check_declared_names(const std::string& said) const {
    if (static_cast<std::int64_t>(nodes_.count()) == declared_->nodes) return;
    throw IoError(said, "the file says that it has " + counted(declared_->nodes, "node") + ", and its edges name " +
                            std::to_string(nodes_.count()));
  }

  void warn_of_header() const {
    const auto others = static_cast<std::int64_t>(list_.edges.size()) - 1;
    if (by_name_ || others != undecided_->edges || largest_ > undecided_->nodes || !rules_.warn) return;
    rules_.warn(path() + ":" + std::to_string(undecided_->line) + ": this line is read as an edge from node " +
                std::to_string(undecided_->nodes) + " to node " + std::to_string(undecided_->edges) +
                ", and it would fit a header of the numbers of nodes and edges: say `header: true` or "
                "`header: false`");
  }

  /// Remembers the nodes of the first line, which are the names of columns if no other line has them.
  void note_first_names() {
    const auto& fields = lines_.fields();
    if (fields.size() >= 2)
      first_names_ = {std::string(fields[0].text), std::string(fields[1].text), lines_.number()};
  }

  void take_names_of_nodes() {
    if (first_names_ && list_.edges.size() > 1 && rules_.warn) {
      rules_.warn(path() + ":" + std::to_string(first_names_->line) + ": this line is read as an edge from node " +
                  quote(first_names_->from) + " to node " + quote(first_names_->to) +
                  ", which no other line has: if it is a header, say `header: true`, else `header: false`");
    }
    list_.texts = nodes_.take();
    list_.nodes = static_cast<std::int64_t>(list_.texts->size());
  }

  static constexpr const char* no_weight = "this edge has no weight; say `unweighted: true` where none has";

  struct FirstNames {
    std::string from, to;
    std::int64_t line;
  };

  const InputFile& file_;
  const EdgeRules& rules_;
  bool by_name_;
  GraphLines lines_;
  EdgeList list_;
  NodeTexts nodes_;
  std::optional<FirstNames> first_names_;   // as long as no other line has them
  std::optional<DeclaredSizes> declared_;   // by a header
  std::optional<DeclaredSizes> undecided_;  // by a first line that was taken as an edge
  std::optional<std::size_t> weight_;       // column of the weights
  std::size_t fields_ = 0;                  // of the first edge; 0: there is none yet
  std::int64_t first_line_ = 0;             // of the first edge
  bool header_is_words_ = false;
  std::int64_t least_ = INT64_MAX, largest_ = -1, largest_line_ = 0;  // numbers of nodes
};

}  // namespace

EdgeList read_edge_lines(const InputFile& file, const EdgeRules& rules) {
  try {
    return EdgeLinesReader(file, rules, false).read();
  } catch (const NodeIsName& name) {
    EdgeList list = EdgeLinesReader(file, rules, true).read();
    if (name.after_numbers && rules.warn) {
      rules.warn(name.place + ": " + quote(name.text) +
                 " is no number, and nodes of lines before are: all are taken for names");
    }
    return list;
  }
}

}  // namespace terrace::io
