// A made-up chain with the accesses of a wavefront table.
#pragma once

#include "tests/support/toy_programs.hpp"

namespace terrace::test {

/// A chain over a grid of blocks, row by row: x[i][j] = r[i] + c[j] + 3 x[i-1][j] + 5 x[i][j-1], with 1 above and
/// left of the table. The last row of a block is the carry of the block below, the last column the carry of the block
/// to the right; the table is kept. Blocks are whole.
class GridChain : public ToyProgram {
 public:
  GridChain(std::int64_t down, std::int64_t across, std::int64_t height, std::int64_t width, std::int64_t in_flight)
      : down_(down), across_(across), height_(height), width_(width) {
    const std::int64_t kept = in_flight + 2;
    arrays_.resize(5);
    arrays_[0] = input("rows", down * height, height);
    arrays_[1] = input("columns", across * width, width);
    arrays_[2] = {
        "row_border", run::Role::scratch, ElementType::u64, {across, width}, {1, width}, nullptr, 1, kept, 1};
    arrays_[3] = {
        "column_border", run::Role::scratch, ElementType::u64, {down, height}, {1, height}, nullptr, 1, kept, 1};
    arrays_[4] = {"table", run::Role::result, ElementType::u64, {down * height, across * width}, {height, width}};
  }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally&) const override {
    if (number > 0) return std::nullopt;
    return run::Phase{number, down_ * across_, run::Order::chain};
  }
  run::Block block(const run::Phase&, std::int64_t index) const override {
    const std::int64_t i = index / across_, j = index % across_;
    const Box rows{{i * height_}, {(i + 1) * height_}}, columns{{j * width_}, {(j + 1) * width_}};
    const Box row_tile{{j, 0}, {j + 1, width_}}, column_tile{{i, 0}, {i + 1, height_}};
    run::Block result;
    result.accesses = {{At::first, 0, 0, rows, run::Mode::read}, {At::second, 1, 0, columns, run::Mode::read}};
    if (i > 0) result.accesses.push_back({At::third, 2, i, row_tile, run::Mode::read});
    if (i + 1 < down_) result.accesses.push_back({At::fourth, 2, i + 1, row_tile, run::Mode::write});
    if (j > 0) result.accesses.push_back({At::fifth, 3, j, column_tile, run::Mode::read});
    if (j + 1 < across_) result.accesses.push_back({At::sixth, 3, j + 1, column_tile, run::Mode::write});
    result.accesses.push_back(
        {At::seventh, 4, 1, {{rows.begin[0], columns.begin[0]}, {rows.end[0], columns.end[0]}}, run::Mode::write});
    result.operations = static_cast<double>(height_ * width_);
    return result;
  }
  std::vector<u64> expected() const {
    const std::int64_t rows = down_ * height_, columns = across_ * width_;
    std::vector<u64> x(static_cast<std::size_t>(rows * columns));
    for (std::int64_t i = 0; i < rows; ++i) {
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto at = static_cast<std::size_t>(i * columns + j);
        const u64 up = i == 0 ? 1 : x[at - static_cast<std::size_t>(columns)], left = j == 0 ? 1 : x[at - 1];
        x[at] = CountingSource::value(static_cast<u64>(i)) + CountingSource::value(static_cast<u64>(j)) + 3 * up +
                5 * left;
      }
    }
    return x;
  }

 protected:
  bool compute(const run::Phase&, const Descriptor& d, u64* result, int) override {
    const u64* rows = d.at(At::first);
    const u64* columns = d.at(At::second);
    const u64* top = d.at(At::third);
    u64* bottom = d.at(At::fourth);
    const u64* left = d.at(At::fifth);
    u64* right = d.at(At::sixth);
    u64* table = d.at(At::seventh);
    for (std::int64_t y = 0; y < height_; ++y) {
      for (std::int64_t x = 0; x < width_; ++x) {
        const u64 up = y > 0 ? table[(y - 1) * width_ + x] : top == nullptr ? 1 : top[x];
        const u64 before = x > 0 ? table[y * width_ + x - 1] : left == nullptr ? 1 : left[y];
        table[y * width_ + x] = rows[y] + columns[x] + 3 * up + 5 * before;
      }
      if (right != nullptr) right[y] = table[y * width_ + width_ - 1];
    }
    const u64* last = table + (height_ - 1) * width_;
    if (bottom != nullptr) std::memcpy(bottom, last, static_cast<std::size_t>(width_) * sizeof(u64));
    *result = last[width_ - 1];
    return true;
  }

 private:
  static run::ArraySpec input(const char* name, std::int64_t size, std::int64_t tile) {
    return {name,   run::Role::input, ElementType::u64,
            {size}, {tile},           std::make_shared<CountingSource>(Extents{size})};
  }
  std::int64_t down_, across_, height_, width_;
};

}  // namespace terrace::test
