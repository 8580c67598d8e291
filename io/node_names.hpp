// The names of a graph's nodes, in the order of the rows of its matrix.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace terrace::io {

/// Names of the datasets of a result: of the labels or ids by row, and of the ids if there are labels; of the names
/// of the nodes whose rows a table has, if these are not all.
inline constexpr const char* node_dataset = "node";
inline constexpr const char* node_id_dataset = "node_id";
inline constexpr const char* source_dataset = "source";

/// Ids of nodes, numbers or texts, and labels in addition if the file has them. Ids are unique, labels need not be.
class NodeNames {
 public:
  using Numbers = std::vector<std::int64_t>;
  using Texts = std::vector<std::string>;
  using List = std::variant<Numbers, Texts>;

  /// The numbers [first, first + count).
  NodeNames(std::int64_t first, std::int64_t count) : first_(first), count_(count) {}
  /// @param labels as many as ids, or nullopt. Texts that are no UTF-8 are taken for Latin-1.
  explicit NodeNames(List ids, std::optional<Texts> labels = std::nullopt);

  std::int64_t count() const { return count_; }
  bool has_labels() const { return labels_.has_value(); }
  /// The label of a row if there are labels, else its id.
  std::string name(std::int64_t row) const;
  /// All of name(): numbers if they are ids of numbers.
  List names() const;
  /// The names of some rows.
  List names(const std::vector<std::int64_t>& rows) const;
  List ids() const;
  /// The row of the node with that label or id.
  /// @throws Error "is no node: ..." with near names, or if it may mean several; the message is without the text
  std::int64_t row_of(std::string_view text) const;
  /// The row with that id, or nullopt.
  std::optional<std::int64_t> row_of_id(std::string_view text) const;
  /// "; did you mean 'chr1'?" with near names among the first 100,000; "" if there are none, or names are
  /// numbers.
  std::string near(std::string_view text) const;
  /// Bytes of memory, about.
  std::size_t memory() const;
  /// Checksum of ids and labels.
  std::uint64_t content() const;

  bool operator==(const NodeNames& other) const;

 private:
  std::string id(std::int64_t row) const;
  std::vector<std::string> first_names() const;
  [[noreturn]] void fail_unknown(std::string_view text) const;

  std::int64_t first_ = 0, count_ = 0;
  std::optional<List> ids_;  // nullopt: consecutive numbers
  std::optional<Texts> labels_;
  std::vector<std::int64_t> by_id_, by_label_;  // rows in the order of ids, of labels
};

}  // namespace terrace::io
