// Updates of tiles of distances and trails on the CPU.
#include "kernels/recursive/cpu/paths/paths.hpp"

#include <vector>
#include "kernels/device/for_instruction_set.hpp"

#include "kernels/recursive/cpu/blocks.hpp"
#include "kernels/recursive/cpu/tiles.hpp"
#include "kernels/recursive/rules/trail.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

/// A part of a tile: distances, and their trails.
template <class T, class W>
struct Pairs {
  T* distances;
  W* trails;
  i64 stride;
  Pairs at(i64 i, i64 j) const { return {distances + i * stride + j, trails + i * stride + j, stride}; }
};

template <class T, class W>
class PathsOnCpu : public CpuTiles<T> {
  using Base = CpuTiles<T>;
  using Base::in_pieces;
  using Tile = Pairs<T, W>;
  using Factor = Pairs<const T, const W>;

 public:
  PathsOnCpu(device::ThreadPool& pool, RelaxPaths<T, W> kernel)
      : Base(pool), kernel_(kernel), scratch_(static_cast<std::size_t>(pool.size())) {}

 private:
  struct Scratch {
    values::AlignedArray<T> distances{paths_depth * paths_columns};
    values::AlignedArray<W> trails{paths_depth * paths_columns};
  };

  TileResult compute(const TileTask& task) override {
    TileResult result{};
    result.negative_pivot = -1;
    if (task.input != nullptr) Base::begin(task, result, [&](i64 i) { begin_trails(task, i); });
    if (task.function == Function::inspect) return result;
    const Tile x{static_cast<T*>(task.x), static_cast<W*>(task.x_trail), task.x_stride};
    const Factor u{static_cast<const T*>(task.u), static_cast<const W*>(task.u_trail), task.u_stride};
    const Factor v{static_cast<const T*>(task.v), static_cast<const W*>(task.v_trail), task.v_stride};
    const double operations =
        4 * static_cast<double>(task.rows) * static_cast<double>(task.columns) * static_cast<double>(task.depth);
    switch (task.function) {
      case Function::a:
        result.negative_pivot = close(x, task.rows, task.first_pivot);
        break;
      case Function::b:
        in_pieces(task.columns, operations, [&](i64 begin, i64 end, int thread) {
          relax(x.at(0, begin), u, read(x.at(0, begin)), task.rows, end - begin, task.depth, thread);
        });
        break;
      case Function::c:
        in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
          relax(x.at(begin, 0), read(x.at(begin, 0)), v, end - begin, task.columns, task.depth, thread);
        });
        break;
      default:
        in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
          relax(x.at(begin, 0), u.at(begin, 0), v, end - begin, task.columns, task.depth, thread);
        });
    }
    if (task.last != 0) end(task, x, result);
    return result;
  }

  static Factor read(const Tile& tile) { return {tile.distances, tile.trails, tile.stride}; }

  void relax(const Tile& x, const Factor& u, const Factor& v, i64 rows, i64 columns, i64 depth, int thread) {
    if (rows <= 0 || columns <= 0) return;
    Scratch& scratch = scratch_[static_cast<std::size_t>(thread)];
    kernel_({rows, columns, depth, u.distances, u.trails, u.stride, v.distances, v.trails, v.stride, x.distances,
             x.trails, x.stride, scratch.distances.data(), scratch.trails.data()});
  }

  /// Closes a tile: for base_size pivots after another their own square, their rows, and all other rows.
  /// @returns the first pivot whose distance to itself is negative, or -1
  i64 close(const Tile& x, i64 size, i64 first_pivot) {
    for (i64 k = 0; k < size; k += base_size) {
      const i64 depth = std::min(base_size, size - k), after = k + depth;
      const Tile pivots = x.at(k, k);
      for (i64 pivot = 0; pivot < depth; ++pivot) {
        if (*pivots.at(pivot, pivot).distances < T(0)) return first_pivot + k + pivot;
        relax(pivots, read(pivots.at(0, pivot)), read(pivots.at(pivot, 0)), depth, depth, 1, 0);
      }
      const double operations =
          4 * static_cast<double>(depth) * static_cast<double>(size) * static_cast<double>(size);
      // Calls act(from, to, thread) for rows, or columns, before and after the pivots' own.
      const auto around = [&](double count, const auto& act) {
        this->in_pieces(size - depth, count, [&](i64 begin, i64 end, int thread) {
          act(begin, std::min(end, k), thread);
          act(std::max(begin, k) + depth, end + depth, thread);
        });
      };
      around(operations / static_cast<double>(size) * static_cast<double>(depth), [&](i64 from, i64 to, int thread) {
        relax(x.at(k, from), read(pivots), read(x.at(k, from)), depth, to - from, depth, thread);
      });
      around(operations, [&](i64 from, i64 to, int thread) {
        const Factor column = read(x.at(from, k));
        relax(x.at(from, k), column, read(pivots), to - from, depth, depth, thread);
        relax(x.at(from, 0), column, read(x.at(k, 0)), to - from, k, depth, thread);
        relax(x.at(from, after), column, read(x.at(k, after)), to - from, size - after, depth, thread);
      });
    }
    return -1;
  }

  /// Turns the initial values of row i into edges.
  static void begin_trails(const TileTask& task, i64 i) {
    W* trails = static_cast<W*>(task.x_trail) + i * task.x_stride;
    for (i64 j = 0; j < task.columns; ++j) {
      const bool stays = task.loops == 0 && task.first_row + i == task.first_column + j;
      trails[j] =
          stays ? Trail<W>::none : static_cast<W>((W(1) << Trail<W>::half) | static_cast<W>(task.first_column + j));
    }
  }

  /// Looks at a tile that no other update follows, and gives out the next nodes.
  void end(const TileTask& task, const Tile& x, TileResult& result) {
    const T far = infinity<T>() / T(2);
    Base::end(task, result, [&](i64 i, Found<T>& found) {
      const Tile row = x.at(i, 0);
      i32* next = static_cast<i32*>(task.output) + i * task.output_stride;
      for (i64 j = 0; j < task.columns; ++j) {
        T& distance = row.distances[j];
        if (task.clamped != 0 && distance >= far) distance = infinity<T>();
        found.add(distance);
        const W after = row.trails[j] & Trail<W>::next_mask;
        next[j] = distance >= infinity<T>() ? -1
                  : after == Trail<W>::none ? static_cast<i32>(task.first_row + i)
                                            : static_cast<i32>(after);
      }
    });
  }

  RelaxPaths<T, W> kernel_;
  std::vector<Scratch> scratch_;
};

/// Calls call(T{}, W{}, the kernel) for a table's types. @throws DeviceError if there are no kernels
template <class Call>
auto visit_paths(const TileSpec& spec, const PathKernels& kernels, const Call& call) {
  const bool wide = spec.table == Table::long_paths;
  switch (spec.value) {
    case ElementType::f32:
      return wide ? call(float{}, u64{}, kernels.long_f32) : call(float{}, u32{}, kernels.f32);
    case ElementType::i16:
      return wide ? call(i16{}, u64{}, kernels.long_w16) : call(i16{}, u32{}, kernels.w16);
    case ElementType::i32:
      return wide ? call(i32{}, u64{}, kernels.long_w32) : call(i32{}, u32{}, kernels.w32);
    case ElementType::f64:
      if (wide) return call(double{}, u64{}, kernels.long_f64);
      break;
    case ElementType::i64:
      if (wide) return call(i64{}, u64{}, kernels.long_w64);
      break;
    default:
      break;
  }
  throw DeviceError("updates of tiles", "there are no kernels of paths in " + std::string(name_of(spec.value)) +
                                            (wide ? "" : " with short trails"));
}

}  // namespace

bool has_trails(Table table) { return table == Table::paths || table == Table::long_paths; }

ElementType trail_type(Table table) { return table == Table::long_paths ? ElementType::u64 : ElementType::u32; }

Table paths_table(ElementType distance, std::int64_t nodes) {
  return size_of(distance) <= 4 && nodes <= Trail<u32>::most_nodes ? Table::paths : Table::long_paths;
}

std::unique_ptr<device::BlockKernel> make_paths_cpu(const TileSpec& spec, device::ThreadPool& pool,
                                                    InstructionSet set) {
  const PathKernels kernels =
      device::for_instruction_set(set, sse2::path_kernels, avx2::path_kernels, avx512::path_kernels)();
  return visit_paths(spec, kernels,
                     [&]<class T, class W>(T, W, RelaxPaths<T, W> kernel) -> std::unique_ptr<device::BlockKernel> {
                       return std::make_unique<PathsOnCpu<T, W>>(pool, kernel);
                     });
}

}  // namespace terrace::recursive
