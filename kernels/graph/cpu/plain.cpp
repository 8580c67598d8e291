#include "kernels/graph/cpu/plain.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <utility>

#include "kernels/device/cpu_context.hpp"
#include "kernels/graph/carry.hpp"
#include "kernels/graph/cpu/iteration_maker.hpp"
#include "kernels/graph/cpu/kept_row.hpp"
#include "kernels/graph/cpu/nan.hpp"
#include "kernels/graph/cpu/node_rows.hpp"
#include "kernels/graph/cpu/rooms.hpp"
#include "kernels/graph/cpu/slab_reductions.hpp"
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

/// Bytes of the sums of rows (row_sums.hpp) that threads keep while a node is made, at most; 0: they keep none, as
/// these were a large share of a slab's bytes.
std::size_t bytes_of_sums(const GraphSpec& spec, int threads) {
  i64 most = 0;
  for (const Node& node : spec.graph->nodes) {
    if (node.settings.formula || node.settings.iteration || node.settings.row_radius == 0) continue;
    most = std::max(most, (2 * node.settings.row_radius + 1) * node.shape.columns);
  }
  const i64 bytes = most * threads * static_cast<i64>(size_of(spec.graph->type));
  return bytes <= most_bytes_needed(spec) / 2 ? static_cast<std::size_t>(bytes) : 0;
}

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
        rooms_(spec.rooms ? spec.rooms : rooms_for({&spec, 1})),
        reductions_(threads()) {
    for (int value = 0; value < graph_.values(); ++value) add_maker(value);
    const bool keeps_sums = bytes_of_sums(spec_, threads()) > 0;
    for (const auto& maker : makers_) {
      if (maker) maker->keep_sums(keeps_sums);
    }
  }

 private:
  /// The values of a slab that are there.
  struct Slab {
    std::vector<Rows> needed;
    std::vector<Rooms::Room> memory;
    std::vector<StoredRows<T>> values;
    std::vector<int> not_looked_at;  // inputs in which an iteration looks for NaN
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
      find_place(task, slab, value);
      if (!graph_.is_node(value)) {
        if (load(task, value, slab)) result = first_nan(slab, value);
      } else {
        make_node(task, slab, value);
        const auto maker = iterations_.find(value);
        if (maker != iterations_.end() && maker->second->take_nan()) result = first_nan(slab);
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

  /// Places the rows of a value: in a part of the task if it holds all of them in the type of values, else in memory
  /// of the slab.
  void find_place(const GraphTask& task, Slab& slab, int value) {
    StoredRows<T>& own = slab.values[index(value)];
    if (own.data != nullptr) return;
    const Rows& rows = slab.needed[index(value)];
    own = {&rows, nullptr, graph_.shape(value).columns};
    if (const Part* part = part_of(task, slab, value)) {
      own.pitch = part->stride;
      own.data = static_cast<T*>(part->data) + (rows.ranges().front().begin - part->begin) * part->stride;
      return;
    }
    slab.memory[index(value)] = rooms_->take(static_cast<std::size_t>(rows.size() * own.columns) * sizeof(T));
    own.data = reinterpret_cast<T*>(slab.memory[index(value)].data.get());
  }

  /// The part that has all rows of an input, or takes all rows of a kept node, as values are computed; null: none.
  const Part* part_of(const GraphTask& task, const Slab& slab, int value) const {
    const Rows& rows = slab.needed[index(value)];
    if (rows.ranges().size() != 1) return nullptr;
    for (i64 at = 0; at < task.part_count; ++at) {
      const Part& part = task.parts[at];
      const auto number = static_cast<std::size_t>(part.number);
      const bool is_same = part.is_kept != 0
                               ? graph_.kept[number].value == value && graph_.kept[number].type == graph_.type
                               : part.number == value && graph_.inputs[number].type == graph_.type;
      const Range all = rows.ranges().front();
      if (is_same && part.begin <= all.begin && all.end <= part.end) return &part;
    }
    return nullptr;
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

  /// Loads an input. @return true if it has a NaN that is an error
  bool load(const GraphTask& task, int input, Slab& slab) {
    const StoredRows<T>& to = slab.values[index(input)];
    const Input& own = graph_.inputs[index(input)];
    const bool is_there = slab.memory[index(input)].data == nullptr;
    if (is_there && own.may_be_nan) return false;
    if (is_there && is_looked_at(input, slab)) {
      slab.not_looked_at.push_back(input);
      return false;
    }
    std::atomic<bool> found = false;
    dispatch(own.type, [&](auto zero) {
      using Stored = decltype(zero);
      over_rows(*to.rows, [&](i64 row, int) {
        T* made = to.row(row);
        if (!is_there) {
          const auto* from = static_cast<const Stored*>(part_row(task, false, input, row, sizeof(Stored)));
          for (i64 j = 0; j < to.columns; ++j) made[j] = loaded<T>(from[j]);
        }
        if (has_nan(made, to.columns)) found = true;
      });
    });
    return found && !own.may_be_nan;
  }

  /// True if an iteration looks for NaN in all rows of an input while it reads them.
  bool is_looked_at(int input, const Slab& slab) const {
    return std::ranges::any_of(iterations_, [&](const auto& iteration) {
      const auto& [first, maker] = iteration;
      return std::ranges::count(graph_.node(first).operands, input) > 0 && !carrier_of(graph_, carriers_, first) &&
             maker->looks_for_nan(slab.needed[index(first)], slab.needed[index(input)]);
    });
  }

  /// The first NaN of inputs that is an error: of those in which nobody has looked for it, and of one that has some.
  GraphResult first_nan(const Slab& slab, std::optional<int> known = std::nullopt) const {
    std::vector<int> inputs = slab.not_looked_at;
    if (known) inputs.push_back(*known);
    for (const int input : inputs) {
      const StoredRows<T>& from = slab.values[index(input)];
      for (i64 number = 0; number < from.rows->size(); ++number) {
        const i64 row = (*from.rows)[number];
        const T* values = from.row(row);
        if (!has_nan(values, from.columns)) continue;
        return {1,
                input,
                row,
                std::find_if(values, values + from.columns, [](T one) { return one != one; }) - values,
                {}};
      }
    }
    return {};
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
      find_place(task, slab, value);
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
          if (static_cast<const void*>(to) != made) store_row(made, from.columns, to);
        });
      });
    }
  }

  /// Adds the slab's rows of a value to the reductions of it.
  void reduce(const GraphTask& task, int value, const Slab& slab, GraphResult& result) {
    const Loops loops{*this};
    for (std::size_t n = 0; n < graph_.reductions.size(); ++n) {
      const Reduction& own = graph_.reductions[n];
      if (own.value != value) continue;
      Rows rows;
      rows.add(rows_of_slab(spec_, task.slab, graph_.kept.size() + n));
      const StoredRows<T>& from = slab.values[index(value)];
      if (own.makes == Makes::counts) {
        reductions_.count(own.bins, rows, from, task.slab == 0, static_cast<i64*>(task.reduced[n]), loops);
      } else if (own.makes == Makes::positions) {
        result.numbers[n] =
            reductions_.list(own.positions, rows, from, task.slab == 0, static_cast<i64*>(task.reduced[n]), loops);
      } else {
        result.numbers[n] =
            reductions_.fold(own.measure, rows, from, task.slab == 0, static_cast<double*>(task.reduced[n]), loops);
      }
    }
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
  SlabReductions<T> reductions_;
};

}  // namespace

std::shared_ptr<Rooms> rooms_for(std::span<const GraphSpec> specs, std::size_t workspace) {
  auto most = static_cast<i64>(static_cast<double>(workspace) / (1 + Rooms::spare));
  for (const GraphSpec& spec : specs) most = std::max(most, most_bytes_needed(spec));
  return std::make_shared<Rooms>(static_cast<std::size_t>(most));
}

std::size_t plain_cpu_bytes(const GraphSpec& spec, int threads) {
  std::size_t results = 0, counts = 0, rings = 0;
  for (std::size_t n = 0; n < spec.graph->reductions.size(); ++n) {
    const Reduction& own = spec.graph->reductions[n];
    const auto rows = static_cast<std::size_t>(most_rows_of_slab(spec, spec.graph->kept.size() + n));
    if (own.makes == Makes::counts)
      counts = std::max(counts, static_cast<std::size_t>(own.bins.bins * threads) * sizeof(i64));
    else results = std::max(results, rows * sizeof(double));
  }
  for (const Node& node : spec.graph->nodes) {
    const Iteration* own = node.settings.iteration.get();
    if (own == nullptr || !own->joined || own->times < 2) continue;
    const std::size_t size = size_of(spec.graph->type);
    for (const bool hands_on : {false, true}) {
      if (hands_on && spec.pass_steps == 0) continue;
      const RingCut cut = ring_cut(*own, size, own->times, hands_on ? threads : 1);
      const i64 taken = hands_on ? JoinedMaker<float>::values_taken(*own, cut.steps) * static_cast<i64>(size) : 0;
      if (cut.steps == 1) continue;
      rings = std::max(rings, static_cast<std::size_t>(threads * ring_bytes(cut, *own, size) + taken));
    }
  }
  return Rooms::with_spare(static_cast<std::size_t>(most_bytes_needed(spec))) + results + counts + rings +
         bytes_of_sums(spec, threads);
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
