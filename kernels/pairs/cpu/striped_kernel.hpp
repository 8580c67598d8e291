// Local alignments one after another, the rows of each in all lanes (Farrar 2007): where items of a vector would
// differ much in length. Included once for each instruction set, with TERRACE_ISA as its name.
//
// Lane l has rows [l * segments, (l + 1) * segments). A column goes through the segments; vertical gaps that go on in
// the next lane are added after that, which is seldom.
#pragma once

#include "kernels/pairs/cpu/letters_kernel.hpp"

namespace terrace::pairs::TERRACE_ISA {
namespace {

template <class T>
class Striped {
  using V = Pack<T>;
  using Rules = Values<true, T>;
  static constexpr i64 lanes = V::lanes;

 public:
  explicit Striped(StripedWork& work)
      : work_(work),
        segments_((work.rows + lanes - 1) / lanes),
        profile_(reinterpret_cast<T*>(work.memory)),
        h_(profile_ + work.letter_count * segments_ * lanes),
        h_before_(h_ + segments_ * lanes),
        e_(h_before_ + segments_ * lanes),
        first_(work.scores.first),
        next_(work.scores.next) {}

  /// Scores of each letter of the columns with all rows.
  void make_profile() {
    for (i64 k = 0; k < segments_; ++k) {
      u8 letters[lanes];
      for (i64 lane = 0; lane < lanes; ++lane) {
        const i64 row = lane * segments_ + k;
        letters[lane] = row < work_.rows ? work_.row_letters[row] : work_.pad;
      }
      for (i64 n = 0; n < work_.letter_count; ++n) score(n, letters).store(profile_ + (n * segments_ + k) * lanes);
    }
  }

  void run() {
    const V zero(Rules::zero);
    for (i64 k = 0; k < segments_; ++k) {
      zero.store(h_ + k * lanes);
      zero.store(e_ + k * lanes);
    }
    V best = zero;
    for (i64 j = 0; j < work_.columns; ++j) {
      T* const made = h_before_;
      h_before_ = h_;
      h_ = made;
      best = make_column(profile_ + work_.column_letters[j] * segments_ * lanes, best);
    }
    T scores[lanes], most = Rules::zero;
    best.store(scores);
    for (const T score : scores) most = values::maximum(most, score);
    work_.score = i64{most} - Rules::zero;
    work_.overflow = most == Rules::largest;
  }

 private:
  V score(i64 n, const u8* letters) const {
    const LetterScores& rules = work_.scores;
    if (rules.matrix_by_columns == nullptr) {
      const V letter(static_cast<i8>(work_.letters[n]));
      return select_equal(letter, letters_of<T>(letters), V(rules.match), V(rules.mismatch));
    }
    i8 found[lanes];
    look_up<lanes>(rules.matrix_by_columns + work_.letters[n] * table_width, letters, found);
    return sizeof(T) == 1 ? widened<T>(found) : multiply(widened<T>(found), V(rules.scale));
  }

  V make_column(const T* scores, V best) {
    // Bytes that are stored may be any, also those of members.
    const V first = first_, next = next_;
    T *const made = h_, *const left = e_;
    const T* const before = h_before_;
    const i64 end = segments_ * lanes;
    V h = shift_in(V::load(before + end - lanes), Rules::zero), f(Rules::zero);
    for (i64 k = 0; k < end; k += lanes) {
      const V e = V::load(left + k);
      const V without_f = maximum(Rules::sum(h, V::load(scores + k)), e);
      h = maximum(without_f, f);
      best = maximum(best, h);
      h.store(made + k);
      maximum(Rules::extended(e, next), Rules::opened(h, first)).store(left + k);
      f = maximum(Rules::extended(f, next), Rules::opened(h, first));
      h = V::load(before + k);
    }
    // A horizontal gap behind a vertical one need not be opened here: in the other order they cost the same.
    for (i64 lane = 0; lane < lanes; ++lane) {
      f = shift_in(f, Rules::zero);
      for (i64 k = 0; k < end; k += lanes) {
        h = V::load(made + k);
        if (!any(f.v > Rules::opened(h, first).v)) return best;
        maximum(h, f).store(made + k);
        f = Rules::extended(f, next);
      }
    }
    return best;
  }

  StripedWork& work_;
  i64 segments_;
  T *profile_, *h_, *h_before_, *e_;
  V first_, next_;
};

template <class T>
void make_striped(StripedWork& work) {
  Striped<T> striped(work);
  if (work.is_new) striped.make_profile();
  striped.run();
}

}  // namespace

StripedFunction striped_function(int bytes) { return bytes == 1 ? make_striped<i8> : make_striped<i16>; }

}  // namespace terrace::pairs::TERRACE_ISA
