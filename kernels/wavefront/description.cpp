#include "kernels/wavefront/description.hpp"

#include <cstring>

#include "kernels/wavefront/pruning.hpp"
#include "kernels/wavefront/report.hpp"
#include "kernels/wavefront/rules/diagonals.hpp"
#include "kernels/wavefront/rules/pair_range.hpp"
#include "kernels/wavefront/tile_sizes.hpp"
#include "kernels/wavefront/visit.hpp"

namespace terrace::wavefront {
namespace {

template <class P, class V>
Recurrence<V> recurrence_of(const typename P::template Constants<i64>& constants) {
  const auto k = P::template constants_as<V>(constants);
  Recurrence<V> recurrence;
  if constexpr (P::items != Items::grid) {
    recurrence.score = [k](V row, V column) { return P::template score<V>(k, row, column); };
  }
  recurrence.cell = [k](const Around<V>& around, V score) { return P::template cell<V>(k, around, score); };
  recurrence.top = [k](i64 column) { return P::template top<V>(k, column); };
  recurrence.left = [k](i64 row) { return P::template left<V>(k, row); };
  if constexpr (has_corner<P, V>) recurrence.corner = [k](V row, V column) { return P::corner(k, row, column); };
  if constexpr (P::row_planes == 2) {
    recurrence.gap_behind = [k](V gap, V h) {
      const V next = maximum(subtract(gap, k.gap_next), P::template gap_opened<V>(k, h, V(0)));
      return is_local<P> ? maximum(next, V(0)) : next;
    };
  }
  return recurrence;
}

template <class K>
std::vector<std::byte> bytes_of(const K& constants) {
  static_assert(std::is_trivially_copyable_v<K>);
  std::vector<std::byte> bytes(sizeof constants);
  std::memcpy(bytes.data(), &constants, sizeof constants);
  return bytes;
}

/// Problems of which a local alignment can be found along common words: letters are equal or not.
template <class P>
inline constexpr bool is_greedy = can_prune<P> && !by_matrix<P> && requires {
  requires P::score_joins_diagonal;
};

template <class P>
void add_functions(const typename P::template Constants<i64>& constants, Description& made) {
  made.bound = [constants](std::int64_t rows, std::int64_t columns) { return P::bound(constants, rows, columns); };
  if constexpr (requires { P::sum_bound(i64{}, i64{}, i64{}); }) {
    made.sum_bound = [](std::int64_t largest, std::int64_t rows, std::int64_t columns) {
      return P::sum_bound(largest, rows, columns);
    };
  }
  if constexpr (Traceable<P>) made.replay = [](const FollowedPath& path) { return replay(path); };
  if constexpr (P::items == Items::letters) {
    made.in_i64 = recurrence_of<P, i64>(constants);
  } else if constexpr (P::items == Items::values) {
    made.in_f32 = recurrence_of<P, float>(constants);
    made.in_f64 = recurrence_of<P, double>(constants);
  }
}

template <class P>
Description description(const Settings& settings) {
  const auto constants = problem_constants<P>(settings);
  Description made;
  made.name = P::name;
  made.help = P::help;
  made.items = P::items;
  made.report = P::report;
  if constexpr (requires { P::counts; }) made.counts = P::counts;
  made.row_planes = P::row_planes;
  made.column_planes = P::column_planes;
  made.in_tiles = sweeps_in_tiles<P>;
  made.traceable = Traceable<P>;
  made.prunes = can_prune<P>;
  if constexpr (requires { typename P::Bits; }) made.bits = BitForm{P::Bits::planes, P::Bits::counts_pairs};
  if constexpr (is_greedy<P>) {
    made.greedy = EqualScores{constants.match, constants.mismatch, pair_costs<P, i64>(constants).first};
  }
  made.scale = score_scale(P::name, settings);
  made.window = window_of<P, i64>(constants);
  if constexpr (P::report == Report::ends) made.ends = P::template ends<i64>(constants);
  made.free_start = free_start<P, i64>(constants);
  made.constants = bytes_of(constants);
  add_functions<P>(constants, made);
  return made;
}

}  // namespace

std::shared_ptr<const Description> describe(const std::string& problem, const Settings& settings) {
  std::shared_ptr<const Description> made;
  visit_problem(problem, settings,
                [&]<class P>(P) { made = std::make_shared<const Description>(description<P>(settings)); });
  return made;
}

std::shared_ptr<const Description> description_of(const SweepSpec& spec) {
  return spec.description ? spec.description : describe(spec.problem, spec.settings);
}

BlockResult border_report(const Description& problem, std::int64_t rows, std::int64_t columns) {
  return border_report(problem.items, problem.report, problem.ends, rows, columns, [&](i64 row, i64 column) {
    return row == 0 ? problem.in_i64.top(column - 1).h : problem.in_i64.left(row - 1).h;
  });
}

ElementType narrowest_value(const Description& problem, std::int64_t rows, std::int64_t columns) {
  const std::int64_t bound = problem.bound(rows, columns);
  if (bound <= 32767) return ElementType::i16;
  if (bound <= 2147483647) return ElementType::i32;
  if (bound < unbounded) return ElementType::i64;
  throw ComputeError("wavefront " + problem.name + ": scores of " + std::to_string(rows) + " x " +
                     std::to_string(columns) + " cells may leave 63 bits; use smaller match and gap parameters");
}

std::int64_t distance_of(const Description& problem, std::int64_t score, std::int64_t letters) {
  return problem.bits ? distance_of(problem.bits->counts_pairs, score, letters) : 0;
}

}  // namespace terrace::wavefront
