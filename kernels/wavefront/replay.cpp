#include "kernels/wavefront/replay.hpp"

#include <algorithm>
#include <vector>

#include "kernels/wavefront/trace.hpp"
#include "kernels/wavefront/visit.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront {
namespace {

/// Items one after another, read in pieces.
template <class Item>
class ItemReader {
 public:
  ItemReader(const ReadItems& read, i64 count) : read_(read), count_(count) {}

  Item at(i64 index) {
    if (index < first_ || index >= first_ + static_cast<i64>(items_.size())) {
      items_.resize(static_cast<std::size_t>(std::min(most, count_ - index)));
      read_(first_ = index, static_cast<i64>(items_.size()), items_.data());
    }
    return items_[static_cast<std::size_t>(index - first_)];
  }

 private:
  static constexpr i64 most = 1 << 16;

  const ReadItems& read_;
  i64 count_, first_ = 0;
  std::vector<Item> items_;
};

/// @tparam V type in which cells are computed
template <class P, class V>
class Replay {
 public:
  explicit Replay(const FollowedPath& path)
      : path_(path),
        constants_(problem_constants<P>(path.settings)),
        k_(P::template constants_as<V>(constants_)),
        rows_(path.read_rows, path.rows),
        columns_(path.read_columns, path.columns),
        row_(path.row),
        column_(path.column) {}

  BlockResult run() {
    h_ = start();
    for (auto run = path_.runs.rbegin(); run != path_.runs.rend(); ++run) {
      for (i64 i = 0; i < run->count; ++i) step(run->step, i > 0);
    }
    return {reported(h_), row_, column_};
  }

 private:
  using Item = std::conditional_t<P::items == Items::letters, device::u8, V>;

  V start() {
    if (is_local<P>) return V(0);
    if (row_ != 0 && column_ != 0) fail("begins inside the table");
    if constexpr (has_corner<P, V>) {
      if (row_ == 0 && column_ == 0) return P::corner(k_, rows_.at(0), columns_.at(0));
    }
    return row_ == 0 ? P::template top<V>(k_, column_ - 1).h : P::template left<V>(k_, row_ - 1).h;
  }

  /// @param goes_on true if the step before was of the same kind
  void step(char kind, bool goes_on) {
    row_ += kind != 'D';
    column_ += kind != 'I';
    if (row_ > path_.rows || column_ > path_.columns) fail("leaves the table");
    if (kind == 'I' || kind == 'D') h_ = in_gap(goes_on);
    else pair(kind == '=');
  }

  void pair(bool equal) {
    const Item row = rows_.at(row_ - 1), column = columns_.at(column_ - 1);
    if (P::items == Items::letters && (row == column) != equal) fail("takes letters for equal that are not, or back");
    h_ = paired<P, V>(k_, h_, P::template score<V>(k_, static_cast<V>(row), static_cast<V>(column)));
  }

  V in_gap(bool goes_on) {
    if constexpr (requires { k_.gap_next; }) {
      return goes_on ? subtract(h_, k_.gap_next) : P::template gap_opened<V>(k_, h_, V(0));
    } else if constexpr (P::items == Items::values) {
      if (row_ == 0 || column_ == 0) fail("pairs values with nothing");
      return P::template gap_opened<V>(k_, h_,
                                       P::template score<V>(k_, rows_.at(row_ - 1), columns_.at(column_ - 1)));
    } else {
      return P::template gap_opened<V>(k_, h_, V(0));
    }
  }

  [[noreturn]] void fail(const char* what) const {
    throw ComputeError("the path that was found through the table of " + path_.problem + " from row " +
                       std::to_string(path_.row) + " and column " + std::to_string(path_.column) + " on " + what +
                       " at row " + std::to_string(row_) + " and column " + std::to_string(column_));
  }

  const FollowedPath& path_;
  typename P::template Constants<i64> constants_;
  typename P::template Constants<V> k_;
  ItemReader<Item> rows_, columns_;
  i64 row_, column_;
  V h_{};
};

}  // namespace

BlockResult replay(const FollowedPath& path) {
  BlockResult found{};
  visit_problem(path.problem, path.settings, [&]<class P>(P) {
    if constexpr (!Traceable<P>) throw ComputeError("paths of " + path.problem + " cannot be followed");
    else if constexpr (P::items == Items::letters) found = Replay<P, i64>(path).run();
    else if (path.value == ElementType::f32) found = Replay<P, float>(path).run();
    else found = Replay<P, double>(path).run();
  });
  return found;
}

}  // namespace terrace::wavefront
