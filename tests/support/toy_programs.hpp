// Small made-up stages of the shapes that real families have.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <string>
#include <thread>
#include <vector>

#include "io/source.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/program.hpp"

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

/// A program whose blocks are computed one after another by a function on pointers.
class ToyProgram : public run::Program {
 public:
  static constexpr int most_pointers = 8;
  struct Descriptor {
    std::int64_t index = 0;
    std::byte* data[most_pointers] = {};
    std::int64_t count[most_pointers] = {};  // elements of the part
  };

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  bool needs_results(std::int64_t) const override { return false; }
  std::size_t descriptor_bytes() const override { return sizeof(Descriptor); }
  std::size_t result_bytes() const override { return sizeof(u64); }
  void describe(const run::Phase&, const run::BlockView& view, void* out) const override {
    Descriptor descriptor;
    descriptor.index = view.index;
    int number = 0;
    for (const auto& access : view.accesses) {
      for (const auto& tile : access.tiles) {
        descriptor.data[number] = tile.data;
        descriptor.count[number++] = tile.box.volume();
      }
    }
    std::memcpy(out, &descriptor, sizeof descriptor);
  }
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt, device::Context&,
           int) override {
    for (u64 index = port.first; index < port.first + port.count; ++index) {
      while (word(port.ready) <= index) {
        if (word(port.stop) != 0 || word(port.abort) != 0) return;
        std::this_thread::yield();
      }
      if (word(port.stop) != 0 || word(port.abort) != 0) return;
      const auto* descriptor = reinterpret_cast<const Descriptor*>(static_cast<const std::byte*>(port.descriptors) +
                                                                   index % port.ring * port.descriptor_bytes);
      auto* result =
          reinterpret_cast<u64*>(static_cast<std::byte*>(port.results) + index % port.ring * port.result_bytes);
      if (!compute(phase, number, *descriptor, result, attempt)) {
        set_word(port.failed, index + 1);
        return;
      }
      std::atomic_ref<u64>(*port.skipped).fetch_add(skips);
      set_word(port.done, index + 1);
    }
  }
  void failed(const run::Phase&, std::int64_t, std::int64_t index, int attempt) override {
    if (attempt > 1) throw ComputeError("block " + std::to_string(index) + " failed again");
    ++failures;
  }
  void fold(const run::Phase&, std::int64_t, std::int64_t, const void* result) override {
    u64 value;
    std::memcpy(&value, result, sizeof value);
    folded = folded * 31 + value;
  }
  std::string save() const override { return std::to_string(folded); }
  void load(const std::string& state) override { folded = std::stoull(state); }

  u64 folded = 0;
  u64 skips = 0;  // operations of a block that it says it leaves out
  int failures = 0;

 protected:
  /// Whether the block passed its checks.
  virtual bool compute(const run::Phase& phase, std::int64_t number, const Descriptor& descriptor, u64* result,
                       int attempt) = 0;
  std::vector<run::ArraySpec> arrays_;
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
  std::optional<run::Phase> phase(std::int64_t number) override {
    if (number == passes_) return std::nullopt;
    return run::Phase{(size_ + block_ - 1) / block_};
  }
  run::Block block(const run::Phase&, std::int64_t number, std::int64_t index) const override {
    const std::int64_t begin = index * block_, end = std::min(size_, begin + block_);
    const std::int64_t before = (begin + size_ - 1) % size_;
    const int source = number == 0 ? 0 : 1;
    run::Block result;
    result.accesses = {{source, number, {{before}, {before + 1}}, run::Mode::read},
                       {source, number, {{begin}, {end}}, run::Mode::read},
                       {1, number + 1, {{begin}, {end}}, run::Mode::write}};
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
  bool compute(const run::Phase&, std::int64_t, const Descriptor& d, u64* result, int) override {
    // The number before, then the parts of the block in, then the same parts out.
    u64 before = *reinterpret_cast<const u64*>(d.data[0]);
    int parts = 1;
    while (parts < most_pointers && d.data[parts] != nullptr) ++parts;
    // Reads and writes may be cut differently only when the arrays are; here they are not.
    const int half = (parts - 1) / 2;
    u64 sum = 0;
    for (int p = 0; p < half; ++p) {
      const auto* in = reinterpret_cast<const u64*>(d.data[1 + p]);
      auto* out = reinterpret_cast<u64*>(d.data[1 + half + p]);
      for (std::int64_t i = 0; i < d.count[1 + p]; ++i) {
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
  std::optional<run::Phase> phase(std::int64_t number) override {
    if (number > tiles_) return std::nullopt;
    return run::Phase{tiles_};
  }
  run::Block block(const run::Phase&, std::int64_t number, std::int64_t index) const override {
    if (number == 0) {
      return {{{0, 0, part(index), run::Mode::read}, {1, 1, part(index), run::Mode::write}}, 1};
    }
    const std::int64_t k = number - 1;
    if (index == 0) return {{{1, number, part(k), run::Mode::update}}, 1};
    const std::int64_t tile = index <= k ? index - 1 : index;
    return {{{1, number + 1, part(k), run::Mode::read}, {1, number, part(tile), run::Mode::update}}, 1};
  }
  std::vector<u64> expected() const {
    std::vector<u64> x(static_cast<std::size_t>(size_));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = CountingSource::value(i);
    for (std::int64_t k = 0; k < tiles_; ++k) {
      const auto pivot = static_cast<std::size_t>(k * tile_);
      const auto end = static_cast<std::size_t>(part(k).end[0]);
      for (std::size_t i = pivot; i < end; ++i) x[i] = x[i] * 5 + 1;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (i < pivot || i >= end) x[i] = x[i] * 7 + x[pivot];
      }
    }
    return x;
  }

 protected:
  bool compute(const run::Phase&, std::int64_t number, const Descriptor& d, u64* result, int) override {
    auto* first = reinterpret_cast<u64*>(d.data[0]);
    auto* second = reinterpret_cast<u64*>(d.data[1]);
    *result = static_cast<u64>(d.index);
    if (number == 0) {
      std::memcpy(second, first, static_cast<std::size_t>(d.count[0]) * sizeof(u64));
    } else if (second == nullptr) {
      for (std::int64_t i = 0; i < d.count[0]; ++i) first[i] = first[i] * 5 + 1;
    } else {
      for (std::int64_t i = 0; i < d.count[1]; ++i) second[i] = second[i] * 7 + *first;
    }
    return true;
  }

 private:
  Box part(std::int64_t tile) const { return {{tile * tile_}, {std::min(size_, (tile + 1) * tile_)}}; }
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
  std::optional<run::Phase> phase(std::int64_t number) override {
    if (number > 0) return std::nullopt;
    return run::Phase{(size_ + tile_ - 1) / tile_, true};
  }
  run::Block block(const run::Phase&, std::int64_t, std::int64_t index) const override {
    const Box part{{index * tile_}, {std::min(size_, (index + 1) * tile_)}};
    const Box one{{0}, {1}};
    run::Block result;
    result.accesses = {{0, 0, part, run::Mode::read}, {1, 1, part, run::Mode::write}};
    if (part.end[0] < size_) result.accesses.push_back({2, index + 1, one, run::Mode::write});
    if (index > 0) result.accesses.push_back({2, index, one, run::Mode::read});
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
  bool compute(const run::Phase& phase, std::int64_t, const Descriptor& d, u64* result, int attempt) override {
    if (d.index == fails_at_ && attempt == 0) return false;
    const bool last = d.index + 1 == phase.count;
    const auto* in = reinterpret_cast<const u64*>(d.data[0]);
    auto* out = reinterpret_cast<u64*>(d.data[1]);
    auto* carry_out = last ? nullptr : reinterpret_cast<u64*>(d.data[2]);
    const auto* carry_in = d.index == 0 ? nullptr : reinterpret_cast<const u64*>(d.data[last ? 2 : 3]);
    u64 sum = carry_in == nullptr ? 0 : *carry_in;
    for (std::int64_t i = 0; i < d.count[0]; ++i) out[i] = sum += in[i];
    if (carry_out != nullptr) *carry_out = sum;
    *result = sum;
    return true;
  }

 private:
  std::int64_t size_, tile_, fails_at_;
};

/// Passes over a row of numbers, each a chain that makes x = 3 x + 1 of every tile into its next generation, which
/// the next pass reads once.
class ChainPasses : public ToyProgram {
 public:
  ChainPasses(std::int64_t size, std::int64_t tile, std::int64_t passes) : size_(size), tile_(tile), passes_(passes) {
    arrays_.resize(2);
    arrays_[0] = {"start", run::Role::input, ElementType::u64,
                  {size},  {tile},           std::make_shared<CountingSource>(Extents{size})};
    arrays_[1] = {"row", run::Role::result, ElementType::u64, {size}, {tile}, nullptr, passes, 2, 1};
  }
  std::optional<run::Phase> phase(std::int64_t number) override {
    if (number == passes_) return std::nullopt;
    return run::Phase{(size_ + tile_ - 1) / tile_, true};
  }
  run::Block block(const run::Phase&, std::int64_t number, std::int64_t index) const override {
    const Box part{{index * tile_}, {std::min(size_, (index + 1) * tile_)}};
    return {{{number == 0 ? 0 : 1, number, part, run::Mode::read}, {1, number + 1, part, run::Mode::write}}, 1};
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
  bool compute(const run::Phase&, std::int64_t, const Descriptor& d, u64* result, int) override {
    const auto* in = reinterpret_cast<const u64*>(d.data[0]);
    auto* out = reinterpret_cast<u64*>(d.data[1]);
    for (std::int64_t i = 0; i < d.count[0]; ++i) out[i] = 3 * in[i] + 1;
    *result = out[0];
    return true;
  }

 private:
  std::int64_t size_, tile_, passes_;
};

/// Phases made from results: each phase counts blocks whose number divides the target; the next target is made from
/// what was folded, until it is small.
class Probes : public ToyProgram {
 public:
  explicit Probes(std::int64_t target) : target_(target) {}
  bool needs_results(std::int64_t number) const override { return number > 0; }
  std::optional<run::Phase> phase(std::int64_t number) override {
    const std::int64_t target = number == 0 ? target_ : static_cast<std::int64_t>(folded % 97);
    if (number > 0 && (target < 5 || number > 20)) return std::nullopt;
    ++phases_made;
    return run::Phase{target, false, number > 0, std::to_string(target)};
  }
  run::Block block(const run::Phase&, std::int64_t, std::int64_t) const override { return {{}, 1}; }
  int phases_made = 0;

 protected:
  bool compute(const run::Phase& phase, std::int64_t, const Descriptor& d, u64* result, int) override {
    *result = std::stoll(phase.data) % (d.index + 1) == 0 ? 1 : 0;
    return true;
  }

 private:
  std::int64_t target_;
};

/// Very many blocks that do next to nothing.
class ManyBlocks : public ToyProgram {
 public:
  explicit ManyBlocks(std::int64_t count) : count_(count) {}
  std::optional<run::Phase> phase(std::int64_t number) override {
    if (number > 0) return std::nullopt;
    return run::Phase{count_};
  }
  run::Block block(const run::Phase&, std::int64_t, std::int64_t) const override { return {{}, 1}; }

 protected:
  bool compute(const run::Phase&, std::int64_t, const Descriptor& d, u64* result, int) override {
    *result = static_cast<u64>(d.index);
    return true;
  }

 private:
  std::int64_t count_;
};

}  // namespace terrace::test
