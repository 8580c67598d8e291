// Parameters and grids for tests over the list of in-place problems.
#pragma once

#include <catch2/catch.hpp>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "kernels/in_place/problems.hpp"
#include "kernels/in_place/reference.hpp"
#include "kernels/in_place/sweep.hpp"
#include "kernels/in_place/visit.hpp"

namespace terrace::in_place::testing {

/// Settings with numbers for which every operation rounds.
template <class P>
Settings in_place_settings() {
  Settings settings;
  for (const Parameter& parameter : P::parameters) {
    if (std::string(parameter.name) == "omega") settings.set("omega", 1.37);
  }
  return settings;
}

/// Values of either sign and of very different sizes, so that another order of operations shows.
template <class T>
std::vector<T> in_place_values(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(static_cast<std::size_t>(count));
  for (T& value : values) {
    const auto number = static_cast<double>(random() % 100000) - 50000.0;
    value = static_cast<T>(number * 0.37 / (1 << random() % 20));
  }
  return values;
}

/// A case of the differential tests.
struct InPlaceCase {
  std::int64_t rows, columns, slab_rows, pass_sweeps, sweeps, launch_slabs = 1 << 20;
};

inline std::string name_of(const InPlaceCase& c) {
  return std::to_string(c.rows) + " x " + std::to_string(c.columns) + ", slabs of " + std::to_string(c.slab_rows) +
         ", " + std::to_string(c.sweeps) + " sweeps by " + std::to_string(c.pass_sweeps) + ", launches of " +
         std::to_string(c.launch_slabs);
}

/// Every size around lanes, bands and strips, with one slab and with several, in one pass and in several.
inline std::vector<InPlaceCase> in_place_cases() {
  std::vector<InPlaceCase> cases;
  for (std::int64_t rows : {0, 1, 2, 3, 4, 5, 17, 33, 70}) {
    for (std::int64_t columns : {0, 1, 2, 3, 31, 33, 130, 300}) {
      for (std::int64_t sweeps : {1, 2, 15, 17}) cases.push_back({rows, columns, 1000, sweeps, sweeps});
      cases.push_back({rows, columns, 1000, 40, 100});
    }
  }
  for (std::int64_t sweeps : {1, 2, 15, 16, 17, 32, 33, 64, 65}) {
    cases.push_back({150, 133, sweeps + 1, sweeps, sweeps});
    cases.push_back({150, 133, sweeps + 5, sweeps, sweeps, 1});
    cases.push_back({149, 70, sweeps + 9, sweeps, 2 * sweeps + 1, 2});
    cases.push_back({300, 40, 2 * sweeps + 40, sweeps, sweeps, 3});
  }
  cases.push_back({3, 5000, 1000, 64, 64});
  cases.push_back({5000, 3, 700, 64, 130});
  cases.push_back({1000, 5, 8, 7, 64, 5});
  cases.push_back({128, 1000, 1000, 300, 300});
  cases.push_back({257, 1000, 100, 64, 64});
  return cases;
}

/// Grids with bands of rows and pieces of columns that lie inside the rim, and cells of both kinds next to them; rows
/// begin at multiples of 16 bytes, or not.
inline std::vector<InPlaceCase> large_in_place_cases() {
  return {{270, 240, 1000, 17, 17},
          {271, 251, 1000, 2, 3},
          {400, 241, 200, 20, 20},
          {390, 300, 150, 3, 6},
          {260, 302, 1000, 1, 2}};
}

/// Checks that `sweep_grid(spec, case, grid)` gives the bits of the definition. @param seed of the grid
template <class P, class T, class SweepGrid>
void check_in_place_case(const InPlaceCase& c, SweepGrid&& sweep_grid) {
  INFO(P::name << ", " << name_of(element_type_of<T>()) << ", " << name_of(c));
  InPlaceSpec spec;
  spec.problem = P::name;
  spec.settings = in_place_settings<P>();
  spec.rows = c.rows;
  spec.columns = c.columns;
  spec.slab_rows = c.slab_rows;
  spec.pass_sweeps = c.pass_sweeps;
  spec.value = element_type_of<T>();
  const std::vector<T> values =
      in_place_values<T>(c.rows * c.columns, static_cast<unsigned>(c.rows * 31 + c.columns));
  std::vector<T> expected = values, found = values;
  sweep_in_place<P, T>(P::template constants_as<T>(P::constants(spec.settings)), expected.data(), c.rows, c.columns,
                       c.sweeps);
  sweep_grid(spec, c, found);
  std::int64_t wrong = -1;
  for (std::size_t i = 0; i < found.size() && wrong < 0; ++i) {
    if (std::memcmp(&found[i], &expected[i], sizeof(T)) != 0) wrong = static_cast<std::int64_t>(i);
  }
  INFO("cell (" << wrong / std::max<std::int64_t>(1, c.columns) << ", "
                << wrong % std::max<std::int64_t>(1, c.columns) << ")");
  CHECK(wrong == -1);
}

/// Every `step`-th case of all problems in f32 and f64.
template <class SweepGrid>
void check_in_place(SweepGrid&& sweep_grid, std::size_t step = 1,
                    const std::vector<InPlaceCase>& cases = in_place_cases()) {
  for (std::size_t i = step / 2; i < cases.size(); i += step) {
    InPlaceProblems::for_each([&]<class P>(P) {
      check_in_place_case<P, float>(cases[i], sweep_grid);
      check_in_place_case<P, double>(cases[i], sweep_grid);
    });
  }
}

}  // namespace terrace::in_place::testing
