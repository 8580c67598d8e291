// Alignments with a pair in each lane: each pair in the narrowest type that holds its score.
#include <algorithm>
#include <array>
#include <mutex>
#include <type_traits>

#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/pairs/cpu/groups.hpp"
#include "kernels/pairs/cpu/lane_letters.hpp"
#include "kernels/pairs/cpu/lanes.hpp"
#include "kernels/pairs/cpu/letter_codes.hpp"
#include "kernels/pairs/cpu/striped.hpp"
#include "kernels/pairs/cpu/work.hpp"
#include "kernels/pairs/measured.hpp"
#include "kernels/pairs/plain.hpp"
#include "kernels/values/aligned_array.hpp"
#include "kernels/values/vectors.hpp"

namespace terrace::pairs {
namespace {

using device::InstructionSet;
using values::AlignedArray;
using wavefront::Report;

/// Memory of a thread.
struct Scratch {
  std::vector<u8> row_letters, column_letters;
  AlignedArray<u8> memory;
  i64 bytes = 0;
  std::vector<i64> again;  // pairs whose scores may have left the type
  PlainRows<i64> plain;

  u8* take(i64 wanted) {
    if (wanted > bytes) memory = AlignedArray<u8>(bytes = wanted);
    return memory.data();
  }
};

i64 rounded_up(i64 count, i64 unit) { return (count + unit - 1) / unit * unit; }

/// A matrix in tables of table_width scores; what stands beyond items' ends adds nothing.
struct Tables {
  alignas(64) std::array<i8, static_cast<std::size_t>(table_width* table_width)> scores{};

  Tables() = default;
  Tables(const wavefront::Matrix& matrix, i64 scale, bool by_columns) {
    const auto least = std::min<i64>(wavefront::range_of(matrix).least, 0);
    for (int row = 0; row < table_width; ++row) {
      for (int column = 0; column < table_width; ++column) {
        const bool known = row < matrix.count && column < matrix.count;
        const int at = by_columns ? column * table_width + row : row * table_width + column;
        scores[static_cast<std::size_t>(at)] = static_cast<i8>(scale * (known ? matrix.scores[row][column] : least));
      }
    }
  }
};

template <class P, class Score>
class LettersOnCpu final : public device::CpuBlocks<PairsTask, PairsResult> {
  using Constants = typename P::template Constants<i64>;
  static constexpr bool local = P::report == Report::best, affine = P::row_planes == 2;
  static constexpr bool by_matrix = wavefront::by_matrix<P>;

 public:
  LettersOnCpu(const PairsSpec& spec, device::CpuContext& context, InstructionSet set)
      : CpuBlocks(context.pool()),
        k_(wavefront::problem_constants<P>(spec.settings)),
        set_(set),
        with_ends_(spec.ends),
        scratch_(static_cast<std::size_t>(threads())) {
    scores_.match = k_.match;
    scores_.mismatch = k_.mismatch;
    if constexpr (affine) scores_.first = k_.gap_first, scores_.next = k_.gap_next;
    else scores_.first = scores_.next = k_.gap;
    if constexpr (!local) scores_.free_rows = k_.free_rows, scores_.free_columns = k_.free_columns;
    if constexpr (by_matrix) {
      scores_.scale = k_.scale;
      for (const bool by_columns : {false, true}) {
        tables_[by_columns] = Tables(*k_.matrix, 1, by_columns);
        if (fits_bytes()) scaled_[by_columns] = Tables(*k_.matrix, k_.scale, by_columns);
      }
    }
  }

 protected:
  PairsResult compute(const PairsTask& task) override {
    PairsResult result{};
    if constexpr (local) places_ = letter_places(task.columns, task.column_begin, task.column_items);
    const auto pads = by_matrix ? Pads{matrix_pad, matrix_pad} : pads_of(task);
    std::vector<i64> numbers(static_cast<std::size_t>(task.count));
    for (i64 n = 0; n < task.count; ++n) numbers[static_cast<std::size_t>(n)] = n;
    bool whole = true;
    for (const int bytes : {1, 2, 4}) {
      if (numbers.empty() || aborted() || !pads || !fits(bytes)) continue;
      std::vector<i64> later;
      if (!local || bytes == 4) whole &= !leave_longer(task, bytes, numbers, later);
      const i64 lanes = values::vector_bytes(set_) / bytes;
      const Groups groups =
          whole ? groups_of(task, lanes, is_shared()) : groups_of(task, std::move(numbers), lanes, is_shared());
      result.again += compute_groups(task, *pads, groups, bytes, later);
      numbers = std::move(later);
      std::sort(numbers.begin(), numbers.end());
      whole = false;
    }
    in_turn(std::ssize(numbers), [&](i64 n, int thread) {
      compute_plainly(task, numbers[static_cast<std::size_t>(n)], scratch_[static_cast<std::size_t>(thread)]);
    });
    return result;
  }

 private:
  bool is_shared() const { return true; }

  bool fits_bytes() const {
    if constexpr (!local) return false;
    return std::max({std::abs(k_.match), std::abs(k_.mismatch), scores_.first, scores_.next}) <= 127;
  }
  /// True if all constants fit values of so many bytes.
  bool fits(int bytes) const {
    // Letters beyond an item's end must not add to local alignments.
    if (local && !by_matrix && k_.mismatch > 0) return false;
    if (bytes == 1) return fits_bytes();
    const i64 most = bytes == 2 ? 32767 : i64{1} << 29;
    return std::max({std::abs(k_.match), std::abs(k_.mismatch), scores_.first, scores_.next}) <= most;
  }

  /// Moves pairs whose values may leave the type to `later`. @return true if there were some
  bool leave_longer(const PairsTask& task, int bytes, std::vector<i64>& numbers, std::vector<i64>& later) const {
    const i64 most = bytes == 2 ? 32767 : 2147483647;
    const auto split = std::stable_partition(numbers.begin(), numbers.end(), [&](i64 number) {
      const auto [row, column] = pair_of(task, number);
      return P::bound(k_, task.row_begin[row + 1] - task.row_begin[row],
                      task.column_begin[column + 1] - task.column_begin[column]) <= most;
    });
    later.assign(split, numbers.end());
    numbers.erase(split, numbers.end());
    return !later.empty();
  }

  /// Computes groups. @param later gets the pairs that are left for a wider type @return how many of them were
  /// computed
  i64 compute_groups(const PairsTask& task, const Pads& pads, const Groups& groups, int bytes,
                     std::vector<i64>& later) {
    const i64 count = std::ssize(groups.groups);
    i64 again = 0;
    const auto compute = [&](i64 begin, i64 end, i64 step) {
      in_turn(std::max<i64>(0, (end - begin + step - 1) / step), [&](i64 number, int thread) {
        compute_group(task, pads, groups, groups.groups[static_cast<std::size_t>(begin + number * step)], bytes,
                      scratch_[static_cast<std::size_t>(thread)]);
      });
      i64 left = 0;
      for (Scratch& scratch : scratch_) {
        left += std::ssize(scratch.again);
        later.insert(later.end(), scratch.again.begin(), scratch.again.end());
        scratch.again.clear();
      }
      again += left;
      return left;
    };
    // If most pairs of some groups leave bytes, so do those of the others.
    constexpr i64 every = measured::CpuLetters::tried_group;
    const i64 tried = bytes == 1 ? (count + every - 1) / every : 0;
    i64 pairs = 0;
    for (i64 n = 0; n < tried; ++n) pairs += groups.groups[static_cast<std::size_t>(n * every)].count;
    const bool leave = tried > 0 && 2 * compute(0, count, every) > pairs;
    for (i64 first = tried > 0 ? 1 : 0; first < (tried > 0 ? every : 1); ++first) {
      if (!leave) {
        compute(first, count, tried > 0 ? every : 1);
        continue;
      }
      for (i64 n = first; n < count; n += every) {
        const Group& group = groups.groups[static_cast<std::size_t>(n)];
        later.insert(later.end(), groups.order.begin() + group.begin,
                     groups.order.begin() + group.begin + group.count);
      }
    }
    return again;
  }

  void compute_group(const PairsTask& task, const Pads& pads, const Groups& groups, const Group& group, int bytes,
                     Scratch& scratch) const {
    const i64 lanes = values::vector_bytes(set_) / bytes;
    const i64* numbers = groups.order.data() + group.begin;
    std::array<LaneLetters, most_lanes> rows{}, columns{};
    std::array<LaneItem, most_lanes> items{};
    std::array<LaneBest, most_lanes> best{};
    LettersWork work{};
    work.scores = scores_;
    work.lanes = group.count;
    work.least_rows = i64{1} << 40;
    for (i64 lane = 0; lane < group.count; ++lane) {
      const auto at = static_cast<std::size_t>(lane);
      const auto [row, column] = pair_of(task, numbers[lane]);
      const auto a = item_of<u8>(task.rows, task.row_begin, row),
                 b = item_of<u8>(task.columns, task.column_begin, column);
      rows[at] = {a.data(), std::ssize(a)};
      columns[at] = {b.data(), std::ssize(b)};
      const auto border = wavefront::border_report<P>(k_, std::ssize(a), std::ssize(b));
      best[at] = {border.score, static_cast<i32>(border.row), static_cast<i32>(border.column)};
      if (a.empty() || b.empty()) rows[at].count = columns[at].count = 0;  // the border is all there is
      items[at] = {static_cast<i32>(rows[at].count), static_cast<i32>(columns[at].count)};
      work.rows = std::max(work.rows, rows[at].count);
      work.columns = std::max(work.columns, columns[at].count);
      if (items[at].rows > 0) work.least_rows = std::min(work.least_rows, rows[at].count);
    }
    const bool striped =
        local && bytes < 4 && !with_ends_ && places_ && is_striped_faster(items.data(), group.count, lanes);
    if (striped) {
      align_striped(rows, columns, pads, bytes, work, best, scratch);
    } else if (work.rows > 0) {
      std::array<u8, most_profile_letters> letters{};
      const bool shared = group.shared && share_rows(rows[0], work, letters, scratch);
      const i64 count = rounded_up(work.columns, most_block);
      scratch.column_letters.resize(static_cast<std::size_t>(count * lanes));
      write_lanes(columns.data(), lanes, count, pads.column, scratch.column_letters.data());
      if (!shared) {
        scratch.row_letters.resize(static_cast<std::size_t>(work.rows * lanes));
        write_lanes(rows.data(), lanes, work.rows, pads.row, scratch.row_letters.data());
      }
      work.row_letters = scratch.row_letters.data();
      work.column_letters = scratch.column_letters.data();
      work.letters = letters.data();
      work.items = items.data();
      work.best = best.data();
      work.scores.matrix = by_matrix ? (bytes == 1 ? scaled_ : tables_)[0].scores.data() : nullptr;
      work.scores.matrix_by_columns = by_matrix ? (bytes == 1 ? scaled_ : tables_)[1].scores.data() : nullptr;
      work.memory = scratch.take(letters_bytes(work.rows));
      const Scoring scoring = shared ? Scoring::shared : by_matrix ? Scoring::mixed : Scoring::equal;
      function({local, affine, with_ends_, bytes, scoring})(work);
    }
    for (i64 lane = 0; lane < group.count; ++lane) {
      if (work.overflow[lane]) scratch.again.push_back(numbers[lane]);
      else write(task, numbers[lane], best[static_cast<std::size_t>(lane)]);
    }
  }

  /// Aligns the pairs of a group one after another.
  void align_striped(const std::array<LaneLetters, most_lanes>& rows,
                     const std::array<LaneLetters, most_lanes>& columns, const Pads& pads, int bytes,
                     LettersWork& work, std::array<LaneBest, most_lanes>& best, Scratch& scratch) const {
    const auto function = device::for_instruction_set(set_, sse2::striped_function, avx2::striped_function,
                                                      avx512::striped_function)(bytes);
    StripedWork striped{};
    striped.scores = scores_;
    striped.scores.matrix_by_columns = by_matrix ? (bytes == 1 ? scaled_ : tables_)[1].scores.data() : nullptr;
    striped.letters = places_->letters.data();
    striped.letter_count = places_->count;
    striped.pad = pads.row;
    striped.memory = scratch.take(striped_bytes(work.rows, places_->count));
    for (i64 lane = 0; lane < work.lanes; ++lane) {
      const LaneLetters &a = rows[static_cast<std::size_t>(lane)], &b = columns[static_cast<std::size_t>(lane)];
      if (a.count == 0) continue;
      striped.is_new = lane == 0 || a.letters != striped.row_letters || a.count != striped.rows;
      striped.row_letters = a.letters;
      striped.rows = a.count;
      write_places(*places_, b.letters, b.count, scratch.column_letters);
      striped.column_letters = scratch.column_letters.data();
      striped.columns = b.count;
      function(striped);
      best[static_cast<std::size_t>(lane)].score = striped.score;
      work.overflow[lane] = striped.overflow;
    }
  }

  /// Finds the letters of the rows that all lanes have. @return false: there are too many
  static bool share_rows(const LaneLetters& rows, LettersWork& work, std::array<u8, most_profile_letters>& letters,
                         Scratch& scratch) {
    std::array<i16, 256> places;
    places.fill(-1);
    scratch.row_letters.resize(static_cast<std::size_t>(rows.count));
    for (i64 i = 0; i < rows.count; ++i) {
      const u8 letter = rows.letters[i];
      if (places[letter] < 0) {
        if (work.letter_count == most_profile_letters) return false;
        places[letter] = static_cast<i16>(work.letter_count);
        letters[static_cast<std::size_t>(work.letter_count++)] = letter;
      }
      scratch.row_letters[static_cast<std::size_t>(i)] = static_cast<u8>(places[letter]);
    }
    return true;
  }

  LettersFunction function(const LettersKind& kind) const {
    return device::for_instruction_set(set_, sse2::letters_function, avx2::letters_function,
                                       avx512::letters_function)(kind);
  }

  void compute_plainly(const PairsTask& task, i64 number, Scratch& scratch) const {
    const auto [row, column] = pair_of(task, number);
    const Scored<i64> found =
        plain_score<P, i64, u8>(k_, item_of<u8>(task.rows, task.row_begin, row),
                                item_of<u8>(task.columns, task.column_begin, column), scratch.plain);
    write(task, number, {found.score, static_cast<i32>(found.row), static_cast<i32>(found.column)});
  }

  static void write(const PairsTask& task, i64 number, const LaneBest& found) {
    static_cast<Score*>(task.scores)[number] = static_cast<Score>(found.score);
    if (task.ends != nullptr) task.ends[number] = {found.row, found.column};
  }

  Constants k_;
  InstructionSet set_;
  bool with_ends_;
  LetterScores scores_;
  std::optional<LetterPlaces> places_;  // of the columns of a block; nullopt: there are too many
  Tables tables_[2], scaled_[2];        // by letters of rows, and of columns
  std::vector<Scratch> scratch_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_letters_lanes(const PairsSpec& spec, device::CpuContext& context,
                                                        InstructionSet set) {
  std::unique_ptr<device::BlockKernel> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) {
    if constexpr (P::items == wavefront::Items::letters && P::report != Report::last) {
      if (spec.value == ElementType::i32) made = std::make_unique<LettersOnCpu<P, i32>>(spec, context, set);
      else made = std::make_unique<LettersOnCpu<P, i64>>(spec, context, set);
    }
  });
  return made;
}

}  // namespace terrace::pairs
