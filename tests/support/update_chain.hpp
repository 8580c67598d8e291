// A made-up chain that updates tiles in place, as in-place sweeps do.
#pragma once

#include <optional>

#include "tests/support/toy_programs.hpp"

namespace terrace::test {

/// Passes over a row of numbers in place, each a chain, as in-place sweeps make them. Block k turns every x of tile k
/// into 3 x + the last number of tile k - 1, and then every x of tile k - 1 into 5 x + the first of tile k; the last
/// block does both for its own tile. Between two blocks the last number of a tile may lie in the launch alone.
class UpdateChain : public ToyProgram {
 public:
  UpdateChain(std::int64_t tiles, std::int64_t tile, std::int64_t last_tile, std::int64_t passes)
      : tiles_(tiles), size_((tiles - 1) * tile + last_tile), tile_(tile), passes_(passes) {
    reports_late = true;
    arrays_.resize(1);
    arrays_[0] = {"row", run::Role::result, ElementType::u64, {size_}, {tile}};
    arrays_[0].source = std::make_shared<CountingSource>(Extents{size_});
    arrays_[0].generations = 2 * passes;
    arrays_[0].kept = 1;
    if (passes == 1) arrays_[0].live = 2;
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number == passes_) return std::nullopt;
    return run::Phase{number, tiles_, run::Order::chain, {}, (passes_ - 1 - number) * tiles_};
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const std::int64_t begin = 2 * phase.number, end = begin + 2;
    run::Block block;
    block.operations = 1;
    run::Access here{At::first, 0, begin, part_box(index), run::Mode::update};
    here.made = index + 1 == tiles_ ? end : begin + 1;
    block.accesses = {here};
    if (index > 0) block.accesses.push_back({At::second, 0, begin + 1, part_box(index - 1), run::Mode::update});
    return block;
  }
  std::vector<u64> expected() const {
    std::vector<u64> x(static_cast<std::size_t>(size_));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = CountingSource::value(i);
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      for (std::int64_t k = 0; k < tiles_; ++k) {
        u64* const here = x.data() + k * tile_;
        step(here, count(k), k == 0 ? nullptr : here - tile_, count(k - 1), k + 1 == tiles_);
      }
    }
    return x;
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    const bool last = d.index + 1 == tiles_;
    u64 *const here = d.at(At::first), *const before = d.at(At::second);
    const std::int64_t counted = d.count(At::first), above = d.count(At::second);
    if (kept_) before[above - 1] = *kept_;
    kept_.reset();
    step(here, counted, before, above, last);
    *result = here[0];
    if (!last && reports_late) {
      kept_ = here[counted - 1];
      here[counted - 1] = 0;
    }
    return true;
  }
  void begin_launch() override { kept_.reset(); }
  void leave(const run::Phase&, const Descriptor& d) override {
    if (kept_) d.at(At::first)[d.count(At::first) - 1] = *kept_;
    kept_.reset();
  }

 private:
  static void step(u64* here, std::int64_t count, u64* before, std::int64_t above, bool last) {
    const u64 carry = before == nullptr ? 1 : before[above - 1];
    for (std::int64_t i = 0; i < count; ++i) here[i] = 3 * here[i] + carry;
    for (std::int64_t i = 0; before != nullptr && i < above; ++i) before[i] = 5 * before[i] + here[0];
    for (std::int64_t i = 0; last && i < count; ++i) here[i] = 5 * here[i] + 7;
  }
  std::int64_t count(std::int64_t tile) const { return std::min(size_, (tile + 1) * tile_) - tile * tile_; }
  Box part_box(std::int64_t tile) const { return {{tile * tile_}, {tile * tile_ + count(tile)}}; }

  std::int64_t tiles_, size_, tile_, passes_;
  // The last number of the tile of the launch's last block. Every device has a thread for its launches.
  static inline thread_local std::optional<u64> kept_;
};

}  // namespace terrace::test
