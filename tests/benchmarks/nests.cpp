// Compiled nests on one thread of the CPU, beside the same recurrences as plain loops, compiled by the same compiler
// with the same options: edit distance, SOR in two dimensions, Jacobi steps in one.
//
//   benchmark_nests [SCALE [NEST]]    SCALE 1: 10^8 cells or so; NEST: a part of a name
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/nest/distances.hpp"
#include "kernels/nest/methods.hpp"
#include "kernels/nest/reference.hpp"
#include "tests/support/nests.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace {
namespace {

using nest::i64;

/// The plain loops. They keep what they need of earlier rows, as a programmer would.
constexpr const char* loops = R"(
extern "C" void edit_distance(const unsigned char* a, const unsigned char* b, long rows, long columns, int* row) {
  for (long j = 0; j < columns; ++j) row[j] = (int)j + 1;
  for (long i = 0; i < rows; ++i) {
    int diagonal = (int)i, left = (int)i + 1;
    for (long j = 0; j < columns; ++j) {
      const int up = row[j];
      int made = diagonal + (a[i] != b[j]);
      made = up + 1 < made ? up + 1 : made;
      made = left + 1 < made ? left + 1 : made;
      diagonal = up;
      row[j] = left = made;
    }
  }
}
extern "C" void sor(long steps, long rows, long columns, float* g) {
  for (long t = 0; t < steps; ++t) {
    for (long i = 1; i < rows - 1; ++i) {
      float* row = g + i * columns;
      for (long j = 1; j < columns - 1; ++j) {
        row[j] = 0.2f * row[j] + 0.2f * row[j + 1] + 0.2f * row[j + columns] + 0.2f * row[j - columns] +
                 0.2f * row[j - 1];
      }
    }
  }
}
extern "C" void jacobi(long steps, long cells, float* __restrict a, float* __restrict b) {
  for (long t = 0; t < steps; ++t) {
    for (long i = 1; i < cells - 1; ++i) b[i] = 0.3f * a[i - 1] + 0.4f * a[i] + 0.3f * a[i + 1];
    float* other = a;
    a = b;
    b = other;
  }
}
)";

double seconds_of(const std::function<void()>& work) {
  double least = 1e9;
  for (int round = 0; round < 3; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

/// A nest as one block, of which the last elements of the first array are kept, with the type f32 or i32.
class OneBlock {
 public:
  OneBlock(const nest::NestText& text, const std::vector<const void*>& inputs, const compiled::CxxCompiler& compiler,
           device::Context& context)
      : context_(context) {
    auto made = std::make_shared<nest::Nest>(nest::write(text));
    spec_.flow = nest::flow_of(*made);
    spec_.skew = nest::least_skew(*made, spec_.flow, false);
    spec_.kept.resize(made->arrays.size());
    spec_.kept[0].last = true;
    spec_.compiler = compiler;
    const nest::Array& array = made->arrays[0];
    box_ = array.box;
    if (array.first_loop == 0) box_[0] = {array.written[0].end - 1, array.written[0].end};
    i64 count = 1;
    for (std::size_t axis = box_.size(); axis-- > 0;) {
      stride_[axis] = count;
      count *= box_[axis].size();
    }
    last_.resize(static_cast<std::size_t>(count) * 4);
    spec_.nest = made;
    views_ = nest::whole_views(*made, inputs);
    kernel_ =
        device::find_method(nest::nest_methods(), device::Backend::cpu, "compiled")->make(spec_, context, nullptr);
  }

  void run() {
    nest::NestTask task{};
    const nest::Sweep sweep(spec_);
    for (std::size_t n = 0; n < sweep.rank(); ++n)
      task.begin[n] = sweep.space()[n].begin, task.end[n] = sweep.space()[n].end;
    std::copy(views_.begin(), views_.end(), task.inputs);
    for (std::size_t s = 0; s < spec_.nest->statements.size(); ++s) {
      nest::Part& part = task.parts[task.part_count++];
      part = {last_.data(), 0, static_cast<int>(s), {}, {}, {}};
      for (std::size_t axis = 0; axis < box_.size(); ++axis) {
        part.begin[axis] = box_[axis].begin;
        part.end[axis] = box_[axis].end;
        part.stride[axis] = stride_[axis];
      }
    }
    device::u64 words[6] = {1, 0, 0, 0, 0, 0};
    nest::NestResult result{};
    kernel_->run({&words[0], &words[1], &words[2], &words[3], &words[4], &words[5], &task, &result, 1, sizeof task,
                  sizeof result, 0, 1});
    context_.record(device::Queue::compute)->wait();
    if (result.failure.kind != nest::NestFailure::none) fmt::print("WRONG: a cell has no value\n");
  }
  template <class T>
  T last(std::initializer_list<i64> at) const {
    i64 index = 0, axis = 0;
    for (const i64 one : at) {
      index += (one - box_[static_cast<std::size_t>(axis)].begin) * stride_[static_cast<std::size_t>(axis)];
      ++axis;
    }
    T value;
    std::memcpy(&value, last_.data() + index * 4, sizeof value);
    return value;
  }
  double cells() const { return spec_.nest->cells(); }

 private:
  device::Context& context_;
  nest::NestSpec spec_;
  nest::Ranges box_;
  nest::Point stride_{};
  std::vector<char> last_;
  std::vector<nest::InputView> views_;
  std::unique_ptr<device::BlockKernel> kernel_;
};

void print(const std::string& name, double cells, double own, double plain, bool is_equal) {
  fmt::print("{:14} {:8.0f} Mcell/s, plain loops {:8.0f} Mcell/s: {:3.0f}%{}\n", name, cells / own * 1e-6,
             cells / plain * 1e-6, 100 * plain / own, is_equal ? "" : "  WRONG");
}

class Benchmark {
 public:
  Benchmark(double scale, std::string wanted)
      : scale_(scale), wanted_(std::move(wanted)), context_(1), store_(io::Entry(folder_.path() / "objects")) {
    compiler_ = compiled::find_cxx();
    context_.take_modules_from(&store_);
    if (!is_there()) return;
    plain_ = store_.object({loops, {"edit_distance", "sor", "jacobi"}},
                           {compiler_.command, compiled::cell_options(device::best_instruction_set())});
  }
  bool is_there() const { return !compiler_.command.empty(); }
  const std::string& why_none() const { return compiler_.why_none; }

  void run() {
    if (wants("edit distance")) edit_distance();
    if (wants("SOR 2-D")) sor();
    if (wants("Jacobi 1-D")) jacobi();
  }

 private:
  bool wants(const std::string& name) const { return name.find(wanted_) != std::string::npos; }
  template <class F>
  F* plain(std::size_t number) const {
    return reinterpret_cast<F*>(const_cast<void*>(plain_->kernel(number)));
  }
  i64 scaled(double count) const { return static_cast<i64>(count * scale_) + 4; }

  void edit_distance() {
    const i64 rows = scaled(8000), columns = 12000;
    std::vector<unsigned char> a(static_cast<std::size_t>(rows)), b(static_cast<std::size_t>(columns));
    for (unsigned char& one : a) one = static_cast<unsigned char>(std::rand() % 4);
    for (unsigned char& one : b) one = static_cast<unsigned char>(std::rand() % 4);
    nest::Written text;
    text.letters("a", rows).letters("b", columns).loop("i", "size(a)").loop("j", "size(b)");
    text.array("D", ElementType::i32, "", "i + j + 2");
    text.cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
    OneBlock block(text.text, {a.data(), b.data()}, compiler_, context_);
    std::vector<int> row(static_cast<std::size_t>(columns));
    const auto loop = plain<void(const unsigned char*, const unsigned char*, long, long, int*)>(0);
    const double other = seconds_of([&] { loop(a.data(), b.data(), rows, columns, row.data()); });
    const double own = seconds_of([&] { block.run(); });
    print("edit distance", block.cells(), own, other, block.last<int>({rows - 1, columns - 1}) == row.back());
  }
  void sor() {
    const i64 side = 1002, steps = scaled(60);
    std::vector<float> g(static_cast<std::size_t>(side * side));
    for (float& one : g) one = static_cast<float>(std::rand() % 1000) / 1000;
    nest::Written text;
    text.input("g", {side, side}).loop("t", std::to_string(steps));
    text.loop("i", "1", "size(g, 0) - 1").loop("j", "1", "size(g, 1) - 1").array("A", std::nullopt, "g");
    text.cell("A[i][j] = 0.2*A[i][j] + 0.2*A[i][j+1] + 0.2*A[i+1][j] + 0.2*A[i-1][j] + 0.2*A[i][j-1]");
    OneBlock block(text.text, {g.data()}, compiler_, context_);
    std::vector<float> made;
    const auto loop = plain<void(long, long, long, float*)>(1);
    const double other = seconds_of([&] {
      made = g;
      loop(steps, side, side, made.data());
    });
    const double own = seconds_of([&] { block.run(); });
    print("SOR 2-D", block.cells(), own, other,
          block.last<float>({500, 500}) == made[static_cast<std::size_t>(500 * side + 500)]);
  }
  void jacobi() {
    const i64 cells = 200002, steps = scaled(1000);
    std::vector<float> g(static_cast<std::size_t>(cells));
    for (float& one : g) one = static_cast<float>(std::rand() % 1000) / 1000;
    nest::Written text;
    text.input("g", {cells}).loop("t", std::to_string(steps)).loop("i", "1", "size(g) - 1");
    text.array("A", std::nullopt, "g").cell("A[t+1][i] = 0.3*A[t][i-1] + 0.4*A[t][i] + 0.3*A[t][i+1]");
    OneBlock block(text.text, {g.data()}, compiler_, context_);
    std::vector<float> one, two;
    const auto loop = plain<void(long, long, float*, float*)>(2);
    const double other = seconds_of([&] {
      one = two = g;
      loop(steps, cells, one.data(), two.data());
    });
    const double own = seconds_of([&] { block.run(); });
    const float expected = (steps % 2 == 0 ? one : two)[100000];
    print("Jacobi 1-D", block.cells(), own, other, block.last<float>({steps, 100000}) == expected);
  }

  double scale_;
  std::string wanted_;
  test::TempFolder folder_;
  device::CpuContext context_;
  compiled::Store store_;
  compiled::CxxCompiler compiler_;
  std::shared_ptr<const compiled::SharedObject> plain_;
};

}  // namespace
}  // namespace terrace

int main(int count, char** arguments) {
  terrace::Benchmark benchmark(count > 1 ? std::atof(arguments[1]) : 1, count > 2 ? arguments[2] : "");
  if (!benchmark.is_there()) {
    fmt::print("SKIPPED: {}\n", benchmark.why_none());
    return 0;
  }
  benchmark.run();
}
