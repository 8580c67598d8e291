// Small made-up stages of the shapes that real families have.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/plan.hpp"

namespace terrace::test {

using device::u64;

/// Numbers 0, 1, 2, ... scrambled, as an input.
class CountingSource : public io::Source {
 public:
  explicit CountingSource(Extents shape) : shape_(shape) {}
  ElementType type() const override { return ElementType::u64; }
  const Extents& shape() const override { return shape_; }
  void read(const Box& box, void* buffer) override {
    auto* out = static_cast<u64*>(buffer);
    const Extents strides = row_major_strides(shape_);
    Extents at = box.begin;
    for (std::int64_t n = box.volume(); n > 0; --n) {
      u64 index = 0;
      for (int d = 0; d < at.rank(); ++d) index += static_cast<u64>(at[d] * strides[d]);
      *out++ = value(index);
      for (int d = at.rank() - 1; d >= 0 && ++at[d] == box.end[d]; --d) at[d] = box.begin[d];
    }
  }
  static u64 value(u64 index) { return (index + 1) * 0x9E3779B97F4A7C15ull; }

 private:
  Extents shape_;
};

inline u64 word(u64* at) { return std::atomic_ref<u64>(*at).load(std::memory_order_acquire); }
inline void set_word(u64* at, u64 value) { std::atomic_ref<u64>(*at).store(value, std::memory_order_release); }

/// Names of the accesses of made-up blocks.
enum class At { first, second, third, fourth, fifth, sixth, seventh };

/// A plan with its tally, whose blocks are computed one after another by a function on pointers.
class ToyProgram : public run::Plan, public run::Tally {
 public:
  static constexpr int most_slots = 7, most_parts = 4;
  struct Part {
    std::byte* data = nullptr;
    std::int64_t count = 0;  // elements
  };
  struct Descriptor {
    std::int64_t index = 0;
    Part parts[most_slots][most_parts];

    u64* at(At slot, int part = 0) const { return reinterpret_cast<u64*>(parts[static_cast<int>(slot)][part].data); }
    std::int64_t count(At slot, int part = 0) const { return parts[static_cast<int>(slot)][part].count; }
  };

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  bool depends_on_results(std::int64_t) const override { return false; }
  std::size_t descriptor_bytes() const override { return sizeof(Descriptor); }
  std::size_t result_bytes() const override { return sizeof(u64); }
  std::unique_ptr<run::Worker> make_worker(device::Context&) const override {
    // Block counts are kept in the program itself.
    return std::make_unique<ToyWorker>(const_cast<ToyProgram&>(*this));
  }
  void failed(const run::Phase&, std::int64_t index, int attempt) override {
    if (attempt > 1) throw ComputeError("block " + std::to_string(index) + " failed again");
    ++failures;
  }
  void fold(const run::Phase&, std::int64_t, const void* result) override {
    u64 value;
    std::memcpy(&value, result, sizeof value);
    folded = folded * 31 + value;
  }
  std::string save() const override { return std::to_string(folded); }
  void load(const std::string& state) override { folded = std::stoull(state); }

  u64 folded = 0;
  u64 skips = 0;  // operations of a block that it says it leaves out
  int failures = 0;
  bool reports_late = false;  // a block is reported when the next one has begun or the launch ends

 protected:
  /// True if the block passed its checks.
  virtual bool compute(const run::Phase& phase, const Descriptor& descriptor, u64* result, int attempt) = 0;
  /// Called on the launch's thread before its first block.
  virtual void begin_launch() {}
  /// Completes what the last block of a launch that reports late has written.
  virtual void leave(const run::Phase&, const Descriptor&) {}
  std::vector<run::ArraySpec> arrays_;

 private:
  class ToyWorker : public run::Worker {
   public:
    explicit ToyWorker(ToyProgram& program) : program_(program) {}
    void bind(const run::Phase&, const run::BlockView& view, void* out) const override {
      Descriptor descriptor;
      descriptor.index = view.index;
      for (const run::AccessView& access : view.accesses) {
        Part* part = descriptor.parts[access.slot.number];
        for (const run::TileView& tile : access.tiles) *part++ = {tile.data, tile.box.volume()};
      }
      std::memcpy(out, &descriptor, sizeof descriptor);
    }
    void run(const run::Phase& phase, const device::Port& port, int attempt) override {
      u64 number = port.first;
      program_.begin_launch();
      for (; number < port.first + port.count; ++number) {
        while (word(port.ready) <= number && word(port.stop) == 0 && word(port.abort) == 0) std::this_thread::yield();
        if (word(port.abort) != 0) return;
        if (word(port.stop) == 1 || word(port.ready) <= number) break;
        const auto* descriptor = descriptor_of(port, number);
        if (program_.reports_late && number > port.first) report_last(phase, port, number, descriptor->index);
        auto* result =
            reinterpret_cast<u64*>(static_cast<std::byte*>(port.results) + number % port.ring * port.result_bytes);
        if (!program_.compute(phase, *descriptor, result, attempt)) {
          set_word(port.failed, number + 1);
          return;
        }
        std::atomic_ref<u64>(*port.skipped).fetch_add(program_.skips);
        if (!program_.reports_late) set_word(port.done, number + 1);
      }
      if (program_.reports_late && number > port.first) report_last(phase, port, number, -1);
    }

   private:
    /// Reports the block before `number`; completes it in memory unless it is followed by `next`, which has begun.
    void report_last(const run::Phase& phase, const device::Port& port, u64 number, std::int64_t next) {
      const Descriptor& last = *descriptor_of(port, number - 1);
      if (last.index + 1 != next) program_.leave(phase, last);
      set_word(port.done, number);
    }
    static const Descriptor* descriptor_of(const device::Port& port, u64 number) {
      return reinterpret_cast<const Descriptor*>(static_cast<const std::byte*>(port.descriptors) +
                                                 number % port.ring * port.descriptor_bytes);
    }

    ToyProgram& program_;
  };
};

/// Passes over a ring of numbers: every pass makes x[i] = 3 x[i-1] + x[i], periodic, block by block into the next
/// generation. Blocks are shifted against the tiles, so that several write parts of one tile.
class PeriodicPasses : public ToyProgram {
 public:
  PeriodicPasses(std::int64_t size, std::int64_t tile, std::int64_t block, std::int64_t passes)
      : size_(size), block_(block), passes_(passes) {
    arrays_.resize(2);
    arrays_[0] = {"start", run::Role::input, ElementType::u64,
                  {size},  {tile},           std::make_shared<CountingSource>(Extents{size})};
    arrays_[1] = {"ring", run::Role::result, ElementType::u64, {size}, {tile}, nullptr, passes};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number == passes_) return std::nullopt;
    return run::Phase{number, (size_ + block_ - 1) / block_};
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const std::int64_t begin = index * block_, end = std::min(size_, begin + block_);
    const std::int64_t before = (begin + size_ - 1) % size_;
    const int source = phase.number == 0 ? 0 : 1;
    run::Block result;
    result.accesses = {{At::first, source, phase.number, {{before}, {before + 1}}, run::Mode::read},
                       {At::second, source, phase.number, {{begin}, {end}}, run::Mode::read},
                       {At::third, 1, phase.number + 1, {{begin}, {end}}, run::Mode::write}};
    result.operations = static_cast<double>(end - begin);
    return result;
  }
  std::vector<u64> expected() const {
    std::vector<u64> x(static_cast<std::size_t>(size_)), next = x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = CountingSource::value(i);
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      for (std::size_t i = 0; i < x.size(); ++i) next[i] = 3 * x[(i + x.size() - 1) % x.size()] + x[i];
      x = next;
    }
    return x;
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    u64 before = *d.at(At::first);
    u64 sum = 0;
    // Reads and writes may be cut differently only when the arrays are; here they are not.
    for (int p = 0; p < most_parts && d.at(At::second, p) != nullptr; ++p) {
      const u64* in = d.at(At::second, p);
      u64* out = d.at(At::third, p);
      for (std::int64_t i = 0; i < d.count(At::second, p); ++i) {
        const u64 here = in[i];
        out[i] = 3 * before + here;
        before = here;
        sum += out[i];
      }
    }
    *result = sum;
    return true;
  }

 private:
  std::int64_t size_, block_, passes_;
};

/// Updates in place: first every tile of a matrix is copied in, then step k adds tile k's first number to every tile,
/// tile k first, as elimination does.
class InPlaceUpdates : public ToyProgram {
 public:
  InPlaceUpdates(std::int64_t tiles, std::int64_t tile, std::int64_t last_tile)
      : tiles_(tiles), size_((tiles - 1) * tile + last_tile), tile_(tile) {
    arrays_.resize(2);
    arrays_[0] = {"start", run::Role::input, ElementType::u64,
                  {size_}, {tile},           std::make_shared<CountingSource>(Extents{size_})};
    arrays_[1] = {"matrix", run::Role::result, ElementType::u64, {size_}, {tile}, nullptr, tiles + 1, 1};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > (one_phase ? 0 : tiles_)) return std::nullopt;
    return run::Phase{number, one_phase ? (tiles_ + 1) * tiles_ : tiles_, order};
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const std::int64_t step = step_of(phase, index);
    if (one_phase) index %= tiles_;
    if (step == 0) {
      return {{{At::first, 0, 0, part_box(index), run::Mode::read},
               {At::second, 1, 1, part_box(index), run::Mode::write}},
              1};
    }
    const std::int64_t k = step - 1;
    if (index == 0) return {{{At::second, 1, step, part_box(k), run::Mode::update}}, 1};
    const std::int64_t tile = index <= k ? index - 1 : index;
    return {{{At::first, 1, step + 1, part_box(k), run::Mode::read},
             {At::second, 1, step, part_box(tile), run::Mode::update}},
            1};
  }
  run::Order order = run::Order::any;  // of every phase
  bool one_phase = false;              // true: all steps are one phase; false: each is one
  std::vector<u64> expected() const {
    std::vector<u64> x(static_cast<std::size_t>(size_));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = CountingSource::value(i);
    for (std::int64_t k = 0; k < tiles_; ++k) {
      const auto pivot = static_cast<std::size_t>(k * tile_);
      const auto end = static_cast<std::size_t>(part_box(k).end[0]);
      for (std::size_t i = pivot; i < end; ++i) x[i] = x[i] * 5 + 1;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i < pivot || i >= end) x[i] = x[i] * 7 + x[pivot];
      }
    }
    return x;
  }

 protected:
  bool compute(const run::Phase& phase, const Descriptor& d, u64* result, int) override {
    const u64* first = d.at(At::first);
    u64* second = d.at(At::second);
    const std::int64_t count = d.count(At::second);
    *result = static_cast<u64>(d.index);
    if (step_of(phase, static_cast<std::int64_t>(d.index)) == 0) {
      std::memcpy(second, first, static_cast<std::size_t>(count) * sizeof(u64));
    } else if (first == nullptr) {
      for (std::int64_t i = 0; i < count; ++i) second[i] = second[i] * 5 + 1;
    } else {
      for (std::int64_t i = 0; i < count; ++i) second[i] = second[i] * 7 + *first;
    }
    return true;
  }

 private:
  std::int64_t step_of(const run::Phase& phase, std::int64_t index) const {
    return one_phase ? index / tiles_ : phase.number;
  }
  Box part_box(std::int64_t tile) const { return {{tile * tile_}, {std::min(size_, (tile + 1) * tile_)}}; }
  std::int64_t tiles_, size_, tile_;
};

/// A chain: prefix sums of an input, tile by tile; the carry is the sum so far. Block `fails_at` fails once.
class PrefixChain : public ToyProgram {
 public:
  PrefixChain(std::int64_t size, std::int64_t tile, std::int64_t in_flight, std::int64_t fails_at = -1)
      : size_(size), tile_(tile), fails_at_(fails_at) {
    arrays_.resize(3);
    arrays_[0] = {"numbers", run::Role::input, ElementType::u64,
                  {size},    {tile},           std::make_shared<CountingSource>(Extents{size})};
    arrays_[1] = {"sums", run::Role::result, ElementType::u64, {size}, {tile}};
    arrays_[2] = {"carry", run::Role::scratch, ElementType::u64, {1}, {1}, nullptr, 1, in_flight + 2, 1};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > 0) return std::nullopt;
    return run::Phase{number, (size_ + tile_ - 1) / tile_, run::Order::chain};
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    const Box part{{index * tile_}, {std::min(size_, (index + 1) * tile_)}};
    const Box one{{0}, {1}};
    run::Block result;
    result.accesses = {{At::first, 0, 0, part, run::Mode::read}, {At::second, 1, 1, part, run::Mode::write}};
    if (part.end[0] < size_) result.accesses.push_back({At::third, 2, index + 1, one, run::Mode::write});
    if (index > 0) result.accesses.push_back({At::fourth, 2, index, one, run::Mode::read});
    result.operations = static_cast<double>(part.volume());
    return result;
  }
  std::vector<u64> expected() const {
    std::vector<u64> x(static_cast<std::size_t>(size_));
    u64 sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = sum += CountingSource::value(i);
    return x;
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int attempt) override {
    if (d.index == fails_at_ && attempt == 0) return false;
    const u64* in = d.at(At::first);
    u64* out = d.at(At::second);
    u64* carry_out = d.at(At::third);
    const u64* carry_in = d.at(At::fourth);
    u64 sum = carry_in == nullptr ? 0 : *carry_in;
    for (std::int64_t i = 0; i < d.count(At::first); ++i) out[i] = sum += in[i];
    if (carry_out != nullptr) *carry_out = sum;
    *result = sum;
    return true;
  }

 private:
  std::int64_t size_, tile_, fails_at_;
};

/// Passes over a row of numbers, each a chain that makes x = 3 x + 1 of every tile into its next generation, which
/// the next pass reads once. With `goes_on`, one chain computes all passes.
class ChainPasses : public ToyProgram {
 public:
  bool goes_on = false;
  ChainPasses(std::int64_t size, std::int64_t tile, std::int64_t passes) : size_(size), tile_(tile), passes_(passes) {
    arrays_.resize(2);
    arrays_[0] = {"start", run::Role::input, ElementType::u64,
                  {size},  {tile},           std::make_shared<CountingSource>(Extents{size})};
    arrays_[1] = {"row", run::Role::result, ElementType::u64, {size}, {tile}, nullptr, passes, 2, 1};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number == passes_) return std::nullopt;
    run::Phase phase{number, (size_ + tile_ - 1) / tile_, run::Order::chain};
    if (goes_on) phase.further = (passes_ - 1 - number) * phase.count;
    return phase;
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const Box part{{index * tile_}, {std::min(size_, (index + 1) * tile_)}};
    return {{{At::first, phase.number == 0 ? 0 : 1, phase.number, part, run::Mode::read},
             {At::second, 1, phase.number + 1, part, run::Mode::write}},
            1};
  }
  std::vector<u64> expected() const {
    std::vector<u64> x(static_cast<std::size_t>(size_));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = CountingSource::value(i);
    for (std::int64_t pass = 0; pass < passes_; ++pass) {
      for (u64& value : x) value = 3 * value + 1;
    }
    return x;
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    const u64* in = d.at(At::first);
    u64* out = d.at(At::second);
    for (std::int64_t i = 0; i < d.count(At::first); ++i) out[i] = 3 * in[i] + 1;
    *result = out[0];
    return true;
  }

 private:
  std::int64_t size_, tile_, passes_;
};

/// Phases made from results: each phase counts blocks whose number divides the target; the next target is made from
/// the folded count, until it is small.
class Probes : public ToyProgram {
  struct Target {
    std::int64_t number;
  };

 public:
  explicit Probes(std::int64_t target) : target_(target) {}
  bool depends_on_results(std::int64_t number) const override { return number > 0; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    const std::int64_t target = number == 0 ? target_ : static_cast<std::int64_t>(folded % 97);
    if (number > 0 && (target < 5 || number > 20)) return std::nullopt;
    ++phases_made;
    return run::Phase{number, target, run::Order::any, Target{target}};
  }
  run::Block block(const run::Phase&, std::int64_t) const override { return {{}, 1}; }
  mutable int phases_made = 0;

 protected:
  bool compute(const run::Phase& phase, const Descriptor& d, u64* result, int) override {
    *result = phase.value.as<Target>().number % (d.index + 1) == 0 ? 1 : 0;
    return true;
  }

 private:
  std::int64_t target_;
};

/// Very many blocks that do next to nothing.
class ManyBlocks : public ToyProgram {
 public:
  explicit ManyBlocks(std::int64_t count, run::Order in = run::Order::any) : order(in), count_(count) {}
  run::Order order;
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > 0) return std::nullopt;
    return run::Phase{number, count_, order};
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    most_known = std::max(most_known, index + 1 - folded_blocks);
    return {{}, 1};
  }
  void fold(const run::Phase& phase, std::int64_t index, const void* result) override {
    ++folded_blocks;
    ToyProgram::fold(phase, index, result);
  }
  std::int64_t folded_blocks = 0;
  mutable std::int64_t most_known = 0;  // blocks that are known and not folded

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    *result = static_cast<u64>(d.index);
    return true;
  }

 private:
  std::int64_t count_;
};

}  // namespace terrace::test
