// In-place problems by hand: which neighbours are new and which are old; the list of their names.
#include <catch2/catch.hpp>
#include <set>
#include <string>
#include <vector>

#include "kernels/in_place/methods.hpp"
#include "kernels/in_place/problems.hpp"
#include "kernels/in_place/reference.hpp"
#include "kernels/in_place/visit.hpp"
#include "kernels/wavefront/problems.hpp"

namespace terrace::in_place {
namespace {

// up_left, up, up_right, left, self, right, down_left, down, down_right.
constexpr Neighbourhood<float> around{1, 4, 3, 5, 6, 7, 9, 10, 11};
static_assert(cell_of_values<Sor>(Sor::Constants<float>{0, 0.25f}, around) == 6.5f);
static_assert(cell_of_values<Sor>(Sor::Constants<float>{0.5f, 0.125f}, around) == 6.25f);
static_assert(cell_of_values<Seidel>(Seidel::Constants<double>{},
                                     Neighbourhood<double>{1, 2, 3, 4, 14, 6, 7, 8, 9}) == 6);
// The sum begins with the upper left: 1 is lost when added to 2^24, but not to 0.
constexpr float large = 16777216;
static_assert(cell_of_values<Seidel>(Seidel::Constants<float>{},
                                     Neighbourhood<float>{large, 1, 0, 0, 0, 0, 0, 0, -large}) == 0);
static_assert(cell_of_values<Seidel>(Seidel::Constants<float>{},
                                     Neighbourhood<float>{0, 1, 0, 0, 0, 0, 0, large, -large}) == 0);
static_assert(cell_of_values<Seidel>(Seidel::Constants<float>{},
                                     Neighbourhood<float>{large, 0, 0, 0, 0, 0, 0, -large, 9}) == 1);
// The sum of sor ends with the left one.
constexpr Sor::Constants<float> plain{1, 1};
static_assert(cell_of_values<Sor>(plain, Neighbourhood<float>{0, 0, 0, 1, large, -large, 0, 0, 0}) == 1);
static_assert(cell_of_values<Sor>(plain, Neighbourhood<float>{0, -large, 0, 0, large, 1, 0, 0, 0}) == 0);

TEST_CASE("a sweep takes new values from above and from the left, old ones from below and from the right") {
  std::vector<double> grid{1, 4,  3,  4,  //
                           5, 6,  7,  8,  //
                           9, 10, 11, 12};
  const Sor::Constants<double> gauss_seidel{0, 0.25};
  sweep_in_place<Sor, double>(gauss_seidel, grid.data(), 3, 4, 1);
  CHECK(grid == std::vector<double>{1, 4, 3, 4, 5, 6.5, 7.125, 8, 9, 10, 11, 12});
  sweep_in_place<Sor, double>(gauss_seidel, grid.data(), 3, 4, 1);
  CHECK(grid == std::vector<double>{1, 4, 3, 4, 5, 6.53125, 7.1328125, 8, 9, 10, 11, 12});
}

TEST_CASE("two sweeps of four rows by hand") {
  // Inner cells a above b, 0 at first, the rim 4: a = (4 + b + 4 + 4) / 4, b = (4 + 4 + a + 4) / 4.
  std::vector<float> grid{4, 4, 4, 4, 0, 4, 4, 0, 4, 4, 4, 4};
  sweep_in_place<Sor, float>({0, 0.25f}, grid.data(), 4, 3, 1);
  CHECK(grid == std::vector<float>{4, 4, 4, 4, 3, 4, 4, 3.75f, 4, 4, 4, 4});
  sweep_in_place<Sor, float>({0, 0.25f}, grid.data(), 4, 3, 1);
  CHECK(grid == std::vector<float>{4, 4, 4, 4, 3.9375f, 4, 4, 3.984375f, 4, 4, 4, 4});
}

TEST_CASE("a grid without inner cells stays as it is") {
  for (std::int64_t rows = 0; rows < 5; ++rows) {
    for (std::int64_t columns = 0; columns < 3; ++columns) {
      std::vector<float> grid(static_cast<std::size_t>(rows * columns));
      for (std::size_t i = 0; i < grid.size(); ++i) grid[i] = static_cast<float>(i * i);
      const std::vector<float> before = grid;
      sweep_in_place<Seidel, float>({}, grid.data(), rows, columns, 3);
      CHECK(grid == before);
    }
  }
}

TEST_CASE("relaxation is the part of the cell that is replaced, in f64 before it is rounded") {
  Settings settings;
  settings.set("omega", 1.9);
  const auto constants = Sor::constants(settings);
  CHECK(constants.kept == 1 - 1.9);
  CHECK(constants.share == 1.9 / 4);
  const auto narrow = Sor::constants_as<float>(constants);
  CHECK(narrow.kept == static_cast<float>(1 - 1.9));
  CHECK(narrow.share == static_cast<float>(0.475));
}

TEST_CASE("in-place problems are found by names that no other problem has") {
  std::set<std::string> names;
  for (const wavefront::ProblemInfo& problem : wavefront::problems()) names.insert(problem.name);
  for (const InPlaceInfo& problem : in_place_problems()) {
    CHECK(names.insert(problem.name).second);
    CHECK(find_in_place(problem.name) == &problem);
  }
  CHECK(find_in_place("lcs") == nullptr);
  CHECK_THROWS_AS(visit_in_place("lcs", [](auto) {}), JobError);
}

TEST_CASE("the limit of a sweep's operations is that of the additions and multiplications of its kernel") {
  device::Limits limits;
  limits.operations_per_second = 16e12;
  InPlaceSpec spec;
  spec.problem = "sor";
  spec.value = ElementType::f32;
  CHECK(limit_of(spec, device::Backend::cuda, limits) == Approx(32e12 / 6));
  CHECK(limit_of(spec, device::Backend::cpu, limits) == Approx(16e12 / 8));
  spec.value = ElementType::f64;
  CHECK(limit_of(spec, device::Backend::cuda, limits) == Approx(16e12 / 6));
  spec.problem = "seidel";
  CHECK(limit_of(spec, device::Backend::cpu, limits) == Approx(8e12 / 12));
}

}  // namespace
}  // namespace terrace::in_place
