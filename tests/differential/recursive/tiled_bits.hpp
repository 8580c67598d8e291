// A graph's edges in tiles of bits, updated through launches on any device.
#pragma once

#include <random>

#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/semiring.hpp"
#include "tests/differential/recursive/tiled_matrix.hpp"

namespace terrace::recursive::testing {

using Words = std::vector<device::u32>;

/// Edges of a random graph as bytes 0 and 1.
inline std::vector<std::uint8_t> random_edges(std::int64_t n, double degree, unsigned seed) {
  std::mt19937 random(seed);
  std::bernoulli_distribution edge(std::min(1.0, degree / static_cast<double>(n)));
  std::vector<std::uint8_t> matrix(static_cast<std::size_t>(n * n));
  for (std::uint8_t& value : matrix) value = edge(random) ? 1 : 0;
  return matrix;
}

/// A matrix of bytes 0 and 1 in words of 32 columns.
inline Words packed_words(const std::vector<std::uint8_t>& matrix, std::int64_t rows, std::int64_t columns) {
  const std::int64_t across = (columns + 31) / 32;
  Words words(static_cast<std::size_t>(rows * across));
  for (std::int64_t at = 0; at < rows * columns; ++at) {
    const std::int64_t i = at / columns, j = at % columns;
    const device::u32 bit = matrix[static_cast<std::size_t>(at)];
    words[static_cast<std::size_t>(i * across + j / 32)] |= bit << j % 32;
  }
  return words;
}

/// Which nodes are reached from which by at least one edge: from each node on, along edges to nodes not seen before.
inline std::vector<std::uint8_t> reached(const std::vector<std::uint8_t>& edges, std::int64_t n) {
  std::vector<std::vector<std::int64_t>> next(static_cast<std::size_t>(n));
  for (std::int64_t at = 0; at < n * n; ++at) {
    if (edges[static_cast<std::size_t>(at)] != 0) next[static_cast<std::size_t>(at / n)].push_back(at % n);
  }
  std::vector<std::uint8_t> all(edges.size());
  for (std::int64_t begin = 0; begin < n; ++begin) {
    std::vector<std::int64_t> waiting{begin};
    while (!waiting.empty()) {
      const std::int64_t node = waiting.back();
      waiting.pop_back();
      for (const std::int64_t to : next[static_cast<std::size_t>(node)]) {
        std::uint8_t& seen = all[static_cast<std::size_t>(begin * n + to)];
        if (seen == 0) waiting.push_back(to);
        seen = 1;
      }
    }
  }
  return all;
}

/// Bits in tiles of a multiple of 32 rows and columns.
class TiledBits {
 public:
  TiledBits(device::Context& context, const std::vector<std::uint8_t>& matrix, std::int64_t n, std::int64_t tile,
            bool packed)
      : context_(context),
        n_(n),
        tile_(tile),
        across_((n + tile - 1) / tile),
        words_((n + 31) / 32),
        bytes_(packed ? (n + 7) / 8 : n),
        cells_of_byte_(packed ? 8 : 1),
        matrix_(context, packed_words(matrix, n, n)),
        output_(context, std::vector<std::uint8_t>(static_cast<std::size_t>(n * bytes_), 7)) {
    for (std::int64_t at = 0; at < across_ * across_; ++at) {
      const auto size = static_cast<std::size_t>(side(at / across_) * words(at % across_));
      tiles_.push_back(std::make_unique<Values<device::u32>>(context, Words(size, 7)));
    }
  }

  /// All updates, k by k, in launches of independent updates; @returns the table of the result.
  std::vector<std::uint8_t> close(device::BlockKernel& kernel) {
    std::vector<TileResult> results;
    for (std::int64_t k = 0; k < across_; ++k) {
      std::vector<TileTask> groups[3];
      for (std::int64_t at = 0; at < across_ * across_; ++at) {
        const std::int64_t i = at / across_, j = at % across_;
        groups[(i != k) + (j != k)].push_back(task(i, j, k));
      }
      for (const auto& tasks : groups) {
        if (run_blocks(context_, kernel, tasks, results).done != tasks.size()) {
          throw std::runtime_error("the launch ended before its blocks were done");
        }
      }
    }
    return output_.vector();
  }

  /// Cells as close() gives them out.
  std::vector<std::uint8_t> given_out(const std::vector<std::uint8_t>& cells) const {
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(n_ * bytes_));
    for (std::int64_t at = 0; at < n_ * n_; ++at) {
      const std::int64_t i = at / n_, j = at % n_;
      auto& byte = bytes[static_cast<std::size_t>(i * bytes_ + j / cells_of_byte_)];
      byte = static_cast<std::uint8_t>(byte | cells[static_cast<std::size_t>(at)] << j % cells_of_byte_);
    }
    return bytes;
  }

 private:
  std::int64_t side(std::int64_t i) const { return std::min(tile_, n_ - i * tile_); }
  std::int64_t words(std::int64_t j) const { return (side(j) + 31) / 32; }
  device::u32* at(std::int64_t i, std::int64_t j) const {
    return tiles_[static_cast<std::size_t>(i * across_ + j)]->data();
  }

  TileTask task(std::int64_t i, std::int64_t j, std::int64_t k) const {
    TileTask task{};
    task.rows = side(i);
    task.columns = words(j);
    task.depth = side(k);
    task.function = i == k ? (j == k ? Function::a : Function::b) : (j == k ? Function::c : Function::d);
    task.last = k + 1 == across_;
    task.x = at(i, j);
    task.x_stride = words(j);
    if (j != k) task.u = at(i, k), task.u_stride = words(k);
    if (i != k) task.v = at(k, j), task.v_stride = words(j);
    if (k == 0) task.input = matrix_.data() + i * tile_ * words_ + j * tile_ / 32, task.input_stride = words_;
    task.output = output_.data() + i * tile_ * bytes_ + j * tile_ / cells_of_byte_;
    task.output_columns = (side(j) + cells_of_byte_ - 1) / cells_of_byte_;
    task.output_stride = bytes_;
    return task;
  }

  device::Context& context_;
  std::int64_t n_, tile_, across_, words_, bytes_, cells_of_byte_;
  Values<device::u32> matrix_;
  Values<std::uint8_t> output_;
  std::vector<std::unique_ptr<Values<device::u32>>> tiles_;
};

inline TileSpec bits_spec(bool packed) {
  return {find_semiring("or_and"), ElementType::u32, packed ? Table::packed_bits : Table::bits};
}

}  // namespace terrace::recursive::testing
