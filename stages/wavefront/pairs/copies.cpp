#include "stages/wavefront/pairs/copies.hpp"

#include <cstring>

#include "kernels/launch/cpu_launch.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stages {
namespace {

class Copies final : public device::BlockKernel {
 public:
  explicit Copies(const pairs::KeptSpec& spec) : spec_(spec) {}

  void run(const device::Port& port) override {
    device::compute_in_order<CopyTask, pairs::KeptResult>(port, [&](const CopyTask& task, pairs::KeptResult& result) {
      result = {};
      result.not_finite = -1;
      dispatch(spec_.stored, [&](auto zero) { copy<decltype(zero)>(*task.copied); });
      task.copied->ended = true;
      return true;
    });
  }

 private:
  template <class T>
  void copy(const CopiedPairs& copied) const {
    const auto* scores = reinterpret_cast<const T*>(copied.scores);
    std::int64_t next = 0;  // pair to look at
    for (const ListPart& part : copied.parts) {
      if (copied.pairs == 0) {
        std::memset(part.pairs, 0, static_cast<std::size_t>(part.count) * sizeof(ItemPair));
        std::memset(part.scores, 0, static_cast<std::size_t>(part.count) * sizeof(T));
        continue;
      }
      for (std::int64_t at = 0; at < part.count; ++at, ++next) {
        while (next < copied.pairs && !pairs::passes(spec_, scores[next])) ++next;
        if (next == copied.pairs) throw ComputeError("a block counted more pairs than its scores have");
        const auto [row, column] = copied.pair_of(next);
        part.pairs[2 * at] = row;
        part.pairs[2 * at + 1] = column;
        reinterpret_cast<T*>(part.scores)[at] = scores[next];
      }
    }
  }

  pairs::KeptSpec spec_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_copies(const pairs::KeptSpec& spec) {
  return std::make_unique<Copies>(spec);
}

}  // namespace terrace::stages
