#include "pipeline/run/profile.hpp"

#include <algorithm>
#include <utility>

#include "pipeline/base/error.hpp"

namespace terrace::run {
namespace {

/// Joins `next` to `record` if both are of one phase and device and consecutive.
bool join(BlockRecord& record, const BlockRecord& next, std::int64_t longest) {
  const bool neighbours = record.stage == next.stage && record.phase == next.phase && record.device == next.device &&
                          record.attempt == next.attempt && record.attempts == next.attempts &&
                          record.first + record.count == next.first;
  if (!neighbours || record.count + next.count > longest) return false;
  record.count += next.count;
  record.operations += next.operations;
  record.begin = std::min(record.begin, next.begin);
  record.end = std::max(record.end, next.end);
  return true;
}

constexpr std::size_t most_unlogged = 1 << 16;  // records of one piece of the log
constexpr std::size_t few_records = 16;         // of a piece once the log has the most records of a profile

/// Joins neighbours until there are at most `most` records, or no neighbours. @param run_length blocks that share a
/// record already. @return blocks that share one now
std::int64_t shorten(std::vector<BlockRecord>& records, std::size_t most, std::int64_t run_length = 1) {
  constexpr std::int64_t longest_run = std::int64_t{1} << 40;
  while (records.size() > most && run_length < longest_run) {
    run_length *= 4;
    std::vector<BlockRecord> shorter;
    for (const BlockRecord& record : records) {
      if (shorter.empty() || !join(shorter.back(), record, run_length)) shorter.push_back(record);
    }
    records = std::move(shorter);
  }
  return run_length;
}

}  // namespace

void StageRecord::add(const BlockRecord& block, const std::string& part) {
  blocks += block.count;
  operations += block.operations;
  computing.add(block.begin, block.end);
  if (part.empty()) return;
  auto found =
      std::find_if(parts.begin(), parts.end(), [&](const PartRecord& record) { return record.name == part; });
  if (found == parts.end()) found = parts.insert(parts.end(), {part, 0, 0});
  found->blocks += block.count;
  found->operations += block.operations;
  found->computing.add(block.begin, block.end);
}

double StageRecord::left_out() const {
  const double passed = before.operations + operations, all = whole > 0 ? whole : passed;
  if (all <= 0) return 0;
  const double not_passed = std::max(0.0, 1 - passed / all);
  return std::min(1.0, not_passed + (before.skipped + skipped) / all);
}

void Profile::begin_stage(StageRecord stage) { stages_.push_back(std::move(stage)); }

void Profile::begin_attempt(const io::Entry& folder, std::int64_t number) {
  using Seconds = std::chrono::duration<double>;
  const double now_1970 = Seconds(std::chrono::system_clock::now().time_since_epoch()).count();
  attempt_ = number;
  started_ = now_1970;
  for (const BlockLog::Attempt& earlier : BlockLog::read(folder)) {
    started_ = std::min(started_, earlier.started);
    for (const BlockRecord& block : earlier.blocks) append(block);
  }
  attempt_begin_ = now_1970 - started_;
  start_ -= std::chrono::duration_cast<std::chrono::steady_clock::duration>(Seconds(attempt_begin_));
  last_logged_ = attempt_begin_;
  try {
    log_ = std::make_unique<BlockLog>(folder, number, now_1970);
  } catch (const IoError&) {
    log_.reset();  // a missing profile must not end the run
  }
}

void Profile::add(BlockRecord block, const std::string& part) {
  block.stage = static_cast<std::int64_t>(stages_.size()) - 1;
  block.attempt = attempt_;
  stage().add(block, part);
  append(block);
  if (log_) unlogged_.push_back(block);
  if (unlogged_.size() >= most_unlogged) log_blocks(true);
}

void Profile::note_memory(int device, std::int64_t bytes) {
  memory_.add({static_cast<std::int64_t>(stages_.size()) - 1, device, now(), bytes});
}

void Profile::end_stage() {
  stage().end = now();
  memory_.end_stage(stage().end);
}

void Profile::log_blocks(bool at_once) {
  if (!log_ || unlogged_.empty() || (!at_once && now() - last_logged_ < 1)) return;
  last_logged_ = now();
  shorten(unlogged_, logged_ < most_records ? most_unlogged : few_records);
  try {
    log_->append(unlogged_);
  } catch (const IoError&) {
    log_.reset();
  }
  logged_ += unlogged_.size();
  unlogged_.clear();
}

Profile Profile::of_stages(const std::vector<std::size_t>& numbers) const {
  Profile some;
  some.start_ = start_;
  some.started_ = started_;
  some.attempt_begin_ = attempt_begin_;
  some.attempt_ = attempt_;
  some.run_length_ = run_length_;
  const auto number_of = [&](std::int64_t stage) {
    return std::find(numbers.begin(), numbers.end(), static_cast<std::size_t>(stage)) - numbers.begin();
  };
  for (const std::size_t number : numbers) {
    some.stages_.push_back(number < stages_.size() ? stages_[number] : StageRecord{});
  }
  const auto take = [&](const auto& from, auto& to) {
    for (const auto& record : from) {
      const auto number = number_of(record.stage);
      if (number == std::ssize(numbers)) continue;
      to.push_back(record);
      to.back().stage = number;
    }
  };
  take(blocks_, some.blocks_);
  take(copies_, some.copies_);
  return some;
}

void Profile::append(const BlockRecord& block) {
  if (!blocks_.empty() && join(blocks_.back(), block, run_length_)) return;
  blocks_.push_back(block);
  if (blocks_.size() >= most_records) run_length_ = shorten(blocks_, most_records / 2, run_length_);
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
    case Movement::peer:
    case Movement::assemble:
      break;
  }
  if (copies_.size() < most_records) copies_.push_back(copy);
}

}  // namespace terrace::run
