#include "stages/query/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/recursive/semiring.hpp"
#include "stages/query/stage.hpp"
#include "stages/query/tables.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/verify.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

template <class T>
std::vector<std::string> texts_of(const std::vector<T>& values) {
  std::vector<std::string> texts;
  for (const T value : values) texts.push_back(text_of(value));
  return texts;
}

std::vector<std::string> names_of(const std::vector<std::int64_t>& rows, const io::NodeNames& nodes) {
  std::vector<std::string> names;
  for (const std::int64_t row : rows) names.push_back(nodes.name(row));
  return names;
}

/// Totals of all finite distances between different nodes.
template <class T>
struct Totals {
  using Sum = std::conditional_t<std::is_floating_point_v<T>, long double, std::int64_t>;
  std::vector<T> farthest;  // of each node
  T most = recursive::infinity<T>(), least = recursive::infinity<T>();
  Sum sum{};
  std::int64_t finite = 0;
  long double magnitudes = 0;  // of the summands
};

/// A histogram, as numpy.histogram counts.
struct Counts {
  explicit Counts(const values::Bins& bins) : inside(static_cast<std::size_t>(bins.bins)) {
    for (std::int64_t number = 0; number <= bins.bins; ++number) edges.push_back(bins.edge(number));
  }
  void add(double value) {
    if (!(value >= edges.front() && value <= edges.back())) {
      ++outside;
      return;
    }
    const auto above = std::upper_bound(edges.begin(), edges.end() - 1, value);
    ++inside[static_cast<std::size_t>(above - edges.begin()) - 1];
  }

  std::vector<double> edges;
  std::vector<std::int64_t> inside;
  std::int64_t outside = 0, unreachable = 0;
};

template <class T>
Totals<T> totals_of(const VerifyRequest& request, io::Source& matrix, const TableNodes& nodes, Counts* counts) {
  const std::int64_t rows = matrix.shape()[0], columns = matrix.shape()[1];
  Totals<T> totals;
  for (std::int64_t number = 0; number < rows; ++number) {
    if (request.advance) request.advance(number, rows);
    const std::int64_t from = nodes.node_of(number);
    const std::vector<T> row = read_box<T>(matrix, {{number, 0}, {number + 1, columns}});
    T farthest = recursive::infinity<T>();
    for (std::int64_t to = 0; to < columns; ++to) {
      const T distance = row[static_cast<std::size_t>(to)];
      if (to == from) continue;
      if (!(distance < recursive::infinity<T>())) {
        if (counts != nullptr) ++counts->unreachable;
        continue;
      }
      if (counts != nullptr) counts->add(static_cast<double>(distance));
      ++totals.finite;
      if (farthest == recursive::infinity<T>() || distance > farthest) farthest = distance;
      totals.least = std::min(totals.least, distance);
      totals.magnitudes += std::abs(static_cast<long double>(distance));
      if constexpr (std::is_floating_point_v<T>) totals.sum += distance;
      else if (__builtin_add_overflow(totals.sum, static_cast<std::int64_t>(distance), &totals.sum)) {
        throw Error("the sum of all distances leaves i64");
      }
    }
    totals.farthest.push_back(farthest);
    const bool first = totals.most == recursive::infinity<T>();
    if (farthest < recursive::infinity<T>() && (first || farthest > totals.most)) totals.most = farthest;
  }
  return totals;
}

Checked check_real_sum(const VerifyRequest& request, long double sum, long double magnitudes, std::int64_t summands) {
  const double stored = read_all<double>(request, "sum").at(0);
  Checked checked{"sum", "computed again", "", true};
  const long double bound = 1.01L * static_cast<long double>(summands) * 0x1p-53L * magnitudes;
  if (!(std::abs(static_cast<long double>(stored) - sum) <= bound)) {
    checked.difference = difference_at({}, text_of(stored), text_of(static_cast<double>(sum)));
  }
  return checked;
}

template <class T>
void check_totals(const VerifyRequest& request, io::Source& matrix, const TableNodes& nodes,
                  std::vector<Checked>& found) {
  const Settings& settings = request.request.stage.settings;
  if (!settings.has("reduce")) return;
  std::optional<Counts> counts;
  if (asks_histogram(settings)) counts.emplace(bins_of(settings));
  const Totals<T> totals = totals_of<T>(request, matrix, nodes, counts ? &*counts : nullptr);
  const auto check = [&](const char* name, const std::vector<std::string>& expected) {
    if (request.has(name)) found.push_back(check_texts(request, name, expected, "computed again"));
  };
  check("eccentricity", texts_of(totals.farthest));
  check("diameter", {text_of(totals.most)});
  check("minimum", {text_of(totals.least)});
  check("count", {text_of(totals.finite)});
  if (counts) {
    check("histogram", texts_of(counts->inside));
    counts->edges.pop_back();
    check("bin", texts_of(counts->edges));
    check("outside", {text_of(counts->outside)});
    check("unreachable", {text_of(counts->unreachable)});
  }
  if (!request.has("sum")) return;
  if constexpr (std::is_floating_point_v<T>) {
    found.push_back(check_real_sum(request, totals.sum, totals.magnitudes, volume(matrix.shape())));
  } else {
    check("sum", {text_of(totals.sum)});
  }
}

template <class T>
void check_pairs(const VerifyRequest& request, const io::Source& matrix, io::Source& table, const TableNodes& nodes,
                 std::vector<Checked>& found) {
  const std::vector<NodePair> pairs = pairs_of(request.request, nodes);
  const std::vector<std::byte> bytes = elements_at(table, pairs);
  std::vector<T> distances(pairs.size());
  if (!bytes.empty()) std::memcpy(distances.data(), bytes.data(), bytes.size());
  found.push_back(check_texts(request, "distance", texts_of(distances), "compared with the matrix"));
  const PathTable by = open_paths(request.request, matrix);
  if (!by.table) return;
  const FollowedPaths paths = follow(by, nodes, pairs);
  found.push_back(check_texts(request, "path", names_of(paths.nodes, nodes.names()), "followed again"));
  found.push_back(check_texts(request, "path_begin", texts_of(paths.begin), "followed again"));
}

}  // namespace

std::vector<Checked> verify_query(const VerifyRequest& request) {
  const Settings& settings = request.request.stage.settings;
  const OpenTable table = open_table(request.request);
  const ElementType type = distance_type(table.matrix->type());
  const TableNodes nodes(*table.matrix);
  const std::shared_ptr<io::Source> distances = weights(table.matrix, type, table.rules);
  std::vector<Checked> found;
  dispatch_distance(type, "distance", [&](auto value) {
    using T = decltype(value);
    if (settings.has("pairs")) check_pairs<T>(request, *table.matrix, *distances, nodes, found);
    check_totals<T>(request, *distances, nodes, found);
  });
  return found;
}

}  // namespace terrace::stages
