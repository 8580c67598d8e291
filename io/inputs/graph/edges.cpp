// Lists of edges, an edge a line: SNAP's, and plain ones with or without a first line that is a header. Nodes are
// numbers, or names.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "io/inputs/graph/edge_columns.hpp"
#include "io/inputs/graph/lines.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

/// Source::results() of lists that earlier versions read by other columns, or whose names they took for numbers.
constexpr int results_by_names = 4;

/// The sizes in a first line of two numbers, if it is a header.
struct DeclaredSizes {
  std::int64_t nodes, edges;
  std::int64_t line;
};

/// A node that is a name was met where nodes were taken for numbers.
struct NodeIsName {
  std::string place, text;
  bool after_numbers;  // true if there were edges of numbers before
  bool leading_zero;   // true for a number that is written with a zero before it
};

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
      : file_(file),
        rules_(rules),
        columns_(edge_columns(file, rules, by_name)),
        by_name_(by_name),
        lines_(file, edge_comments, rules.check_kept) {
    if (by_name) lines_.part_at_tabs();
    if (columns_.changed) list_.results = results_by_names;
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
    if (list_.edges.empty() && columns_.first_line == FirstLine::names && !rules_.header) fail_header_alone();
    if (declared_) take_declared();
    else if (undecided_) warn_of_header();
    if (by_name_) take_names_of_nodes();
    if (!columns_.note.empty() && rules_.warn) rules_.warn(columns_.note);
    list_.declares_nodes = declared_.has_value();
    return std::move(list_);
  }

 private:
  static constexpr std::int64_t edges_between_checks = 1 << 16;

  std::string path() const { return file_.path().string(); }

  /// Takes the first line. @return true if there is a line that is not taken yet
  bool read_first_line() {
    switch (columns_.first_line) {
      case FirstLine::names:
        return lines_.next();
      case FirstLine::sizes:
        declared_ = sizes_in_line();
        return lines_.next();
      case FirstLine::either:
        undecided_ = sizes_in_line();
        return true;
      case FirstLine::edge:
        break;
    }
    if (by_name_ && !rules_.header) note_first_names();
    return true;
  }

  DeclaredSizes sizes_in_line() const { return {lines_.node(0), lines_.node(1), lines_.number()}; }

  void add_line() {
    const auto& fields = lines_.fields();
    if (fields_ == 0) {
      fields_ = fields.size();
      first_line_ = lines_.number();
    }
    if (fields.size() < 2) {
      lines_.fail(fields.size(), "an edge has two nodes" + advice_on_separators(fields[0].text) + advice_on_metis());
    }
    const bool as_many = fields.size() == fields_ || rules_.unweighted;
    if (const std::size_t last = std::max(columns_.from, columns_.to); last >= fields.size()) {
      if (!as_many) fail_fields();
      lines_.fail(fields.size(), "this line has no column " + std::to_string(last) + ", counted from 0, for a node");
    }
    // A field that is no number may change how lines are cut, and comes first.
    const std::int64_t from = node(columns_.from), to = node(columns_.to);
    if (!as_many) fail_fields();
    add_edge(from, to);
  }

  void add_edge(std::int64_t from, std::int64_t to) {
    if (!columns_.weight) {
      add(from, to, "", lines_.number());
      return;
    }
    const std::size_t column = *columns_.weight;
    const std::string_view weight = column < lines_.fields().size() ? lines_.fields()[column].text : "";
    if (weight.empty()) lines_.fail(column, GraphLines::no_weight);
    if (const auto wrong = add(from, to, weight, lines_.number())) {
      lines_.fail(column, *wrong + advice_on_decimals(weight) + advice_on_header());
    }
  }

  [[noreturn]] void fail_fields() const {
    const auto count = [](std::size_t fields) { return counted(static_cast<std::int64_t>(fields), "field"); };
    const std::size_t fields = lines_.fields().size();
    const bool names = by_name_ || columns_.first_line == FirstLine::names;
    lines_.fail(
        std::min(fields, fields_),
        "this line has " + count(fields) + ", and line " + std::to_string(first_line_) + " has " +
            std::to_string(fields_) + ": all edges have as many" +
            (undecided_ ? "; if line " + std::to_string(first_line_) + " is a header, say `header: true`" : "") +
            (names ? advice_on_blanks : "") + advice_on_metis());
  }

  [[noreturn]] void fail_header_alone() const {
    throw IoError(path(), "has a line of names and no edge: if that line is an edge, say `header: false`");
  }

  std::string advice_on_header() const {
    if (!by_name_ || lines_.number() != first_line_) return "";
    return (fields_ > 3 ? advice_on_blanks : "") + std::string("; if this line is a header, say `header: true`");
  }

  std::string advice_on_metis() const {
    return declared_ ? "; lines of neighbours, as in files of METIS, are not read" : "";
  }

  /// @throws IoError if a field is hardly a name, but several numbers
  void check_name(std::size_t field) const {
    const Field& name = lines_.fields()[field];
    if (name.quoted || !is_list_of_numbers(name.text)) return;
    lines_.fail(field, quote(name.text) +
                           " is several numbers, or has a decimal comma: commas, tabs or blanks stand between "
                           "fields, and decimals have a point; a name like that stands in double quotes");
  }

  std::int64_t node(std::size_t field) {
    const std::string_view text = lines_.fields()[field].text;
    if (by_name_) {
      if (text.empty()) lines_.fail(field, "a node has no name");
      check_name(field);
      if (text.find('\0') != text.npos) lines_.fail(field, "the name of a node holds no zero byte");
      return nodes_.number_of(text);
    }
    const bool zero = has_leading_zero(text);
    if (const auto number = whole_number(text); number && !zero) return *number;
    if (text.empty()) lines_.fail(field, "a node has no number, or name");
    if (zero || !is_number(text)) {
      throw NodeIsName{lines_.place(field), std::string(text), !list_.edges.empty(), zero};
    }
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
                              std::to_string(edges) + "; it was cut short, or its first line is wrong" +
                              advice_on_metis());
    }
    list_.results = std::max(list_.results, 2);  // the first number took such a line for an edge
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
    if (const auto& [from, to] = std::pair(columns_.from, columns_.to); std::max(from, to) < fields.size()) {
      first_names_ = {std::string(fields[from].text), std::string(fields[to].text), lines_.number()};
    }
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

  static constexpr const char* advice_on_blanks =
      "; names with blanks stand in double quotes, or between commas or tabs";

  struct FirstNames {
    std::string from, to;
    std::int64_t line;
  };

  const InputFile& file_;
  const EdgeRules& rules_;
  const EdgeColumns columns_;
  bool by_name_;
  GraphLines lines_;
  EdgeList list_;
  NodeTexts nodes_;
  std::optional<FirstNames> first_names_;                             // as long as no other line has them
  std::optional<DeclaredSizes> declared_;                             // by a header
  std::optional<DeclaredSizes> undecided_;                            // by a first line that was taken as an edge
  std::size_t fields_ = 0;                                            // of the first edge; 0: there is none yet
  std::int64_t first_line_ = 0;                                       // of the first edge
  std::int64_t least_ = INT64_MAX, largest_ = -1, largest_line_ = 0;  // numbers of nodes
};

}  // namespace

EdgeList read_edge_lines(const InputFile& file, const EdgeRules& rules) {
  try {
    return EdgeLinesReader(file, rules, false).read();
  } catch (const NodeIsName& name) {
    EdgeList list = EdgeLinesReader(file, rules, true).read();
    if (name.leading_zero) list.results = results_by_names;  // earlier versions took "007" for 7
    if (name.after_numbers && rules.warn) {
      rules.warn(name.place + ": " + quote(name.text) +
                 (name.leading_zero ? " is written with a leading zero, and nodes of lines before are not"
                                    : " is no number, and nodes of lines before are") +
                 ": all are taken for names");
    }
    return list;
  }
}

}  // namespace terrace::io
