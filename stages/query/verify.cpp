#include "stages/query/verify.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "kernels/recursive/semiring.hpp"
#include "stages/query/pairs.hpp"
#include "stages/recursive/rates.hpp"
#include "stages/recursive/square_matrix.hpp"
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

template <class T>
Totals<T> totals_of(const VerifyRequest& request, io::Source& matrix) {
  const std::int64_t nodes = matrix.shape()[0];
  Totals<T> totals;
  for (std::int64_t from = 0; from < nodes; ++from) {
    if (request.advance) request.advance(from, nodes);
    const std::vector<T> row = read_box<T>(matrix, {{from, 0}, {from + 1, nodes}});
    T farthest = recursive::infinity<T>();
    for (std::int64_t to = 0; to < nodes; ++to) {
      const T distance = row[static_cast<std::size_t>(to)];
      if (to == from || !(distance < recursive::infinity<T>())) continue;
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
void check_totals(const VerifyRequest& request, io::Source& matrix, std::vector<Checked>& found) {
  if (!request.request.stage.settings.has("reduce")) return;
  const Totals<T> totals = totals_of<T>(request, matrix);
  const auto check = [&](const char* name, const std::vector<std::string>& expected) {
    if (request.has(name)) found.push_back(check_texts(request, name, expected, "computed again"));
  };
  check("eccentricity", texts_of(totals.farthest));
  check("diameter", {text_of(totals.most)});
  check("minimum", {text_of(totals.least)});
  check("count", {text_of(totals.finite)});
  if (!request.has("sum")) return;
  if constexpr (std::is_floating_point_v<T>) {
    found.push_back(check_real_sum(request, totals.sum, totals.magnitudes, volume(matrix.shape())));
  } else {
    check("sum", {text_of(totals.sum)});
  }
}

template <class T>
void check_pairs(const VerifyRequest& request, io::Source& matrix, const io::NodeNames& nodes,
                 std::vector<Checked>& found) {
  const Settings& settings = request.request.stage.settings;
  const std::vector<NodePair> pairs = pairs_of(request.request, nodes);
  const std::vector<std::byte> bytes = elements_at(matrix, pairs);
  std::vector<T> distances(pairs.size());
  if (!bytes.empty()) std::memcpy(distances.data(), bytes.data(), bytes.size());
  found.push_back(check_texts(request, "distance", texts_of(distances), "compared with the matrix"));
  if (!settings.has("next")) return;
  const std::shared_ptr<io::Source> next = request.request.array(settings.text("next"));
  const FollowedPaths paths = follow(*next, settings.text("next"), pairs);
  found.push_back(check_texts(request, "path", names_of(paths.nodes, nodes), "followed again"));
  found.push_back(check_texts(request, "path_begin", texts_of(paths.begin), "followed again"));
}

}  // namespace

std::vector<Checked> verify_query(const VerifyRequest& request) {
  const Settings& settings = request.request.stage.settings;
  std::shared_ptr<io::Source> matrix = open_square_matrix(request.request);
  const WeightRules rules = distance_rules(request.request, *matrix, false);
  matrix = with_no_edge(std::move(matrix), rules);
  const ElementType type = distance_type(matrix->type());
  const std::shared_ptr<io::Source> distances = weights(matrix, type, rules);
  std::vector<Checked> found;
  dispatch_distance(type, "distance", [&](auto value) {
    using T = decltype(value);
    if (settings.has("pairs")) check_pairs<T>(request, *distances, *nodes_of(*matrix), found);
    check_totals<T>(request, *distances, found);
  });
  return found;
}

}  // namespace terrace::stages
