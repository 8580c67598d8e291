// Lines of graphs in formats that have an edge a line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/inputs/graph.hpp"
#include "io/inputs/line_reader.hpp"
#include "io/inputs/text_fields.hpp"

namespace terrace::io {

/// The characters with which comments begin in lists of edges.
constexpr std::string_view edge_comments = "#%";

/// The number in a text of digits alone, not negative; nullopt if there are other characters or it is too large.
std::optional<std::int64_t> whole_number(std::string_view text);
/// True for a whole number that other text would be equal to as a number: "007".
bool has_leading_zero(std::string_view text);
/// The error of an edge without the key of its weight. @param keys the others that it has
std::string message_without_weight(const std::string& weight, const std::vector<std::string>& keys);

/// Lines of a file, cut into fields; blank lines and comments are left out.
class GraphLines {
 public:
  /// @param comments the characters with which comments begin
  GraphLines(const InputFile& file, std::string_view comments, const CheckKept& check_kept)
      : path_(file.path().string()), reader_(file, check_kept), comments_(comments) {}

  /// From now on, lines that have a tab are parted at tabs alone.
  void part_at_tabs() { tabs_ = true; }

  /// Parts this line at tabs alone, if it has any.
  void part_again_at_tabs() { cut(true); }

  /// Goes to the next line. @return false at the end of the file. @throws IoError
  bool next();

  const std::vector<Field>& fields() const { return fields_; }
  std::int64_t number() const { return reader_.number(); }
  /// "g.txt:3:5": where a field begins; of a field that is not there the end of the line.
  std::string place(std::size_t field) const;
  [[noreturn]] void fail(std::size_t field, const std::string& what) const { throw IoError(place(field), what); }

  /// The number of a node in a field. @param advice follows what is wrong with it
  std::int64_t node(std::size_t field, const std::string& advice = "") const;

  /// Adds the edge whose nodes are in two fields from `from` on, with the weight in field `weight` (none: 1). The
  /// nodes must be among those of the list, where it says how many there are.
  void add_edge(EdgeList& list, std::size_t from, std::optional<std::size_t> weight) const;

  static constexpr const char* no_weight = "this edge has no weight; say `unweighted: true` where none has";

 private:
  void cut(bool at_tabs);
  std::int64_t node_of(const EdgeList& list, std::size_t field) const;

  std::string path_;
  LineReader reader_;
  std::string_view comments_;
  std::string_view line_;
  std::vector<Field> fields_;
  bool tabs_ = false;
};

}  // namespace terrace::io
