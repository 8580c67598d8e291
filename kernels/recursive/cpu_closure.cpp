// Closures on the CPU: the functions A, B, C and D of a tile by products of parts of it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <thread>
#include <vector>

#include "kernels/device/aligned_array.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/recursive/closure_cpu.hpp"
#include "kernels/recursive/cpu_product.hpp"
#include "kernels/recursive/problems.hpp"
#include "kernels/recursive/semiring.hpp"
#include "kernels/recursive/task.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::recursive {
namespace {

using device::InstructionSet;

constexpr i64 base_size = 64;    // pivots that a tile is closed by at a time
constexpr i64 piece_rows = 384;  // rows, or columns, that a thread takes at a time
constexpr double alone = 2e6;    // operations up to which one thread is quicker than several

ProductKernels kernels_for(InstructionSet set, int semiring) {
  if (set == InstructionSet::avx512) return avx512::product_kernels(semiring);
  if (set == InstructionSet::avx2) return avx2::product_kernels(semiring);
  return sse2::product_kernels(semiring);
}

template <class T>
Multiply<T> multiply_of(const ProductKernels& kernels) {
  if constexpr (std::is_same_v<T, float>) return kernels.f32;
  else if constexpr (std::is_same_v<T, double>) return kernels.f64;
  else if constexpr (sizeof(T) == 2) return kernels.w16;
  else if constexpr (sizeof(T) == 4) return kernels.w32;
  else return kernels.w64;
}

/// What one thread packs into.
template <class T>
struct Scratch {
  device::AlignedArray<T> u{packed_u_size}, v{packed_v_size<T>};
};

/// A part of a tile.
template <class T>
struct Matrix {
  T* data;
  i64 stride;
  T* at(i64 i, i64 j) const { return data + i * stride + j; }
};

template <class T>
struct Found {
  bool any = false;
  T least{}, most{};

  void add(T value) {
    if (value >= infinity<T>()) return;
    least = any ? std::min(least, value) : value;
    most = any ? std::max(most, value) : value;
    any = true;
  }
  void add(const Found& other) {
    if (other.any) add(other.least), add(other.most);
  }
};

template <class T>
ClosureResult::Extremes extremes(T value) {
  if constexpr (std::is_floating_point_v<T>) return {0, static_cast<double>(value)};
  else return {static_cast<i64>(value), 0};
}

template <class T>
class ClosureOnCpu : public Updates {
 public:
  ClosureOnCpu(device::ThreadPool& pool, Multiply<T> multiply)
      : pool_(pool), multiply_(multiply), scratch_(static_cast<std::size_t>(pool.size())) {}

  void run(const device::Port& port) override {
    for (device::u64 block = port.first; block < port.first + port.count; ++block) {
      if (!wait_for(port, block)) return;
      ClosureTask task;
      std::memcpy(&task, static_cast<const char*>(port.descriptors) + block % port.ring * port.descriptor_bytes,
                  sizeof task);
      abort_ = port.abort;
      const ClosureResult result = compute(task);
      if (aborted()) return;
      std::memcpy(static_cast<char*>(port.results) + block % port.ring * port.result_bytes, &result, sizeof result);
      std::atomic_ref(*port.done).store(block + 1, std::memory_order_release);
    }
  }

 private:
  static bool wait_for(const device::Port& port, device::u64 block) {
    const auto read = [](device::u64* word) { return std::atomic_ref(*word).load(std::memory_order_acquire); };
    for (int tries = 0; read(port.stop) == 0 && read(port.abort) == 0; ++tries) {
      if (read(port.ready) > block) return true;
      if (tries < 200) std::this_thread::yield();
      else std::this_thread::sleep_for(std::chrono::microseconds(50));
    }
    return false;
  }

  bool aborted() const { return std::atomic_ref(*abort_).load(std::memory_order_acquire) != 0; }

  /// Calls work(begin, end, thread) for pieces of [0, count) of at most piece_rows.
  template <class Work>
  void in_pieces(i64 count, double operations, const Work& work) {
    if (operations <= alone || pool_.size() == 1) {
      if (count > 0 && !aborted()) work(i64{0}, count, 0);
      return;
    }
    const i64 threads = pool_.size();
    const i64 piece = std::min(piece_rows, (count + threads - 1) / threads);
    std::atomic<i64> next{0};
    pool_.run_on_all([&](int thread) {
      for (i64 begin = piece * next++; begin < count && !aborted(); begin = piece * next++) {
        work(begin, std::min(count, begin + piece), thread);
      }
    });
  }

  ClosureResult compute(const ClosureTask& task) {
    ClosureResult result{};
    result.negative_pivot = -1;
    if (task.input != nullptr) begin(task, result);
    if (task.function == Function::inspect) return result;
    const Matrix<T> x{static_cast<T*>(task.x), task.x_stride};
    const Matrix<const T> u{static_cast<const T*>(task.u), task.u_stride};
    const Matrix<const T> v{static_cast<const T*>(task.v), task.v_stride};
    const double operations =
        static_cast<double>(task.rows) * static_cast<double>(task.columns) * static_cast<double>(task.depth);
    switch (task.function) {
      case Function::a:
        result.negative_pivot = close(x, task.rows, task.first_pivot);
        break;
      case Function::b:
        in_pieces(task.columns, operations, [&](i64 begin, i64 end, int thread) {
          const Matrix<T> part{x.at(0, begin), x.stride};
          product(part, u, {part.data, part.stride}, task.rows, end - begin, task.depth, thread);
        });
        break;
      case Function::c:
        in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
          const Matrix<T> part{x.at(begin, 0), x.stride};
          product(part, {part.data, part.stride}, v, end - begin, task.columns, task.depth, thread);
        });
        break;
      default:
        in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
          product({x.at(begin, 0), x.stride}, {u.at(begin, 0), u.stride}, v, end - begin, task.columns, task.depth,
                  thread);
        });
    }
    if (task.last != 0) end(task, x, result);
    return result;
  }

  void product(Matrix<T> x, Matrix<const T> u, Matrix<const T> v, i64 rows, i64 columns, i64 depth, int thread) {
    Scratch<T>& scratch = scratch_[static_cast<std::size_t>(thread)];
    multiply_({rows, columns, depth, u.data, u.stride, v.data, v.stride, x.data, x.stride, scratch.u.data(),
               scratch.v.data()});
  }

  /// Closes a tile: for base_size pivots after another their own square, their rows, and all other rows.
  /// @returns the first pivot whose distance to itself is negative, or -1
  i64 close(Matrix<T> x, i64 size, i64 first_pivot) {
    for (i64 k = 0; k < size; k += base_size) {
      const i64 depth = std::min(base_size, size - k), after = k + depth;
      const Matrix<T> pivots{x.at(k, k), x.stride};
      const i64 negative = close_base(pivots, depth);
      if (negative >= 0) return first_pivot + k + negative;
      const double operations = static_cast<double>(depth) * static_cast<double>(size) * static_cast<double>(size);
      const auto read = [](const Matrix<T>& matrix) { return Matrix<const T>{matrix.data, matrix.stride}; };
      in_pieces(size - depth, operations / static_cast<double>(size) * static_cast<double>(depth),
                [&](i64 begin, i64 end, int thread) {
                  // Columns before and after the pivots' own.
                  const auto rows_of = [&](i64 from, i64 to) {
                    if (from >= to) return;
                    const Matrix<T> part{x.at(k, from), x.stride};
                    product(part, read(pivots), read(part), depth, to - from, depth, thread);
                  };
                  rows_of(begin, std::min(end, k));
                  rows_of(std::max(begin, k) + depth, end + depth);
                });
      in_pieces(size - depth, operations, [&](i64 begin, i64 end, int thread) {
        const auto rows_of = [&](i64 from, i64 to) {
          if (from >= to) return;
          const Matrix<T> column{x.at(from, k), x.stride};
          product(column, read(column), read(pivots), to - from, depth, depth, thread);
          product({x.at(from, 0), x.stride}, read(column), {x.at(k, 0), x.stride}, to - from, k, depth, thread);
          product({x.at(from, after), x.stride}, read(column), {x.at(k, after), x.stride}, to - from, size - after,
                  depth, thread);
        };
        rows_of(begin, std::min(end, k));
        rows_of(std::max(begin, k) + depth, end + depth);
      });
    }
    return -1;
  }

  /// Pivot by pivot. A row never changes in its own pivot's turn, as no pivot is negative.
  static i64 close_base(Matrix<T> x, i64 size) {
    for (i64 k = 0; k < size; ++k) {
      if (*x.at(k, k) < T(0)) return k;
      for (i64 i = 0; i < size; ++i) {
        if (i == k) continue;
        const T left = *x.at(i, k);
        T* row = x.at(i, 0);
        const T* right = x.at(k, 0);
        for (i64 j = 0; j < size; ++j) {
          row[j] = MinPlus::plus<T>(row[j], MinPlus::times<T>(left, right[j]));
        }
      }
    }
    return -1;
  }

  /// Copies the input into x, where there is one, and looks at it.
  void begin(const ClosureTask& task, ClosureResult& result) {
    std::vector<Found<T>> found(scratch_.size());
    const double operations = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
      for (i64 i = begin; i < end; ++i) {
        const T* row = static_cast<const T*>(task.input) + i * task.input_stride;
        for (i64 j = 0; j < task.columns; ++j) found[static_cast<std::size_t>(thread)].add(row[j]);
        if (task.x == nullptr) continue;
        std::copy_n(row, task.columns, static_cast<T*>(task.x) + i * task.x_stride);
      }
    });
    Found<T> all;
    for (const Found<T>& part : found) all.add(part);
    if (!all.any) return;
    result.found |= 1;
    result.least = extremes(all.least);
    result.most = extremes(all.most);
  }

  /// Looks at a tile that no other update follows.
  void end(const ClosureTask& task, Matrix<T> x, ClosureResult& result) {
    std::vector<Found<T>> found(scratch_.size());
    const double operations = static_cast<double>(task.rows) * static_cast<double>(task.columns);
    const T far = infinity<T>() / T(2);
    in_pieces(task.rows, operations, [&](i64 begin, i64 end, int thread) {
      for (i64 i = begin; i < end; ++i) {
        T* row = x.at(i, 0);
        for (i64 j = 0; j < task.columns; ++j) {
          if (task.clamped != 0 && row[j] >= far) row[j] = infinity<T>();
          found[static_cast<std::size_t>(thread)].add(row[j]);
        }
      }
    });
    Found<T> all;
    for (const Found<T>& part : found) all.add(part);
    if (!all.any) return;
    result.found |= 2;
    result.farthest = extremes(all.most);
  }

  device::ThreadPool& pool_;
  Multiply<T> multiply_;
  std::vector<Scratch<T>> scratch_;
  device::u64* abort_ = nullptr;
};

template <class Call>
auto visit_type(ElementType type, const Call& call) {
  switch (type) {
    case ElementType::i16:
      return call(i16{});
    case ElementType::i32:
      return call(i32{});
    case ElementType::i64:
      return call(i64{});
    case ElementType::f32:
      return call(float{});
    default:
      return call(double{});
  }
}

}  // namespace

bool is_closure_type(ElementType type) { return is_floating(type) || (is_signed(type) && size_of(type) > 1); }

std::size_t closure_cpu_bytes(const ClosureSpec& spec, int threads) {
  return visit_type(spec.value, [&](auto value) {
    using T = decltype(value);
    return static_cast<std::size_t>(threads) * static_cast<std::size_t>(packed_u_size + packed_v_size<T>) * sizeof(T);
  });
}

std::unique_ptr<Updates> make_closure_cpu(const ClosureSpec& spec, device::Context& context, InstructionSet set) {
  const ProblemInfo* problem = find_problem(spec.problem);
  if (problem == nullptr || problem->form != Form::closure || !is_closure_type(spec.value)) {
    throw DeviceError("make_closure_cpu", spec.problem + " of " + std::string(name_of(spec.value)) +
                                              " is no closure that can be computed");
  }
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_closure_cpu", context.limits().name + " is not a CPU");
  return visit_type(spec.value, [&](auto value) -> std::unique_ptr<Updates> {
    using T = decltype(value);
    return std::make_unique<ClosureOnCpu<T>>(cpu->pool(), multiply_of<T>(kernels_for(set, problem->semiring)));
  });
}

std::unique_ptr<Updates> make_closure_cpu(const ClosureSpec& spec, device::Context& context) {
  return make_closure_cpu(spec, context, device::best_instruction_set());
}

}  // namespace terrace::recursive
