// Stencils drawn at random: operator, grid, faces, arrays, and a cut into passes, parts and slabs.
#pragma once

#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/visit.hpp"

namespace terrace::stencil::testing {

/// A stencil and the steps that are made of it.
template <class T>
struct Case {
  StencilSpec spec;
  Grids<T> grids;
  std::int64_t step = 0, steps = 1;
};

/// Limits of drawn cases.
struct CaseLimits {
  std::int64_t cells = 400;       // of a grid, about
  std::int64_t steps = 9;         // the most
  std::int64_t kernel_depth = 1;  // the most steps that the kernel makes at a time
  bool plain = false;             // true: no arrays, mask or source
};

template <class T>
class CaseMaker {
 public:
  CaseMaker(const std::string& name, unsigned seed, const CaseLimits& limits)
      : info_(*find_operator(name)), limits_(limits), random_(seed * 7919u + 13u) {
    spec_.name = name;
    spec_.value = sizeof(T) == 4 ? ElementType::f32 : ElementType::f64;
  }

  Case<T> make() {
    draw_grid();
    draw_faces();
    draw_parameters();
    draw_cut();
    fill();
    return {spec_, grids_, step_, steps_};
  }

 private:
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return std::uniform_int_distribution<std::int64_t>(least, most)(random_);
  }
  bool one_in(int n) { return between(1, n) == 1; }
  double real(double least, double most) { return std::uniform_real_distribution<double>(least, most)(random_); }

  void draw_grid() {
    spec_.rank = info_.rank > 0 ? info_.rank : static_cast<int>(between(1, 3));
    spec_.radius = info_.linear ? static_cast<int>(between(1, std::min(info_.most_radius, one_in(3) ? 8 : 2))) : 1;
    if (spec_.rank == 3) spec_.radius = std::min(spec_.radius, 2);
    const std::int64_t least = spec_.radius + 1;
    std::int64_t cells = std::max<std::int64_t>(limits_.cells, least);
    for (int axis = 0; axis < spec_.rank; ++axis) {
      const bool last = axis + 1 == spec_.rank;
      const std::int64_t most = last ? cells : one_in(2) ? cells / 4 : 12;
      const std::int64_t extent = std::max(least, between(std::min(least, most), most));
      spec_.extents[static_cast<std::size_t>(axis_of(axis, spec_.rank))] = extent;
      cells = std::max<std::int64_t>(1, cells / extent);
    }
  }
  Face any_face() {
    constexpr Face all[] = {Face::fixed, Face::edge, Face::reflect, Face::symmetric, Face::value};
    return all[between(0, 4)];
  }
  void draw_faces() {
    for (Faces& faces : spec_.faces) faces.low = faces.high = Face::edge;
    for (int axis = 0; axis < spec_.rank && !info_.own_faces; ++axis) {
      Faces& faces = spec_.faces[static_cast<std::size_t>(axis_of(axis, spec_.rank))];
      if (one_in(3)) continue_with(faces, Face::fixed);
      else if (one_in(3)) continue_with(faces, Face::periodic);
      else faces = {any_face(), any_face(), 0.5, -0.25};
    }
  }
  static void continue_with(Faces& faces, Face face) { faces.low = faces.high = face; }

  int new_array() { return spec_.arrays++; }
  void draw_terms() {
    spec_.terms = terms_of(info_.shape, spec_.rank, spec_.radius);
    if (info_.shape == Shape::given) {
      spec_.terms = terms_of(Shape::box, spec_.rank, spec_.radius);
      std::shuffle(spec_.terms.begin(), spec_.terms.end(), random_);
      spec_.terms.resize(static_cast<std::size_t>(
          between(1, std::min<std::int64_t>(12, static_cast<std::int64_t>(spec_.terms.size())))));
    }
    const bool arrays = !limits_.plain && one_in(3);
    for (Term<double>& term : spec_.terms) {
      term.coefficient = real(-1.5, 1.5) / static_cast<double>(spec_.terms.size());
      if (arrays && spec_.arrays < 4 && one_in(3)) term.array = new_array();
    }
  }
  void draw_quantity(const char* name, double value) {
    if (!limits_.plain && one_in(2)) spec_.given[name] = new_array();
    else spec_.settings.set(name, value);
  }
  void draw_parameters() {
    steps_ = between(1, limits_.steps);
    step_ = one_in(2) ? 0 : between(1, 3);
    if (info_.linear) draw_terms();
    if (info_.has_step) spec_.settings.set("dt", 0.125);
    if (spec_.name.starts_with("heat")) draw_quantity("diffusivity", 0.75);
    if (spec_.name.starts_with("wave")) draw_quantity("speed", 0.5);
    if (spec_.name == "hotspot") spec_.given["power"] = new_array();
    if (spec_.name == "fdtd2d") {
      for (std::int64_t s = 0; s < step_ + steps_; ++s) spec_.drive.push_back(real(-1, 1));
    }
    if (!limits_.plain && one_in(4)) spec_.source = new_array();
    if (!limits_.plain && one_in(4)) spec_.mask = new_array();
    spec_.norm = one_in(2) ? Norm::max : Norm::l2;
  }
  void draw_cut() {
    spec_.pass_steps = between(1, steps_);
    const std::int64_t rows = spec_.extents[0];
    const std::int64_t least = least_slab_rows(spec_.radius, spec_.pass_steps, limits_.kernel_depth);
    spec_.slab_rows = one_in(3) || least >= rows ? rows : between(least, std::min(rows, 3 * least));
    spec_.parts = one_in(2) ? 1 : between(1, 3);
  }
  void fill() {
    const auto cells = static_cast<std::size_t>(spec_.extents[0] * spec_.width());
    const auto drawn = [&](double least, double most) {
      std::vector<T> values(cells);
      for (T& value : values) value = static_cast<T>(real(least, most));
      return values;
    };
    for (std::size_t f = 0; f < info_.fields.size(); ++f) grids_.fields.push_back(drawn(-1, 1));
    for (int a = 0; a < spec_.arrays; ++a) grids_.arrays.push_back(drawn(0.1, 0.9));
    if (spec_.mask < 0) return;
    for (T& value : grids_.arrays[static_cast<std::size_t>(spec_.mask)]) value = value < T(0.7) ? T(0) : value;
  }

  const OperatorInfo& info_;
  CaseLimits limits_;
  std::mt19937 random_;
  StencilSpec spec_;
  Grids<T> grids_;
  std::int64_t step_ = 0, steps_ = 1;
};

/// True if the values are the same to the bit; all NaN count as the same.
template <class T>
bool are_same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](T x, T y) { return std::memcmp(&x, &y, sizeof x) == 0 || (x != x && y != y); });
}

/// A line that tells a case in words.
template <class T>
std::string told(const Case<T>& one) {
  const StencilSpec& spec = one.spec;
  std::string line =
      spec.name + " rank " + std::to_string(spec.rank) + " radius " + std::to_string(spec.radius) + " grid";
  for (const std::int64_t extent : spec.extents) line += " " + std::to_string(extent);
  line += " faces";
  for (const Faces& faces : spec.faces) {
    line += " " + std::to_string(static_cast<int>(faces.low)) + std::to_string(static_cast<int>(faces.high));
  }
  return line + " arrays " + std::to_string(spec.arrays) + " source " + std::to_string(spec.source) + " mask " +
         std::to_string(spec.mask) + " steps " + std::to_string(one.step) + "+" + std::to_string(one.steps) +
         " slab rows " + std::to_string(spec.slab_rows) + " pass " + std::to_string(spec.pass_steps) + " parts " +
         std::to_string(spec.parts);
}

/// The states that a case comes to by its definition.
template <class T>
struct Expected {
  Grids<T> before, after;  // the last step
  std::vector<double> changes;
  double total;
};
template <class T>
Expected<T> expected(const Case<T>& one) {
  Expected<T> all{one.grids, one.grids, {}, 0};
  visit_formula(one.spec.name, [&]<class F>(F) {
    advance_by_definition<F, T>(one.spec, all.before, one.step, one.steps - 1);
    all.after = all.before;
    advance_by_definition<F, T>(one.spec, all.after, one.step + one.steps - 1, 1);
  });
  all.changes = changes_of(one.spec, all.before, all.after);
  all.total = sum_in_order(static_cast<i64>(all.changes.size()), one.spec.norm, [&](double sum, i64 i) {
    return joined(sum, all.changes[static_cast<std::size_t>(i)], one.spec.norm);
  });
  return all;
}

}  // namespace terrace::stencil::testing
