#include "kernels/stencil/operators.hpp"

#include <array>
#include <cstdlib>

#include "kernels/stencil/operator_list.hpp"
#include "kernels/stencil/stencil.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

template <class O>
constexpr OperatorInfo info_of() {
  using Kernel = typename O::Kernel;
  OperatorInfo info{};
  info.name = O::name;
  info.help = O::help;
  info.formula = O::formula;
  info.rank = O::rank;
  if constexpr (Kernel::radius == 0) {
    info.linear = true;
    info.shape = O::shape;
    info.most_radius = O::most_radius;
  } else {
    info.most_radius = Kernel::radius;
    info.operations = Kernel::operations;
    info.own_array = Kernel::own_array;
  }
  info.fields = Kernel::field_names;
  info.has_step = Kernel::has_step;
  info.own_faces = Kernel::own_faces;
  return info;
}

template <class... Os>
constexpr std::array<OperatorInfo, sizeof...(Os)> make_table(TypeList<Os...>) {
  return {info_of<Os>()...};
}

constexpr auto table = make_table(Operators{});

}  // namespace

const OperatorInfo written_operator = {
    .name = "formula",
    .help = "cells that the job writes as formulas",
    .formula = "",
    .rank = 0,
    .linear = false,
    .shape = {},
    .most_radius = most_radius,
    .fields = {},
    .has_step = false,
    .own_faces = false,
    .operations = 1,  // rates of formulas that a job writes are of operations (formula::Formula::operations)
    .own_array = OwnArray::none,
    .written = true,
};

std::span<const OperatorInfo> operators() { return table; }

const OperatorInfo* find_operator(std::string_view name) {
  for (const OperatorInfo& info : table) {
    if (name == info.name) return &info;
  }
  return name == written_operator.name ? &written_operator : nullptr;
}

int StencilSpec::fields() const {
  return written ? written->fields : static_cast<int>(find_operator(name)->fields.size());
}

std::vector<Term<double>> terms_of(Shape shape, int rank, int radius) {
  std::vector<Term<double>> terms;
  const int middle = rank == 3 ? radius : 0, last = rank > 1 ? radius : 0;
  for (int a = -radius; a <= radius; ++a) {
    for (int b = -middle; b <= middle; ++b) {
      for (int c = -last; c <= last; ++c) {
        const int axes = (a != 0) + (b != 0) + (c != 0);
        if (shape == Shape::box || axes <= 1) terms.push_back({{a, b, c}, -1, 0});
      }
    }
  }
  for (Term<double>& term : terms) term.coefficient = 1.0 / static_cast<double>(terms.size());
  return terms;
}

}  // namespace terrace::stencil
