// Made-up stages whose blocks are dealt to several devices.
#pragma once

#include <atomic>
#include <chrono>
#include <thread>

#include "tests/support/toy_programs.hpp"

namespace terrace::test {

/// The dealing of a made-up stage's blocks to devices.
enum class Deal {
  in_turn,    // block i to device i modulo their number
  in_halves,  // as many consecutive blocks to each
  scattered,  // by a hash of phase and block
  with_host,  // likewise, some of them to the host
};

/// A toy that deals its blocks to all available devices.
template <class Toy>
class Dealt : public Toy {
 public:
  using Toy::Toy;
  Deal deal = Deal::in_turn;

  int devices(int available) const override { return available; }
  bool uses_host() const override { return deal == Deal::with_host; }
  int device(const run::Phase& phase, std::int64_t index, int devices) const override {
    if (deal == Deal::in_halves) return static_cast<int>(index * devices / phase.count);
    u64 number = static_cast<u64>(index);
    if (deal == Deal::scattered || deal == Deal::with_host)
      number = (number * 31 + static_cast<u64>(phase.number) + 1) * 0x9E3779B97F4A7C15ull >> 40;
    if (deal == Deal::with_host && number % 5 < 2) return run::Plan::host;
    return static_cast<int>(number % static_cast<u64>(devices));
  }
};

/// Copies tiles by independent blocks; the first half goes to the first of two devices, whose first block waits until
/// the second device has computed one.
class MeetingCopies : public ToyProgram {
 public:
  MeetingCopies(std::int64_t tiles, std::int64_t tile) : tiles_(tiles), size_(tiles * tile), tile_(tile) {
    arrays_.resize(2);
    arrays_[0] = {"start", run::Role::input, ElementType::u64,
                  {size_}, {tile},           std::make_shared<CountingSource>(Extents{size_})};
    arrays_[1] = {"copy", run::Role::result, ElementType::u64, {size_}, {tile}};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > 0) return std::nullopt;
    return run::Phase{number, tiles_, run::Order::any};
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    const Box part{{index * tile_}, {(index + 1) * tile_}};
    return {{{At::first, 0, 0, part, run::Mode::read}, {At::second, 1, 1, part, run::Mode::write}}, 1};
  }
  int devices(int available) const override { return available; }
  int device(const run::Phase&, std::int64_t index, int) const override { return index < tiles_ / 2 ? 0 : 1; }
  std::atomic<bool> met = false;  // in time

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    if (d.index >= tiles_ / 2) second_ = true;
    const auto late = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (d.index == 0 && !second_ && std::chrono::steady_clock::now() < late) std::this_thread::yield();
    if (d.index == 0) met = second_.load();
    std::memcpy(d.at(At::second), d.at(At::first), static_cast<std::size_t>(tile_) * sizeof(u64));
    *result = 1;
    return true;
  }

 private:
  std::int64_t tiles_, size_, tile_;
  std::atomic<bool> second_ = false;
};

/// Tiles that are written a part at a time: an even phase writes the next part of every tile, the odd phase after it
/// reads all parts so far. Phases depend on results, so that the executor does not know the writers of later parts.
class LateParts : public ToyProgram {
 public:
  LateParts(std::int64_t tiles, std::int64_t part, run::Role role) : tiles_(tiles), part_(part) {
    const std::int64_t size = tiles * parts * part;
    arrays_.resize(2);
    arrays_[0] = {"parts", role, ElementType::u64, {size}, {parts * part}};
    arrays_[1] = {"copy", run::Role::result, ElementType::u64, {size}, {parts * part}};
  }
  bool depends_on_results(std::int64_t number) const override { return number > 0; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number == 2 * parts) return std::nullopt;
    return run::Phase{number, tiles_};
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const std::int64_t written = phase.number / 2, begin = index * parts * part_;
    if (phase.number % 2 == 0) return {{{At::first, 0, 1, part_box(index, written), run::Mode::write}}, 1};
    run::Block block{{{At::second, 0, 1, {{begin}, {part_box(index, written).end[0]}}, run::Mode::read}}, 1};
    if (written + 1 == parts) {
      block.accesses.push_back({At::third, 1, 1, {{begin}, {begin + parts * part_}}, run::Mode::write});
    }
    return block;
  }
  std::vector<u64> expected() const {
    std::vector<u64> x(static_cast<std::size_t>(tiles_ * parts * part_));
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = CountingSource::value(i);
    return x;
  }
  std::atomic<int> wrong = 0;  // blocks that read another number than was written

 protected:
  bool compute(const run::Phase& phase, const Descriptor& d, u64* result, int) override {
    const std::int64_t begin =
        phase.number % 2 == 0 ? part_box(d.index, phase.number / 2).begin[0] : d.index * parts * part_;
    u64* out = d.at(phase.number % 2 == 0 ? At::first : At::third);
    const u64* in = d.at(At::second);
    bool right = true;
    for (std::int64_t i = 0; i < std::max(d.count(At::first), d.count(At::second)); ++i) {
      const u64 value = CountingSource::value(static_cast<u64>(begin + i));
      right = right && (in == nullptr || in[i] == value);
      if (out != nullptr) out[i] = in == nullptr ? value : in[i];
    }
    if (!right) ++wrong;
    *result = right;
    return true;
  }

 private:
  static constexpr std::int64_t parts = 6;  // of a tile
  Box part_box(std::int64_t tile, std::int64_t number) const {
    const std::int64_t begin = (tile * parts + number) * part_;
    return {{begin}, {begin + part_}};
  }
  std::int64_t tiles_, part_;
};

/// Steps over a plane of numbers: each makes x[i][j] = x + 3 up + 5 left + 7 right (0 outside), every block from its
/// box with a halo of one, into the next generation. Blocks are smaller than tiles and lie across them.
class HaloSteps : public ToyProgram {
 public:
  HaloSteps(std::int64_t rows, std::int64_t columns, Extents tile, Extents block, std::int64_t steps)
      : shape_{rows, columns}, blocks_(shape_, block), steps_(steps) {
    arrays_.resize(2);
    arrays_[0] = {
        "start", run::Role::input, ElementType::u64, shape_, tile, std::make_shared<CountingSource>(shape_)};
    arrays_[1] = {"plane", run::Role::result, ElementType::u64, shape_, tile, nullptr, steps};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number == steps_) return std::nullopt;
    return run::Phase{number, blocks_.count(), order};
  }
  run::Block block(const run::Phase& phase, std::int64_t index) const override {
    const Box box = blocks_.box(index);
    run::Access halo{At::first, phase.number == 0 ? 0 : 1, phase.number, around(box), run::Mode::read};
    halo.view = run::View::contiguous;
    run::Block block;
    block.accesses = {halo, {At::second, 1, phase.number + 1, box, run::Mode::write}};
    block.operations = static_cast<double>(box.volume());
    return block;
  }
  std::vector<u64> expected() const {
    const std::int64_t rows = shape_[0], columns = shape_[1];
    std::vector<u64> x(static_cast<std::size_t>(rows * columns)), next = x;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = CountingSource::value(i);
    for (std::int64_t step = 0; step < steps_; ++step) {
      for (std::int64_t i = 0; i < rows; ++i) {
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto at = [&](std::int64_t row, std::int64_t column) {
            const bool inside = row >= 0 && column >= 0 && column < columns;
            return inside ? x[static_cast<std::size_t>(row * columns + column)] : 0;
          };
          next[static_cast<std::size_t>(i * columns + j)] =
              at(i, j) + 3 * at(i - 1, j) + 5 * at(i, j - 1) + 7 * at(i, j + 1);
        }
      }
      x = next;
    }
    return x;
  }
  run::Order order = run::Order::any;

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    const Box box = blocks_.box(d.index), halo = around(box);
    const TileGrid tiles(shape_, arrays_[1].tile);
    const u64* in = d.at(At::first);
    const std::int64_t stride = halo.end[1] - halo.begin[1];
    const auto at = [&](std::int64_t row, std::int64_t column) {
      const bool inside = row >= 0 && column >= 0 && column < shape_[1];
      return inside ? in[(row - halo.begin[0]) * stride + column - halo.begin[1]] : 0;
    };
    u64 sum = 0;
    int part = 0;
    tiles.for_each_tile(box, [&](std::int64_t tile, const Box& piece) {
      u64* out = d.at(At::second, part++);
      const std::int64_t out_stride = tiles.box(tile).shape()[1];
      for (std::int64_t i = piece.begin[0]; i < piece.end[0]; ++i) {
        for (std::int64_t j = piece.begin[1]; j < piece.end[1]; ++j) {
          const u64 value = at(i, j) + 3 * at(i - 1, j) + 5 * at(i, j - 1) + 7 * at(i, j + 1);
          sum += out[(i - piece.begin[0]) * out_stride + j - piece.begin[1]] = value;
        }
      }
    });
    *result = sum;
    return true;
  }

 private:
  Box around(const Box& box) const {
    return {{std::max<std::int64_t>(0, box.begin[0] - 1), std::max<std::int64_t>(0, box.begin[1] - 1)},
            {box.end[0], std::min(shape_[1], box.end[1] + 1)}};
  }
  Extents shape_;
  TileGrid blocks_;
  std::int64_t steps_;
};

}  // namespace terrace::test
