// Rates of closures with paths, and of closures and products of bits, also in counts, on the first CUDA device, by
// its own clock, with checks of samples.
//
//   benchmark_reachability_cuda [NODES...]     (8192 16384 32768)
#include <bit>
#include <cmath>

#include "kernels/recursive/rules/trail.hpp"
#include "tests/benchmarks/tiles_on_cuda.hpp"

namespace terrace::recursive {
namespace {

using testing::DeviceMatrix;
using testing::Elements;
using testing::print;
using testing::time_blocks;
using testing::updates_in_place;
using testing::Values;

/// Edges to the nodes of their columns.
struct EdgeTrails {
  device::u32 at(std::int64_t, std::int64_t j) const {
    return device::u32{1} << Trail<device::u32>::half | static_cast<device::u32>(j);
  }
};

/// True if some next nodes of row i lie on shortest paths.
template <class T>
bool right_next(const DeviceMatrix<T>& x, const DeviceMatrix<device::u32>& trails, const Elements<T>& weights,
                std::int64_t i, std::int64_t n) {
  const std::vector<T> from = x.row(i);
  const std::vector<device::u32> trail = trails.row(i);
  for (std::int64_t j = 5; j < n; j += n / 50) {
    const auto at = static_cast<std::size_t>(j);
    const std::int64_t next = trail[at] & Trail<device::u32>::next_mask;
    const T rest = next == j ? T(0) : x.row(next)[at];
    if (static_cast<T>(weights.at(i, next) + rest) != from[at]) return false;
  }
  return true;
}

/// A closure with the paths in one launch.
template <class T>
void report_paths(device::Context& context, std::int64_t n, std::int64_t tile) {
  const Elements<T> weights{static_cast<std::uint64_t>(n + tile), testing::most_weight<T>};
  DeviceMatrix<T> x(context, n, tile);
  DeviceMatrix<device::u32> trails(context, n, tile);
  x.fill(weights);
  trails.fill(EdgeTrails{});
  std::vector<TileTask> tasks = updates_in_place(x, tile, false);
  for (TileTask& task : tasks) {
    task.x_trail = trails.at(0, 0) + (static_cast<T*>(task.x) - x.at(0, 0));
    if (task.u != nullptr) task.u_trail = trails.at(0, 0) + (static_cast<const T*>(task.u) - x.at(0, 0));
    if (task.v != nullptr) task.v_trail = trails.at(0, 0) + (static_cast<const T*>(task.v) - x.at(0, 0));
  }
  const TileSpec spec{find_semiring("min_plus"), element_type_of<T>(), Table::paths};
  const double seconds = time_blocks(context, spec, tile, tasks);
  const std::int64_t i = n / 3;
  const bool right = x.row(i) == testing::distances_from(i, n, weights) && right_next(x, trails, weights, i, n);
  print(fmt::format("closure with paths {}, {}, tiles of {}", name_of(element_type_of<T>()), n, tile), n, seconds,
        right);
}

/// Nodes that an edge leads to from node i: one or two.
std::vector<std::int64_t> next_nodes(std::int64_t i, std::int64_t n) {
  const Elements<std::int64_t> draw{7, 1000000007};
  std::vector<std::int64_t> next{draw.at(i, 0) % n};
  if (i % 8 == 0) next.push_back(draw.at(i, 1) % n);
  return next;
}

/// Which nodes are reached from node i, as words of 32.
std::vector<device::u32> reached_from(std::int64_t i, std::int64_t n) {
  std::vector<device::u32> reached(static_cast<std::size_t>(n / 32));
  for (std::vector<std::int64_t> waiting{i}; !waiting.empty();) {
    const std::int64_t node = waiting.back();
    waiting.pop_back();
    for (const std::int64_t to : next_nodes(node, n)) {
      device::u32& word = reached[static_cast<std::size_t>(to / 32)];
      if ((word >> to % 32 & 1) == 0) waiting.push_back(to);
      word |= device::u32{1} << to % 32;
    }
  }
  return reached;
}

/// A transitive closure in bits in one launch.
void report_bits(device::Context& context, std::int64_t n, std::int64_t tile) {
  const std::int64_t across = n / tile, words = tile / 32, size = tile * words;
  const device::Memory memory(context, static_cast<std::size_t>(across * across * size) * sizeof(device::u32));
  const auto at = [&](std::int64_t i, std::int64_t j) { return memory.as<device::u32>() + (i * across + j) * size; };
  for (std::int64_t a = 0; a < across; ++a) {
    std::vector<std::vector<device::u32>> strip(static_cast<std::size_t>(across));
    for (auto& bits : strip) bits.resize(static_cast<std::size_t>(size));
    for (std::int64_t i = 0; i < tile; ++i) {
      for (const std::int64_t to : next_nodes(a * tile + i, n)) {
        strip[static_cast<std::size_t>(to / tile)][static_cast<std::size_t>(i * words + to % tile / 32)] |=
            device::u32{1} << to % 32;
      }
    }
    for (std::int64_t b = 0; b < across; ++b) {
      const Values<device::u32> staging(context, strip[static_cast<std::size_t>(b)]);
      context.copy(device::Queue::up, at(a, b), staging.data(), static_cast<std::size_t>(size) * sizeof(device::u32));
      context.record(device::Queue::up)->wait();
    }
  }
  std::vector<TileTask> tasks = updates_in_place<device::u32>(across, tile, false, at);
  for (TileTask& task : tasks) task.columns = task.x_stride = task.u_stride = task.v_stride = words;
  const double seconds =
      time_blocks(context, {find_semiring("or_and"), ElementType::u32, Table::packed_bits}, tile, tasks);
  const std::int64_t row = n / 3;
  const Values<device::u32> found(context, std::vector<device::u32>(static_cast<std::size_t>(n / 32)));
  for (std::int64_t b = 0; b < across; ++b) {
    context.copy(device::Queue::down, found.data() + b * words, at(row / tile, b) + row % tile * words,
                 static_cast<std::size_t>(words) * sizeof(device::u32));
  }
  context.record(device::Queue::down)->wait();
  print(fmt::format("closure of bits, {}, tiles of {}", n, tile), n, seconds, found.vector() == reached_from(row, n));
}

/// Words of row i of a matrix of bits of which each row has so many that half of a product's are set.
std::vector<device::u32> random_row(std::uint64_t seed, std::int64_t i, std::int64_t n) {
  const Elements<std::int64_t> draw{seed, 1000000007};
  const auto bits = static_cast<std::int64_t>(std::sqrt(0.693 * static_cast<double>(n)));
  std::vector<device::u32> row(static_cast<std::size_t>(n / 32));
  for (std::int64_t bit = 0; bit < bits; ++bit) {
    const std::int64_t j = draw.at(i, bit) % n;
    row[static_cast<std::size_t>(j / 32)] |= device::u32{1} << j % 32;
  }
  return row;
}

void fill_bits(device::Context& context, device::u32* to, std::uint64_t seed, std::int64_t n) {
  constexpr std::int64_t rows = 256;  // copied at a time
  const auto words = static_cast<std::size_t>(n / 32);
  const device::Memory staging(context, rows * words * sizeof(device::u32), device::In::host);
  for (std::int64_t i = 0; i < n; i += rows) {
    for (std::int64_t row = i; row < std::min(n, i + rows); ++row) {
      const std::vector<device::u32> bits = random_row(seed, row, n);
      std::copy(bits.begin(), bits.end(), staging.as<device::u32>() + static_cast<std::size_t>(row - i) * words);
    }
    const auto count = static_cast<std::size_t>(std::min(rows, n - i)) * words;
    context.copy(device::Queue::up, to + static_cast<std::size_t>(i) * words, staging.as<void>(),
                 count * sizeof(device::u32));
    context.record(device::Queue::up)->wait();
  }
}

/// The columns of the bits that are set in a row.
std::vector<std::int64_t> ones_of(const std::vector<device::u32>& row) {
  std::vector<std::int64_t> ones;
  for (std::size_t word = 0; word < row.size(); ++word) {
    for (device::u32 left = row[word]; left != 0; left &= left - 1) {
      ones.push_back(static_cast<std::int64_t>(32 * word) + std::countr_zero(left));
    }
  }
  return ones;
}

/// True if some rows of x, of values of type T, are those that row(ones of the left factor's row) gives.
template <class T, class Row>
bool right_rows(device::Context& context, const device::Memory& x, std::int64_t n, std::int64_t columns,
                std::uint64_t left, const Row& row_of) {
  for (const std::int64_t row : {std::int64_t{0}, n / 3, n - 1}) {
    const Values<T> found(context, std::vector<T>(static_cast<std::size_t>(columns)));
    context.copy(device::Queue::down, found.data(), x.as<T>() + row * columns,
                 static_cast<std::size_t>(columns) * sizeof(T));
    context.record(device::Queue::down)->wait();
    if (found.vector() != row_of(ones_of(random_row(left, row, n)))) return false;
  }
  return true;
}

/// Products of two tables of bits as one block: in bits, and in counts. An update is a pair of bits.
void report_bits_products(device::Context& context, std::int64_t n) {
  constexpr std::uint64_t left = 11, right = 23;
  const std::int64_t words = n / 32;
  const auto bytes = [](std::int64_t count) { return static_cast<std::size_t>(count) * sizeof(device::u32); };
  const device::Memory u(context, bytes(n * words)), v(context, bytes(n * words));
  fill_bits(context, u.as<device::u32>(), left, n);
  fill_bits(context, v.as<device::u32>(), right, n);
  TileTask task = testing::square_task(n);
  task.u_stride = task.v_stride = words;
  task.u = u.as<void>();
  task.v = v.as<void>();
  task.empty = 1;
  {
    const device::Memory x(context, bytes(n * words));
    task.x = x.as<void>();
    task.columns = task.x_stride = words;
    const double seconds =
        time_blocks(context, {find_semiring("or_and"), ElementType::u32, Table::packed_bits}, n, {task});
    const bool found = right_rows<device::u32>(context, x, n, words, left, [&](const auto& ones) {
      std::vector<device::u32> row(static_cast<std::size_t>(words));
      for (const std::int64_t k : ones) {
        const std::vector<device::u32> other = random_row(right, k, n);
        for (std::size_t word = 0; word < other.size(); ++word) row[word] |= other[word];
      }
      return row;
    });
    print(fmt::format("product of bits, {}", n), n, seconds, found);
  }
  const device::Memory x(context, bytes(n * n));
  task.x = x.as<void>();
  task.columns = task.x_stride = n;
  const double seconds = time_blocks(context, {find_semiring("count"), ElementType::i32, Table::counts}, n, {task});
  const bool found = right_rows<std::int32_t>(context, x, n, n, left, [&](const auto& ones) {
    std::vector<std::int32_t> row(static_cast<std::size_t>(n));
    for (const std::int64_t k : ones) {
      for (const std::int64_t j : ones_of(random_row(right, k, n))) ++row[static_cast<std::size_t>(j)];
    }
    return row;
  });
  print(fmt::format("product of bits in counts, {}", n), n, seconds, found);
}

void report_all(device::Context& context, std::vector<std::int64_t> sizes) {
  if (sizes.empty()) sizes = {8192, 16384, 32768};
  for (const std::int64_t n : sizes) {
    for (const std::int64_t tile : {2048, 4096}) {
      if (n % tile != 0 || tile >= n || n > Trail<device::u32>::most_nodes) continue;
      report_paths<float>(context, n, tile);
      report_paths<std::int32_t>(context, n, tile);
      report_paths<std::int16_t>(context, n, tile);
    }
    if (n % 8192 == 0) report_bits(context, n, std::min<std::int64_t>(n, 16384));
    if (n % 32 == 0) report_bits_products(context, n);
  }
}

}  // namespace
}  // namespace terrace::recursive

int main(int argc, char** argv) {
  return terrace::recursive::testing::run_on_cuda(argc, argv, terrace::recursive::report_all);
}
