#include "kernels/stencil/print_cell.hpp"

#include "kernels/formula/print.hpp"

namespace terrace::stencil {

using formula::Formula;
using formula::Node;
using formula::Operation;

std::string scalar_of(const StencilSpec& spec) { return spec.value == ElementType::f32 ? "float" : "double"; }

std::string read_of(const Written& written, const Node& node) {
  if (node.number >= written.fields) return "at.array(" + std::to_string(node.number - written.fields) + ")";
  std::string text = "at(" + std::to_string(node.number);
  for (std::size_t axis = 0; axis < most_rank; ++axis) text += ", " + std::to_string(node.offset[axis]);
  return text + ")";
}

namespace {

/// The words for what is no pack's value.
struct PlaceWords {
  const char *index, *extent, *step;  // before the number of an axis, and after it
  const char *index_end, *extent_end;
};
constexpr PlaceWords of_packs = {"at.index(", "at.extent(", "at.step()", ", n)", ")"};
constexpr PlaceWords of_positions = {"position.index[", "position.extent[", "position.step", "]", "]"};

std::string place_of(const Node& node, const PlaceWords& words) {
  const std::string number = std::to_string(node.number);
  switch (node.operation) {
    case Operation::series:
      return "k.series[" + number + " * k.series_steps + " + words.step + "]";
    case Operation::index:
      return words.index + number + words.index_end + " + " + std::to_string(node.offset[0]);
    case Operation::extent:
      return words.extent + number + words.extent_end;
    default:
      return words.step;
  }
}

/// The statements that make a cell, of packs V.
std::string body_of(const Written& written, const Formula& cells, const PlaceWords& words) {
  std::string text;
  for (std::size_t n = 0; n < cells.nodes().size(); ++n) {
    const Node& node = cells.nodes()[n];
    if (node.operation == Operation::read) {
      text += "    const V r" + std::to_string(n) + " = " + read_of(written, node) + ";\n";
    }
  }
  text += "#pragma unroll\n    for (i32 n = 0; n < Lanes<V>::count; ++n) {\n";
  for (std::size_t n = 0; n < cells.nodes().size(); ++n) {
    const std::string number = std::to_string(n);
    text += formula::statements(
        cells, {static_cast<int>(n)},
        [&](const Node& node) {
          return node.operation == Operation::read ? "Lanes<V>::of(r" + number + ", n)" : place_of(node, words);
        },
        "      ");
  }
  for (std::size_t f = 0; f < cells.results().size(); ++f) {
    text += "      Lanes<V>::of(made[" + std::to_string(f) +
            "], n) = " + formula::name_in_source(cells.results()[f]) + ";\n";
  }
  return text + "    }\n";
}

/// The place of array `number` among those that the formulas read, as an expression.
std::string own_array_of(const Written& written) {
  std::string text;
  int place = 0;
  for (const int array : own_arrays(written)) {
    text += "number == " + std::to_string(array) + " ? " + std::to_string(place++) + " : ";
  }
  return text + "0";
}

}  // namespace

std::string cell_source(const StencilSpec& spec, const Written& written) {
  std::string text =
      "struct Cell : WrittenBase<" + std::to_string(written.fields) +
      "> {\n"
      "  static constexpr int rank = " +
      std::to_string(spec.rank) + ", radius = " + std::to_string(spec.radius) +
      ";\n"
      "  static constexpr bool own_faces = " +
      (written.own_faces ? "true" : "false") + ", adds = " + (spec.source >= 0 || spec.mask >= 0 ? "true" : "false") +
      ";\n"
      "  TERRACE_HOST_DEVICE static constexpr i32 own_array(i32 number) {\n    return " +
      own_array_of(written) +
      ";\n  }\n"
      "  template <class V, class T, class At>\n"
      "  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {\n" +
      body_of(written, written.own_faces ? written.inner : written.cells, of_packs) + "  }\n";
  if (written.own_faces) {
    text +=
        "  template <class T, class At>\n"
        "  TERRACE_HOST_DEVICE static void rim_cell(const Constants<T>& k, const At& at, const Position& position,\n"
        "                                           T (&made)[fields]) {\n"
        "    using V = T;\n" +
        body_of(written, written.cells, of_positions) + "  }\n";
  }
  return text + "};\n";
}

}  // namespace terrace::stencil
