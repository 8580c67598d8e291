#include "kernels/nest/cpu/compiled.hpp"

#include <algorithm>
#include <memory>
#include <new>
#include <utility>
#include <vector>

#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/launch/cpu_blocks.hpp"
#include "kernels/nest/cpu/tile_kernel.hpp"
#include "kernels/nest/elements.hpp"
#include "kernels/nest/measured.hpp"
#include "kernels/nest/print.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::nest {
namespace {

constexpr std::size_t line_bytes = 64;

Tiling cpu_tiling(const NestSpec& spec) { return {spec, measured::compiled_tile_sides[spec.skew.rank() - 1], false}; }

compiled::Source compiled_source(const NestSpec& spec, const Tiling& tiling) {
  compiled::Source source;
  source.text = nest_headers() + "#include \"kernels/nest/cpu/tile_kernel.hpp\"\nnamespace terrace::nest {\n" +
                nest_source(spec, tiling) + "}  // namespace terrace::nest\n";
  source.kernels = {"terrace::nest::make_tile<terrace::nest::Written>",
                    "terrace::nest::make_rest<terrace::nest::Written>"};
  return source;
}

/// Memory whose cache lines no other thread writes.
class LineMemory {
 public:
  explicit LineMemory(std::size_t bytes)
      : data_(static_cast<unsigned char*>(
            ::operator new (std::max<std::size_t>(1, bytes), std::align_val_t{line_bytes}))) {}
  unsigned char* data() const { return data_.get(); }

 private:
  struct Delete {
    void operator()(unsigned char* data) const { ::operator delete (data, std::align_val_t{line_bytes}); }
  };
  std::unique_ptr<unsigned char, Delete> data_;
};

/// State of a thread.
struct TileThread {
  explicit TileThread(std::size_t value_bytes) : values(value_bytes) {}

  LineMemory values;
  Found found{};
  NestFailure failure{};
  bool fails = false;
  Point failed_at{};
};

class CompiledOnCpu final : public device::CpuBlocks<NestTask, NestResult> {
 public:
  CompiledOnCpu(const NestSpec& spec, device::CpuContext& context)
      : CpuBlocks(context.pool()), spec_(spec), tiling_(cpu_tiling(spec_)) {
    if (context.modules() == nullptr) throw compiled::NotCompiled("nest", "there is no place for compiled code");
    code_ =
        context.modules()->object(compiled_source(spec_, tiling_),
                                  {spec_.compiler.command, compiled::cell_options(device::best_instruction_set())});
    make_tile_ = reinterpret_cast<Make>(const_cast<void*>(code_->kernel(0)));
    make_rest_ = reinterpret_cast<Make>(const_cast<void*>(code_->kernel(1)));
    for (int thread = 0; thread < threads(); ++thread) threads_.emplace_back(tiling_.value_bytes());
  }

 private:
  using Make = bool (*)(TileCall&);

  NestResult compute(const NestTask& task) override {
    for (TileThread& one : threads_) one.found = {}, one.failure = {}, one.fails = false;
    const TileWork work = tiling_.work(task, faces_of(task));
    TileCall rest = call_of(work, task, threads_.front());
    if (!make_rest_(rest)) threads_.front().fails = true;
    else make_tiles(work, task);
    return joined();
  }

  static TileCall call_of(const TileWork& work, const NestTask& task, TileThread& thread) {
    return {&work, &task, {}, thread.values.data(), &thread.found, &thread.failure, {}};
  }

  /// Memory for the faces of a block, as large as any block so far has needed.
  unsigned char* faces_of(const NestTask& task) {
    const std::size_t bytes = tiling_.face_bytes(task);
    if (bytes > face_room_ || faces_ == nullptr) {
      faces_.reset();
      faces_ = std::make_unique<LineMemory>(bytes);
      face_room_ = bytes;
    }
    return faces_->data();
  }

  /// Tiles whose numbers have one sum depend on those of lesser sums alone.
  void make_tiles(const TileWork& work, const NestTask& task) {
    std::vector<std::vector<Point>> by_sum;
    Ranges numbers;
    for (std::size_t n = 0; n < tiling_.rank(); ++n) numbers.push_back({0, work.tiles[n]});
    if (is_empty(numbers)) return;
    Point number = first_point(numbers);
    do {
      std::size_t sum = 0;
      for (std::size_t n = 0; n < tiling_.rank(); ++n) sum += static_cast<std::size_t>(number[n]);
      if (by_sum.size() <= sum) by_sum.resize(sum + 1);
      by_sum[sum].push_back(number);
    } while (step(numbers, numbers.size(), number));
    for (const std::vector<Point>& tiles : by_sum) {
      in_turn(static_cast<i64>(tiles.size()), [&](i64 index, int thread) {
        make_tile(work, task, tiles[static_cast<std::size_t>(index)], threads_[static_cast<std::size_t>(thread)]);
      });
      if (aborted()) return;
    }
  }
  void make_tile(const TileWork& work, const NestTask& task, const Point& number, TileThread& thread) const {
    NestFailure failure{};
    TileCall call = call_of(work, task, thread);
    std::copy(number.begin(), number.end(), call.number);
    call.failure = &failure;
    if (make_tile_(call)) return;
    Point at{};
    std::copy_n(call.failed_at, most_coordinates, at.begin());
    // The first of all cells that fail, whoever makes them: those that read a value that there is not come later.
    if (thread.fails && thread.failed_at <= at) return;
    thread.fails = true;
    thread.failed_at = at;
    thread.failure = failure;
  }

  NestResult joined() const {
    NestResult all{};
    const TileThread* failed = nullptr;
    for (const TileThread& one : threads_) {
      if (one.fails && (failed == nullptr || one.failed_at < failed->failed_at)) failed = &one;
      for (std::size_t n = 0; n < spec_.nest->arrays.size(); ++n) {
        if (one.found.has_corner[n] != 0) all.corner[n] = one.found.corner[n], all.has_corner[n] = 1;
        const BestElement& best = one.found.best[n];
        if (best.is_found == 0) continue;
        Point at{};
        std::copy_n(best.at, most_coordinates, at.begin());
        offer(all.best[n], spec_.nest->arrays[n].type, spec_.kept[n].best, at, best.value);
      }
    }
    if (failed != nullptr) all.failure = failed->failure;
    return all;
  }

  NestSpec spec_;
  Tiling tiling_;
  std::shared_ptr<const compiled::SharedObject> code_;
  Make make_tile_ = nullptr, make_rest_ = nullptr;
  std::vector<TileThread> threads_;
  std::unique_ptr<LineMemory> faces_;
  std::size_t face_room_ = 0;
};

}  // namespace

std::size_t compiled_cpu_bytes(const NestSpec& spec, const device::Limits& limits) {
  const Tiling tiling = cpu_tiling(spec);
  return static_cast<std::size_t>(std::max(1, limits.processors)) * tiling.value_bytes() + tiling.most_face_bytes();
}

std::unique_ptr<device::BlockKernel> make_compiled_cpu(const NestSpec& spec, device::Context& context, void*) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("make_compiled_cpu", context.limits().name + " is not a CPU");
  return std::make_unique<CompiledOnCpu>(spec, *cpu);
}

}  // namespace terrace::nest
