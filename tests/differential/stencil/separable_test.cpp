// Boxes whose coefficients are products: that they are found, and how far they are from sums in real numbers.
#include <catch2/catch.hpp>
#include <cmath>

#include "kernels/device/cpu_context.hpp"
#include "kernels/stencil/separable.hpp"
#include "tests/differential/stencil/compare.hpp"

namespace terrace::stencil {
namespace {

/// A box with coefficients a[i] * b[j], rounded to that many digits.
StencilSpec product_spec(ElementType type, const std::vector<double>& a, const std::vector<double>& b,
                         double digits = 1e17) {
  StencilSpec spec;
  spec.name = "box2d";
  spec.value = type;
  spec.radius = static_cast<int>(a.size() / 2);
  spec.extents = {43, 1, 67};
  spec.faces[1] = {Face::edge, Face::edge, 0, 0};
  spec.terms = terms_of(Shape::box, 2, spec.radius);
  for (Term<double>& term : spec.terms) {
    const double product = a[static_cast<std::size_t>(term.offset[0] + spec.radius)] *
                           b[static_cast<std::size_t>(term.offset[2] + spec.radius)];
    term.coefficient = digits < 1e17 ? std::round(product * digits) / digits : product;
  }
  spec.slab_rows = spec.extents[0];
  spec.pass_steps = 16;
  return spec;
}

/// The values of a Gaussian, whose sum is 1.
std::vector<double> gaussian(int radius, double width) {
  std::vector<double> values;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) values.push_back(std::exp(-i * i / (2 * width * width)));
  for (const double value : values) sum += value;
  for (double& value : values) value /= sum;
  return values;
}

TEST_CASE("coefficients that are products are found") {
  for (const ElementType type : {ElementType::f32, ElementType::f64}) {
    for (int radius = 1; radius <= most_radius; ++radius) {
      const std::vector<double> a = gaussian(radius, 0.6 * radius), b = gaussian(radius, 2.0 * radius);
      const StencilSpec spec = product_spec(type, a, b);
      const auto factors = separated(spec);
      REQUIRE(factors);
      REQUIRE(factors->size() == 2 * a.size());
      for (std::size_t n = 0; n < spec.terms.size(); ++n) {
        const Term<double>&column = (*factors)[a.size() + n / a.size()], &row = (*factors)[n % a.size()];
        CHECK(std::abs(column.coefficient * row.coefficient - spec.terms[n].coefficient) <=
              separable_roundoffs * 0x1p-53 * spec.terms[n].coefficient);
        CHECK(column.offset[0] == spec.terms[n].offset[0]);
        CHECK(row.offset[2] == spec.terms[n].offset[2]);
      }
      StencilSpec average = spec;
      average.terms = terms_of(Shape::box, 2, radius);
      CHECK(separated(average));
    }
  }
  // Signs and zeros: Sobel's gradient.
  CHECK(separated(product_spec(ElementType::f64, {1, 2, 1}, {-1, 0, 1})));
}

TEST_CASE("coefficients that are no products are left as they are") {
  const std::vector<double> a = gaussian(2, 1), b = gaussian(2, 3);
  StencilSpec spec = product_spec(ElementType::f32, a, b);
  const auto spoilt = [&](const auto& spoil) {
    StencilSpec other = spec;
    spoil(other);
    return separated(other);
  };
  CHECK_FALSE(spoilt([](StencilSpec& other) { other.terms[3].coefficient *= 1 + 2e-6; }));
  CHECK(spoilt([](StencilSpec& other) { other.terms[3].coefficient *= 1 + 2e-7; }));
  CHECK_FALSE(spoilt([](StencilSpec& other) { other.terms[12].coefficient *= -1; }));
  CHECK_FALSE(spoilt([](StencilSpec& other) { other.terms[0].coefficient = 0; }));
  CHECK_FALSE(spoilt([](StencilSpec& other) { other.terms[0].array = 0; }));
  CHECK_FALSE(spoilt([](StencilSpec& other) { other.terms.pop_back(); }));
  CHECK_FALSE(spoilt([](StencilSpec& other) { other.terms[4].coefficient = std::nan(""); }));
  CHECK_FALSE(spoilt([](StencilSpec& other) {
    for (Term<double>& term : other.terms) term.coefficient = 0;
  }));
  CHECK_FALSE(spoilt([](StencilSpec& other) { other.terms = terms_of(Shape::star, 2, 2); }));
  CHECK_FALSE(separated(product_spec(ElementType::f32, {1e-30, 1e20, 1e-30}, {1e-5, 1e10, 1e-5})));
  // As many digits as f32 has: near enough for cells of f32 alone.
  CHECK(separated(product_spec(ElementType::f32, a, b, 1e9)));
  CHECK_FALSE(separated(product_spec(ElementType::f64, a, b, 1e9)));
}

/// The largest difference of cells of f32 after some steps from those in f64.
double largest_error(const StencilSpec& spec, const StencilSpec& real, const Grids<float>& input, std::int64_t steps,
                     double& largest) {
  device::CpuContext context(1);
  Grids<float> made = input;
  testing::run_stencil(spec, context, *make_stencil_cpu(spec, context), made, 0, steps);
  Grids<double> expected;
  expected.fields.emplace_back(input.fields[0].begin(), input.fields[0].end());
  for (std::int64_t step = 0; step < steps; ++step) {
    for (const double value : expected.fields[0]) largest = std::max(largest, std::abs(value));
    advance_by_definition<LinearSum>(real, expected, step, 1);
  }
  double error = 0;
  for (std::size_t cell = 0; cell < made.fields[0].size(); ++cell) {
    error = std::max(error, std::abs(made.fields[0][cell] - expected.fields[0][cell]));
  }
  return error;
}

TEST_CASE("sums stay within their bound of those in real numbers") {
  for (int radius = 1; radius <= most_radius; ++radius) {
    for (const Face face : {Face::fixed, Face::periodic}) {
      testing::SampleMaker maker(static_cast<unsigned>(40 + radius), 0, 0);
      StencilSpec exact = product_spec(ElementType::f32, gaussian(radius, radius), gaussian(radius, 0.5 * radius));
      for (const std::size_t axis : {0, 2}) exact.faces[axis].low = exact.faces[axis].high = face;
      StencilSpec fast = exact, real = exact;
      fast.terms = separated(exact).value();
      fast.separable = true;
      real.value = ElementType::f64;
      const Grids<float> input = maker.grids<float>(exact, 1);
      for (const std::int64_t steps : {1, 40}) {
        INFO("radius " << radius << ", " << steps << " steps");
        double largest = 0;
        const double of_exact = largest_error(exact, real, input, steps, largest);
        const double of_fast = largest_error(fast, real, input, steps, largest);
        CHECK(of_exact <= error_bound(exact, static_cast<double>(steps), largest));
        CHECK(of_fast <= error_bound(fast, static_cast<double>(steps), largest));
        CHECK(of_fast > 0);
      }
    }
  }
}

}  // namespace
}  // namespace terrace::stencil
