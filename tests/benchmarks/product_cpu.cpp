// usage: benchmark_product_cpu [N]: a whole job that multiplies two matrices of N x N (4096) from files, in f32 and
// in f64 on the CPU, compared with one call of OpenBLAS on all cores with the matrices in memory; the best of five
// turns of each.
#include <cblas.h>
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "io/results/reader.hpp"
#include "kernels/device/cpu_features.hpp"
#include "pipeline/app/program.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/base/element_type.hpp"
#include "tests/support/temp_folder.hpp"

namespace {

using namespace terrace;

constexpr int turns = 5;

void call(int n, const float* a, const float* b, float* c) {
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}
void call(int n, const double* a, const double* b, double* c) {
  cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1, a, n, b, n, 0, c, n);
}

template <class T>
std::vector<T> random_matrix(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<T> value(-1, 1);
  std::vector<T> matrix(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (T& element : matrix) element = value(random);
  return matrix;
}

/// A file as numpy.save writes it (version 1.0 of its format).
template <class T>
void write_npy(const std::filesystem::path& path, int n, const std::vector<T>& matrix) {
  std::string header =
      fmt::format("{{'descr': '<f{0}', 'fortran_order': False, 'shape': ({1}, {1}), }}", sizeof(T), n);
  header.resize(117, ' ');
  std::ofstream file(path, std::ios::binary);
  file << "\x93NUMPY" << '\x01' << '\0' << '\x76' << '\0' << header << '\n';
  file.write(reinterpret_cast<const char*>(matrix.data()), static_cast<std::streamsize>(matrix.size() * sizeof(T)));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

/// Multiplications a second of one call.
template <class T>
double plain_rate(int n, const std::vector<T>& a, const std::vector<T>& b) {
  std::vector<T> c(a.size());
  openblas_set_num_threads(device::usable_threads());
  double best = 1e30;
  for (int repeat = 0; repeat < 2; ++repeat) {  // the first one starts threads
    const auto begin = std::chrono::steady_clock::now();
    call(n, a.data(), b.data(), c.data());
    best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  openblas_set_num_threads(1);  // as jobs have it
  return static_cast<double>(n) * n * n / best;
}

/// Values from the job's profile: the rate while computing, the limit, and seconds of the stage.
struct Job {
  double rate = 0, limit = 0, seconds = 1e30;
};

Job run_job(const test::TempFolder& folder) {
  const std::filesystem::path file =
      folder.write("job.yaml",
                   "{job: product, backend: cpu, inputs: {a: {npy: a.npy}, b: {npy: b.npy}}, output: c.h5,"
                   " stages: [{name: c, recursive: {problem: semiring_product, left: a, right: b}}]}");
  const app::Stages stages = app::program_stages();
  std::ostringstream out, err;
  app::Session session(out, err, stages, io::input_kinds());
  if (app::run_program({"run", file, "--fresh"}, session) != 0) throw std::runtime_error(err.str());
  const io::ResultReader result(folder / "c.h5");
  const auto of_stage = [&](const char* column) {
    return result.numbers(std::string("/profile/stages/") + column)[0];
  };
  return {of_stage("rate"), of_stage("limit"), of_stage("seconds")};
}

template <class T>
void compare(int n) {
  const test::TempFolder folder;
  const std::vector<T> a = random_matrix<T>(n, 1), b = random_matrix<T>(n, 2);
  write_npy(folder / "a.npy", n, a);
  write_npy(folder / "b.npy", n, b);
  double plain = 0;
  Job best;
  // Alternately, so that other load of the machine affects both.
  for (int turn = 0; turn < turns; ++turn) {
    plain = std::max(plain, plain_rate<T>(n, a, b));
    const Job now = run_job(folder);
    if (now.rate > best.rate) best = now;
  }
  fmt::print(
      "{} {:6}: OpenBLAS on all cores {:6.1f} G/s, the stage while computing {:6.1f} G/s, {:.1f}% of it; "
      "limit {:.1f} G/s; the stage took {:.3f} s\n",
      name_of(element_type_of<T>()), n, plain * 1e-9, best.rate * 1e-9, 100 * best.rate / plain, best.limit * 1e-9,
      best.seconds);
}

}  // namespace

int main(int count, char** arguments) {
  const int n = count > 1 ? std::atoi(arguments[1]) : 4096;
  compare<float>(n);
  compare<double>(n);
  return 0;
}
