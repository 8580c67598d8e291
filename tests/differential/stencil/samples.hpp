// Stencils made up from a seed: operators, types, shapes, faces, arrays and cuts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/points.hpp"
#include "kernels/stencil/reference/reference.hpp"
#include "kernels/stencil/visit.hpp"
#include "tests/differential/stencil/random_formula.hpp"

namespace terrace::stencil::testing {

/// A stencil, and the steps to make.
struct Sample {
  StencilSpec spec;
  std::int64_t step = 0, steps = 1;
  std::vector<std::string> formulas;  // of operator `formula`, as formulas.hpp names things
};

inline void as_one_slab(StencilSpec& spec) {
  spec.slab_rows = spec.extents[0];
  spec.slab_tiles = 1;
}

/// Makes samples; equal seeds give equal samples.
class SampleMaker {
 public:
  /// @param most_cells of a grid @param most_steps of a run
  SampleMaker(unsigned seed, std::int64_t most_cells, std::int64_t most_steps)
      : random_(seed), most_cells_(most_cells), most_steps_(most_steps) {}

  Sample make() {
    const auto all = operators();
    const OperatorInfo& info = all[static_cast<std::size_t>(below(static_cast<std::int64_t>(all.size())))];
    Sample sample;
    StencilSpec& spec = sample.spec;
    spec.name = info.name;
    spec.value = chance(50) ? ElementType::f32 : ElementType::f64;
    spec.rank = info.rank != 0 ? info.rank : static_cast<int>(1 + below(3));
    const std::int64_t most_radius = info.linear && spec.rank == 3 ? 4 : info.most_radius;
    spec.radius =
        static_cast<int>(info.linear ? chance(50) ? 1 + below(2) : 1 + below(most_radius) : info.most_radius);
    set_extents(spec);
    set_faces(spec, info);
    if (info.linear) set_terms(spec, info);
    set_parameters(spec, info);
    sample.steps = 1 + below(most_steps_);
    sample.step = below(5);
    for (std::int64_t i = 0; i < sample.step + sample.steps; ++i) spec.drive.push_back(value());
    spec.norm = chance(50) ? Norm::max : Norm::l2;
    set_cut(spec, sample.steps);
    return sample;
  }

  /// Makes a sample of random formulas. @param most_depth of their operations
  Sample make_written(int most_depth = 5) {
    Sample sample;
    StencilSpec& spec = sample.spec;
    spec.value = chance(50) ? ElementType::f32 : ElementType::f64;
    spec.rank = static_cast<int>(1 + below(3));
    spec.radius = static_cast<int>(chance(60) ? 1 : 1 + below(spec.rank == 3 ? 4 : 8));
    set_extents(spec);
    set_faces(spec, OperatorInfo{});
    const int fields = static_cast<int>(chance(50) ? 1 : 1 + below(chance(20) ? most_fields : 3));
    spec.arrays = static_cast<int>(chance(40) ? 0 : 1 + below(chance(10) ? most_arrays - 2 : 3));
    const std::int64_t series = chance(60) ? 0 : 1 + below(3);
    sample.steps = 1 + below(most_steps_);
    sample.step = below(5);
    const std::int64_t series_steps = sample.step + sample.steps + below(3);
    for (std::int64_t i = 0; i < series * series_steps; ++i) spec.drive.push_back(value());
    const int depth = static_cast<int>(1 + below(most_depth));
    RandomFormula random{random_, {spec.rank, spec.radius, fields, spec.arrays, static_cast<int>(series), depth}};
    while (!spec.written) {
      sample.formulas.clear();
      for (int field = 0; field < fields; ++field) sample.formulas.push_back(random.real(type_of(spec)));
      try {
        write_formulas(spec, sample.formulas, series_steps);
      } catch (const std::logic_error&) {  // a whole number could be beyond its type, or another fault
      }
    }
    if (chance(20)) spec.source = spec.arrays++;
    if (chance(20)) spec.mask = spec.arrays++;
    spec.norm = chance(50) ? Norm::max : Norm::l2;
    set_cut(spec, sample.steps);
    return sample;
  }

  /// Makes a sample of a separable box.
  Sample make_separable() {
    Sample sample = make();
    while (sample.spec.name != "box2d") sample = make();
    separate(sample.spec);
    return sample;
  }
  /// Gives a box in two dimensions coefficients that are products.
  void separate(StencilSpec& spec) {
    spec.terms.clear();
    spec.separable = true;
    const double scale = 1.5 / (2 * spec.radius + 1);
    for (int j = -spec.radius; j <= spec.radius; ++j) spec.terms.push_back({{0, 0, j}, -1, scale * value()});
    for (int i = -spec.radius; i <= spec.radius; ++i) spec.terms.push_back({{i, 0, 0}, -1, scale * value()});
  }

  /// Gives a sample sources, some of them in one cell, at faces or near each other, now and then dozens, and
  /// receivers.
  void add_points(Sample& sample) {
    StencilSpec& spec = sample.spec;
    Points points;
    const std::int64_t steps = sample.step + sample.steps, series = 1 + below(3), fields = spec.fields();
    for (std::int64_t i = 0; i < series * steps; ++i) points.values.push_back(value());
    Points::Cell cell = any_cell(spec);
    for (std::int64_t left = chance(10) ? 40 + below(20) : below(6); left > 0; --left) {
      points.sources.push_back({cell, static_cast<int>(below(fields)), below(series) * steps});
      if (chance(70)) cell = any_cell(spec);
      else if (chance(50)) cell[0] = std::max<std::int64_t>(0, cell[0] - below(4));
    }
    for (std::int64_t left = below(6); left > 0; --left) {
      points.receivers.push_back(chance(60) ? any_cell(spec) : cell);
    }
    points.receiver_field = static_cast<int>(below(fields));
    points.every = chance(60) ? 1 : 1 + below(5);
    spec.points = std::make_shared<const Points>(std::move(points));
  }

  /// From now on grids have values at which arithmetic has its edges: zeros of either sign, the smallest and the
  /// largest numbers, infinities, NaN, and small integers, whose sums cancel.
  void take_edge_values() { takes_ = Values::edges; }
  /// From now on all cells of a grid but one, at random, have the same value.
  void take_one_value(double one, double others) {
    takes_ = Values::one;
    one_ = one;
    others_ = others;
  }
  bool takes_edge_values() const { return takes_ == Values::edges; }

  /// Random values for the grids of a sample; masks have 0 in most cells.
  template <class T>
  Grids<T> grids(const StencilSpec& spec, int fields) {
    const auto cells = static_cast<std::size_t>(spec.extents[0] * spec.width());
    Grids<T> grids;
    grids.fields.resize(static_cast<std::size_t>(fields));
    grids.arrays.resize(static_cast<std::size_t>(spec.arrays));
    for (auto* list : {&grids.fields, &grids.arrays}) {
      for (auto& values : *list) {
        values.resize(cells);
        if (takes_ == Values::one) {
          values.assign(cells, static_cast<T>(others_));
          values[static_cast<std::size_t>(below(static_cast<std::int64_t>(cells)))] = static_cast<T>(one_);
          continue;
        }
        const std::int64_t kind = takes_edge_values() ? below(6) : 0;
        for (T& cell : values) cell = takes_edge_values() ? edge_value<T>(kind) : static_cast<T>(value());
      }
    }
    if (spec.mask >= 0) {
      for (T& cell : grids.arrays[static_cast<std::size_t>(spec.mask)]) cell = chance(80) ? T(0) : T(below(3));
    }
    return grids;
  }

  std::int64_t below(std::int64_t end) { return std::uniform_int_distribution<std::int64_t>(0, end - 1)(random_); }
  bool chance(int percent) { return below(100) < percent; }
  /// The least rows of slabs of which a kernel makes one level at a time, or some.
  std::int64_t least_rows(std::int64_t radius) { return least_slab_rows(radius, chance(50) ? 1 : 1 + below(16)); }
  /// Makes passes no deeper than its slabs can make.
  static void make_room(StencilSpec& spec) {
    while (!Cut(spec).has_room(spec.arrays)) {
      if (spec.pass_steps == 1) return as_one_slab(spec);
      --spec.pass_steps;
    }
  }
  /// Chooses slabs of one to three tiles, with `least` rows and fewer than `range` more of each tile, or the grid as
  /// one slab.
  void set_slabs(StencilSpec& spec, std::int64_t least, std::int64_t range, int percent_whole) {
    if (chance(percent_whole)) return as_one_slab(spec);
    spec.slab_tiles = chance(60) ? 1 : 2 + below(2);
    spec.slab_rows = spec.slab_tiles * ((least + spec.slab_tiles - 1) / spec.slab_tiles + below(range));
  }

 private:
  enum class Values { any, edges, one };

  /// A cell, often next to a face.
  Points::Cell any_cell(const StencilSpec& spec) {
    Points::Cell cell;
    for (std::size_t axis = 0; axis < most_rank; ++axis) {
      const std::int64_t near = std::min<std::int64_t>(spec.extents[axis], 3), last = spec.extents[axis] - 1;
      cell[axis] = chance(20) ? below(near) : chance(20) ? last - below(near) : below(spec.extents[axis]);
    }
    return cell;
  }

  double value() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  /// A value of a kind, of which there are 6.
  template <class T>
  T edge_value(std::int64_t kind) {
    using Limits = std::numeric_limits<T>;
    const bool is_rare = below(1000) == 0;
    switch (kind) {
      case 0:
        return is_rare ? static_cast<T>(value()) : T(0);
      case 1:
        return is_rare ? static_cast<T>(value()) : chance(99) ? T(-0.0) : T(0);
      case 2:
        return chance(90) ? T(0) : static_cast<T>(value()) * Limits::denorm_min() * static_cast<T>(1 + below(1000));
      case 3:
        return static_cast<T>(below(3) - 1);
      case 4:
        return is_rare ? chance(50) ? -Limits::infinity() : Limits::quiet_NaN() : static_cast<T>(value());
      default:
        return static_cast<T>(value()) * Limits::max();
    }
  }

  /// An extent that is small next to the radius, or a prime, or any.
  std::int64_t extent(std::int64_t radius, std::int64_t most) {
    static constexpr std::int64_t primes[] = {11, 13, 17, 23, 31, 37, 53, 67, 97, 131};
    const std::int64_t small[] = {1, 2, radius + 1, 2 * radius, 2 * radius + 1, 2 * radius + 2};
    const std::int64_t chosen = chance(30) ? small[below(6)] : chance(50) ? primes[below(10)] : 1 + below(most);
    return std::max<std::int64_t>(1, std::min(chosen, most));
  }
  void set_extents(StencilSpec& spec) {
    std::int64_t left = most_cells_;
    for (const int axis : {2, 0, 1}) {
      const bool has = axis == 0 || (axis == 2 && spec.rank > 1) || (axis == 1 && spec.rank == 3);
      if (!has) continue;
      const std::int64_t most = spec.rank == 1 ? left : axis == 1 ? left : std::max<std::int64_t>(1, left / 20);
      spec.extents[static_cast<std::size_t>(axis)] =
          extent(spec.radius, std::min<std::int64_t>(most, spec.rank == 3 ? 40 : 4000));
      left = std::max<std::int64_t>(1, left / spec.extents[static_cast<std::size_t>(axis)]);
    }
  }
  void set_faces(StencilSpec& spec, const OperatorInfo& info) {
    for (const int axis : {0, 1, 2}) {
      const auto a = static_cast<std::size_t>(axis);
      Faces& faces = spec.faces[a];
      faces = {Face::edge, Face::edge, 0, 0};
      if ((axis == 1 && spec.rank < 3) || (axis == 2 && spec.rank < 2)) continue;
      faces.low = face();
      faces.high = face();
      if (faces.low == Face::periodic || faces.high == Face::periodic) faces.low = faces.high = Face::periodic;
      faces.low_value = value();
      faces.high_value = value();
      if (info.own_faces) faces.low = faces.high = chance(50) ? Face::fixed : Face::edge;
      const bool both_fixed = faces.low == Face::fixed && faces.high == Face::fixed;
      if (spec.extents[a] <= spec.radius && !both_fixed && !info.own_faces) spec.extents[a] = spec.radius + 1;
    }
  }
  Face face() {
    static constexpr Face faces[] = {Face::fixed,   Face::periodic,  Face::edge,
                                     Face::reflect, Face::symmetric, Face::value};
    return faces[below(6)];
  }
  void set_terms(StencilSpec& spec, const OperatorInfo& info) {
    if (info.shape != Shape::given) {
      spec.terms = terms_of(info.shape, spec.rank, spec.radius);
    } else {
      const std::int64_t count = 1 + below(12);
      for (std::int64_t i = 0; i < count; ++i) {
        Term<double> term{{0, 0, 0}, -1, 0};
        for (int axis = 0; axis < spec.rank; ++axis) {
          term.offset[axis_of(axis, spec.rank)] = static_cast<i32>(below(2 * spec.radius + 1)) - spec.radius;
        }
        spec.terms.push_back(term);
      }
    }
    const double scale = 1.5 / static_cast<double>(spec.terms.size());
    for (Term<double>& term : spec.terms) {
      term.coefficient = scale * value();
      if (chance(10) && spec.arrays < 4) term.array = spec.arrays++;
    }
  }
  void set_parameters(StencilSpec& spec, const OperatorInfo& info) {
    if (info.has_step) spec.settings.set("dt", 0.25);
    for (const char* quantity : {"diffusivity", "speed"}) {
      const bool is_read = spec.name.starts_with(*quantity == 'd' ? "heat" : "wave");
      if (is_read && chance(50)) spec.given[quantity] = spec.arrays++;
      else spec.settings.set(quantity, 0.5);
    }
    if (spec.name == "hotspot") spec.given["power"] = spec.arrays++;
    if (chance(30)) spec.source = spec.arrays++;
    if (chance(30)) spec.mask = spec.arrays++;
  }
  void set_cut(StencilSpec& spec, std::int64_t steps) {
    spec.pass_steps = 1 + below(std::min<std::int64_t>(steps, 20));
    static constexpr std::int64_t depths[] = {0, 0, 1, 2, 3, 5, 16};
    spec.depth = depths[below(7)];
    if (chance(50)) spec.at_once = 1 + below(most_steps_at_once);
    set_slabs(spec, least_rows(spec.radius), chance(50) ? 1 : 10, 30);
    spec.parts = 1 + below(3);
    make_room(spec);
  }

  std::mt19937 random_;
  Values takes_ = Values::any;
  double one_ = 0, others_ = 0;
  std::int64_t most_cells_, most_steps_;
};

/// A sample in words, for messages.
inline std::string words_of(const Sample& sample) {
  const StencilSpec& s = sample.spec;
  std::string text = (s.separable ? "separable " : "") + s.name + (s.value == ElementType::f32 ? " f32" : " f64") +
                     ", radius " + std::to_string(s.radius);
  text += ", grid";
  for (const std::int64_t extent : s.extents) text += " " + std::to_string(extent);
  text += ", faces";
  for (const Faces& faces : s.faces) {
    text += " " + std::to_string(static_cast<int>(faces.low)) + "/" + std::to_string(static_cast<int>(faces.high));
  }
  text += ", arrays " + std::to_string(s.arrays) + ", source " + std::to_string(s.source) + ", mask " +
          std::to_string(s.mask);
  text += ", slabs of " + std::to_string(s.slab_rows) + " rows in " + std::to_string(s.slab_tiles) +
          " tiles, parts " + std::to_string(s.parts) + ", passes of " + std::to_string(s.pass_steps) + ", depth " +
          std::to_string(s.depth) + ", at most " + std::to_string(s.at_once) + " at once" + ", steps " +
          std::to_string(sample.step) + "+" + std::to_string(sample.steps);
  if (s.points) {
    text += ", receivers of field " + std::to_string(s.points->receiver_field) + " every " +
            std::to_string(s.points->every) + " steps:";
    const auto add = [&](const Points::Cell& cell) {
      for (const std::int64_t index : cell) text += " " + std::to_string(index);
      text += ";";
    };
    for (const Points::Cell& cell : s.points->receivers) add(cell);
    text += " sources:";
    for (const Points::Source& source : s.points->sources) add(source.cell);
  }
  for (const std::string& formula : sample.formulas) text += "\n  " + formula;
  return text;
}

/// The sample, with points in some cases.
inline Sample perhaps_with_points(SampleMaker& maker, Sample sample) {
  if (maker.chance(40)) maker.add_points(sample);
  return sample;
}

}  // namespace terrace::stencil::testing
