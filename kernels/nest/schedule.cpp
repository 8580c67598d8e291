#include "kernels/nest/schedule.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <numeric>
#include <queue>
#include <set>
#include <utility>

namespace terrace::nest {
namespace {

using Row = std::vector<i64>;

/// The number of the loop that stands for all loops that no array has; 0 if there is at most one.
std::size_t first_coordinate(const Nest& nest) {
  std::size_t shared = nest.depth();
  for (const Array& array : nest.arrays) shared = std::min(shared, array.first_loop);
  return shared == 0 ? 0 : shared - 1;
}

i64 product(const Row& row, const Row& distance) {
  return std::inner_product(row.begin(), row.end(), distance.begin(), i64{0});
}

i64 determinant(std::vector<Row> rows) {
  if (rows.size() == 1) return rows[0][0];
  i64 sum = 0;
  for (std::size_t column = 0; column < rows.size(); ++column) {
    std::vector<Row> minor(rows.begin() + 1, rows.end());
    for (Row& row : minor) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
    sum += (column % 2 == 0 ? 1 : -1) * rows[0][column] * determinant(std::move(minor));
  }
  return sum;
}

/// The greatest common divisor of all minors of the size of the number of rows: 1 if more rows can make it
/// unimodular.
i64 divisor_of_minors(const std::vector<Row>& rows) {
  const std::size_t width = rows[0].size();
  i64 divisor = 0;
  for (unsigned chosen = 0; chosen < (1U << width); ++chosen) {
    if (static_cast<std::size_t>(__builtin_popcount(chosen)) != rows.size()) continue;
    std::vector<Row> minor;
    for (const Row& row : rows) {
      Row kept;
      for (std::size_t column = 0; column < width; ++column) {
        if ((chosen >> column & 1U) != 0) kept.push_back(row[column]);
      }
      minor.push_back(std::move(kept));
    }
    divisor = std::gcd(divisor, determinant(std::move(minor)));
  }
  return divisor;
}

/// A dependence between statements, its distance along the coordinates' loops, axes reversed.
struct Edge {
  int source, target;
  Row distance;
};

/// Finds rows in the order of their sums.
class RowFinder {
 public:
  RowFinder(std::size_t rank, std::size_t statements, std::vector<Edge> edges, bool balanced)
      : rank_(rank), statements_(statements), edges_(std::move(edges)), balanced_(balanced) {}

  /// False if there are none.
  bool find() {
    list_legal();
    return extend();
  }
  const std::vector<Row>& rows() const { return rows_; }
  /// The least shifts that make a row legal, a statement each; empty: none do.
  std::vector<i64> shifts_of(const Row& row) const {
    std::vector<i64> shifts(statements_, 0);
    for (std::size_t round = 0; round <= statements_; ++round) {
      bool changed = false;
      for (const Edge& edge : edges_) {
        const i64 needed = shifts[static_cast<std::size_t>(edge.source)] - product(row, edge.distance);
        i64& shift = shifts[static_cast<std::size_t>(edge.target)];
        if (shift >= needed) continue;
        shift = needed;
        changed = true;
      }
      if (!changed) return shifts;
    }
    return {};
  }

 private:
  void list_legal() {
    Row row(rank_, 0);
    while (step(row)) {
      const i64 divisor =
          std::accumulate(row.begin(), row.end(), i64{0}, [](i64 a, i64 b) { return std::gcd(a, b); });
      if (divisor == 1 && !shifts_of(row).empty()) legal_.push_back(row);
    }
    std::stable_sort(legal_.begin(), legal_.end(), [](const Row& a, const Row& b) {
      const i64 of_a = std::accumulate(a.begin(), a.end(), i64{0}),
                of_b = std::accumulate(b.begin(), b.end(), i64{0});
      return of_a != of_b ? of_a < of_b : b < a;
    });
  }
  /// The next row of coefficients; false after the last.
  static bool step(Row& row) {
    for (i64& coefficient : row) {
      if (++coefficient <= most_coefficient) return true;
      coefficient = 0;
    }
    return false;
  }
  bool extend() {
    if (rows_.size() == rank_) return determinant(rows_) == 1;
    for (const Row& row : legal_) {
      if (rows_.empty() && balanced_ && !is_first(row)) continue;
      if (++tried_ > most_tried) return false;
      rows_.push_back(row);
      if (divisor_of_minors(rows_) == 1 && extend()) return true;
      rows_.pop_back();
    }
    return false;
  }
  /// The paper's (4).
  bool is_first(const Row& row) const {
    return std::all_of(edges_.begin(), edges_.end(), [&](const Edge& edge) {
      return edge.source != edge.target || product(row, edge.distance) >= 1;
    });
  }

  static constexpr int most_tried = 20000;  // skews of real nests take tens
  std::size_t rank_, statements_;
  std::vector<Edge> edges_;
  bool balanced_;
  std::vector<Row> legal_, rows_;
  int tried_ = 0;
};

/// Finds iterations that need one another.
class CycleFinder {
 public:
  CycleFinder(const Nest& nest, const std::vector<Dependence>& dependences)
      : nest_(nest), dependences_(dependences) {}

  /// "D[i][j] needs D[i-1][j], which needs D[i][j]"; empty if there is no cycle of that length.
  std::string find() {
    for (std::size_t start = 0; start < nest_.statements.size(); ++start) {
      std::string found = find_from(static_cast<int>(start));
      if (!found.empty()) return found;
    }
    return "";
  }

 private:
  struct State {
    int statement;
    Point back;  // iterations back from the start
    auto operator<=>(const State&) const = default;
  };
  struct Way {
    State before;
    const Dependence* by;
  };

  std::string find_from(int start) {
    std::map<State, Way> ways;
    std::queue<State> open;
    open.push({start, {}});
    while (!open.empty() && ways.size() < most_states) {
      const State at = open.front();
      open.pop();
      for (const Dependence& one : dependences_) {
        if (one.target != at.statement) continue;
        State next{one.source, at.back};
        bool is_near = true;
        for (std::size_t loop = 0; loop < nest_.depth(); ++loop) {
          next.back[loop] += one.distance[loop];
          is_near &= std::abs(next.back[loop]) <= 2 * most_distance;
        }
        if (!is_near || !ways.try_emplace(next, Way{at, &one}).second) continue;
        if (next == State{start, {}}) return in_words(next, ways);
        open.push(next);
      }
    }
    return "";
  }
  std::string in_words(const State& start, const std::map<State, Way>& ways) const {
    std::vector<std::string> cells = {cell_in_words(start)};
    State at = start;
    do {
      at = ways.at(at).before;
      cells.push_back(cell_in_words(at));
    } while (at != start);
    // The way was followed from what is needed to what needs it.
    std::reverse(cells.begin(), cells.end());
    if (cells.size() == 2 && cells[0] == cells[1]) {
      return cells[0] +
             " needs itself: with all loops in its subscripts an array is a table, of which each element is "
             "written once; to change elements in place, add an outer loop that the array lacks, `t: 1`";
    }
    std::string text = cells[0] + " needs " + cells[1];
    for (std::size_t n = 2; n < cells.size(); ++n) text += ", which needs " + cells[n];
    return text;
  }
  std::string cell_in_words(const State& state) const {
    const Statement& statement = nest_.statements[static_cast<std::size_t>(state.statement)];
    Access access{false, statement.array, {}, {}};
    const std::size_t first = nest_.arrays[static_cast<std::size_t>(statement.array)].first_loop;
    for (std::size_t axis = 0; axis < statement.offset.size(); ++axis) {
      access.loops.push_back(static_cast<int>(first + axis));
      access.offset.push_back(statement.offset[axis] - state.back[first + axis]);
    }
    return nest_.in_words(access);
  }

  static constexpr std::size_t most_states = 100000;
  const Nest& nest_;
  const std::vector<Dependence>& dependences_;
};

class SkewFinder {
 public:
  SkewFinder(const Nest& nest, const std::vector<Dependence>& dependences, bool balanced)
      : nest_(nest), dependences_(dependences), balanced_(balanced), first_(first_coordinate(nest)) {}

  Skew find() {
    const std::size_t rank = nest_.depth() - first_;
    std::vector<unsigned> choices(nest_.is_equations() ? std::size_t{1} << rank : 1);
    std::iota(choices.begin(), choices.end(), 0U);
    std::stable_sort(choices.begin(), choices.end(),
                     [](unsigned a, unsigned b) { return __builtin_popcount(a) < __builtin_popcount(b); });
    for (const unsigned reversed : choices) {
      RowFinder finder(rank, nest_.statements.size(), edges_of(reversed), balanced_);
      if (!finder.find()) continue;
      Skew skew = skew_of(finder, reversed);
      // A cycle whose distances sum up to nothing stays in one place whatever the rows.
      if (statement_order(skew, dependences_).empty()) break;
      return skew;
    }
    refuse();
  }

 private:
  std::vector<Edge> edges_of(unsigned reversed) const {
    std::vector<Edge> edges;
    for (const Dependence& one : dependences_) {
      Edge edge{one.source, one.target, {}};
      for (std::size_t loop = first_; loop < nest_.depth(); ++loop) {
        const bool turns = (reversed >> (loop - first_) & 1U) != 0;
        edge.distance.push_back(turns ? -one.distance[loop] : one.distance[loop]);
      }
      edges.push_back(std::move(edge));
    }
    return edges;
  }
  Skew skew_of(const RowFinder& finder, unsigned reversed) const {
    Skew skew;
    skew.first = first_;
    skew.is_balanced = balanced_;
    skew.reversed.assign(nest_.depth(), false);
    for (std::size_t loop = first_; loop < nest_.depth(); ++loop) {
      skew.reversed[loop] = (reversed >> (loop - first_) & 1U) != 0;
    }
    skew.rows = finder.rows();
    skew.shifts.assign(nest_.statements.size(), {});
    for (const Row& row : skew.rows) {
      const std::vector<i64> shifts = finder.shifts_of(row);
      for (std::size_t n = 0; n < shifts.size(); ++n) skew.shifts[n].push_back(shifts[n]);
    }
    return skew;
  }
  [[noreturn]] void refuse() const {
    const std::string cycle = CycleFinder(nest_, dependences_).find();
    if (!cycle.empty()) throw SkewFault{"no order computes the nest: " + cycle};
    std::set<std::string> distances;
    for (const Dependence& one : dependences_) distances.insert(to_string(one.distance, nest_.depth()));
    std::string all;
    for (const std::string& one : distances) all += (all.empty() ? "" : ", ") + one;
    throw SkewFault{"no skew with coefficients of at most " + std::to_string(most_coefficient) +
                    " makes all distances non-negative: " + all};
  }

  const Nest& nest_;
  const std::vector<Dependence>& dependences_;
  bool balanced_;
  std::size_t first_;
};

}  // namespace

i64 Skew::along(std::size_t coordinate, const Dependence& dependence) const {
  i64 sum = shifts[static_cast<std::size_t>(dependence.target)][coordinate] -
            shifts[static_cast<std::size_t>(dependence.source)][coordinate];
  for (std::size_t n = 0; n < rows[coordinate].size(); ++n) {
    const i64 distance = dependence.distance[first + n];
    sum += rows[coordinate][n] * (reversed[first + n] ? -distance : distance);
  }
  return sum;
}

std::string Skew::in_words() const {
  const auto numbers = [](const std::vector<i64>& all, const char* between) {
    std::string text;
    for (const i64 number : all) text += (text.empty() ? "" : between) + std::to_string(number);
    return text;
  };
  std::string text;
  for (const Row& row : rows) text += (text.empty() ? "" : "; ") + numbers(row, " ");
  for (const std::vector<i64>& shift : shifts) {
    if (std::all_of(shift.begin(), shift.end(), [](i64 by) { return by == 0; })) continue;
    text += " + " + numbers(shift, ", ");
  }
  return text;
}

bool is_legal(const Skew& skew, const std::vector<Dependence>& dependences) {
  for (const Dependence& one : dependences) {
    for (std::size_t n = 0; n < skew.rank(); ++n) {
      if (skew.along(n, one) < 0) return false;
    }
  }
  return !statement_order(skew, dependences).empty();
}

std::vector<int> statement_order(const Skew& skew, const std::vector<Dependence>& dependences) {
  const std::size_t count = skew.shifts.size();
  std::vector<int> order;
  std::vector<bool> is_there(count, false);
  const auto waits = [&](std::size_t statement) {
    return std::any_of(dependences.begin(), dependences.end(), [&](const Dependence& one) {
      if (one.target != static_cast<int>(statement) || is_there[static_cast<std::size_t>(one.source)]) return false;
      for (std::size_t n = 0; n < skew.rank(); ++n) {
        if (skew.along(n, one) != 0) return false;
      }
      return true;
    });
  };
  for (bool grows = true; grows && order.size() < count;) {
    grows = false;
    for (std::size_t statement = 0; statement < count && !grows; ++statement) {
      if (is_there[statement] || waits(statement)) continue;
      grows = is_there[statement] = true;
      order.push_back(static_cast<int>(statement));
    }
  }
  if (order.size() < count) order.clear();
  return order;
}

Skew least_skew(const Nest& nest, const std::vector<Dependence>& dependences, bool balanced) {
  return SkewFinder(nest, dependences, balanced).find();
}

std::vector<std::string> in_words(const Nest& nest, const std::vector<Dependence>& dependences) {
  std::vector<std::string> lines;
  for (const Dependence& one : dependences) {
    const Statement& source = nest.statements[static_cast<std::size_t>(one.source)];
    const Statement& target = nest.statements[static_cast<std::size_t>(one.target)];
    const auto written = [&](const Statement& statement) {
      Access access{false, statement.array, {}, statement.offset};
      const std::size_t first = nest.arrays[static_cast<std::size_t>(statement.array)].first_loop;
      for (std::size_t axis = 0; axis < statement.offset.size(); ++axis) {
        access.loops.push_back(static_cast<int>(first + axis));
      }
      return nest.in_words(access);
    };
    std::string line = written(target);
    if (one.kind == Dependence::flow)
      line += " needs " + nest.in_words(nest.accesses[static_cast<std::size_t>(one.access)]);
    if (one.kind == Dependence::anti) line += " replaces what " + written(source) + " reads";
    if (one.kind == Dependence::output) line += " replaces " + written(source);
    line += ": " + to_string(one.distance, nest.depth());
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  return lines;
}

}  // namespace terrace::nest
