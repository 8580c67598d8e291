#include "kernels/recursive/cpu/searches/searches.hpp"

#include <string>

#include "kernels/recursive/cpu/blocks.hpp"
#include "kernels/recursive/cpu/searches/levels.hpp"
#include "kernels/recursive/cpu/searches/nearest.hpp"
#include "kernels/recursive/cpu/searches/potentials.hpp"
#include "kernels/recursive/cpu/searches/row_output.hpp"
#include "kernels/recursive/cpu/searches/sweeps.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

/// Blocks of rows of type T. What a thread works in is made when it first needs it.
template <class T>
class SearchesOnCpu : public CpuBlocks<SearchTask, SearchResult> {
  using S = SumOf<T>;

 public:
  SearchesOnCpu(device::ThreadPool& pool, SearchWay way, const SearchSpec& spec, InstructionSet set)
      : CpuBlocks(pool),
        way_(way),
        spec_(spec),
        kernels_(
            device::for_instruction_set(set, sse2::search_kernels, avx2::search_kernels, avx512::search_kernels)()),
        workers_(static_cast<std::size_t>(threads())) {}

 private:
  /// The searches of a thread.
  struct Worker {
    std::unique_ptr<LevelsAtOnce<T>> levels;
    std::unique_ptr<Sweeps<T>> sweeps;
    std::unique_ptr<NearestFirst<T, false>> nearest;
    std::unique_ptr<NearestFirst<T, true>> nearest_paths;
    std::unique_ptr<BreadthFirst<T, false>> breadth;
    std::unique_ptr<BreadthFirst<T, true>> breadth_paths;
    std::vector<T> row;       // to be reduced
    i64 sweeps_left_out = 0;  // batches from here on that are not tried by sweeps
    bool any = false;
    S largest{};

    void add(bool found, S value) {
      if (!found) return;
      largest = any ? std::max(largest, value) : value;
      any = true;
    }
  };

  template <class Search>
  static Search& made(std::unique_ptr<Search>& search, const SearchSpec& spec) {
    if (!search) search = std::make_unique<Search>(spec);
    return *search;
  }

  SearchResult compute(const SearchTask& task) override {
    SearchResult result{};
    result.negative = -1;
    if (task.step == SearchStep::potentials) {
      using Wide = std::conditional_t<std::is_floating_point_v<S>, double, i64>;
      Potentials<S, Wide> potentials(*spec_.graph, static_cast<Wide*>(task.potential));
      result.negative = potentials.run([&] { return aborted(); });
      return result;
    }
    for (Worker& worker : workers_) worker.any = false;
    RowOutput<T> out(task, spec_.bins, threads());
    if (way_ == SearchWay::levels) by_levels(task, out);
    else if (way_ == SearchWay::sweeps) by_sweeps(task, out);
    else in_turn(task.rows, [&](i64 row, int thread) { by_one(task, row, thread, out); });
    out.end(result);
    result.overflowed = out.overflowed() ? 1 : 0;
    Worker all;
    for (const Worker& worker : workers_) all.add(worker.any, worker.largest);
    if (!all.any) return result;
    result.found = 1;
    if constexpr (std::is_floating_point_v<S>) result.real = all.largest;
    else result.whole = all.largest;
    return result;
  }

  Worker& worker_of(int thread) { return workers_[static_cast<std::size_t>(thread)]; }
  i32 source(const SearchTask& task, i64 row) const {
    const i64 at = task.first_row + row;
    return spec_.sources ? (*spec_.sources)[static_cast<std::size_t>(at)] : static_cast<i32>(at);
  }

  void by_levels(const SearchTask& task, RowOutput<T>& out) {
    const int words = words_for(task.rows);
    const i64 batch = i64{64} * words;
    in_turn((task.rows + batch - 1) / batch, [&](i64 number, int thread) {
      Worker& worker = worker_of(thread);
      if (!worker.levels || worker.levels->words() != words) {
        worker.levels.reset();
        worker.levels = std::make_unique<LevelsAtOnce<T>>(spec_, kernels_, words);
      }
      const i64 first = number * batch;
      S largest{};
      const bool any = worker.levels->run(
          std::min(batch, task.rows - first), [&](i64 n) { return source(task, first + n); },
          [&](i64 n, i64 node, const T* values, i64 nodes) {
            out.put(thread, first + n, source(task, first + n), node, values, nodes);
          },
          largest);
      worker.add(any, largest);
    });
  }

  /// Words that give every thread a batch.
  int words_for(i64 rows) const {
    int words = spec_.words;
    while (words > 1 && i64{64} * words * threads() > rows + 63) words /= 2;
    return words;
  }

  void by_sweeps(const SearchTask& task, RowOutput<T>& out) {
    constexpr i64 lanes = Sweeps<T>::lanes;
    in_turn((task.rows + lanes - 1) / lanes, [&](i64 number, int thread) {
      Worker& worker = worker_of(thread);
      const i64 first = number * lanes, count = std::min(lanes, task.rows - first);
      if (worker.sweeps_left_out == 0) {
        if (!worker.sweeps) worker.sweeps = std::make_unique<Sweeps<T>>(spec_, kernels_);
        S largest{};
        bool any = false;
        const bool swept = worker.sweeps->run(
            count, [&](i64 n) { return source(task, first + n); },
            [&](i64 n, i64 node, const T* values, i64 nodes) {
              out.put(thread, first + n, source(task, first + n), node, values, nodes);
            },
            any, largest);
        worker.add(any, largest);
        if (swept) return;
        worker.sweeps_left_out = measured::CpuSearches::sweeps_left_out;
      }
      --worker.sweeps_left_out;
      for (i64 row = first; row < first + count; ++row) {
        if (aborted()) return;
        by_one(task, row, thread, out);
      }
    });
  }

  void by_one(const SearchTask& task, i64 row, int thread, RowOutput<T>& out) {
    Worker& worker = worker_of(thread);
    const auto run = [&](auto& search) {
      search.run(source(task, row), task.potential);
      S largest{};
      i32* beside = task.beside != nullptr ? task.beside + row * task.beside_stride : nullptr;
      if (out.reduces()) worker.row.resize(static_cast<std::size_t>(spec_.graph->nodes));
      T* distance = out.reduces() ? worker.row.data() : out.row(row);
      const bool any = write_row<T>(search.labels(), distance, beside, largest);
      if (out.reduces()) out.put(thread, row, source(task, row), 0, distance, spec_.graph->nodes);
      worker.add(any, largest);
    };
    const bool paths = spec_.beside != Beside::none;
    if (way_ != SearchWay::breadth) {
      if (paths) run(made(worker.nearest_paths, spec_));
      else run(made(worker.nearest, spec_));
    } else if (paths) {
      run(made(worker.breadth_paths, spec_));
    } else {
      run(made(worker.breadth, spec_));
    }
  }

  SearchWay way_;
  SearchSpec spec_;
  SearchKernels kernels_;
  std::vector<Worker> workers_;
};

/// Bytes in which a search from one node works. Of open nodes it may have as many as edges.
std::size_t one_bytes(const SearchSpec& spec, bool nearest) {
  const auto nodes = static_cast<std::size_t>(spec.graph->nodes),
             edges = static_cast<std::size_t>(spec.graph->edges());
  const std::size_t sum = spec.value == ElementType::i16 || spec.value == ElementType::i32 ? 4 : 8;
  const std::size_t beside = spec.beside != Beside::none ? 2 * sizeof(i32) : 0;
  return nodes * (2 * sum + beside + 2 * sizeof(i32)) + (nearest ? edges * 24 : 0);
}

}  // namespace

std::string unfit_for(SearchWay way, const SearchSpec& spec) {
  const SearchGraph& graph = *spec.graph;
  const bool paths = spec.beside != Beside::none, in_breadth = graph.equal && !graph.negative;
  switch (way) {
    case SearchWay::levels:
      if (!in_breadth) return "it searches graphs whose weights are equal, and not negative";
      return paths ? "it keeps no paths" : "";
    case SearchWay::breadth:
      return in_breadth ? "" : "it searches graphs whose weights are equal, and not negative";
    case SearchWay::sweeps:
      if (paths) return "it keeps no paths";
      return graph.negative && is_floating(spec.value) ? "negative real weights have potentials" : "";
    default:
      return "";
  }
}

std::size_t search_bytes(SearchWay way, const SearchSpec& spec, int threads) {
  const SearchGraph& graph = *spec.graph;
  std::size_t bytes = one_bytes(spec, way != SearchWay::breadth);
  if (way == SearchWay::levels) {
    bytes = LevelsAtOnce<i32>::bytes(graph, spec.words);
  } else if (way == SearchWay::sweeps) {
    bytes += Sweeps<i32>::bytes(graph);
  }
  const std::size_t counts = spec.bins ? ThreadCounts::bytes(*spec.bins, threads) : 0;
  return static_cast<std::size_t>(threads) * bytes + counts;
}

std::size_t SearchGraph::memory() const {
  const std::size_t weights =
      std::visit([](const auto& values) { return values.size() * sizeof(values[0]); }, weight);
  return begin.size() * sizeof(begin[0]) + to.size() * sizeof(to[0]) + weights;
}

std::unique_ptr<device::BlockKernel> make_searches_cpu(SearchWay way, const SearchSpec& spec,
                                                       device::Context& context, InstructionSet set) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_searches_cpu", context.limits().name + " is not a CPU");
  if (!is_distance_type(spec.value)) {
    throw DeviceError("make_searches_cpu", "there are no distances of " + std::string(name_of(spec.value)));
  }
  return visit_value(spec.value, [&](auto zero) -> std::unique_ptr<device::BlockKernel> {
    using T = decltype(zero);
    return std::make_unique<SearchesOnCpu<T>>(cpu->pool(), way, spec, set);
  });
}

}  // namespace terrace::recursive
