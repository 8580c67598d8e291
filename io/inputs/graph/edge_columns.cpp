#include "io/inputs/graph/edge_columns.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "io/inputs/graph/column_names.hpp"
#include "io/inputs/graph/lines.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

using Fields = std::vector<std::string>;

/// True if a line has two nodes that are numbers at its beginning.
bool is_numeric(const Fields& line) { return line.size() >= 2 && whole_number(line[0]) && whole_number(line[1]); }

/// True for a header that pandas makes of columns without names: nothing for the index, then 0, 1, 2, ...
bool is_numbered(const Fields& names) {
  if (names.size() < 3 || !names[0].empty()) return false;
  for (std::size_t column = 1; column < names.size(); ++column) {
    if (names[column] != std::to_string(column - 1)) return false;
  }
  return true;
}

class ColumnChoice {
 public:
  ColumnChoice(const InputFile& file, const EdgeRules& rules, Fields first, std::int64_t line, Fields second)
      : path_(file.path().string()),
        rules_(rules),
        first_(std::move(first)),
        line_(line),
        second_(std::move(second)) {}

  EdgeColumns decide() const {
    EdgeColumns columns;
    columns.first_line = kind();
    const bool header = columns.first_line == FirstLine::names;
    const Fields names = header && names_fit() ? first_ : Fields();
    choose_nodes(columns, names);
    if (!rules_.unweighted) columns.weight = weight(columns, names);
    columns.changed = is_changed(columns, names);
    return columns;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw IoError(path_ + ":" + std::to_string(line_), what); }

  FirstLine kind() const {
    if (first_.size() == 2 && is_numeric(first_) && !has_leading_zero(first_[0]) && !has_leading_zero(first_[1])) {
      if (rules_.header) return *rules_.header ? FirstLine::sizes : FirstLine::edge;
      return second_.size() == 3 ? FirstLine::sizes : FirstLine::either;
    }
    return rules_.header.value_or(is_header()) ? FirstLine::names : FirstLine::edge;
  }

  /// True if a text can be the name of a column in its place.
  bool is_name(std::size_t column) const {
    return is_column_name(first_[column]) || (column == 0 && is_index_name(first_[0]));
  }

  /// True if the first line names columns. It has as many fields as the next line; it stands before numbers, names
  /// columns by usual names, or has a word in place of a weight.
  bool is_header() const {
    if (is_named_by_job(rules_.from) || is_named_by_job(rules_.to) || is_named_by_job(rules_.weight)) return true;
    if (!second_.empty() && first_.size() != second_.size()) return false;
    if (is_numbered(first_)) return true;
    bool words = true;
    for (std::size_t column = 0; column < first_.size(); ++column) words = words && is_name(column);
    if (words && (second_.empty() || is_numeric(second_) || has_known_nodes())) return true;
    const std::size_t weight = whole_number(rules_.weight).value_or(2);
    if (rules_.unweighted || weight >= first_.size() || first_.size() < 3) return false;
    return is_name(0) && is_name(1) && is_column_name(first_[weight]);
  }

  /// True if a key of the job is the name of a column of the first line, and no index.
  bool is_named_by_job(const std::string& key) const {
    return !key.empty() && !whole_number(key) && std::find(first_.begin(), first_.end(), key) != first_.end();
  }

  /// True if the first line names columns of nodes and is hardly an edge: two nodes may be called "from" and "to".
  bool has_known_nodes() const {
    const auto nodes = node_columns(first_);
    if (nodes.empty() || nodes[0].certainty == Certainty::weak) return false;
    return first_.size() > 2 || nodes[0].certainty == Certainty::sure;
  }

  /// True if the names of the header are those of the columns. @throws IoError if it is not clear whose they are
  bool names_fit() const {
    if (second_.empty() || first_.size() == second_.size()) return true;
    const bool by_index =
        whole_number(rules_.from) && whole_number(rules_.to) && (rules_.unweighted || whole_number(rules_.weight));
    const bool by_name = is_named_by_job(rules_.from) || is_named_by_job(rules_.to) || is_named_by_job(rules_.weight);
    const bool rows_are_named =
        first_.size() >= 2 && first_.size() + 1 == second_.size() &&
        std::all_of(first_.begin(), first_.end(), [](const std::string& name) { return is_column_name(name); });
    if (by_index || !(by_name || rows_are_named)) return false;
    fail("this header names " + counted(static_cast<std::int64_t>(first_.size()), "column") +
         ", and the line after it has " + counted(static_cast<std::int64_t>(second_.size()), "field") +
         ": say by their indices from 0 which columns are meant, as `from: 1`, `to: 2`, `weight: 3`");
  }

  void choose_nodes(EdgeColumns& columns, const Fields& names) const {
    if (!rules_.from.empty()) {
      columns.from = column("from", rules_.from, rules_.from_place, names);
      columns.to = column("to", rules_.to, rules_.to_place, names);
      if (columns.from != columns.to) return;
      throw JobError(message_at(rules_.to_place, "to: is the column of `from`, too"));
    }
    if (names.empty()) return;
    const auto nodes = node_columns(names);
    if (nodes.size() > 1) fail("this header has several columns of nodes: say which are meant by `from` and `to`");
    if (nodes.empty()) return choose_first_nodes(columns, names);
    columns.from = nodes[0].from;
    columns.to = nodes[0].to;
    if (nodes[0].by_order) {
      columns.note = path_ + ":" + std::to_string(line_) + ": edges are taken to go from " +
                     quote(names[columns.from]) + " to " + quote(names[columns.to]) +
                     ", in the order of the columns; `from` and `to` decide otherwise";
    }
  }

  /// Takes the first columns as those of nodes, where no names say which are.
  void choose_first_nodes(EdgeColumns& columns, const Fields& names) const {
    const std::size_t begin = is_index_name(names[0]) ? 1 : 0;
    columns.from = begin;
    columns.to = begin + 1;
    for (std::size_t node = begin; node < std::min(begin + 2, names.size()); ++node) {
      const bool index = names_index(names[node]) && names.size() > begin + 2;
      if (!index && !names_weight(names[node]) && !names_other(names[node])) continue;
      fail("this header has a column " + quote(names[node]) +
           ", and none that is known to have nodes: say which "
           "have them by `from` and `to`");
    }
  }

  std::size_t column(const char* key, const std::string& text, const Place& place, const Fields& names) const {
    if (const auto named = column_called(key, text, place, names)) return *named;
    if (const auto index = whole_number(text)) return static_cast<std::size_t>(*index);
    fail_unknown(key, text, place, names, " nor an index from 0 on");
  }

  std::optional<std::size_t> column_called(const char* key, const std::string& text, const Place& place,
                                           const Fields& names) const {
    const auto named = std::find(names.begin(), names.end(), text);
    if (named == names.end()) return std::nullopt;
    if (std::find(named + 1, names.end(), text) != names.end()) {
      throw JobError(
          message_at(place, std::string(key) + ": several columns are called " + quote(text) + "; give an index"));
    }
    return static_cast<std::size_t>(named - names.begin());
  }

  [[noreturn]] void fail_unknown(const char* key, const std::string& text, const Place& place, const Fields& names,
                                 const std::string& index) const {
    throw JobError(message_at(place, std::string(key) + ": " + quote(text) + " is neither a column of a header of " +
                                         path_ + index + did_you_mean(text, names)));
  }

  std::optional<std::size_t> weight(const EdgeColumns& columns, const Fields& names) const {
    if (rules_.weight.empty()) return names.empty() ? unnamed_weight(columns) : known_weight(columns, names);
    const bool first_two = columns.from < 2 && columns.to < 2;
    const std::string index = first_two ? " nor an index from 2 on" : " nor the index of a column without nodes";
    auto found = column_called("weight", rules_.weight, rules_.weight_place, names);
    if (!found) found = whole_number(rules_.weight);
    if (found && *found != columns.from && *found != columns.to) return found;
    fail_unknown("weight", rules_.weight, rules_.weight_place, names, index);
  }

  /// The column of the weights of lines without names: the third, where the nodes are in the first two.
  std::optional<std::size_t> unnamed_weight(const EdgeColumns& columns) const {
    const bool header = columns.first_line == FirstLine::names || columns.first_line == FirstLine::sizes;
    const std::size_t fields = header && !second_.empty() ? second_.size() : first_.size();
    if (fields <= 2) return std::nullopt;
    if (columns.from < 2 && columns.to < 2) return 2;
    fail("several columns may have the weights: say which by `weight`, or `unweighted: true`");
  }

  /// The column of the weights by a header: the one called so, else the one behind the nodes, if these come first.
  std::optional<std::size_t> known_weight(const EdgeColumns& columns, const Fields& names) const {
    std::vector<std::size_t> weights, others;  // columns without nodes
    for (std::size_t column = 0; column < names.size(); ++column) {
      if (column == columns.from || column == columns.to) continue;
      if (names_weight(names[column])) weights.push_back(column);
      if (!(column == 0 && is_index_name(names[0])) && !names_index(names[column])) others.push_back(column);
    }
    if (weights.size() == 1) return weights[0];
    if (others.empty()) return std::nullopt;
    const bool nodes_first = std::max(columns.from, columns.to) < others[0];
    if (weights.empty() && nodes_first && !names_other(names[others[0]])) return others[0];
    fail("this header has the columns " + quote_names(names) + (weights.empty() ? ", none" : ", several") +
         " of them called weight: say which has the weights by `weight`, or `unweighted: true`");
  }

  /// True if the defaults of earlier versions read another graph: they took columns 0, 1 and 2, a word before
  /// numbers for a header, and names of columns without weights for an edge.
  bool is_changed(const EdgeColumns& columns, const Fields& names) const {
    if (!rules_.from.empty()) return false;
    if (columns.from != 0 || columns.to != 1) return true;
    const auto third = names.size() > 2 ? std::optional<std::size_t>(2) : std::nullopt;
    if (!names.empty() && rules_.weight.empty() && !rules_.unweighted && columns.weight != third) return true;
    if (rules_.header) return false;
    if (columns.first_line == FirstLine::edge) return !is_numeric(first_) && is_numeric(second_);
    return columns.first_line == FirstLine::names && !is_numeric(second_) && !is_named_by_job(rules_.weight) &&
           (rules_.unweighted || first_.size() == 2);
  }

  std::string path_;
  const EdgeRules& rules_;
  Fields first_;
  std::int64_t line_;  // of the first line
  Fields second_;      // empty if there is no second line
};

/// The fields of a line as the reader of edges cuts it; names stand between tabs.
Fields fields_of(GraphLines& lines, bool by_name) {
  constexpr std::size_t most = 4096;  // a longer line names no columns
  const auto copied = [&] {
    Fields fields;
    for (const Field& field : lines.fields()) {
      if (fields.size() < most) fields.emplace_back(field.text);
    }
    return fields;
  };
  Fields fields = copied();
  if (!by_name && is_numeric(fields)) return fields;
  lines.part_again_at_tabs();
  return copied();
}

}  // namespace

EdgeColumns edge_columns(const InputFile& file, const EdgeRules& rules, bool by_name) {
  GraphLines lines(file, edge_comments, rules.check_kept);
  if (by_name) lines.part_at_tabs();
  if (!lines.next()) return {};
  const std::int64_t line = lines.number();
  Fields first = fields_of(lines, by_name);
  Fields second = lines.next() ? fields_of(lines, by_name) : Fields();
  return ColumnChoice(file, rules, std::move(first), line, std::move(second)).decide();
}

}  // namespace terrace::io
