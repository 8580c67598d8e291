// The memory in which the CPU computes a block of a nest.
#pragma once

#include <algorithm>
#include <memory>

#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// The values of a block's statements and of its borders; memory that it has is used again for the next block.
class BlockValues {
 public:
  BlockValues(const Sweep& sweep, std::size_t statements) : rank_(sweep.rank()), statements_(statements) {}

  /// Makes room for a block, and takes the borders of those before it.
  void begin(const Sweep& sweep, const NestTask& task) {
    words_ = 1;
    for (std::size_t n = 0; n < rank_; ++n) {
      halo_[n] = sweep.halo()[n];
      begin_[n] = task.begin[n] - halo_[n];
      extent_[n] = task.end[n] - begin_[n];
      words_ *= extent_[n];
    }
    const std::size_t words = static_cast<std::size_t>(words_) * statements_;
    if (words > room_) {
      values_ = std::make_unique_for_overwrite<Word[]>(words);
      room_ = words;
    }
    for (std::size_t n = 0; n < rank_; ++n) {
      if (task.before[n] != nullptr) copy_layers(n, 0, task.before[n], nullptr);
    }
  }
  Word& at(std::size_t statement, const Point& coordinates) { return *(words() + index(statement, coordinates)); }
  /// All values; those of a statement one after another along the last coordinate.
  Word* words() { return values_.get(); }
  i64 index(std::size_t statement, const Point& coordinates) const {
    i64 index = 0;
    for (std::size_t n = 0; n < rank_; ++n) index = index * extent_[n] + coordinates[n] - begin_[n];
    return static_cast<i64>(statement) * words_ + index;
  }
  void hand_on(const NestTask& task) {
    for (std::size_t n = 0; n < rank_; ++n) {
      if (task.after[n] != nullptr) copy_layers(n, extent_[n] - halo_[n], nullptr, task.after[n]);
    }
  }

 private:
  /// Copies halo_ layers along a coordinate, from the layer `first`, from or to words one after another.
  void copy_layers(std::size_t coordinate, i64 first, const Word* from, Word* to) {
    i64 outer = 1, inner = 1;
    for (std::size_t n = 0; n < coordinate; ++n) outer *= extent_[n];
    for (std::size_t n = coordinate + 1; n < rank_; ++n) inner *= extent_[n];
    const i64 length = halo_[coordinate] * inner;
    outer *= static_cast<i64>(statements_);  // one after another
    for (i64 piece = 0; piece < outer; ++piece) {
      Word* own = values_.get() + (piece * extent_[coordinate] + first) * inner;
      if (from != nullptr) std::copy_n(from + piece * length, length, own);
      else std::copy_n(own, length, to + piece * length);
    }
  }

  std::size_t rank_, statements_, room_ = 0;
  Point begin_{}, halo_{}, extent_{};
  i64 words_ = 0;  // of a statement
  std::unique_ptr<Word[]> values_;
};

}  // namespace terrace::nest
