// Formulas of stencils from texts, for tests and benchmarks.
//
// Names: fields f0, f1, ... with an offset an axis of the grid (f0[-1, 0]; f0 alone is the cell), arrays a0, a1, ...,
// series s0, s1, ..., indices i0, i1, i2 and extents n0, n1, n2 of the grid's axes, and the step t.
#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil::testing {

inline formula::Type type_of(const StencilSpec& spec) {
  return spec.value == ElementType::f32 ? formula::Type::f32 : formula::Type::f64;
}

/// The meaning of a name as above. @param fields of the stencil
inline formula::Meaning meaning_of(const StencilSpec& spec, int fields, const formula::Syntax& syntax) {
  using formula::Operation;
  formula::Meaning meaning;
  if (syntax.word.size() > 3 || syntax.word.empty()) return meaning;
  const int number = syntax.word.size() > 1 ? std::stoi(syntax.word.substr(1)) : 0;
  meaning.kind = formula::Meaning::node;
  formula::Node& node = meaning.of_node;
  const int axis = number < 3 ? axis_of(number, spec.rank) : 0;
  const auto extent = spec.extents[static_cast<std::size_t>(axis)];
  switch (syntax.word[0]) {
    case 'f':
      node = {Operation::read, type_of(spec)};
      node.number = number;
      for (std::size_t a = 0; a < syntax.children.size(); ++a) {
        node.offset[static_cast<std::size_t>(axis_of(static_cast<int>(a), spec.rank))] =
            static_cast<int>(formula::constant_of(*syntax.children[a]));
      }
      return meaning;
    case 'a':
      node = {Operation::read, type_of(spec)};
      node.number = fields + number;
      return meaning;
    case 's':
      node = {Operation::series, type_of(spec)};
      node.number = number;
      return meaning;
    case 'i':
      node = {Operation::index, formula::Type::i64};
      node.number = axis;
      meaning.bounds = {0, extent - 1};
      return meaning;
    case 'n':
      node = {Operation::extent, formula::Type::i64};
      node.number = axis;
      meaning.bounds = {extent, extent};
      return meaning;
    case 't':
      node = {Operation::step, formula::Type::i64};
      meaning.bounds = {0, std::int64_t{1} << 40};
      return meaning;
    default:
      return {};
  }
}

/// Gives a stencil formulas, one a field. Its rank, extents and type are set. @param steps values of each series
inline void write_formulas(StencilSpec& spec, const std::vector<std::string>& texts, std::int64_t steps = 0) {
  auto written = std::make_shared<Written>();
  written->fields = static_cast<int>(texts.size());
  written->series_steps = steps;
  formula::Scope scope;
  scope.real = type_of(spec);
  scope.meaning = [&](const formula::Syntax& syntax) { return meaning_of(spec, written->fields, syntax); };
  for (const std::string& text : texts) {
    try {
      written->cells.add_result(formula::check(*formula::parse(text), scope, type_of(spec), written->cells));
    } catch (const formula::Fault& fault) {
      throw std::logic_error(text + ", byte " + std::to_string(fault.at) + ": " + fault.what);
    }
  }
  spec.name = "formula";
  spec.settings = {};
  spec.written = written;
}

}  // namespace terrace::stencil::testing
