// Verifies shortest paths: sampled rows of distances, and the next nodes of their paths.
#include <fmt/format.h>

#include <numeric>

#include "io/inputs/graph.hpp"
#include "kernels/values/bin_finder.hpp"
#include "stages/recursive/histogram.hpp"
#include "stages/recursive/searches/compressed.hpp"
#include "stages/recursive/searches/sources.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/verify.hpp"
#include "stages/recursive/verify/edge_lists.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t most_rows_read = 1 << 15;  // of the matrix of a graph, of which most elements are no edges

template <class T>
class DistancesCheck {
  using Sum = typename EdgeLists<T>::Sum;

 public:
  /// @param graph EdgeLists
  /// @param sources the node of each row; nullopt: row i is that of node i
  DistancesCheck(const VerifyRequest& request, const std::shared_ptr<io::Source>& weights,
                 const recursive::SearchGraph* graph, bool loops, std::optional<std::vector<device::i32>> sources)
      : request_(request),
        edges_(weights, graph, !loops),
        loops_(loops),
        nodes_(weights->shape()[0]),
        sources_(std::move(sources)),
        rows_(sources_ ? static_cast<std::int64_t>(sources_->size()) : nodes_) {
    distance_ = open_dataset(request, "distance", {rows_, nodes_}, element_type_of<T>());
    if (request.has("next")) next_ = read_next();
    if (request.has("previous")) previous_ = open_dataset(request, "previous", {rows_, nodes_}, ElementType::i32);
  }

  std::vector<Checked> run() {
    std::string of_distance, of_next;
    const bool paths = next_ || previous_;
    Checked distance = check_parts(request_, "distance", {"distance", rows_, "rows"}, [&](std::int64_t at) {
      const std::int64_t from = sources_ ? (*sources_)[static_cast<std::size_t>(at)] : at;
      const std::vector<T> row = read_box<T>(*distance_, {{at, 0}, {at + 1, nodes_}});
      if (of_distance.empty()) of_distance = check_row(at, from, row);
      if (next_ && of_next.empty()) of_next = check_next(from, row);
      if (previous_ && of_next.empty()) of_next = check_previous(at, from, row);
      // The rows after it may tell of paths.
      return paths && of_next.empty() ? std::string() : of_distance;
    });
    distance.difference = of_distance;
    const Checked next{next_ ? "next" : "previous", "followed from the same nodes", of_next, true};
    if (std::is_floating_point_v<T>) distance.what += fmt::format(", within {:.2g}", tolerance());
    if (std::is_floating_point_v<T> && !edges_.has_negative()) distance.what += " of each";
    if (!paths) return {distance};
    return {distance, next};
  }

 private:
  /// `next` in memory, or if it is too large, the dataset itself.
  std::function<std::int64_t(std::int64_t, std::int64_t)> read_next() const {
    constexpr std::int64_t most_in_memory = 4096;  // nodes
    std::shared_ptr<io::Source> source = open_dataset(request_, "next", {nodes_, nodes_}, ElementType::i32);
    if (nodes_ > most_in_memory) {
      return [source](std::int64_t i, std::int64_t j) {
        return read_box<std::int32_t>(*source, {{i, j}, {i + 1, j + 1}})[0];
      };
    }
    auto all = std::make_shared<std::vector<std::int32_t>>(read_all<std::int32_t>(request_, "next"));
    return [all, nodes = nodes_](std::int64_t i, std::int64_t j) {
      return (*all)[static_cast<std::size_t>(i * nodes + j)];
    };
  }

  /// Sums of up to n - 1 weights, each rounded, on both sides: of nonnegative ones relative to the sum, of others to
  /// the largest that a sum of their magnitudes may be.
  double tolerance() const {
    const double steps = std::max<double>(1, static_cast<double>(nodes_ - 1));
    const double relative = 2 * steps * roundoff<T>();
    return edges_.has_negative() ? relative * steps * edges_.largest() : relative;
  }
  bool equal(T stored, Sum computed) const {
    if constexpr (!std::is_floating_point_v<T>) return static_cast<Sum>(stored) == computed;
    const double apart = std::abs(static_cast<double>(stored) - static_cast<double>(computed));
    return apart <= tolerance() * (edges_.has_negative() ? 1 : std::abs(static_cast<double>(computed)));
  }

  std::string check_row(std::int64_t at, std::int64_t from, const std::vector<T>& row) const {
    const Distances<T> found = edges_.has_negative() ? in_queue(edges_, from) : nearest_first(edges_, from);
    for (std::size_t to = 0; to < row.size(); ++to) {
      const bool none = row[to] == recursive::infinity<T>();
      if (found[to] ? !none && equal(row[to], *found[to]) : none) continue;
      return difference_at({at, static_cast<std::int64_t>(to)}, none ? "no path" : text_of(row[to]),
                           found[to] ? text_of(*found[to]) : "no path");
    }
    return "";
  }

  std::string check_next(std::int64_t from, const std::vector<T>& row) const {
    for (std::int64_t to = 0; to < nodes_; ++to) {
      const T distance = row[static_cast<std::size_t>(to)];
      const std::string where = "from node " + std::to_string(from) + " to node " + std::to_string(to) + ": ";
      const std::int64_t first = next_(from, to);
      if (distance == recursive::infinity<T>()) {
        if (first == -1) continue;
        return where + "node " + std::to_string(first) + " is next, and there is no path";
      }
      if (from == to && !loops_) {
        if (first == from) continue;
        return where + "node " + std::to_string(first) + " is next, not the node itself";
      }
      const std::string difference =
          walk(from, to, true, distance, [&](std::int64_t node) { return next_(node, to); });
      if (!difference.empty()) return where + difference;
    }
    return "";
  }

  /// The edges to nodes that are nearer, or as near over fewer edges, until the first.
  std::string check_previous(std::int64_t at, std::int64_t from, const std::vector<T>& row) const {
    const auto before = read_box<std::int32_t>(*previous_, {{at, 0}, {at + 1, nodes_}});
    for (std::int64_t to = 0; to < nodes_; ++to) {
      const T distance = row[static_cast<std::size_t>(to)];
      const std::string where = "from node " + std::to_string(from) + " to node " + std::to_string(to) + ": ";
      const std::int64_t last = before[static_cast<std::size_t>(to)];
      if (distance == recursive::infinity<T>() || (from == to && !loops_)) {
        const std::int64_t expected = distance == recursive::infinity<T>() ? -1 : from;
        if (last == expected) continue;
        return where + "node " + std::to_string(last) + " is the one before, not " + std::to_string(expected);
      }
      const std::string difference =
          walk(to, from, false, distance, [&](std::int64_t node) { return before[static_cast<std::size_t>(node)]; });
      if (!difference.empty()) return where + difference;
    }
    return "";
  }

  /// Follows a path from a node to another one, whose edges lead forwards or back.
  /// @param next the node after a node, on the way there
  template <class Next>
  std::string walk(std::int64_t from, std::int64_t to, bool forwards, T distance, const Next& next) const {
    Sum sum{};
    std::int64_t at = from, steps = 0;
    do {
      const std::int64_t other = next(at);
      if (other < 0 || other >= nodes_) {
        return (forwards ? "after node " : "before node ") + std::to_string(at) + " comes " + std::to_string(other);
      }
      const std::int64_t tail = forwards ? at : other, head = forwards ? other : at;
      const std::optional<T> weight = edges_.weight(tail, head);
      if (!weight) return "there is no edge from node " + std::to_string(tail) + " to node " + std::to_string(head);
      sum += static_cast<Sum>(*weight);
      at = other;
      if (++steps > nodes_) return "the path does not end";
    } while (at != to);
    return equal(distance, sum) ? "" : "its edges weigh " + text_of(sum) + ", not " + text_of(distance);
  }

  const VerifyRequest& request_;
  EdgeLists<T> edges_;
  bool loops_;
  std::int64_t nodes_;
  std::optional<std::vector<device::i32>> sources_;
  std::int64_t rows_;
  std::shared_ptr<io::Source> distance_, previous_;  // previous_ is null without sources
  std::function<std::int64_t(std::int64_t, std::int64_t)> next_;
};

/// Reductions of rows that are not kept.
template <class T>
class ReductionsCheck {
  using Sum = typename EdgeLists<T>::Sum;

 public:
  ReductionsCheck(const VerifyRequest& request, const std::shared_ptr<io::Source>& weights,
                  const recursive::SearchGraph* graph, bool zero_diagonal,
                  std::optional<std::vector<device::i32>> sources)
      : request_(request),
        edges_(weights, graph, zero_diagonal),
        sources_(std::move(sources)),
        rows_(sources_ ? static_cast<std::int64_t>(sources_->size()) : edges_.nodes()) {
    if (request.has("histogram")) counted_.emplace(bins_of(request.request.stage.settings));
    eccentricity_ = open_dataset(request, "eccentricity", {rows_}, element_type_of<T>());
    sum_ = open_dataset(request, "sum", {rows_}, element_type_of<Sum>());
    reached_ = open_dataset(request, "reached", {rows_}, ElementType::i64);
  }

  std::vector<Checked> run() {
    const Checked rows =
        check_parts(request_, "eccentricity, sum, reached", {"eccentricity", rows_, "rows"}, [&](std::int64_t row) {
          const std::int64_t from = sources_ ? (*sources_)[static_cast<std::size_t>(row)] : row;
          const Distances<T> found = edges_.has_negative() ? in_queue(edges_, from) : nearest_first(edges_, from);
          Sum farthest = static_cast<Sum>(recursive::infinity<T>()), sum{};
          std::int64_t reached = 0;
          for (std::size_t to = 0; to < found.size(); ++to) {
            if (!found[to] || static_cast<std::int64_t>(to) == from) continue;
            farthest = reached == 0 ? *found[to] : std::max(farthest, *found[to]);
            sum += *found[to];
            ++reached;
            if (counted_) counted_->add(static_cast<double>(*found[to]), tolerance(*found[to]));
          }
          if (counted_) ++counted_->rows;
          const Box at{{row}, {row + 1}};
          const auto stored = static_cast<Sum>(read_box<T>(*eccentricity_, at)[0]);
          if (!equal(stored, farthest)) {
            return "eccentricity, " + difference_at({row}, text_of(stored), text_of(farthest));
          }
          const Sum total = read_box<Sum>(*sum_, at)[0];
          if (!equal(total, sum)) return "sum, " + difference_at({row}, text_of(total), text_of(sum));
          const std::int64_t number = read_box<std::int64_t>(*reached_, at)[0];
          return number == reached ? std::string()
                                   : "reached, " + difference_at({row}, text_of(number), text_of(reached));
        });
    if (!counted_) return {rows};
    const std::string counts = "histogram, outside, unreachable";
    if (!rows.difference.empty()) return {rows, {counts, "the rows that they count differ", "", false}};
    const std::string what = counted_->rows == rows_
                                 ? "compared with `reached` and with the distances of all rows"
                                 : "compared with `reached`, and no less than the distances of these rows";
    return {rows, {counts, what, uncounted()}, check_bins()};
  }

 private:
  /// Distances of the rows that were computed again, of each bin the least and the most that may be counted. They
  /// differ by distances near an end of the bin.
  class Counted {
   public:
    explicit Counted(const values::Bins& bins)
        : bins_(bins), bin_(bins), least_(static_cast<std::size_t>(bins.bins) + 1), more_(least_.size() + 1) {}

    /// @param apart how far from it what was counted may be
    void add(double distance, double apart) {
      const double low = distance - apart, high = distance + apart;
      const bool may_be_outside = low < bins_.low || high > bins_.high,
                 is_outside = low > bins_.high || high < bins_.low;
      if (may_be_outside) {
        ++most_outside_;
        if (is_outside) ++least_.back();
      }
      if (is_outside) return;
      const auto first = static_cast<std::size_t>(bin_(std::max(low, bins_.low))),
                 last = static_cast<std::size_t>(bin_(std::min(high, bins_.high)));
      ++more_[first];
      --more_[last + 1];
      if (first == last && !may_be_outside) ++least_[first];
    }
    /// In each bin, and last in none.
    const std::vector<std::int64_t>& least() const { return least_; }
    std::vector<std::int64_t> most() const {
      std::vector<std::int64_t> most(least_.size());
      std::partial_sum(more_.begin(), more_.end() - 2, most.begin());
      most.back() = most_outside_;
      return most;
    }

    std::int64_t rows = 0;

   private:
    values::Bins bins_;
    values::BinFinder bin_;
    std::vector<std::int64_t> least_, more_;  // more_: of the most, than in the bin before
    std::int64_t most_outside_ = 0;
  };

  Checked check_bins() const {
    const values::Bins bins = bins_of(request_.request.stage.settings);
    const auto stored = read_all<double>(request_, "bin");
    Checked checked{"bin", "computed again from `range` and `bins`", "", true};
    if (std::ssize(stored) != bins.bins) checked.difference = std::to_string(stored.size()) + " values are stored";
    for (std::int64_t n = 0; n < bins.bins && checked.difference.empty(); ++n) {
      const double own = stored[static_cast<std::size_t>(n)];
      if (own != bins.edge(n)) checked.difference = difference_at({n}, text_of(own), text_of(bins.edge(n)));
    }
    return checked;
  }

  /// The first difference of the histogram: all that is counted is what all rows reach, and each bin holds what was
  /// computed again.
  std::string uncounted() const {
    const auto counts = read_all<std::int64_t>(request_, "histogram");
    const auto all = read_all<std::int64_t>(request_, "reached");
    const std::int64_t reached = std::accumulate(all.begin(), all.end(), std::int64_t{0});
    const std::int64_t outside = std::stoll(request_.texts("outside").at(0));
    const std::int64_t counted = std::accumulate(counts.begin(), counts.end(), outside);
    if (counted != reached) {
      return "it counts " + std::to_string(counted) + " distances, and the rows reach " + std::to_string(reached);
    }
    const std::string unreachable = request_.texts("unreachable").at(0);
    const std::string others = std::to_string(rows_ * (edges_.nodes() - 1) - reached);
    if (unreachable != others) return "unreachable, " + difference_at({}, unreachable, others);
    const bool has_all = counted_->rows == rows_;
    std::vector<std::int64_t> stored = counts;
    stored.push_back(outside);
    const std::vector<std::int64_t>&least = counted_->least(), most = counted_->most();
    for (std::size_t n = 0; n < stored.size(); ++n) {
      if (stored[n] >= least[n] && (!has_all || stored[n] <= most[n])) continue;
      const std::string own = has_all && least[n] == most[n] ? std::to_string(least[n])
                              : stored[n] < least[n]         ? "at least " + std::to_string(least[n])
                                                             : "at most " + std::to_string(most[n]);
      const bool is_outside = n == counts.size();
      return (is_outside ? "outside, " : "") +
             difference_at(is_outside ? Extents{} : Extents{static_cast<std::int64_t>(n)}, std::to_string(stored[n]),
                           own);
    }
    return "";
  }
  /// Real numbers are rounded in another order: sums of distances, each of up to n - 1 weights. 0 of whole numbers.
  double tolerance(Sum computed) const {
    if constexpr (!std::is_floating_point_v<T>) return 0;
    const auto nodes = static_cast<double>(edges_.nodes());
    const double magnitude =
        edges_.has_negative() ? nodes * nodes * edges_.largest() : std::abs(static_cast<double>(computed));
    return 4 * nodes * roundoff<T>() * magnitude;
  }
  bool equal(Sum stored, Sum computed) const {
    if constexpr (!std::is_floating_point_v<T>) return stored == computed;
    else return stored == computed || std::abs(stored - computed) <= tolerance(computed);
  }

  const VerifyRequest& request_;
  EdgeLists<T> edges_;
  std::optional<std::vector<device::i32>> sources_;
  std::int64_t rows_;
  std::shared_ptr<io::Source> eccentricity_, sum_, reached_;
  std::optional<Counted> counted_;  // nullopt: there is no histogram
};

}  // namespace

std::vector<Checked> verify_distances(const VerifyRequest& request) {
  const Settings& settings = request.request.stage.settings;
  std::shared_ptr<io::Source> matrix = open_square_matrix(request.request, made_by_searches(settings));
  const WeightRules rules = distance_rules(request.request, *matrix, settings.text("diagonal") == "zero");
  matrix = with_no_edge(std::move(matrix), rules);
  std::vector<Checked> found;
  const auto sources = sources_of(request.request, *matrix);
  const bool reduces = settings.text("keep") == "reductions";
  const std::string first = reduces ? "eccentricity" : "distance";
  const ElementType type = request.dataset(first)->type();
  dispatch_distance(type, first, [&](auto value) {
    using T = decltype(value);
    std::shared_ptr<const recursive::SearchGraph> graph;
    if (matrix->shape()[0] > most_rows_read && io::is_graph(*matrix)) graph = compress(*matrix, type, rules).graph;
    const auto read = weights(matrix, type, rules);
    if (reduces) found = ReductionsCheck<T>(request, read, graph.get(), rules.zero_diagonal, sources).run();
    else found = DistancesCheck<T>(request, read, graph.get(), !rules.zero_diagonal, sources).run();
  });
  if (!sources) return found;
  std::vector<std::string> names;
  for (const device::i32 row : *sources) names.push_back(matrix->nodes()->name(row));
  found.push_back(check_texts(request, "source", names, "compared with the names in the job"));
  return found;
}

}  // namespace terrace::stages
