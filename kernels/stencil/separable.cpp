#include "kernels/stencil/separable.hpp"

#include <algorithm>
#include <cmath>

namespace terrace::stencil {
namespace {

double roundoff_of(ElementType type) { return type == ElementType::f32 ? 0x1p-24 : 0x1p-53; }

bool is_normal_or_zero(double number, ElementType type) {
  if (number == 0) return true;
  return type == ElementType::f32 ? std::isnormal(static_cast<float>(number)) : std::isnormal(number);
}

/// The sum of the absolute values of terms [begin, end).
double absolute_sum(const std::vector<Term<double>>& terms, std::size_t begin, std::size_t end) {
  double sum = 0;
  for (std::size_t i = begin; i < end; ++i) sum += std::abs(terms[i].coefficient);
  return sum;
}

}  // namespace

bool has_shape(const StencilSpec& spec, Shape shape) {
  if (spec.separable) return false;
  const std::vector<Term<double>> terms = terms_of(shape, spec.rank, spec.radius);
  return std::equal(terms.begin(), terms.end(), spec.terms.begin(), spec.terms.end(),
                    [](const Term<double>& a, const Term<double>& b) {
                      return b.array < 0 && std::equal(a.offset, a.offset + 3, b.offset);
                    });
}

std::optional<std::vector<Term<double>>> separated(const StencilSpec& spec) {
  if (spec.rank != 2 || !has_shape(spec, Shape::box)) return std::nullopt;
  const std::vector<Term<double>>& terms = spec.terms;
  const auto span = static_cast<std::size_t>(2 * spec.radius + 1);
  const auto largest =
      std::ranges::max_element(terms, {}, [](const Term<double>& term) { return std::abs(term.coefficient); });
  if (largest->coefficient == 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(largest - terms.begin()), row = at / span, column = at % span;
  std::vector<Term<double>> factors;
  for (std::size_t j = 0; j < span; ++j) {
    const Term<double>& term = terms[row * span + j];
    factors.push_back({{0, 0, term.offset[2]}, -1, term.coefficient});
  }
  for (std::size_t i = 0; i < span; ++i) {
    const Term<double>& term = terms[i * span + column];
    factors.push_back({{term.offset[0], 0, 0}, -1, term.coefficient / largest->coefficient});
  }
  for (const Term<double>& factor : factors) {
    if (!is_normal_or_zero(factor.coefficient, spec.value)) return std::nullopt;
  }
  const double tolerance = separable_roundoffs * roundoff_of(spec.value);
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const double product = factors[span + i / span].coefficient * factors[i % span].coefficient;
    const double coefficient = terms[i].coefficient;
    if (!(std::abs(coefficient - product) <= tolerance * std::abs(coefficient))) return std::nullopt;
  }
  return factors;
}

double error_bound(const StencilSpec& spec, double steps, double largest) {
  const std::size_t count = spec.terms.size();
  const double all = spec.separable
                         ? absolute_sum(spec.terms, 0, count / 2) * absolute_sum(spec.terms, count / 2, count)
                         : absolute_sum(spec.terms, 0, count);
  const double roundings =
      spec.separable ? 4 * spec.radius + 6 + separable_roundoffs : static_cast<double>(count) + 2;
  return steps * std::pow(std::max(1.0, all), steps) * roundings * roundoff_of(spec.value) * largest;
}

}  // namespace terrace::stencil
