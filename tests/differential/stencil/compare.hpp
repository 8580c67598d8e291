// Compares a kernel with the definition, to the bit.
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <functional>
#include <memory>

#include "tests/differential/stencil/driver.hpp"
#include "tests/differential/stencil/samples.hpp"

namespace terrace::stencil::testing {

using MakeKernel = std::function<std::unique_ptr<device::BlockKernel>(const StencilSpec&)>;

/// The first cell in which two grids differ in their bits, in words; empty if they are the same. NaN equals NaN.
template <class T>
std::string difference_of(const StencilSpec& spec, const Grids<T>& got, const Grids<T>& expected) {
  for (std::size_t f = 0; f < got.fields.size(); ++f) {
    for (std::size_t cell = 0; cell < got.fields[f].size(); ++cell) {
      const T a = got.fields[f][cell], b = expected.fields[f][cell];
      if (std::memcmp(&a, &b, sizeof a) == 0 || (a != a && b != b)) continue;
      const auto width = static_cast<std::size_t>(spec.width());
      return "field " + std::to_string(f) + ", row " + std::to_string(cell / width) + ", cell " +
             std::to_string(cell % width) + ": " + std::to_string(a) + " in place of " + std::to_string(b);
    }
  }
  return "";
}

/// The cells of all fields that are not finite.
template <class T>
NotFinite not_finite_of(const Grids<T>& grids) {
  NotFinite found;
  i64 cell = 0;
  for (const std::vector<T>& field : grids.fields) {
    for (const T value : field) {
      if (!std::isfinite(value)) found.add(cell);
      ++cell;
    }
  }
  return found;
}

template <class F, class T>
void check_sample_of(SampleMaker& maker, const Sample& sample, device::Context& context, const MakeKernel& make) {
  const StencilSpec& spec = sample.spec;
  Grids<T> grids = maker.grids<T>(spec, spec.fields());
  Grids<T> expected = grids;
  std::vector<double> received;
  const auto receive = [&](i64 step) {
    if (!spec.points || step % spec.points->every != 0) return;
    for (const T value : stencil::received(spec, expected)) received.push_back(static_cast<double>(value));
  };
  advance_by_definition<F>(spec, expected, sample.step, sample.steps - 1, receive);
  const Grids<T> before = expected;
  advance_by_definition<F>(spec, expected, sample.step + sample.steps - 1, 1, receive);
  const std::unique_ptr<device::BlockKernel> kernel = make(spec);
  RunOptions options;
  options.changes = maker.chance(50) && !maker.takes_edge_values();  // NaN has many bit patterns
  const RunReport report = run_stencil(spec, context, *kernel, grids, sample.step, sample.steps, options);
  REQUIRE(difference_of(spec, grids, expected) == "");
  REQUIRE(report.received.size() == received.size());
  for (std::size_t i = 0; i < received.size(); ++i) {
    const double got = report.received[i], right = received[i];
    if (std::memcmp(&got, &right, sizeof got) != 0 && (got == got || right == right)) {
      FAIL("receiver " << i % spec.points->receivers.size() << ", time " << i / spec.points->receivers.size() << ": "
                       << got << " in place of " << right);
    }
  }
  const NotFinite right = sample.steps > 0 ? not_finite_of(expected) : NotFinite{};
  REQUIRE(report.not_finite.count == right.count);
  REQUIRE(report.not_finite.first == right.first);
  if (!options.changes) return;
  const std::vector<double> changes = changes_of(spec, before, expected);
  // NaN has many bit patterns.
  const bool has_nan = std::any_of(changes.begin(), changes.end(), [](double change) { return std::isnan(change); });
  if (has_nan) return;
  REQUIRE(std::memcmp(report.changes.data(), changes.data(), changes.size() * sizeof(double)) == 0);
  const double total = sum_in_order(static_cast<i64>(changes.size()), spec.norm, [&](double sum, i64 i) {
    return joined(sum, changes[static_cast<std::size_t>(i)], spec.norm);
  });
  REQUIRE(std::memcmp(&report.total, &total, sizeof total) == 0);
}

/// Runs a sample on a kernel that `make` makes for it.
inline void check_sample(SampleMaker& maker, const Sample& sample, device::Context& context, const MakeKernel& make) {
  INFO(words_of(sample));
  visit_formula(sample.spec, [&]<class F>(F) {
    if (sample.spec.value == ElementType::f32) check_sample_of<F, float>(maker, sample, context, make);
    else check_sample_of<F, double>(maker, sample, context, make);
  });
}

}  // namespace terrace::stencil::testing
