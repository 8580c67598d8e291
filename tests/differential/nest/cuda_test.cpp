// Nests on CUDA against the loops as they are written.
#include <catch2/catch.hpp>
#include <iostream>
#include <random>

#include "kernels/compiled/store.hpp"
#include "tests/differential/nest/samples.hpp"
#include "tests/support/cuda_device.hpp"
#include "tests/support/temp_folder.hpp"

namespace terrace::nest {
namespace {

using testing::check_equal;
using testing::Computed;
using testing::NestSample;

/// A device whose kernels are compiled in a folder of the test; null if there is none, or no compiler.
class WithModules {
 public:
  WithModules() : context_(test::cuda_context()), store_(io::Entry(folder_.path() / "modules")) {
    if (!context_) return;
    if (const std::string why = compiled::Compiler::why_missing(); !why.empty()) {
      std::cout << "SKIPPED: " << why << std::endl;
      context_.reset();
      return;
    }
    context_->take_modules_from(&store_);
  }
  device::Context* context() const { return context_.get(); }

 private:
  test::TempFolder folder_;
  std::unique_ptr<device::Context> context_;
  compiled::Store store_;
};

/// Compares all methods with the loops as written, in tiles of some size.
void check(NestSample& sample, device::Context& context, std::mt19937& random) {
  for (std::size_t n = 0; n < sample.spec.skew.rank(); ++n) sample.spec.tile[n] = 1 + static_cast<i64>(random() % 7);
  const std::vector<i64> sides = testing::random_sides(random, sample.spec, 3);
  for (const NestMethod* method : testing::methods_for(sample.spec, context)) {
    INFO(method->name << ", skew " << sample.spec.skew.in_words());
    check_equal(*sample.spec.nest, sample.made,
                testing::compute_by(*method, sample.spec, context, sample.inputs, sides));
  }
}

TEST_CASE("edit distance on CUDA is the nest that everybody knows") {
  const WithModules with;
  if (with.context() == nullptr) return;
  std::mt19937 random(3);
  std::vector<char> a(150), b(90);
  for (char& one : a) one = static_cast<char>(random() % 4);
  for (char& one : b) one = static_cast<char>(random() % 4);
  Written made;
  made.letters("a", 150).letters("b", 90).loop("i", "size(a)").loop("j", "size(b)");
  made.array("D", ElementType::i32, "", "i + j + 2");
  made.cell("D[i][j] = min(D[i-1][j-1] + (a[i] != b[j]), D[i-1][j] + 1, D[i][j-1] + 1)");
  NestSpec spec = testing::spec_of(made.text);
  spec.kept[0].corner = true;
  spec.kept[0].best = 1;
  const std::vector<const void*> inputs = {a.data(), b.data()};
  const Made as_written = run_as_written(*spec.nest, inputs);
  for (const NestMethod* method : testing::methods_for(spec, *with.context())) {
    const Computed computed = testing::compute_by(*method, spec, *with.context(), inputs, {100, 80});
    check_equal(*spec.nest, as_written, computed);
    BestElement best{}, expected{};
    for (const NestResult& result : computed.results) {
      if (result.has_corner[0] != 0) CHECK(result.corner[0].whole == as_written.arrays[0].back().whole);
      Point at{};
      std::copy_n(result.best[0].at, most_coordinates, at.begin());
      if (result.best[0].is_found != 0) offer(best, ElementType::i32, 1, at, result.best[0].value);
    }
    CHECK(std::count_if(computed.results.begin(), computed.results.end(),
                        [](const NestResult& one) { return one.has_corner[0] != 0; }) == 1);
    for (i64 index = 0; index < 150 * 90; ++index) {
      offer(expected, ElementType::i32, 1, {index / 90, index % 90},
            as_written.arrays[0][static_cast<std::size_t>(index)]);
    }
    CHECK(best.value.whole == expected.value.whole);
    CHECK((best.at[0] == expected.at[0] && best.at[1] == expected.at[1]));
  }
}

TEST_CASE("random nests on CUDA equal the loops as written, in blocks and tiles of any size") {
  const WithModules with;
  if (with.context() == nullptr) return;
  std::mt19937 random(11);
  int computed = 0;
  const int most = test::few_cases(*with.context()) ? 8 : 60;
  while (computed < most) {
    for (NestSample& sample : testing::samples_of_text(random)) {
      check(sample, *with.context(), random);
      ++computed;
    }
  }
}

TEST_CASE("nests over grids with rims, on CUDA, equal the loops as written") {
  const WithModules with;
  if (with.context() == nullptr) return;
  std::mt19937 random(5);
  for (int trial = 0; trial < (test::few_cases(*with.context()) ? 4 : 60); ++trial) {
    for (NestSample& sample : testing::samples_of_grid(random, 1 + trial % 2, testing::grid_type(trial)))
      check(sample, *with.context(), random);
  }
}

TEST_CASE("a cell without a value is named on CUDA") {
  const WithModules with;
  if (with.context() == nullptr) return;
  Written made;
  made.input("x", {4}, ElementType::i32).loop("i", "4").array("D", ElementType::i8, "", "100");
  const auto check_failure = [&](const std::string& cell, const std::vector<std::int32_t>& x) {
    Written one = made;
    const NestSpec spec = testing::spec_of(one.cell(cell).text);
    const std::vector<const void*> inputs = {x.data()};
    const Made as_written = run_as_written(*spec.nest, inputs);
    REQUIRE(as_written.failure.kind != NestFailure::none);
    for (const NestMethod* method : testing::methods_for(spec, *with.context())) {
      const Computed computed = testing::compute_by(*method, spec, *with.context(), inputs, {2});
      CHECK(in_words(*spec.nest, as_written.failure) == in_words(*spec.nest, computed.failure));
    }
  };
  check_failure("D[i] = 7 / x[i]", {1, 2, 0, 0});
  check_failure("D[i] = D[i-1] + x[i]", {1, 2, 30, 0});
  check_failure("D[i] = x[x[i]]", {1, 2, 4, 0});
  check_failure("D[i] = i32(1.0/x[i])", {1, 2, 0, 0});
  made.text.arrays[0].outside = "100 / (i + 1)";
  check_failure("D[i] = D[i-1] + x[i]", {1, 2, 3, 4});
}

}  // namespace
}  // namespace terrace::nest
