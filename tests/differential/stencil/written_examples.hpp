// Formulas as jobs write them, for tests of what compiles them.
#pragma once

#include <string>
#include <vector>

#include "kernels/stencil/write.hpp"
#include "tests/differential/stencil/samples.hpp"

namespace terrace::stencil::testing {

/// Formulas and the grid that they are made for.
struct Example {
  const char* name;
  int rank;
  std::vector<std::string> fields, texts;
  int arrays = 0, series = 0;
  bool in_turn = false;
  bool guarded = false;  // by conditions on the place: it reads nothing outside
};

inline const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {"heat", 2, {"u"}, {"fma(0.0625, fma(-4, u, ((u[-1,0] + u[0,-1]) + u[0,1]) + u[1,0]), u)"}},
      {"Gray and Scott",
       2,
       {"u", "v"},
       {"u + 0.16*(u[-1,0] + u[1,0] + u[0,-1] + u[0,1] - 4*u) - u*v*v + 0.035*(1 - u)",
        "v + 0.08*(v[-1,0] + v[1,0] + v[0,-1] + v[0,1] - 4*v) + u*v*v - (0.035 + 0.065)*v"}},
      {"corners and an array", 2, {"u"}, {"if(u[-1,-1] < u[1,1], max(u, c*u[0,1]), min(u[1,-1], 0.5*u))"}, 1},
      {"three fields", 2, {"u", "v", "w"}, {"v[0,1] - w[1,0]", "abs(u) + 0.5*w", "sqrt(abs(u[-1,0]*v))"}},
      {"place and time", 2, {"u"}, {"if(i == j || (t + j) % 3 == 1, u + s, u[0,-1] * (i - 0.5*size(1)))"}, 0, 1},
      {"arrays, place and time",
       2,
       {"u", "v"},
       {"if(j % 3 == t % 2, c*(u[0,-1] + u[1,0]) - d, u + 0.25*s*c)", "if(2*i < size(0), d*v[-1,0], e*u[0,1] - v)"},
       3,
       1},
      {"four arrays", 2, {"u"}, {"0.25*(c*u[-1,0] + d*u[1,0] + e*u[0,-1] + f*u[0,1])"}, 4},
      {"five fields",
       2,
       {"p", "q", "r", "v", "w"},
       {"p + 0.25*((v - v[-1,0]) + (w - w[0,-1]))", "q + 0.125*(v[1,1] - w[-1,-1])", "0.5*(r + c*p[0,1])",
        "v - 0.25*(p[1,0] - p) + 0.125*r", "w - 0.25*(q[0,1] - q)*c"},
       1},
      {"eight fields",
       2,
       {"l", "m", "n", "o", "p", "q", "r", "v"},
       {"m[1,0]", "n[0,-1]", "0.5*(o - l[-1,1])", "p", "q[0,1] - 0.5*m", "r[-1,0]", "v", "0.25*(l + p[1,1])"}},
      {"in turn", 2, {"u", "v"}, {"0.5*(u[0,-1] + v)", "u[-1,1] + 0.25*v[1,0]"}, 0, 0, true},
      {"fdtd2d",
       2,
       {"ey", "ex", "hz"},
       {"if(i == 0, s, fma(-0.5, hz - hz[-1,0], ey))", "if(j == 0, ex, fma(-0.5, hz - hz[0,-1], ex))",
        "if(i + 1 < size(0) && j + 1 < size(1), fma(-0.7, ((ex[0,1] - ex) + ey[1,0]) - ey, hz), hz)"},
       0,
       1,
       true,
       true},
      {"guarded", 2, {"u"}, {"if(j > 0 && j < size(1) - 1, 0.5*(u[0,-1] + u[0,1]), u)"}, 0, 0, false, true},
      {"far", 2, {"u"}, {"0.2*(u[-3,0] + u[2,0] + u[0,-3] + u[0,1]) + 0.1*u"}},
      {"line", 1, {"u", "v"}, {"0.5*(u[-1] + v[2])", "if(i < 7, u, v[-2])"}},
      {"volume",
       3,
       {"u"},
       {"u + 0.1*(((u[-1,0,0] + u[0,-1,0]) + u[0,0,-1]) + u[0,0,1] + u[0,1,0] + u[1,0,0] - 6*u)"}},
      {"volume with arrays", 3, {"u", "v"}, {"u[1,1,0] + c*v", "v[0,-2,1] - d*k"}, 2}};
  return all;
}

/// A sample of an example. @param most cells of an axis, about; least_width: more of the last one
inline Sample sample_of(SampleMaker& maker, const Example& example, ElementType type, std::int64_t most,
                        std::int64_t least_width) {
  Sample sample;
  StencilSpec& spec = sample.spec;
  spec.name = "formula";
  spec.rank = example.rank;
  spec.value = type;
  constexpr Face kinds[] = {Face::fixed, Face::edge, Face::reflect, Face::symmetric, Face::value};
  for (const std::size_t axis : {0, 1, 2}) {
    const bool there = axis == 0 || (axis == 1 ? example.rank == 3 : example.rank > 1);
    spec.extents[axis] = there ? 5 + maker.below(most) + (axis == 2 ? least_width : 0) : 1;
    Faces& faces = spec.faces[axis];
    faces = {kinds[maker.below(5)], kinds[maker.below(5)], 0.25, -0.5};
    if (example.guarded) faces = {kinds[1 + maker.below(4)], kinds[1 + maker.below(4)], 0.25, -0.5};
    else if (example.in_turn || maker.chance(20)) faces.low = faces.high = Face::periodic;
    if (!there) faces = {Face::edge, Face::edge, 0, 0};
  }
  if (example.rank == 2 && maker.chance(70)) spec.extents[2] = (spec.extents[2] + 3) / 4 * 4;
  WrittenText text;
  text.fields = example.fields;
  for (int a = 0; a < example.arrays; ++a) text.arrays.push_back(std::string(1, static_cast<char>('c' + a)));
  for (int s = 0; s < example.series; ++s) text.series.push_back("s");
  for (std::size_t n = 0; n < example.texts.size(); ++n) text.cells.push_back({n, example.texts[n]});
  text.in_turn = example.in_turn;
  spec.arrays = example.arrays;
  if (!example.in_turn && maker.chance(25)) spec.source = spec.arrays++;
  if (!example.in_turn && maker.chance(25)) spec.mask = spec.arrays++;
  sample.step = maker.below(5);
  sample.steps = 1 + maker.below(maker.chance(50) ? 6 : 24);
  text.steps = sample.step + sample.steps;
  for (std::int64_t i = 0; i < text.steps * example.series; ++i) spec.drive.push_back(0.01 * static_cast<double>(i));
  spec.written = write(text, spec);
  spec.radius = radius_of(*spec.written);
  spec.norm = maker.chance(50) ? Norm::max : Norm::l2;
  spec.pass_steps = 1 + maker.below(sample.steps);
  spec.depth = maker.chance(70) ? 0 : 1 + maker.below(16);
  maker.set_slabs(spec, maker.least_rows(spec.radius), 20, 40);
  spec.parts = 1 + maker.below(3);
  SampleMaker::make_room(spec);
  return sample;
}

}  // namespace terrace::stencil::testing
