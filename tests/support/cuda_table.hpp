// A whole table on a CUDA device, swept by one launch: for tests and benchmarks of CUDA sweeps.
#pragma once

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/device/cuda_context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/cuda/sweep.hpp"
#include "kernels/wavefront/visit.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront::testing {

/// The inputs of a table: letters of rows and columns or the bytes of their values, or the bytes of a row-major
/// grid.
struct TableInput {
  std::vector<std::uint8_t> rows, columns, grid;
};

/// The table's arrays on the device and one launch over all of its blocks.
class CudaTable {
 public:
  CudaTable(const SweepSpec& spec, device::Context& context, const TableInput& input, const CudaTrial& trial = {},
            std::uint64_t ring = 3)
      : spec_(spec),
        context_(context),
        grid_(whole_grid(spec)),
        ring_(ring),
        item_bytes_(
            find_problem(spec.problem)->items == Items::values ? static_cast<std::int64_t>(size_of(spec.value)) : 1),
        row_planes_(planes_of(spec)[0]),
        column_planes_(planes_of(spec)[1]),
        workspace_(context, cuda_workspace_bytes(spec, context.limits(), trial)),
        rows_(upload(input.rows)),
        columns_(upload(input.columns)),
        values_(upload(input.grid)),
        row_borders_(context,
                     static_cast<std::size_t>(grid_.count() * row_border_elements() + 1) * size_of(spec.border)),
        column_borders_(
            context, static_cast<std::size_t>(grid_.count() * column_border_elements() + 1) * size_of(spec.border)),
        port_memory_(context, port_bytes(), device::In::host) {
    if (spec.table) {
      table_ = std::make_unique<device::Memory>(
          context, static_cast<std::size_t>(grid_.layers * grid_.rows * grid_.columns) * size_of(*spec.table) + 1);
    }
    if (spec.settings.has("bins")) edges_ = bin_edges(spec.settings, spec.grid);
    sweep_ = make_cuda_sweep(spec, context, workspace_.as<>(), trial);
  }

  std::uint64_t blocks() const { return static_cast<std::uint64_t>(grid_.count()); }

  /// Makes the descriptors of a sweep that keeps lines. @param task(block, index of the block)
  void keep_lines(std::function<KeptTask(const BlockTask&, std::uint64_t)> task) { kept_task_ = std::move(task); }

  /// Computes all blocks; `done` and `failed` tell how many. @return seconds of device time
  double run() { return run(0, blocks()); }
  /// Computes blocks [first, first + count), feeding the launch a ring of descriptors while it runs, and asks it to
  /// stop or to abort after the given numbers of blocks.
  double run(std::uint64_t first, std::uint64_t count, std::uint64_t stop_after = ~0ull,
             std::uint64_t abort_after = ~0ull) {
    std::memset(port_memory_.as<>(), 0, port_memory_.bytes());
    device::Port port = make_port();
    port.first = first;
    port.count = count;
    done = *port.ready = *port.done = first;
    failed = skipped = 0;
    results.resize(blocks());
    std::uint64_t ready = first;
    if (stop_after > 0 && abort_after > 0) hand_out(port, ready);  // before the launch: profilers let it run alone
    auto begin = context_.record(device::Queue::compute);
    sweep_->run(port);
    auto end = context_.record(device::Queue::compute);
    feed(port, *end, stop_after, abort_after);
    end->wait();
    collect(port);
    return end->seconds_since(*begin);
  }

  /// The table, row-major.
  std::vector<unsigned char> table() const {
    if (!table_) return {};
    return download(table_->as<>(), table_->bytes() - 1);
  }

  /// Plane `plane` of the row border above `row`, which a sweep keeps inside its blocks or between them.
  template <class T>
  std::vector<T> border_above(std::int64_t row, int plane) const {
    std::vector<T> border;
    for (std::int64_t column = 0; column < grid_.columns; column += cell_columns()) {
      const std::int64_t width = std::min(cell_columns(), grid_.columns - column);
      append(border, row_border(0, row, column) + plane * cell_columns() * size_of(spec_.border), width);
    }
    return border;
  }
  /// The same of the column border before `column`; without the corners.
  template <class T>
  std::vector<T> border_before(std::int64_t column, int plane) const {
    std::vector<T> border;
    for (std::int64_t row = 0; row < grid_.rows; row += cell_rows()) {
      const std::int64_t height = std::min(cell_rows(), grid_.rows - row);
      append(border, column_border(0, row, column) + (plane * (cell_rows() + 1) + 1) * size_of(spec_.border), height);
    }
    return border;
  }
  /// The corners of the border before `column`.
  template <class T>
  std::vector<T> corners_before(std::int64_t column) const {
    std::vector<T> corners;
    for (std::int64_t row = 0; row < grid_.rows; row += cell_rows())
      append(corners, column_border(0, row, column), 1);
    return corners;
  }
  /// Size of the pieces that borders consist of.
  std::int64_t cell_rows() const { return spec_.cell_rows > 0 ? spec_.cell_rows : grid_.block_rows; }
  std::int64_t cell_columns() const { return spec_.cell_columns > 0 ? spec_.cell_columns : grid_.block_columns; }

  /// A block, in memory of the device.
  BlockTask task(std::int64_t index) const {
    const std::int64_t i = spec_.by_strips ? index % grid_.down() : index / grid_.stride();
    const std::int64_t j = spec_.by_strips ? index / grid_.down() : index % grid_.across();
    const std::int64_t layer = spec_.by_strips ? 0 : index / grid_.across() % grid_.layers;
    BlockTask task{};
    task.row_begin = i * grid_.block_rows;
    task.row_end = task.row_begin + grid_.rows_of(i);
    task.column_begin = j * grid_.block_columns;
    task.column_end = std::min<std::int64_t>(task.column_begin + grid_.block_columns, grid_.columns);
    task.rows = rows_->as<>() + task.row_begin * item_bytes_;
    task.columns = columns_->as<>() + task.column_begin * item_bytes_;
    const auto cell = static_cast<std::size_t>(task.row_begin * grid_.columns + task.column_begin);
    task.grid = values_->as<>() + cell * size_of(spec_.grid);
    task.grid_stride = task.table_stride = grid_.columns;
    const bool inside = spec_.cell_rows > 0 || spec_.cell_columns > 0;
    task.top = i > 0 ? row_border(layer, task.row_begin, task.column_begin) : nullptr;
    task.bottom = i + 1 < grid_.down() || inside ? row_border(layer, task.row_begin + 1, task.column_begin) : nullptr;
    task.left = j > 0 ? column_border(layer, task.row_begin, task.column_begin) : nullptr;
    task.right =
        j + 1 < grid_.across() || inside ? column_border(layer, task.row_begin, task.column_begin + 1) : nullptr;
    task.row_border_stride = cell_columns();
    task.column_border_stride = cell_rows() + 1;
    const std::size_t in_table = static_cast<std::size_t>(layer * grid_.rows * grid_.columns) + cell;
    task.table = table_ ? table_->as<>() + in_table * size_of(*spec_.table) : nullptr;
    if (!edges_.empty()) task.keys = bin_keys(edges_, layer, spec_.grid);
    return task;
  }

  std::vector<BlockResult> results;  // of all blocks that were reported
  std::uint64_t done = 0;            // blocks [first, done) were reported by the last run
  std::uint64_t failed = 0;          // index + 1 of the first block that did not pass its checks
  std::uint64_t skipped = 0;         // cells that the run left out

 private:
  /// The grid of all strips, of which a sweep by strips knows one.
  static BlockGrid whole_grid(SweepSpec spec) {
    spec.by_strips = false;
    return grid_of(spec);
  }

  std::unique_ptr<device::Memory> upload(const std::vector<std::uint8_t>& bytes) {
    auto memory = std::make_unique<device::Memory>(context_, bytes.size() + 1);
    if (bytes.empty()) return memory;
    device::Memory staging(context_, bytes.size(), device::In::host);
    std::memcpy(staging.as<>(), bytes.data(), bytes.size());
    context_.copy(device::Queue::up, memory->as<>(), staging.as<>(), bytes.size());
    context_.record(device::Queue::up)->wait();
    return memory;
  }

  std::vector<unsigned char> download(const unsigned char* from, std::size_t bytes) const {
    device::Memory staging(context_, bytes, device::In::host);
    context_.copy(device::Queue::down, staging.as<>(), from, bytes);
    context_.record(device::Queue::down)->wait();
    return {staging.as<>(), staging.as<>() + bytes};
  }

  static std::array<std::int64_t, 2> planes_of(const SweepSpec& spec) {
    std::array<std::int64_t, 2> planes{};
    visit_problem(spec.problem, spec.settings, [&]<class P>(P) { planes = {P::row_planes, P::column_planes}; });
    return planes;
  }

  std::size_t port_bytes() const { return 64 + ring_ * (sizeof(KeptTask) + sizeof(BlockResult)); }
  device::Port make_port() const {
    auto* words = port_memory_.as<device::u64>();
    auto* tasks = port_memory_.as<>() + 64;
    return {words,
            words + 1,
            words + 2,
            words + 3,
            words + 4,
            words + 5,
            tasks,
            tasks + ring_ * sizeof(KeptTask),
            ring_,
            sizeof(KeptTask),
            sizeof(BlockResult),
            0,
            static_cast<device::u64>(grid_.count())};
  }

  template <class T>
  void append(std::vector<T>& values, const unsigned char* from, std::int64_t count) const {
    const std::vector<unsigned char> bytes = download(from, static_cast<std::size_t>(count) * sizeof(T));
    values.resize(values.size() + static_cast<std::size_t>(count));
    std::memcpy(values.data() + values.size() - static_cast<std::size_t>(count), bytes.data(), bytes.size());
  }

  /// Cells of a block, and elements of the borders that it writes.
  std::int64_t cells_down() const { return (grid_.block_rows + cell_rows() - 1) / cell_rows(); }
  std::int64_t cells_across() const { return (grid_.block_columns + cell_columns() - 1) / cell_columns(); }
  std::int64_t row_border_elements() const { return cells_down() * cells_across() * 2 * cell_columns(); }
  std::int64_t column_border_elements() const { return cells_across() * cells_down() * 2 * (cell_rows() + 1); }

  /// The piece that begins with `column` of the border above `row`, in the block that writes it.
  unsigned char* row_border(std::int64_t layer, std::int64_t row, std::int64_t column) const {
    const std::int64_t block = (row - 1) / grid_.block_rows * grid_.across() + column / grid_.block_columns;
    const std::int64_t kept = (row - 1) % grid_.block_rows / cell_rows();
    const std::int64_t piece = column % grid_.block_columns / cell_columns();
    return row_borders_.as<>() +
           border_bytes((layer * grid_.down() * grid_.across() + block) * row_border_elements() +
                        (kept * cells_across() + piece) * row_planes_ * cell_columns());
  }
  /// The piece that begins with `row` of the border before `column`, in the block that writes it.
  unsigned char* column_border(std::int64_t layer, std::int64_t row, std::int64_t column) const {
    const std::int64_t block = row / grid_.block_rows * grid_.across() + (column - 1) / grid_.block_columns;
    const std::int64_t kept = (column - 1) % grid_.block_columns / cell_columns();
    const std::int64_t piece = row % grid_.block_rows / cell_rows();
    return column_borders_.as<>() +
           border_bytes((layer * grid_.down() * grid_.across() + block) * column_border_elements() +
                        (kept * cells_down() + piece) * column_planes_ * (cell_rows() + 1));
  }
  std::size_t border_bytes(std::int64_t elements) const {
    return static_cast<std::size_t>(elements) * size_of(spec_.border);
  }

  void collect(const device::Port& port) {
    const std::uint64_t now = __atomic_load_n(port.done, __ATOMIC_ACQUIRE);
    for (; done < now; ++done) results[done] = static_cast<const BlockResult*>(port.results)[done % port.ring];
    failed = __atomic_load_n(port.failed, __ATOMIC_ACQUIRE);
    skipped = *port.skipped;
  }

  /// Writes the descriptors of blocks from `ready` on, until the ring is full.
  void hand_out(const device::Port& port, std::uint64_t& ready) const {
    for (; ready < port.first + port.count && ready < done + port.ring; ++ready) {
      const BlockTask cells = task(static_cast<std::int64_t>(ready));
      KeptTask next{};
      next.block = cells;
      if (kept_task_) next = kept_task_(cells, ready);
      std::memcpy(port_memory_.as<>() + 64 + ready % port.ring * sizeof next, &next, sizeof next);
    }
    __atomic_store_n(port.ready, ready, __ATOMIC_RELEASE);
  }

  /// Hands out descriptors while the ring has room and collects results until the launch has ended.
  void feed(const device::Port& port, device::Event& end, std::uint64_t stop_after, std::uint64_t abort_after) {
    std::uint64_t ready = *port.ready;
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
    while (!end.done()) {
      const std::uint64_t done_before = done;
      collect(port);
      hand_out(port, ready);
      if (done == done_before) std::this_thread::sleep_for(std::chrono::microseconds(5));
      if (done - port.first >= stop_after) __atomic_store_n(port.stop, std::uint64_t{1}, __ATOMIC_RELEASE);
      if (done - port.first >= abort_after) __atomic_store_n(port.abort, std::uint64_t{1}, __ATOMIC_RELEASE);
      if (std::chrono::steady_clock::now() > deadline) {
        __atomic_store_n(port.abort, std::uint64_t{1}, __ATOMIC_RELEASE);
        end.wait();
        throw DeviceError("CudaTable", "no end after 60 seconds; " + std::to_string(done) + " of " +
                                           std::to_string(port.count) + " blocks done, aborted");
      }
    }
  }

  SweepSpec spec_;
  device::Context& context_;
  BlockGrid grid_;
  std::uint64_t ring_;
  std::int64_t item_bytes_;
  std::int64_t row_planes_, column_planes_;
  std::vector<double> edges_;
  device::Memory workspace_;
  std::unique_ptr<device::Memory> rows_, columns_, values_;
  device::Memory row_borders_, column_borders_;
  device::Memory port_memory_;
  std::unique_ptr<device::Memory> table_;
  std::unique_ptr<device::BlockKernel> sweep_;
  std::function<KeptTask(const BlockTask&, std::uint64_t)> kept_task_;
};

}  // namespace terrace::wavefront::testing
