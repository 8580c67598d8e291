// Nests on CUDA: what is kept of each is timed by the device's clock, by every method that computes it, and the same
// nest at a small size is compared with the loops as written.
//
//   benchmark_nests_cuda [DIVISOR [NEST [METHOD]]]
//     DIVISOR of all extents (1); NEST: a part of a name, as "edit distance", LCS, "LCS, last", "LCS, table", three,
//     "SOR 2-D" or 1-D; METHOD: in_place, bands, march, cells
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/compiled/compiler.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/in_place/methods.hpp"
#include "kernels/nest/distances.hpp"
#include "kernels/nest/methods.hpp"
#include "kernels/nest/reference.hpp"
#include "kernels/nest/swept.hpp"
#include "tests/benchmarks/benchmark_main.hpp"
#include "tests/support/in_place_grid.hpp"
#include "tests/support/nests.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::nest {
namespace {

/// A nest at a size, and what is kept of its first array.
struct Work {
  std::string name;
  bool table;  // else its last elements
  std::function<Written(i64 size, i64 steps)> text;
  i64 size, steps;
  double goal;  // cells a second
};

Written pairs(i64 size, const std::string& outside, const std::string& cell) {
  Written made;
  made.letters("a", size).letters("b", size).loop("i", "size(a)").loop("j", "size(b)");
  made.array("D", ElementType::i32, "", outside).cell(cell);
  return made;
}

Written edit_distance(i64 size, i64) {
  return pairs(size, "i + j + 2", "D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
}

Written lcs(i64 size, i64) {
  return pairs(size, "0", "D[i][j] = if(a[i] == b[j], D[i-1][j-1] + 1, max(D[i-1][j], D[i][j-1]))");
}

Written lcs_of_three(i64 size, i64) {
  Written made;
  made.letters("a", size).letters("b", size).letters("c", size);
  made.loop("i", "size(a)").loop("j", "size(b)").loop("k", "size(c)").array("D", ElementType::i32, "", "0");
  made.cell(
      "D[i][j][k] = if(a[i] == b[j] && b[j] == c[k], D[i-1][j-1][k-1] + 1, "
      "max(D[i-1][j][k], D[i][j-1][k], D[i][j][k-1]))");
  return made;
}

Written sor_2d(i64 size, i64 steps) {
  Written made;
  made.input("g", {size, size}).loop("t", std::to_string(steps));
  made.loop("i", "1", "size(g, 0) - 1").loop("j", "1", "size(g, 1) - 1").array("A", std::nullopt, "g");
  made.cell("A[i][j] = 0.2*A[i][j] + 0.2*A[i][j+1] + 0.2*A[i+1][j] + 0.2*A[i-1][j] + 0.2*A[i][j-1]");
  return made;
}

Written line(i64 size, i64 steps, const std::string& cell) {
  Written made;
  made.input("g", {size}).loop("t", std::to_string(steps)).loop("i", "1", "size(g) - 1");
  made.array("A", std::nullopt, "g").cell(cell);
  return made;
}

Written sor_1d(i64 size, i64 steps) { return line(size, steps, "A[i] = (A[i-1] + A[i] + A[i+1]) / 3"); }

Written jacobi_1d(i64 size, i64 steps) {
  return line(size, steps, "A[t+1][i] = (A[t][i-1] + A[t][i] + A[t][i+1]) / 3");
}

std::vector<Work> all_works() {
  return {{"edit distance, last row", false, edit_distance, 1 << 20, 1, 3.7e12},
          {"LCS, last row", false, lcs, 1 << 20, 1, 5e12},
          {"LCS, table", true, lcs, 1 << 15, 1, 0x1p30 / 5e-3},
          {"SOR 2-D, 64 sweeps", false, sor_2d, 1 << 15, 64, 1e12},
          {"SOR 2-D, 256 sweeps", false, sor_2d, 1 << 15, 256, 1.4e12},
          {"LCS of three, last plane", false, lcs_of_three, 1 << 12, 1, 1.5e12},
          {"LCS of three, table", true, lcs_of_three, 1 << 10, 1, 0x1p30 / 8e-3},
          {"SOR 1-D", false, sor_1d, 1 << 16, 1 << 16, 0x1p32 / 8e-3},
          {"Jacobi 1-D", false, jacobi_1d, 1 << 16, 1 << 16, 0x1p32 / 7.5e-3}};
}

/// A nest as one block on a device.
class OneBlock {
 public:
  OneBlock(const Written& text, bool table, device::Context& context) : context_(context) {
    auto nest = std::make_shared<Nest>(write(text.text));
    spec_.flow = flow_of(*nest);
    spec_.skew = least_skew(*nest, spec_.flow, false);
    spec_.kept.resize(1);
    (table ? spec_.kept[0].table : spec_.kept[0].last) = true;
    spec_.nest = nest;
    for (const Input& input : nest->inputs) {
      std::size_t count = 1;
      for (const i64 extent : input.shape) count *= static_cast<std::size_t>(extent);
      inputs_.emplace_back(count * size_of(input.type));
      for (std::size_t n = 0; n < count; ++n) set_input(input, n);
    }
    box_ = nest->arrays[0].box;
    if (!table && nest->arrays[0].first_loop == 0) box_[0] = {nest->arrays[0].written[0].end - 1, box_[0].end};
    i64 count = 1;
    for (std::size_t axis = box_.size(); axis-- > 0;) stride_[axis] = count, count *= box_[axis].size();
    count_ = count;
  }

  const NestSpec& spec() const { return spec_; }
  /// The elements of an input.
  const std::vector<char>& input(std::size_t number) const { return inputs_[number]; }
  i64 count() const { return count_; }

  /// Seconds of the device; the elements that were kept are in `kept`.
  double run(const NestMethod& method, std::vector<std::uint32_t>* kept) {
    const device::Memory workspace(context_, method.workspace(spec_, context_.limits()));
    const auto kernel = method.make(spec_, context_, workspace.data());
    const device::Memory made(context_, static_cast<std::size_t>(count_) * 4);
    std::deque<device::Memory> inputs;
    std::vector<const void*> data;
    for (const std::vector<char>& one : inputs_) {
      const device::Memory host(context_, one.size(), device::In::host);
      std::memcpy(host.data(), one.data(), one.size());
      inputs.emplace_back(context_, one.size());
      context_.copy(device::Queue::up, inputs.back().data(), host.data(), one.size());
      context_.record(device::Queue::up)->wait();
      data.push_back(inputs.back().data());
    }
    NestTask task = task_of(data, made.data());
    double least = 1e30;
    for (int round = 0; round < 2; ++round) least = std::min(least, run_block(*kernel, task));
    if (kept == nullptr) return least;
    const device::Memory host(context_, made.bytes(), device::In::host);
    context_.copy(device::Queue::down, host.data(), made.data(), made.bytes());
    context_.record(device::Queue::down)->wait();
    kept->assign(host.as<std::uint32_t>(), host.as<std::uint32_t>() + count_);
    return least;
  }

  /// The elements as the loops give them.
  std::vector<std::uint32_t> as_written() const {
    std::vector<const void*> data;
    for (const std::vector<char>& one : inputs_) data.push_back(one.data());
    const Made made = run_as_written(*spec_.nest, data);
    std::vector<std::uint32_t> all;
    const auto& words = made.arrays[0];
    for (std::size_t n = words.size() - static_cast<std::size_t>(count_); n < words.size(); ++n) {
      const auto real = static_cast<float>(words[n].real);
      std::uint32_t bits;
      std::memcpy(&bits, &real, sizeof bits);
      all.push_back(is_floating(spec_.nest->arrays[0].type) ? bits : static_cast<std::uint32_t>(words[n].whole));
    }
    return all;
  }

 private:
  void set_input(const Input& input, std::size_t n) {
    const auto random = static_cast<std::uint32_t>((n + 1) * 2654435761u) >> 8;
    char* data = inputs_.back().data();
    const float real = static_cast<float>(random % 1000) / 1000;
    if (is_floating(input.type)) std::memcpy(data + n * sizeof real, &real, sizeof real);
    else data[n] = static_cast<char>((random ^ random >> 7) % 4);
  }
  NestTask task_of(const std::vector<const void*>& data, void* made) const {
    NestTask task{};
    const Sweep sweep(spec_);
    for (std::size_t n = 0; n < sweep.rank(); ++n)
      task.begin[n] = sweep.space()[n].begin, task.end[n] = sweep.space()[n].end;
    const std::vector<InputView> views = whole_views(*spec_.nest, data);
    std::copy(views.begin(), views.end(), task.inputs);
    // The elements that statements write, and the rest of an array that begins as an input.
    const Array& array = spec_.nest->arrays[0];
    add_part(task, made, 0, intersection(box_, array.written));
    for (const Ranges& rest : difference(box_, array.written)) add_part(task, made, -1, rest);
    return task;
  }
  void add_part(NestTask& task, void* made, int statement, const Ranges& ranges) const {
    Part& part = task.parts[task.part_count++];
    part = {nullptr, 0, statement, {}, {}, {}};
    i64 index = 0;
    for (std::size_t axis = 0; axis < box_.size(); ++axis) {
      part.begin[axis] = ranges[axis].begin;
      part.end[axis] = ranges[axis].end;
      part.stride[axis] = stride_[axis];
      index += (ranges[axis].begin - box_[axis].begin) * stride_[axis];
    }
    part.data = static_cast<char*>(made) + index * 4;
  }
  double run_block(device::BlockKernel& kernel, const NestTask& task) {
    struct Words {
      device::u64 ready, stop, abort, done, failed, skipped, times[2];
    };
    const device::Memory words(context_, sizeof(Words), device::In::host);
    const device::Memory descriptor(context_, sizeof task, device::In::host);
    const device::Memory result(context_, sizeof(NestResult), device::In::host);
    auto* at = words.as<Words>();
    *at = {1, 0, 0, 0, 0, 0, {0, 0}};
    std::memcpy(descriptor.data(), &task, sizeof task);
    kernel.run({&at->ready, &at->stop, &at->abort, &at->done, &at->failed, &at->skipped, descriptor.data(),
                result.data(), 1, sizeof task, sizeof(NestResult), 0, 1, at->times});
    context_.record(device::Queue::compute)->wait();
    if (at->done != 1 || result.as<NestResult>()->failure.kind != NestFailure::none) fmt::print("WRONG: not done\n");
    return static_cast<double>(at->times[1] - at->times[0]) * 1e-9;
  }

  device::Context& context_;
  NestSpec spec_;
  std::deque<std::vector<char>> inputs_;
  Ranges box_;
  Point stride_{};
  i64 count_ = 1;
};

/// A nest as sweeps in place of the whole grid, one slab. @return the seconds of launches; the grid is in `kept`
double sweep(const OneBlock& block, const Swept& swept, device::Context& context, std::vector<std::uint32_t>* kept) {
  in_place::InPlaceSpec spec;
  spec.written =
      std::make_shared<in_place::WrittenCell>(in_place::WrittenCell{swept.cell, swept.corners, swept.operations});
  spec.rows = spec.slab_rows = swept.rows;
  spec.columns = swept.columns;
  spec.pass_sweeps = swept.sweeps;
  spec.value = block.spec().nest->arrays[0].type;
  const auto* method = device::find_method(in_place::in_place_methods(), device::Backend::cuda, "bands");
  const device::Memory workspace(context, method->workspace(spec, context.limits()));
  const auto kernel = method->make(spec, context, workspace.data());
  in_place::testing::InPlaceGrid grid(spec, context, *kernel);
  if (kept != nullptr) {
    kept->resize(static_cast<std::size_t>(block.count()));
    std::memcpy(kept->data(), block.input(0).data(), kept->size() * sizeof(std::uint32_t));
    return grid.run(*kept, swept.sweeps, 1);
  }
  grid.fill(1);
  return std::min(grid.sweep(swept.sweeps, 1), grid.sweep(swept.sweeps, 1));
}

class Benchmark {
 public:
  Benchmark(device::Context& context, i64 divisor, std::string nest, std::string method)
      : context_(context),
        divisor_(divisor),
        nest_(std::move(nest)),
        method_(std::move(method)),
        store_(io::Entry(folder_.path() / "modules")) {
    context_.take_modules_from(&store_);
  }

  void run() {
    for (const Work& work : all_works()) {
      if (work.name.find(nest_) == std::string::npos) continue;
      if (std::string("in_place").find(method_) != std::string::npos) run_sweeps(work);
      for (const NestMethod& method : nest_methods()) {
        if (method.backend == device::Backend::cuda && std::string(method.name).find(method_) != std::string::npos)
          run(work, method);
      }
    }
  }

 private:
  OneBlock whole(const Work& work) {
    const i64 size = std::max<i64>(8, work.size / divisor_), steps = std::max<i64>(2, work.steps / divisor_);
    return {work.text(size, work.steps == work.size ? steps : work.steps), work.table, context_};
  }
  /// The same nest at a size of several bands, to be compared with the loops as written.
  OneBlock small(const Work& work) {
    const i64 size = is_cube(work) ? 150 : 700;
    return {work.text(size, work.steps == work.size ? size : 9), work.table, context_};
  }
  void run_sweeps(const Work& work) {
    const OneBlock block = whole(work), part = small(work);
    const Swept swept = nest::swept(block.spec());
    if (!swept.unfit.empty()) return say_unfit(work, "in_place", swept.unfit);
    std::vector<std::uint32_t> made;
    sweep(part, nest::swept(part.spec()), context_, &made);
    say(work, "in_place", block, sweep(block, swept, context_, nullptr), made == part.as_written());
  }
  void run(const Work& work, const NestMethod& method) {
    OneBlock block = whole(work);
    const std::string why = method.unfit(block.spec(), context_.limits());
    if (!why.empty()) return say_unfit(work, method.name, why);
    const bool is_right = check(work, method);
    if (std::string(method.name) == "cells" && block.spec().nest->cells() > most_cells) {
      fmt::print("{:26} {:8} {}too many cells\n", work.name, method.name, is_right ? "" : "WRONG, ");
    } else {
      say(work, method.name, block, block.run(method, nullptr), is_right);
    }
  }
  static void say_unfit(const Work& work, const char* method, const std::string& why) {
    fmt::print("{:26} {:8} unfit: {}\n", work.name, method, why);
  }
  static void say(const Work& work, const char* method, const OneBlock& block, double seconds, bool is_right) {
    const double cells = block.spec().nest->cells();
    fmt::print("{:26} {:8} {:9.3f} ms {:8.1f} G cells/s, {:4.0f}% of the goal{}\n", work.name, method, seconds * 1e3,
               cells / seconds * 1e-9, 100 * cells / seconds / work.goal, is_right ? "" : "  WRONG");
    std::fflush(stdout);
  }
  bool check(const Work& work, const NestMethod& method) {
    OneBlock block = small(work);
    std::vector<std::uint32_t> made;
    block.run(method, &made);
    return made == block.as_written();
  }
  static bool is_cube(const Work& work) { return work.name.find("three") != std::string::npos; }

  static constexpr double most_cells = 0x1p33;
  device::Context& context_;
  i64 divisor_;
  std::string nest_, method_;
  test::TempFolder folder_;
  compiled::Store store_;
};

}  // namespace
}  // namespace terrace::nest

int main(int count, char** arguments) {
  return terrace::cuda_benchmark_main([&](terrace::device::Context& context) {
    if (const std::string why = terrace::compiled::Compiler::why_missing(); !why.empty()) {
      fmt::print("SKIPPED: {}\n", why);
      return;
    }
    terrace::nest::Benchmark(context, std::max(1, count > 1 ? std::atoi(arguments[1]) : 1),
                             count > 2 ? arguments[2] : "", count > 3 ? arguments[3] : "")
        .run();
  });
}
