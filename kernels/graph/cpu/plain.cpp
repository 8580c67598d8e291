#include "kernels/graph/cpu/plain.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <limits>
#include <map>
#include <utility>

#include "kernels/device/cpu_context.hpp"
#include "kernels/graph/carry.hpp"
#include "kernels/graph/cpu/iteration_maker.hpp"
#include "kernels/graph/cpu/node_rows.hpp"
#include "kernels/graph/cpu/reductions.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "kernels/graph/methods.hpp"
#include "kernels/graph/slabs.hpp"
#include "kernels/graph/stored.hpp"
#include "kernels/graph/task.hpp"
#include "kernels/launch/cpu_blocks.hpp"

namespace terrace::graph {
namespace {

/// Calls call(Stored{}) with the type of a kept node.
template <class Call>
void with_kept_type(ElementType type, const Call& call) {
  if (type == ElementType::u8) call(std::uint8_t{});
  else if (type == ElementType::u16) call(std::uint16_t{});
  else if (type == ElementType::f32) call(float{});
  else call(double{});
}

/// The first row that has a NaN.
struct FirstNan {
  std::atomic<i64> row{std::numeric_limits<i64>::max()};

  void offer(i64 found) {
    i64 old = row.load();
    while (found < old && !row.compare_exchange_weak(old, found)) {
    }
  }
  bool is_found() const { return row.load() != std::numeric_limits<i64>::max(); }
};

template <class T>
class PlainKernel : public device::CpuBlocks<GraphTask, GraphResult> {
 public:
  /// @param compiled the formulas' cells; null: strips make them
  PlainKernel(const GraphSpec& spec, device::ThreadPool& pool, std::unique_ptr<const CompiledCells> compiled)
      : CpuBlocks(pool),
        spec_(spec),
        compiled_(std::move(compiled)),
        graph_(*spec_.graph),
        carriers_(carriers_of(spec_)),
        last_(last_readers(graph_)),
        rooms_(spec.rooms ? spec.rooms : rooms_for({&spec, 1})) {
    for (int value = 0; value < graph_.values(); ++value) add_maker(value);
  }

 private:
  /// The values of a slab that are there.
  struct Slab {
    std::vector<Rows> needed;
    std::vector<Rooms::Room> memory;
    std::vector<StoredRows<T>> values;
  };

  /// The loops that threads share, for those who make nodes.
  struct Loops {
    PlainKernel& own;

    template <class Work>
    void over_rows(const Rows& rows, const Work& work) const {
      own.over_rows(rows, work);
    }
    template <class Work>
    void in_turn(i64 count, const Work& work) const {
      own.in_turn(count, work);
    }
    bool aborted() const { return own.aborted(); }
  };

  GraphResult compute(const GraphTask& task) override {
    Slab slab;
    slab.needed = rows_needed(spec_, task.slab);
    slab.memory.resize(slab.needed.size());
    slab.values.resize(slab.needed.size());
    for (const auto& maker : makers_) {
      if (maker) maker->take_numbers(task.numbers);
    }
    GraphResult result{};
    for (int value = 0; value < graph_.values() && result.has_nan == 0 && !aborted(); ++value) {
      make_room(slab, value);
      if (!graph_.is_node(value)) {
        const GraphResult found = load(task, value, slab);
        if (found.has_nan != 0) result = found;
      } else {
        make_node(task, slab, value);
        keep(task, value, slab);
      }
      if (result.has_nan == 0) reduce(task, value, slab, result);
      for (int read = 0; graph_.is_node(value) && read <= value; ++read) {
        if (last_[index(read)] == value) rooms_->give(std::exchange(slab.memory[index(read)], {}));
      }
    }
    for (auto& room : slab.memory) rooms_->give(std::move(room));
    return result;
  }

  /// States of an iteration are made at the first of its nodes.
  void add_maker(int value) {
    if (!graph_.is_node(value)) return;
    const Node& node = graph_.node(value);
    const bool is_state = node.settings.iteration != nullptr;
    makers_.push_back(is_state ? nullptr : std::make_unique<NodeRows<T>>(graph_, node, compiled_.get()));
    if (!is_state || states_until_ > value) return;
    states_until_ = value + nodes_of_iteration(graph_, value);
    iterations_[value] = std::make_unique<IterationMaker<T>>(*node.settings.iteration, compiled_.get(), threads());
  }

  static std::size_t index(int value) { return static_cast<std::size_t>(value); }

  void make_room(Slab& slab, int value) {
    if (slab.memory[index(value)].data) return;
    const Rows& rows = slab.needed[index(value)];
    const i64 columns = graph_.shape(value).columns;
    slab.memory[index(value)] = rooms_->take(static_cast<std::size_t>(rows.size() * columns) * sizeof(T));
    slab.values[index(value)] = {&rows, reinterpret_cast<T*>(slab.memory[index(value)].data.get()), columns};
  }

  /// Calls work(row) for each row of a set, and each on one of the threads.
  template <class Work>
  void over_rows(const Rows& rows, const Work& work) {
    if (rows.empty()) return;
    const i64 count = rows.size(), piece = std::clamp<i64>(count / (4 * threads()), 1, 64);
    in_turn((count + piece - 1) / piece, [&](i64 number, int thread) {
      for (i64 at = number * piece; at < std::min(count, (number + 1) * piece); ++at) work(rows[at], thread);
    });
  }

  GraphResult load(const GraphTask& task, int input, const Slab& slab) {
    const StoredRows<T>& to = slab.values[index(input)];
    return dispatch(graph_.inputs[index(input)].type, [&](auto zero) -> GraphResult {
      using Stored = decltype(zero);
      FirstNan first;
      over_rows(*to.rows, [&](i64 row, int) {
        const auto* from = static_cast<const Stored*>(part_row(task, false, input, row, sizeof(Stored)));
        T* made = to.row(row);
        bool is_nan = false;
        for (i64 j = 0; j < to.columns; ++j) {
          made[j] = loaded<T>(from[j]);
          is_nan |= made[j] != made[j];
        }
        if (is_nan) first.offer(row);
      });
      if (!first.is_found() || graph_.inputs[index(input)].may_be_nan) return {};
      const i64 row = first.row.load();
      i64 column = 0;
      while (to.row(row)[column] == to.row(row)[column]) ++column;
      return {1, input, row, column, {}};
    });
  }

  /// The row of a part of the task; null if no part has it.
  static void* part_row(const GraphTask& task, bool is_kept, i64 number, i64 row, std::size_t element) {
    for (i64 at = 0; at < task.part_count; ++at) {
      const Part& part = task.parts[at];
      if ((part.is_kept != 0) != is_kept || part.number != number || row < part.begin || row >= part.end) continue;
      return static_cast<char*>(part.data) + (row - part.begin) * part.stride * static_cast<i64>(element);
    }
    return nullptr;
  }

  void make_node(const GraphTask& task, Slab& slab, int value) {
    const Node& node = graph_.node(value);
    std::vector<StoredRows<T>> operands;
    for (const int operand : node.operands) operands.push_back(slab.values[index(operand)]);
    if (node.settings.iteration) return make_states(task, slab, value, operands);
    const NodeRows<T>& maker = *makers_[index(value) - graph_.inputs.size()];
    std::vector<typename NodeRows<T>::RowPointers> pointers(static_cast<std::size_t>(threads()));
    const StoredRows<T>& made = slab.values[index(value)];
    over_rows(*made.rows, [&](i64 row, int thread) {
      maker.make_row(row, operands, pointers[static_cast<std::size_t>(thread)], made.row(row));
    });
  }

  void make_states(const GraphTask& task, Slab& slab, int first, const std::vector<StoredRows<T>>& operands) {
    const auto maker = iterations_.find(first);
    if (maker == iterations_.end()) return;
    std::vector<StoredRows<T>> made(graph_.node(first).settings.iteration->states());
    for (int value = first; value < first + nodes_of_iteration(graph_, first); ++value) {
      make_room(slab, value);
      made[index(graph_.node(value).settings.state)] = slab.values[index(value)];
    }
    const auto carrier = carrier_of(graph_, carriers_, first);
    if (carrier && slab.needed[index(first)].empty()) return;
    maker->second->make(slab.needed[index(first)], operands, made, *rooms_, Loops{*this},
                        carrier ? static_cast<T*>(task.carried[*carrier]) : nullptr);
  }

  void keep(const GraphTask& task, int value, const Slab& slab) {
    const StoredRows<T>& from = slab.values[index(value)];
    for (std::size_t kept = 0; kept < graph_.kept.size(); ++kept) {
      if (graph_.kept[kept].value != value) continue;
      Rows rows;
      rows.add(rows_of_slab(spec_, task.slab, kept));
      if (rows.empty()) continue;
      with_kept_type(graph_.kept[kept].type, [&](auto zero) {
        using Stored = decltype(zero);
        over_rows(rows, [&](i64 row, int) {
          auto* to = static_cast<Stored*>(part_row(task, true, static_cast<i64>(kept), row, sizeof(Stored)));
          const T* made = from.row(row);
          for (i64 j = 0; j < from.columns; ++j) to[j] = stored<Stored>(made[j]);
        });
      });
    }
  }

  /// Adds the slab's rows of a value to the reductions of it.
  void reduce(const GraphTask& task, int value, const Slab& slab, GraphResult& result) {
    for (std::size_t n = 0; n < graph_.reductions.size(); ++n) {
      const Reduction& own = graph_.reductions[n];
      if (own.value != value) continue;
      Rows rows;
      rows.add(rows_of_slab(spec_, task.slab, graph_.kept.size() + n));
      const StoredRows<T>& from = slab.values[index(value)];
      if (own.makes == Makes::counts) {
        count(own.bins, rows, from, task.slab == 0, static_cast<i64*>(task.reduced[n]));
      } else if (own.makes == Makes::positions) {
        result.numbers[n] = list(own.positions, rows, from, task.slab == 0, static_cast<i64*>(task.reduced[n]));
      } else {
        result.numbers[n] = fold(own.measure, rows, from, task.slab == 0, static_cast<double*>(task.reduced[n]));
      }
    }
  }

  /// Makes a number of each row.
  template <class Make>
  void make_row_results(const Rows& rows, const Make& make) {
    row_results_.resize(static_cast<std::size_t>(rows.size()));
    if (rows.empty()) return;
    over_rows(rows, [&](i64 row, int) { row_results_[static_cast<std::size_t>(rows.number_of(row))] = make(row); });
  }

  double fold(Measure measure, const Rows& rows, const StoredRows<T>& from, bool is_first, double* state) {
    make_row_results(rows, [&](i64 row) { return row_result(measure, from.row(row), from.columns); });
    double all = is_first ? Reduce::start(measure) : *state;
    for (const double one : row_results_) all = Reduce::fold(measure, all, one);
    return *state = all;
  }

  void count(const Histogram& bins, const Rows& rows, const StoredRows<T>& from, bool is_first, i64* counts) {
    const auto size = static_cast<std::size_t>(bins.bins);
    if (is_first) std::fill_n(counts, size, 0);
    if (rows.empty()) return;
    counts_.assign(size * static_cast<std::size_t>(threads()), 0);
    over_rows(rows, [&](i64 row, int thread) {
      count_row(bins, from.row(row), from.columns, counts_.data() + size * static_cast<std::size_t>(thread));
    });
    for (std::size_t at = 0; at < counts_.size(); ++at) counts[at % size] += counts_[at];
  }

  /// @return how many there are with these rows
  double list(const Positions& positions, const Rows& rows, const StoredRows<T>& from, bool is_first, i64* listed) {
    if (is_first) std::fill_n(listed, positions.elements(), 0);
    double all = std::bit_cast<double>(listed[positions.number_at()]);
    make_row_results(rows, [&](i64 row) { return static_cast<double>(count_listed(from.row(row), from.columns)); });
    // The number of positions before each row.
    for (double& own : row_results_) all += std::exchange(own, all);
    if (!rows.empty()) {
      over_rows(rows, [&](i64 row, int) {
        list_row(positions, row, from.row(row), from.columns,
                 static_cast<i64>(row_results_[static_cast<std::size_t>(rows.number_of(row))]), listed);
      });
    }
    listed[positions.number_at()] = std::bit_cast<i64>(all);
    return all;
  }

  GraphSpec spec_;
  std::unique_ptr<const CompiledCells> compiled_;
  const Graph& graph_;
  std::vector<int> carriers_;
  std::vector<int> last_;
  std::vector<std::unique_ptr<NodeRows<T>>> makers_;  // null of states
  std::map<int, std::unique_ptr<IterationMaker<T>>> iterations_;
  int states_until_ = 0;
  std::shared_ptr<Rooms> rooms_;
  std::vector<double> row_results_;  // of a reduction
  std::vector<i64> counts_;          // of each thread
};

}  // namespace

std::shared_ptr<Rooms> rooms_for(std::span<const GraphSpec> specs, std::size_t workspace) {
  auto most = static_cast<i64>(static_cast<double>(workspace) / (1 + Rooms::spare));
  for (const GraphSpec& spec : specs) most = std::max(most, most_bytes_needed(spec));
  return std::make_shared<Rooms>(static_cast<std::size_t>(most));
}

std::size_t plain_cpu_bytes(const GraphSpec& spec, int threads) {
  std::size_t results = 0, counts = 0;
  for (std::size_t n = 0; n < spec.graph->reductions.size(); ++n) {
    const Reduction& own = spec.graph->reductions[n];
    const auto rows = static_cast<std::size_t>(most_rows_of_slab(spec, spec.graph->kept.size() + n));
    if (own.makes == Makes::counts)
      counts = std::max(counts, static_cast<std::size_t>(own.bins.bins * threads) * sizeof(i64));
    else results = std::max(results, rows * sizeof(double));
  }
  return Rooms::with_spare(static_cast<std::size_t>(most_bytes_needed(spec))) + results + counts;
}

namespace {

std::unique_ptr<device::BlockKernel> make_kernel(const GraphSpec& spec, device::CpuContext& context,
                                                 std::unique_ptr<const CompiledCells> compiled) {
  if (spec.graph->type == ElementType::f32) {
    return std::make_unique<PlainKernel<float>>(spec, context.pool(), std::move(compiled));
  }
  return std::make_unique<PlainKernel<double>>(spec, context.pool(), std::move(compiled));
}

}  // namespace

std::unique_ptr<device::BlockKernel> make_plain_cpu(const GraphSpec& spec, device::Context& context) {
  return make_kernel(spec, static_cast<device::CpuContext&>(context), nullptr);
}

std::unique_ptr<device::BlockKernel> make_compiled_cpu(const GraphSpec& spec, device::Context& context) {
  if (context.modules() == nullptr) throw compiled::NotCompiled("graph", "there is no place for compiled code");
  return make_kernel(spec, static_cast<device::CpuContext&>(context),
                     std::make_unique<const CompiledCells>(spec, *context.modules()));
}

}  // namespace terrace::graph
