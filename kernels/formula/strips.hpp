// Formulas computed by operations over strips of cells that stay in the cache: fast without a compiler, and to the
// bit as they are defined (evaluate.hpp; the bits of a NaN aside).
//
// A strip is a number of cells that follow one another along one axis. The nodes of a formula become instructions, of
// which each computes all cells of a strip; most take an operand from the instruction before in registers. Reads are
// used where they are, what all cells of a strip share is a number, and the last operation of a result writes it.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "kernels/device/cpu_features.hpp"
#include "kernels/formula/cpu/code.hpp"
#include "kernels/formula/evaluate.hpp"
#include "kernels/values/aligned_array.hpp"

namespace terrace::formula {

/// A formula as a program for an instruction set. Threads share it; each has a StripFrame of its own.
class Strips {
 public:
  /// @param axis along which the cells of a strip lie @param value the type of all reads and results, f32 or f64
  Strips(const Formula& formula, int axis, Type value, device::InstructionSet set);
  Strips(const Strips&) = delete;
  Strips& operator=(const Strips&) = delete;

  /// The reads, each once; their addresses are the rows of a frame, in this order.
  const std::vector<Node>& reads() const { return reads_; }
  std::size_t results() const { return results_; }
  /// Cells of a strip.
  std::int64_t cells() const { return program_.cells; }
  /// True if the index along the axis of strips is used.
  bool uses_index() const { return uses_index_; }

 private:
  friend class StripFrame;
  friend class StripMaker;

  /// A node whose value all cells of a strip share.
  struct Shared {
    int node;
    std::int64_t word;  // -1: no instruction reads it
  };

  Formula formula_;
  std::vector<Node> reads_;
  std::size_t results_;
  bool uses_index_ = false;
  std::vector<strips::Instruction> instructions_;
  std::vector<strips::u32> starts_;
  std::vector<Shared> constant_, varying_;  // the same in all rows; anew in each row
  std::size_t words_ = 0;
  std::vector<std::size_t> buffers_;                           // words
  std::vector<std::pair<std::int64_t, std::size_t>> numbers_;  // offsets of indices, and their words
  std::int64_t buffer_bytes_ = 0;
  strips::Program program_{};
  strips::Kernels kernels_;
};

/// The memory of a thread that runs a program.
class StripFrame {
 public:
  explicit StripFrame(const Strips& strips);

  /// An upper bound of the bytes of a frame. @param nodes of the formula
  static std::size_t bytes(std::size_t nodes);

  /// Sets what the cells of a row share. @param leaf the value of a series, an index along another axis, an extent or
  /// the step: CellValue(const Node&)
  template <class Leaf>
  void set_row(const Leaf& leaf) {
    for (const Strips::Shared& shared : strips_->varying_) compute(shared, leaf);
  }
  /// The address of read `number` of the cell 0, which need not be there.
  void set_read(std::size_t number, const void* address) {
    words_[strips::first_row + number].address = static_cast<char*>(const_cast<void*>(address));
  }
  void set_result(std::size_t number, void* address) { set_read(strips_->reads_.size() + number, address); }
  /// Computes the cells [begin, end), at least a strip.
  /// @param index of the cell 0 along the axis
  void run(std::int64_t begin, std::int64_t end, std::int64_t index) {
    words_[strips::first_index].whole = index;
    words_[strips::last_index].whole = index + end - 1;
    strips_->kernels_.run(strips_->program_, words_.data(), begin, end);
  }
  /// Computes the first `count` cells of a strip whose rows have room for all of it.
  void run_part(std::int64_t count, std::int64_t index) {
    words_[strips::first_index].whole = index;
    words_[strips::last_index].whole = index + count - 1;
    strips_->kernels_.run(strips_->program_, words_.data(), 0, strips_->cells());
  }

 private:
  template <class Leaf>
  void compute(const Strips::Shared& shared, const Leaf& leaf) {
    const auto at = static_cast<std::size_t>(shared.node);
    const Node& node = strips_->formula_.nodes()[at];
    if (node.operation == Operation::constant) {
      values_[at] = {node.real, node.whole};
    } else if (node.operand_count() == 0) {
      values_[at] = leaf(node);
    } else {
      apply_to_values(at);
    }
    if (shared.word >= 0) set_word(shared);
  }
  void apply_to_values(std::size_t node);
  void set_word(const Strips::Shared& shared);

  const Strips* strips_;
  std::vector<CellValue> values_;  // of shared nodes
  std::vector<strips::Word> words_;
  values::AlignedArray<char> buffers_;
};

}  // namespace terrace::formula
