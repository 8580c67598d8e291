// Parts of grids that are made again from the cells that they depend on, against the definition.
#include "kernels/stencil/window.hpp"

#include <catch2/catch.hpp>
#include <cstring>

#include "tests/differential/stencil/samples.hpp"

namespace terrace::stencil::testing {
namespace {

std::int64_t wrapped(std::int64_t index, std::int64_t extent) { return ((index % extent) + extent) % extent; }

/// Calls visit(place in the window, place in the grid) for every cell of a box.
template <class T, class Visit>
void for_each_cell(const StencilSpec& spec, const Window<T>& window, const CellBox& cells, const Visit& visit) {
  for (std::int64_t i = cells.begin[0]; i < cells.end[0]; ++i) {
    for (std::int64_t j = cells.begin[1]; j < cells.end[1]; ++j) {
      for (std::int64_t k = cells.begin[2]; k < cells.end[2]; ++k) {
        const std::int64_t row = wrapped(i, spec.extents[0]) * spec.extents[1] + wrapped(j, spec.extents[1]);
        visit(window.place(i, j, k), static_cast<std::size_t>(row * spec.extents[2] + wrapped(k, spec.extents[2])));
      }
    }
  }
}

/// The window of a grid from which some cells can be made.
template <class T>
Window<T> window_of(const StencilSpec& spec, const Grids<T>& grids, const CellBox& cells) {
  Window<T> window{cells, {}};
  const auto fill = [&](const auto& from, auto& to) {
    for (const std::vector<T>& all : from) {
      std::vector<T>& part = to.emplace_back(static_cast<std::size_t>(cells.count()));
      for_each_cell(spec, window, cells, [&](std::size_t to_cell, std::size_t cell) { part[to_cell] = all[cell]; });
    }
  };
  fill(grids.fields, window.values.fields);
  fill(grids.arrays, window.values.arrays);
  return window;
}

CellBox any_box(SampleMaker& maker, const StencilSpec& spec) {
  CellBox cells;
  for (std::size_t axis = 0; axis < most_rank; ++axis) {
    cells.begin[axis] = maker.below(spec.extents[axis]);
    cells.end[axis] = cells.begin[axis] + 1 + maker.below(spec.extents[axis] - cells.begin[axis]);
  }
  return cells;
}

template <class F, class T>
void check_windows(SampleMaker& maker, const Sample& sample) {
  const StencilSpec& spec = sample.spec;
  const Grids<T> before = maker.grids<T>(spec, spec.fields());
  Grids<T> expected = before;
  advance_by_definition<F>(spec, expected, sample.step, sample.steps);
  for (int number = 0; number < 4; ++number) {
    const CellBox cells = number == 0 ? whole_grid(spec) : any_box(maker, spec);
    Window<T> window = window_of(spec, before, cells_before(spec, cells, sample.steps));
    REQUIRE(window.cells.count() <= whole_grid(spec).count());
    std::int64_t steps = 0;
    advance(spec, window, cells, sample.step, sample.steps, [&] { ++steps; });
    REQUIRE(steps == sample.steps);
    for (std::size_t f = 0; f < expected.fields.size(); ++f) {
      for_each_cell(spec, window, cells, [&](std::size_t at, std::size_t cell) {
        const T a = window.values.fields[f][at], b = expected.fields[f][cell];
        if (std::memcmp(&a, &b, sizeof a) != 0 && (a == a || b == b)) FAIL("field " << f << ", cell " << cell);
      });
    }
  }
}

TEST_CASE("Windows of grids are made again as the whole grid is") {
  const int samples = 600;
  for (unsigned seed = 0; seed < samples; ++seed) {
    SampleMaker maker(seed, 3000, 12);
    Sample sample = seed % 8 == 7 ? maker.make_separable() : maker.make();
    if (seed % 3 == 0) maker.add_points(sample);
    INFO("seed " << seed << ": " << words_of(sample));
    visit_formula(sample.spec, [&]<class F>(F) {
      if (sample.spec.value == ElementType::f32) check_windows<F, float>(maker, sample);
      else check_windows<F, double>(maker, sample);
    });
  }
}

TEST_CASE("Cells that a window needs reach as far as its steps, and around periodic axes") {
  StencilSpec spec;
  spec.extents = {100, 1, 40};
  spec.radius = 2;
  spec.faces[0] = {Face::periodic, Face::periodic, 0, 0};
  spec.faces[1] = spec.faces[2] = {Face::edge, Face::fixed, 0, 0};
  const CellBox cells{{3, 0, 20}, {10, 1, 39}};
  CHECK(cells_before(spec, cells, 0) == cells);
  CHECK(cells_before(spec, cells, 4) == CellBox{{-5, 0, 12}, {18, 1, 40}});
  CHECK(cells_before(spec, cells, 40) == CellBox{{0, 0, 0}, {100, 1, 40}});
  CHECK(cells_before(spec, cells, std::int64_t{1} << 62) == whole_grid(spec));
  CHECK(updates_of(spec, cells, 2, 1e9) == 7 * 19 + 11 * (40 - 18));
  CHECK(updates_of(spec, whole_grid(spec), std::int64_t{1} << 40, 1e9) == 4000.0 * (std::int64_t{1} << 40));
}

}  // namespace
}  // namespace terrace::stencil::testing
