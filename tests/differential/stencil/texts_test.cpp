// The formulas that `terrace operators NAME` prints are those that operators compute, to the bit.
#include <catch2/catch.hpp>
#include <sstream>

#include "kernels/stencil/operators.hpp"
#include "kernels/stencil/write.hpp"
#include "tests/differential/stencil/compare.hpp"

namespace terrace::stencil {
namespace {

/// The formulas of an operator as a job would write them.
WrittenText text_of(const OperatorInfo& info) {
  WrittenText text;
  for (const char* field : info.fields) text.fields.emplace_back(info.fields.size() == 1 ? "u" : field);
  std::istringstream lines(info.formula);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("#")) continue;
    const std::size_t colon = line.find(':');
    const auto field = std::find(text.fields.begin(), text.fields.end(), line.substr(0, colon));
    REQUIRE(field != text.fields.end());
    text.cells.push_back({static_cast<std::size_t>(field - text.fields.begin()), line.substr(colon + 1)});
  }
  REQUIRE(text.cells.size() == text.fields.size());
  return text;
}

/// An operator of the list and the same as formulas. @param by_array true if its quantity is an array
template <class O, class T>
void check_text(bool by_array) {
  INFO(O::name << (by_array ? ", of an array" : ""));
  constexpr std::int64_t steps = 7;
  const OperatorInfo& info = *find_operator(O::name);
  StencilSpec spec;
  spec.name = O::name;
  spec.rank = info.rank;
  spec.value = element_type_of<T>();
  spec.extents = {9, info.rank == 3 ? 8 : 1, 11};
  for (Faces& faces : spec.faces) faces.low = faces.high = info.own_faces ? Face::edge : Face::reflect;
  if (info.rank < 3) spec.faces[1].low = spec.faces[1].high = Face::edge;
  for (const char* number : {"dt", "diffusivity", "speed"}) spec.settings.set(number, 0.3);
  WrittenText text = text_of(info);
  text.steps = steps;
  text.in_turn = info.own_faces;
  text.parameters = {{"dt", false, 0.3, 0}};
  for (const auto& [parameter, name] : {std::pair("diffusivity", "D"), std::pair("speed", "c")}) {
    if (by_array) spec.given[parameter] = 0;
    else text.parameters.push_back({name, false, 0.3, 0});
  }
  if (by_array) text.arrays = {std::string(O::name).starts_with("heat") ? "D" : "c"}, spec.arrays = 1;
  if constexpr (std::is_same_v<O, Hotspot>) {
    spec.given["power"] = 0;
    spec.arrays = 1;
    text.arrays = {"power"};
    const auto k = Hotspot::constants<T>(ConstantsReader<T>(spec, nullptr, nullptr));
    for (const auto& [name, value] : {std::pair("q", k.step), std::pair("x", k.per_column), std::pair("y", k.per_row),
                                      std::pair("z", k.per_layer)}) {
      text.parameters.push_back({name, false, static_cast<double>(value), 0});
    }
  }
  if (info.own_faces) {
    text.series = {"drive"};
    for (int step = 0; step < steps; ++step) spec.drive.push_back(0.25 * step);
  }
  testing::SampleMaker maker(11, 0, 0);
  Grids<T> expected = maker.grids<T>(spec, spec.fields()), written = expected;
  advance_by_definition<typename O::Kernel>(spec, expected, 0, steps);
  spec.written = write(text, spec);
  CHECK(spec.written->own_faces == info.own_faces);
  advance_by_definition<WrittenFormula>(spec, written, 0, steps);
  CHECK(testing::difference_of(spec, written, expected) == "");
}

TEMPLATE_TEST_CASE("formulas of operators as texts are what the operators compute", "", float, double) {
  for (const bool by_array : {false, true}) {
    check_text<Heat2d, TestType>(by_array);
    check_text<Heat3d, TestType>(by_array);
    check_text<Wave2d, TestType>(by_array);
    check_text<Wave3d, TestType>(by_array);
  }
  check_text<Fdtd2d, TestType>(false);
  check_text<Hotspot, TestType>(false);
}

}  // namespace
}  // namespace terrace::stencil
