#include "kernels/pairs/plain.hpp"

#include <cmath>
#include <type_traits>

#include "kernels/device/cpu_context.hpp"
#include "kernels/launch/cpu_blocks.hpp"

namespace terrace::pairs {
namespace {

/// Pairs that a thread takes at a time, at most.
constexpr i64 most_piece = 64;

/// @tparam V i64 for letters, whose scores are of type Score; for values all three are one type
template <class P, class V, class Item, class Score>
class PlainPairs final : public device::CpuBlocks<PairsTask, PairsResult> {
 public:
  PlainPairs(const PairsSpec& spec, device::CpuContext& context)
      : CpuBlocks(context.pool()),
        constants_(wavefront::problem_constants<P>(spec.settings)),
        at_most_(spec.at_most),
        missed_(spec.at_most ? static_cast<Score>(missed_distance(spec)) : Score{}),
        rows_(static_cast<std::size_t>(threads())) {}

 protected:
  PairsResult compute(const PairsTask& task) override {
    const i64 piece = std::clamp<i64>(task.count / threads(), 1, most_piece);
    const i64 pieces = (task.count + piece - 1) / piece;
    in_turn(pieces, [&](i64 number, int thread) {
      const i64 end = std::min(task.count, (number + 1) * piece);
      // Few pieces take as many rows, whatever threads have them.
      PlainRows<V>& rows = rows_[static_cast<std::size_t>(pieces <= threads() ? number : thread)];
      for (i64 pair = number * piece; pair < end && !aborted(); ++pair) score(task, pair, rows);
    });
    return {};
  }

 private:
  void score(const PairsTask& task, i64 number, PlainRows<V>& rows) const {
    const auto [row, column] = pair_of(task, number);
    const Scored<V> found = plain_score<P, V, Item>(constants_, item_of<Item>(task.rows, task.row_begin, row),
                                                    item_of<Item>(task.columns, task.column_begin, column), rows);
    const bool missed = at_most_ && static_cast<double>(found.score) > *at_most_;
    static_cast<Score*>(task.scores)[number] = missed ? missed_ : static_cast<Score>(found.score);
    if (task.ends != nullptr) task.ends[number] = {found.row, found.column};
  }

  typename P::template Constants<i64> constants_;
  std::optional<double> at_most_;
  Score missed_;
  std::vector<PlainRows<V>> rows_;
};

template <class P>
std::unique_ptr<device::BlockKernel> make(const PairsSpec& spec, device::CpuContext& context) {
  using wavefront::Items;
  if constexpr (P::items == Items::values) {
    if (spec.value == ElementType::f32) return std::make_unique<PlainPairs<P, float, float, float>>(spec, context);
    return std::make_unique<PlainPairs<P, double, double, double>>(spec, context);
  } else if constexpr (P::items == Items::letters) {
    if (spec.value == ElementType::i32) return std::make_unique<PlainPairs<P, i64, u8, i32>>(spec, context);
    return std::make_unique<PlainPairs<P, i64, u8, i64>>(spec, context);
  } else {
    return nullptr;
  }
}

}  // namespace

std::unique_ptr<device::BlockKernel> make_plain(const PairsSpec& spec, device::Context& context, void*) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("plain pairs", context.limits().name + " is not a CPU");
  std::unique_ptr<device::BlockKernel> made;
  wavefront::visit_problem(spec.problem, spec.settings, [&]<class P>(P) { made = make<P>(spec, *cpu); });
  return made;
}

}  // namespace terrace::pairs
