#include "kernels/pairs/kept.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/launch/one_block.hpp"
#include "kernels/pairs/kept/best.hpp"
#include "kernels/pairs/kept/gather.hpp"
#include "kernels/pairs/kept/known.hpp"
#include "kernels/pairs/packed_list.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::pairs {
namespace {

/// True if scores are computed in another type than they are kept in.
bool converts_scores(const KeptSpec& spec) { return spec.stored != spec.pairs.value || spec.scale != 1; }

/// True if every pair has a total cost, which must be finite.
bool checks_finite(const KeptSpec& spec) { return is_floating(spec.pairs.value) && !spec.pairs.at_most; }

class KeptPairs final : public device::BlockKernel {
 public:
  KeptPairs(const KeptSpec& spec, std::unique_ptr<device::BlockKernel> pairs)
      : spec_(spec),
        pairs_(std::move(pairs)),
        element_(spec.pairs.description->items == wavefront::Items::letters ? 1 : size_of(spec.pairs.value)) {}

  void run(const device::Port& port) override {
    device::compute_in_order<KeptTask, KeptResult>(
        port, [&](const KeptTask& task, KeptResult& result) { return compute(task, result, *port.abort); });
  }

 private:
  bool compute(const KeptTask& task, KeptResult& result, u64& abort) {
    PairsTask inner = task.listed == nullptr ? task.pairs : gathered_.gather(*task.listed, element_);
    result = {};
    result.not_finite = -1;
    if (task.listed != nullptr && task.packed.to != nullptr) {
      pack_list(inner, task.packed, element_);
      task.listed->ended = true;
      return true;
    }
    const auto count = static_cast<std::size_t>(inner.count);
    void* stored = task.scores;
    if (stored == nullptr) stored = room(stored_, count * size_of(spec_.stored));
    if (inner.scores == nullptr) {
      inner.scores = converts() ? room(scores_, count * size_of(spec_.pairs.value)) : stored;
      inner.ends = task.ends;
      const bool computed = compute_pairs(task, inner, result.pairs, abort);
      if (task.listed != nullptr) task.listed->ended = true;
      if (!computed) return false;
    } else {
      if (!converts()) std::memcpy(stored, inner.scores, count * size_of(spec_.stored));
      if (task.ends != nullptr) std::memcpy(task.ends, inner.ends, count * sizeof(End));
    }
    if (converts()) convert(inner, stored);
    if (task.known != nullptr) take_known(task, stored);
    result.not_finite = first_not_finite(stored, inner.count);
    if (task.hits != nullptr) keep_best(task, inner, stored);
    if (spec_.counts) count_passed(inner, stored, result);
    return true;
  }

  bool compute_pairs(const KeptTask& task, const PairsTask& pairs, PairsResult& result, device::u64& abort) {
    if (task.known == nullptr) return device::compute_one(*pairs_, pairs, result, abort);
    return others_.compute(*pairs_, pairs, *task.known, size_of(spec_.pairs.value), result, abort);
  }

  /// Scores and ends that are known take their places.
  void take_known(const KeptTask& task, void* stored) const {
    dispatch(spec_.pairs.value, [&](auto from) {
      dispatch(spec_.stored, [&](auto to) {
        using From = decltype(from);
        using To = decltype(to);
        over_known(*task.known, sizeof(From), [&](i64 number, const std::byte* at, const End* end) {
          From score;
          std::memcpy(&score, at, sizeof score);
          static_cast<To*>(stored)[number] = scaled<To>(score);
          if (end != nullptr) task.ends[number] = *end;
        });
      });
    });
    task.known->ended = true;
  }

  bool converts() const { return converts_scores(spec_); }

  static void* room(std::vector<std::byte>& memory, std::size_t bytes) {
    if (memory.size() < bytes) memory.resize(bytes);
    return memory.data();
  }

  void keep_best(const KeptTask& task, const PairsTask& pairs, const void* stored) const {
    dispatch(spec_.stored, [&](auto zero) {
      using T = decltype(zero);
      BestHits<T> best(spec_);
      for (i64 row = 0; row < pairs.row_items; ++row) {
        best.merge(static_cast<const T*>(stored) + row * pairs.column_items, pairs.column_items, task.first_column,
                   task.hits + row * spec_.best, static_cast<T*>(task.hit_scores) + row * spec_.best, task.begins);
      }
    });
  }

  /// A list of pairs counts as one row.
  void count_passed(const PairsTask& pairs, const void* stored, KeptResult& result) const {
    const i64 rows = pairs.pairs == nullptr ? pairs.row_items : 1, columns = pairs.count / std::max<i64>(1, rows);
    dispatch(spec_.stored, [&](auto zero) {
      const auto* scores = static_cast<const decltype(zero)*>(stored);
      for (i64 row = 0; row < rows; ++row) {
        const auto* of_row = scores + row * columns;
        result.passed[row] =
            std::count_if(of_row, of_row + columns, [&](auto score) { return passes(spec_, score); });
      }
    });
  }

  /// The first total that has left its type, where every pair has one.
  i64 first_not_finite(const void* stored, i64 count) const {
    if (!checks_finite(spec_)) return -1;
    return dispatch(spec_.stored, [&](auto zero) -> i64 {
      const auto* scores = static_cast<const decltype(zero)*>(stored);
      for (i64 pair = 0; pair < count; ++pair) {
        if (!std::isfinite(static_cast<double>(scores[pair]))) return pair;
      }
      return -1;
    });
  }

  void convert(const PairsTask& task, void* kept) const {
    dispatch(spec_.pairs.value, [&](auto from) {
      dispatch(spec_.stored, [&](auto to) {
        using To = decltype(to);
        const auto* scores = static_cast<const decltype(from)*>(task.scores);
        for (i64 pair = 0; pair < task.count; ++pair) static_cast<To*>(kept)[pair] = scaled<To>(scores[pair]);
      });
    });
  }

  template <class To, class From>
  To scaled(From score) const {
    if (spec_.scale == 1) return static_cast<To>(score);
    return static_cast<To>(static_cast<double>(score) / static_cast<double>(spec_.scale));
  }

  KeptSpec spec_;
  std::unique_ptr<device::BlockKernel> pairs_;
  std::size_t element_;  // bytes
  GatheredPairs gathered_;
  OtherPairs others_;
  std::vector<std::byte> scores_, stored_;  // as the kernel computes them, and as they are kept
};

}  // namespace

bool keeps_part(const KeptSpec& spec) {
  return spec.best > 0 || spec.counts || converts_scores(spec) || checks_finite(spec);
}

std::size_t kept_bytes(const KeptSpec& spec, std::int64_t pairs) {
  const std::size_t computed = converts_scores(spec) ? size_of(spec.pairs.value) : 0;
  const std::size_t stored = spec.best > 0 ? size_of(spec.stored) : 0;
  return static_cast<std::size_t>(pairs) * (computed + stored);
}

std::unique_ptr<device::BlockKernel> make_kept(const KeptSpec& spec, std::unique_ptr<device::BlockKernel> pairs,
                                               device::Context& context) {
  if (!context.shares_host_memory()) throw DeviceError("kept pairs", context.limits().name + " is not a CPU");
  return std::make_unique<KeptPairs>(spec, std::move(pairs));
}

}  // namespace terrace::pairs
