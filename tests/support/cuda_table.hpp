// A whole table on a CUDA device, swept by one launch: for tests and benchmarks of CUDA sweeps.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "kernels/device/cuda_context.hpp"
#include "kernels/wavefront/bins.hpp"
#include "kernels/wavefront/cuda_sweep.hpp"
#include "kernels/wavefront/problems.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::wavefront::testing {

/// Device or host memory of a context, freed with its owner.
class Memory {
 public:
  Memory(device::Context& context, std::size_t bytes, bool host = false)
      : context_(context),
        bytes_(bytes),
        host_(host),
        data_(host ? context.allocate_host(bytes) : context.allocate(bytes)) {}
  ~Memory() { host_ ? context_.release_host(data_, bytes_) : context_.release(data_, bytes_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;

  template <class T = unsigned char>
  T* as() const {
    return static_cast<T*>(data_);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  device::Context& context_;
  std::size_t bytes_;
  bool host_;
  void* data_;
};

/// What a table is computed from: letters of rows and columns or the bytes of their values, or those of a row-major
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
        grid_(grid_of(spec)),
        ring_(ring),
        item_bytes_(
            find_problem(spec.problem)->items == Items::values ? static_cast<std::int64_t>(size_of(spec.value)) : 1),
        workspace_(context, cuda_workspace_bytes(spec, context.limits(), trial)),
        rows_(upload(input.rows)),
        columns_(upload(input.columns)),
        values_(upload(input.grid)),
        row_borders_(context, static_cast<std::size_t>(grid_.layers * borders() * 2 * grid_.columns + 1) *
                                  size_of(spec.border)),
        column_borders_(context,
                        static_cast<std::size_t>(grid_.layers * grid_.across() * 2 * (grid_.rows + grid_.down())) *
                            size_of(spec.border)),
        port_memory_(context, port_bytes(), true) {
    if (spec.table) {
      table_ = std::make_unique<Memory>(
          context, static_cast<std::size_t>(grid_.layers * grid_.rows * grid_.columns) * size_of(*spec.table) + 1);
    }
    visit_problem(spec.problem, spec.settings, [&]<class P>(P) { row_planes_ = P::row_planes; });
    if (spec.settings.has("bins")) edges_ = bin_edges(spec.settings, spec.grid);
    sweep_ = make_cuda_sweep(spec, context, workspace_.as<>(), trial);
  }

  std::uint64_t blocks() const { return static_cast<std::uint64_t>(grid_.count()); }

  /// Computes all blocks; `done` and `failed` say how far it came. @return seconds of device time
  double run() { return run(0, blocks()); }
  /// Computes blocks [first, first + count), feeding the launch a ring of descriptors as it goes on, and asks it to
  /// stop or to abort after so many.
  double run(std::uint64_t first, std::uint64_t count, std::uint64_t stop_after = ~0ull,
             std::uint64_t abort_after = ~0ull) {
    std::memset(port_memory_.as<>(), 0, port_memory_.bytes());
    device::Port port = make_port();
    port.first = first;
    port.count = count;
    done = *port.ready = *port.done = first;
    failed = 0;
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

  /// Pieces of 32 columns of a band that the last run of a sweep of letters left out.
  std::uint64_t skipped() const {
    const std::vector<unsigned char> word =
        download(workspace_.as<>() + slots_of_workspace + skipped_at, sizeof(std::uint64_t));
    std::uint64_t pieces = 0;
    std::memcpy(&pieces, word.data(), sizeof pieces);
    return pieces;
  }

  /// Plane `plane` of the row border above `row`, where a sweep that keeps borders inside its blocks keeps one.
  template <class T>
  std::vector<T> border_above(std::int64_t row, int plane) const {
    const std::size_t elements = static_cast<std::size_t>(plane * grid_.columns),
                      count = static_cast<std::size_t>(grid_.columns);
    const std::vector<unsigned char> bytes =
        download(row_border(0, row / spec_.border_every - 1, 0) + elements * sizeof(T), count * sizeof(T));
    std::vector<T> border(count);
    std::memcpy(border.data(), bytes.data(), bytes.size());
    return border;
  }

  std::vector<BlockResult> results;  // of all blocks, as far as they were reported
  std::uint64_t done = 0;            // blocks [first, done) were reported by the last run
  std::uint64_t failed = 0;          // index + 1 of the first block that did not pass its checks

 private:
  std::unique_ptr<Memory> upload(const std::vector<std::uint8_t>& bytes) {
    auto memory = std::make_unique<Memory>(context_, bytes.size() + 1);
    if (bytes.empty()) return memory;
    Memory staging(context_, bytes.size(), true);
    std::memcpy(staging.as<>(), bytes.data(), bytes.size());
    context_.copy(device::Queue::up, memory->as<>(), staging.as<>(), bytes.size());
    context_.record(device::Queue::up)->wait();
    return memory;
  }

  std::vector<unsigned char> download(const unsigned char* from, std::size_t bytes) const {
    Memory staging(context_, bytes, true);
    context_.copy(device::Queue::down, staging.as<>(), from, bytes);
    context_.record(device::Queue::down)->wait();
    return {staging.as<>(), staging.as<>() + bytes};
  }

  std::size_t port_bytes() const { return 64 + ring_ * (sizeof(BlockTask) + sizeof(BlockResult)); }
  device::Port make_port() const {
    auto* words = port_memory_.as<device::u64>();
    auto* tasks = port_memory_.as<>() + 64;
    return {words,
            words + 1,
            words + 2,
            words + 3,
            words + 4,
            tasks,
            tasks + ring_ * sizeof(BlockTask),
            ring_,
            sizeof(BlockTask),
            sizeof(BlockResult),
            0,
            static_cast<device::u64>(grid_.count())};
  }

  /// Row borders of a layer, and of a block.
  std::int64_t borders() const { return spec_.border_every > 0 ? grid_.rows / spec_.border_every + 1 : grid_.down(); }
  std::int64_t borders_of_block() const { return spec_.border_every > 0 ? spec_.block_rows / spec_.border_every : 1; }
  unsigned char* row_border(std::int64_t layer, std::int64_t down, std::int64_t column) const {
    const std::int64_t at = (layer * borders() + down) * row_planes_ * grid_.columns + column;
    return row_borders_.as<>() + static_cast<std::size_t>(at) * size_of(spec_.border);
  }
  unsigned char* column_border(std::int64_t layer, std::int64_t across, std::int64_t down) const {
    const std::int64_t at =
        (layer * grid_.across() + across) * 2 * (grid_.rows + grid_.down()) + down * (grid_.block_rows + 1);
    return column_borders_.as<>() + static_cast<std::size_t>(at) * size_of(spec_.border);
  }

  BlockTask task(std::int64_t index) const {
    const std::int64_t i = index / grid_.stride(), j = index % grid_.across(),
                       layer = index / grid_.across() % grid_.layers;
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
    const std::int64_t below = i * borders_of_block();
    const bool keeps = i + 1 < grid_.down() || spec_.border_every > 0;
    task.top = i > 0 ? row_border(layer, below - 1, task.column_begin) : nullptr;
    task.bottom = keeps ? row_border(layer, below, task.column_begin) : nullptr;
    task.left = j > 0 ? column_border(layer, j - 1, i) : nullptr;
    task.right = j + 1 < grid_.across() ? column_border(layer, j, i) : nullptr;
    task.row_border_stride = grid_.columns;
    task.column_border_stride = grid_.rows + grid_.down();
    const std::size_t in_table = static_cast<std::size_t>(layer * grid_.rows * grid_.columns) + cell;
    task.table = table_ ? table_->as<>() + in_table * size_of(*spec_.table) : nullptr;
    if (!edges_.empty()) task.keys = bin_keys(edges_, layer, spec_.grid);
    return task;
  }

  void collect(const device::Port& port) {
    const std::uint64_t now = __atomic_load_n(port.done, __ATOMIC_ACQUIRE);
    for (; done < now; ++done) results[done] = static_cast<const BlockResult*>(port.results)[done % port.ring];
    failed = __atomic_load_n(port.failed, __ATOMIC_ACQUIRE);
  }

  /// Writes the descriptors of blocks from `ready` on, as far as the ring goes.
  void hand_out(const device::Port& port, std::uint64_t& ready) const {
    for (; ready < port.first + port.count && ready < done + port.ring; ++ready) {
      const BlockTask next = task(static_cast<std::int64_t>(ready));
      std::memcpy(port_memory_.as<>() + 64 + ready % port.ring * sizeof(BlockTask), &next, sizeof next);
    }
    __atomic_store_n(port.ready, ready, __ATOMIC_RELEASE);
  }

  /// Hands out descriptors as far as the ring goes and collects results until the launch has ended.
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
  std::int64_t row_planes_ = 1;
  std::vector<double> edges_;
  Memory workspace_;
  std::unique_ptr<Memory> rows_, columns_, values_;
  Memory row_borders_, column_borders_;
  Memory port_memory_;
  std::unique_ptr<Memory> table_;
  std::unique_ptr<Sweep> sweep_;
};

}  // namespace terrace::wavefront::testing
