#include "pipeline/run/profile.hpp"

#include <algorithm>

namespace terrace::run {
namespace {

/// Joins `next` to `record` when both are of one phase and device and lie side by side.
bool join(BlockRecord& record, const BlockRecord& next, std::int64_t longest) {
  const bool neighbours = record.stage == next.stage && record.phase == next.phase && record.device == next.device &&
                          record.attempts == next.attempts && record.first + record.count == next.first;
  if (!neighbours || record.count + next.count > longest) return false;
  record.count += next.count;
  record.operations += next.operations;
  record.begin = std::min(record.begin, next.begin);
  record.end = std::max(record.end, next.end);
  return true;
}

}  // namespace

void StageRecord::add(const std::string& part, double work, double block_begin, double block_end) {
  auto found =
      std::find_if(parts.begin(), parts.end(), [&](const PartRecord& record) { return record.name == part; });
  if (found == parts.end()) found = parts.insert(parts.end(), {part, 0, 0, 0, block_begin});
  ++found->blocks;
  found->operations += work;
  found->seconds += std::max(0.0, block_end - std::max(found->until, block_begin));
  found->until = std::max(found->until, block_end);
}

double StageRecord::left_out() const {
  const double passed = before.operations + operations, all = whole > 0 ? whole : passed;
  if (all <= 0) return 0;
  const double not_passed = std::max(0.0, 1 - passed / all);
  return std::min(1.0, not_passed + (before.skipped + skipped) / all);
}

void Profile::begin_stage(StageRecord stage) { stages_.push_back(std::move(stage)); }

void Profile::add(BlockRecord block) {
  block.stage = static_cast<std::int64_t>(stages_.size()) - 1;
  if (!blocks_.empty() && join(blocks_.back(), block, run_length_)) return;
  blocks_.push_back(block);
  if (blocks_.size() < most_records) return;
  run_length_ *= 4;
  std::vector<BlockRecord> shorter;
  for (const BlockRecord& record : blocks_) {
    if (shorter.empty() || !join(shorter.back(), record, run_length_)) shorter.push_back(record);
  }
  blocks_ = std::move(shorter);
}

void Profile::add(CopyRecord copy) {
  copy.stage = static_cast<std::int64_t>(stages_.size()) - 1;
  StageRecord& sums = stages_.back();
  switch (copy.movement) {
    case Movement::read:
      sums.bytes_read += copy.bytes;
      break;
    case Movement::copy_up:
      sums.bytes_up += copy.bytes;
      break;
    case Movement::copy_down:
      sums.bytes_down += copy.bytes;
      break;
    case Movement::write:
      sums.bytes_written += copy.bytes;
      break;
  }
  if (copies_.size() < most_records) copies_.push_back(copy);
}

}  // namespace terrace::run
