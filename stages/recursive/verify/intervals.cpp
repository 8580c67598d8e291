// Verifies problems over intervals: tables, costs and brackets.
#include <algorithm>
#include <cmath>

#include "kernels/recursive/interval_reference.hpp"
#include "kernels/recursive/problems.hpp"
#include "stages/recursive/triangles/brackets.hpp"
#include "stages/recursive/triangles/inputs.hpp"
#include "stages/recursive/verify.hpp"

namespace terrace::stages {
namespace {

constexpr std::int64_t interval_side = 32;
/// Up to this many nodes, all intervals are computed again if the table is not kept: about a second.
constexpr std::int64_t most_solved = 1500;

/// The values of a stage's intervals by rule R, in type T.
template <class R, class T>
class IntervalsCheck {
 public:
  IntervalsCheck(const VerifyRequest& request, const IntervalInputs& inputs)
      : request_(request), inputs_(inputs), nodes_(inputs.nodes) {
    const Settings& settings = request.request.stage.settings;
    terms_ = read_box<T>(*interval_terms(inputs, element_type_of<T>()), Box::whole({3, nodes_}));
    const T* first = terms_.data();
    named_ = {first, first + nodes_, first + 2 * nodes_, 0, 0};
    if (R::looks_inside) {
      named_.least_inside = settings.integer("minimum_loop");
      named_.wobble = settings.flag("wobble") ? 1 : 0;
    }
    if (request.has("table")) table_ = open("table", element_type_of<T>());
    if (request.has("split")) split_ = open("split", ElementType::i32);
  }

  std::vector<Checked> run() {
    if (table_) check_tiles();
    else if (nodes_ <= most_solved) check_solved();
    else if (!split_)
      found_.push_back({cost_name(), "it depends on all intervals; --all computes it again", "", false});
    if (split_) check_brackets();
    return std::move(found_);
  }

 private:
  static std::string cost_name() { return R::looks_inside ? "score" : "cost"; }
  std::string text_name() const { return R::looks_inside ? "structure" : "expression"; }

  std::shared_ptr<io::Source> open(const std::string& name, ElementType type) const {
    return open_dataset(request_, name, {nodes_, nodes_}, type);
  }

  /// The text in the result for all items, if their interval has that value.
  std::string cost_text(T value) const {
    if (inputs_.whole) {
      if constexpr (std::is_floating_point_v<T>) return text_of<std::int64_t>(std::llround(value));
      else return text_of<std::int64_t>(value);
    }
    double chord = 0;
    if (inputs_.points) {
      chord = std::hypot(static_cast<double>(inputs_.first.front() - inputs_.first.back()),
                         static_cast<double>(inputs_.second.front() - inputs_.second.back()));
    }
    return text_of<double>(static_cast<double>(value) - chord);
  }

  void check_tiles() {
    const TileGrid grid({nodes_, nodes_}, {interval_side, interval_side});
    found_.push_back(check_parts(request_, split_ ? "table, split" : "table", {"table", grid.count(), "tiles"},
                                 [&](std::int64_t tile) { return check_tile(grid.box(tile)); }));
    const T whole = read_box<T>(*table_, {{0, nodes_ - 1}, {1, nodes_}})[0];
    found_.push_back(check_texts(request_, cost_name(), {cost_text(whole)}, "compared with the table"));
  }

  /// Cells of a tile from those on its left and below it: x(i, k) and x(k, j), i < k < j.
  std::string check_tile(const Box& tile) {
    const std::int64_t top = tile.begin[0], end = tile.end[1], left = std::max<std::int64_t>(0, tile.begin[1] - 1);
    const bool above = end > top;  // some intervals of the tile have items
    const Box row_box{{top, top}, {tile.end[0], above ? end : top}},
        column_box{{top, left}, {above ? end : top, end}};
    const std::vector<T> rows = read_box<T>(*table_, row_box), columns = read_box<T>(*table_, column_box);
    const std::vector<T> stored = read_box<T>(*table_, tile);
    std::vector<std::int32_t> splits;
    if (split_) splits = read_box<std::int32_t>(*split_, tile);
    const auto in_rows = [&](std::int64_t i, std::int64_t k) {
      return rows[static_cast<std::size_t>((i - top) * (end - top) + k - top)];
    };
    const auto in_columns = [&](std::int64_t k, std::int64_t j) {
      return columns[static_cast<std::size_t>((k - top) * (end - left) + j - left)];
    };
    for (std::size_t n = 0; n < stored.size(); ++n) {
      const auto at = static_cast<std::int64_t>(n);
      const std::int64_t i = top + at / (end - tile.begin[1]), j = tile.begin[1] + at % (end - tile.begin[1]);
      recursive::IntervalValue<T> computed{T(0), recursive::no_split};
      if (j == i + 1) computed.value = recursive_leaf(i);
      if (j > i + 1) {
        computed = recursive::interval_value<R, T>(
            named_, i, j, [&](std::int64_t k) { return in_rows(i, k); },
            [&](std::int64_t k) { return in_columns(k, j); }, in_columns(i + 1, j - 1));
      }
      if (stored[n] != computed.value) {
        return "table, " + difference_at({i, j}, text_of(stored[n]), text_of(computed.value));
      }
      if (split_ && splits[n] != computed.split) {
        return "split, " + difference_at({i, j}, text_of(splits[n]), text_of(computed.split));
      }
    }
    return "";
  }

  T recursive_leaf(std::int64_t i) const { return R::leaf(named_, i); }

  void check_solved() {
    const auto cells = static_cast<std::size_t>(nodes_ * nodes_);
    std::vector<T> x(cells);
    std::vector<std::int32_t> splits(cells);
    recursive::solve_intervals<R, T>(named_, nodes_, x.data(), splits.data());
    const T whole = x[static_cast<std::size_t>(nodes_ - 1)];
    found_.push_back(check_texts(request_, cost_name(), {cost_text(whole)}, "computed again"));
    if (!split_) return;
    Checked checked{"split", "computed again", "", true};
    const std::vector<std::int32_t> stored = read_box<std::int32_t>(*split_, Box::whole({nodes_, nodes_}));
    const auto [at, other] = std::mismatch(stored.begin(), stored.end(), splits.begin());
    if (at != stored.end()) {
      const std::int64_t n = at - stored.begin();
      checked.difference = difference_at({n / nodes_, n % nodes_}, text_of(*at), text_of(*other));
    }
    found_.push_back(std::move(checked));
  }

  /// An interval in the bracketing of all items, and its parts in the order in which they are found.
  struct Part {
    std::int64_t i, j, k;
    std::size_t left = 0, right = 0;  // 0: a single item
  };

  /// The intervals that the splits make of all items, each before its parts.
  std::vector<Part> parts() const {
    std::vector<Part> parts;
    if (nodes_ > 2) parts.push_back({0, nodes_ - 1, 0});
    for (std::size_t at = 0; at < parts.size(); ++at) {
      const std::int64_t i = parts[at].i, j = parts[at].j;
      const std::int64_t k = read_box<std::int32_t>(*split_, {{i, j}, {i + 1, j + 1}})[0];
      const bool pairs = R::looks_inside && k == i;
      if (!pairs && (k <= i || k >= j)) {
        throw ComputeError("split, row " + std::to_string(i) + ", column " + std::to_string(j) + ": " +
                           std::to_string(k) + " lies outside of the interval");
      }
      parts[at].k = k;
      const auto add = [&](std::int64_t begin, std::int64_t end, std::size_t& number) {
        if (end - begin < 2) return;
        number = parts.size();
        parts.push_back({begin, end, 0});
      };
      std::size_t left = 0, right = 0;
      if (pairs) {
        add(i + 1, j - 1, left);
      } else {
        add(i, k, left);
        add(k, j, right);
      }
      parts[at].left = left, parts[at].right = right;
    }
    return parts;
  }

  /// The value of all items by the splits, not by a search for the best.
  T value_of(const std::vector<Part>& all) const {
    std::vector<T> values(all.size());
    for (std::size_t at = all.size(); at-- > 0;) {
      const Part& part = all[at];
      const auto value = [&](std::size_t number, std::int64_t i) {
        return number > 0 ? values[number] : recursive_leaf(i);
      };
      if (R::looks_inside && part.k == part.i) {
        values[at] = static_cast<T>((part.left > 0 ? values[part.left] : T(0)) + 1);
        continue;
      }
      T weight = T(0), last = T(0);
      if constexpr (R::weighted) {
        weight = static_cast<T>(named_.first[part.i] * named_.first[part.k]);
        last = named_.first[part.j];
      }
      values[at] = R::template split<T>(value(part.left, part.i), value(part.right, part.k), weight, last);
      if constexpr (!R::looks_inside) values[at] = R::whole(values[at], T(0), named_, part.i, part.j);
    }
    return values.empty() ? (nodes_ > 1 ? recursive_leaf(0) : T(0)) : values[0];
  }

  /// Expression or structure, and the cost, by the splits.
  void check_brackets() {
    const std::string what = "followed from the whole";
    try {
      const std::vector<Part> all = parts();
      std::vector<std::int32_t> opens(static_cast<std::size_t>(nodes_)), closes(opens.size());
      for (const Part& part : all) {
        if (R::looks_inside && part.k != part.i) continue;
        ++opens[static_cast<std::size_t>(part.i)];
        ++closes[static_cast<std::size_t>(part.j - 1)];
      }
      const std::string text = brackets_of(request_.request.stage.problem, opens, closes, nodes_ - 1);
      found_.push_back(check_texts(request_, text_name(), {text}, "splits " + what));
      if (!table_ && nodes_ > most_solved) {
        found_.push_back({"split",
                          "where intervals are split that the whole is not made of depends on a table that is not "
                          "kept; --all computes it again",
                          "", false});
        found_.push_back(check_texts(request_, cost_name(), {cost_text(value_of(all))}, "splits " + what));
      }
    } catch (const ComputeError& error) {
      found_.push_back({text_name(), "splits " + what, error.what(), true});
    }
  }

  const VerifyRequest& request_;
  const IntervalInputs& inputs_;
  std::int64_t nodes_;
  std::vector<T> terms_;
  recursive::NodeTerms<T> named_{};
  std::shared_ptr<io::Source> table_, split_;
  std::vector<Checked> found_;
};

}  // namespace

std::vector<Checked> verify_intervals(const VerifyRequest& request) {
  const IntervalInputs inputs = read_intervals(request.request);
  const ElementType type =
      request.has("table") ? request.dataset("table")->type() : interval_type(request.request, inputs);
  const int rule = inputs.points ? recursive::Rules::index<recursive::PerimeterRule>()
                                 : recursive::find_problem(request.request.stage.problem)->rule;
  std::vector<Checked> found;
  dispatch(type, [&](auto value) {
    using T = decltype(value);
    recursive::Rules::visit(rule, [&]<class R>(R) {
      if constexpr (R::template has<T> && std::is_signed_v<T>) found = IntervalsCheck<R, T>(request, inputs).run();
      else throw WrongDataset("table", "is of " + std::string(name_of(type)) + ", as no such table is");
    });
  });
  return found;
}

}  // namespace terrace::stages
