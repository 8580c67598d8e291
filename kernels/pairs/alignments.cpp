#include "kernels/pairs/alignments.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/device/cpu_context.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/pairs/aligned.hpp"
#include "kernels/pairs/kept/gather.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::pairs {
namespace {

class Alignments final : public device::CpuBlocks<AlignmentsTask, AlignmentsResult> {
 public:
  Alignments(const PairsSpec& spec, device::CpuContext& context) : CpuBlocks(context.pool()) {
    for (int thread = 0; thread < threads(); ++thread) aligners_.push_back(make_aligner(spec));
    found_.resize(static_cast<std::size_t>(threads()));
  }

 protected:
  AlignmentsResult compute(const AlignmentsTask& task) override {
    const i64 listed = std::ssize(task.listed->pairs);
    cigars_.resize(static_cast<std::size_t>(listed));
    rows_.gather(task.listed->rows, 1);
    columns_.gather(task.listed->columns, 1);
    in_turn(listed, [&](i64 pair, int thread) { align(task, pair, static_cast<std::size_t>(thread)); });
    for (i64 pair = listed; pair < task.room; ++pair) store(task, pair, {});
    for (i64 pair = std::max(listed, task.room); pair < task.count; ++pair) task.lengths[pair] = 0;
    AlignmentsResult result{0};
    for (const std::string& cigar : cigars_) {
      const auto bytes = static_cast<i64>(cigar.size());
      if (result.bytes + bytes > task.cigar_bytes) throw ComputeError("the cigars of a block are longer than any is");
      std::memcpy(task.cigars + result.bytes, cigar.data(), cigar.size());
      result.bytes += bytes;
    }
    if (!aborted()) task.listed->ended = true;
    return result;
  }

 private:
  std::span<const u8> letters(const GatheredSide& side, i64 item) const {
    const i64 number = side.number_of(item), begin = side.begin()[number], end = side.begin()[number + 1];
    return {static_cast<const u8*>(side.elements()) + begin, static_cast<std::size_t>(end - begin)};
  }

  void align(const AlignmentsTask& task, i64 pair, std::size_t thread) {
    const auto [row, column] = task.listed->pairs[static_cast<std::size_t>(pair)];
    Aligned& found = found_[thread];
    found = {};
    if (row >= 0 && column >= 0) aligners_[thread]->align(letters(rows_, row), letters(columns_, column), found);
    store(task, pair, found);
    cigars_[static_cast<std::size_t>(pair)] = found.cigar;
  }

  static void store(const AlignmentsTask& task, i64 pair, const Aligned& found) {
    task.starts[2 * pair] = found.start_row;
    task.starts[2 * pair + 1] = found.start_column;
    task.ends[2 * pair] = found.end_row;
    task.ends[2 * pair + 1] = found.end_column;
    task.identities[pair] =
        found.length == 0 ? 0 : static_cast<double>(found.matches) / static_cast<double>(found.length);
    task.lengths[pair] = static_cast<i64>(found.cigar.size());
  }

  std::vector<std::unique_ptr<Aligner>> aligners_;  // of each thread
  std::vector<Aligned> found_;                      // likewise
  GatheredSide rows_, columns_;
  std::vector<std::string> cigars_;
};

}  // namespace

std::unique_ptr<device::BlockKernel> make_alignments(const PairsSpec& spec, device::Context& context) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("alignments of pairs", context.limits().name + " is not a CPU");
  return std::make_unique<Alignments>(spec, *cpu);
}

std::size_t alignments_bytes(const PairsSpec& spec, int threads) {
  return static_cast<std::size_t>(threads) * aligner_bytes(spec.longest_row, spec.longest_column);
}

}  // namespace terrace::pairs
