// The plain sequential program of a described problem (description.hpp), whether it is in the list or not.
#pragma once

#include "kernels/wavefront/description.hpp"
#include "kernels/wavefront/reference/reference.hpp"

namespace terrace::wavefront {

/// The recurrence of a description in values of type V, as compute_table() asks for it.
template <class V>
struct DescribedRule {
  explicit DescribedRule(const Description& described)
      : problem(described), items(described.items), report(described.report) {}

  const Description& problem;
  Items items;
  Report report;
  Border<V> top(std::int64_t column) const { return problem.recurrence<V>().top(column); }
  Border<V> left(std::int64_t row) const { return problem.recurrence<V>().left(row); }
  Cell<V> cell(const Around<V>& around, V score) const { return problem.recurrence<V>().cell(around, score); }
  i64 window() const { return problem.window; }
  Ends ends() const { return problem.ends; }
};

/// The table of a described problem on letters or values. @tparam V i64 for letters; float or double for values
template <class V, class Item>
ReferenceTable<V> described_reference(const Description& problem, std::span<const Item> rows,
                                      std::span<const Item> columns) {
  const Recurrence<V>& recurrence = problem.recurrence<V>();
  const auto item = [](std::span<const Item> items, std::int64_t at) {
    return static_cast<V>(items[static_cast<std::size_t>(at)]);
  };
  const bool from_items = recurrence.corner && !rows.empty() && !columns.empty();
  const V corner = from_items ? recurrence.corner(item(rows, 0), item(columns, 0)) : recurrence.left(-1).h;
  return compute_table<V>(
      DescribedRule<V>(problem), std::ssize(rows), std::ssize(columns), corner,
      [&](std::int64_t i, std::int64_t j) { return recurrence.score(item(rows, i), item(columns, j)); });
}

}  // namespace terrace::wavefront
