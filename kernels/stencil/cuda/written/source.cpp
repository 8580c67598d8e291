#include "kernels/stencil/cuda/written/source.hpp"

#include "kernels/formula/print.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

using formula::Formula;
using formula::Node;
using formula::Operation;

/// The read of a pack: what a node of an array is taken from.
std::string pack_of(const Written& written, const Node& node) {
  if (node.number >= written.fields) return "at.array(" + std::to_string(node.number - written.fields) + ")";
  std::string text = "at(" + std::to_string(node.number);
  for (std::size_t axis = 0; axis < most_rank; ++axis) text += ", " + std::to_string(node.offset[axis]);
  return text + ")";
}

/// A value that is no pack's.
std::string place_of(const Node& node) {
  const std::string number = std::to_string(node.number);
  switch (node.operation) {
    case Operation::series:
      return "k.series[" + number + " * k.series_steps + at.step()]";
    case Operation::index:
      return "at.index(" + number + ", n) + " + std::to_string(node.offset[0]);
    case Operation::extent:
      return "at.extent(" + number + ")";
    default:
      return "at.step()";
  }
}

/// The cell as a struct (operator.hpp).
std::string cell_source(const StencilSpec& spec) {
  const Written& written = *spec.written;
  const Formula& cells = written.cells;
  std::string text =
      "struct Cell : WrittenBase<" + std::to_string(written.fields) +
      "> {\n"
      "  static constexpr int rank = " +
      std::to_string(spec.rank) + ", radius = " + std::to_string(spec.radius) +
      ";\n"
      "  template <class V, class T, class At>\n"
      "  TERRACE_HOST_DEVICE static void cell(const Constants<T>& k, const At& at, V (&made)[fields]) {\n";
  for (std::size_t n = 0; n < cells.nodes().size(); ++n) {
    const Node& node = cells.nodes()[n];
    if (node.operation == Operation::read) {
      text += "    const V r" + std::to_string(n) + " = " + pack_of(written, node) + ";\n";
    }
  }
  text += "#pragma unroll\n    for (i32 n = 0; n < Lanes<V>::count; ++n) {\n";
  for (std::size_t n = 0; n < cells.nodes().size(); ++n) {
    const std::string number = std::to_string(n);
    text += formula::statements(
        cells, {static_cast<int>(n)},
        [&](const Node& node) {
          return node.operation == Operation::read ? "Lanes<V>::of(r" + number + ", n)" : place_of(node);
        },
        "      ");
  }
  for (std::size_t f = 0; f < cells.results().size(); ++f) {
    text += "      Lanes<V>::of(made[" + std::to_string(f) +
            "], n) = " + formula::name_in_source(cells.results()[f]) + ";\n";
  }
  return text + "    }\n  }\n};\n";
}

}  // namespace

compiled::Source written_source(const StencilSpec& spec, const std::vector<std::string>& shapes) {
  const std::string type = spec.value == ElementType::f32 ? "float" : "double", home = "terrace::stencil::";
  compiled::Source source;
  source.text = "#include \"kernels/stencil/written_base.hpp\"\n#include \"kernels/stencil/cuda/steps/kernel.cuh\"\n";
  if (!shapes.empty()) {
    source.text +=
        "#include \"kernels/stencil/cuda/formulas/level.cuh\"\n#include "
        "\"kernels/stencil/cuda/streams/kernel.cuh\"\n";
  }
  source.text += "namespace terrace::stencil {\n" + cell_source(spec);
  source.kernels.push_back(home + "step_kernel<" + home + "Cell, " + type + ">");
  for (std::size_t n = 0; n < shapes.size(); ++n) {
    const std::string name = "Shape" + std::to_string(n);
    source.text += "using " + name + " = " + shapes[n] + ";\nusing " + name + "ByValues = StreamByValues<" + name +
                   ">::Shape;\n";
    for (const char* moved : {"", "ByValues"}) {
      source.kernels.push_back(home + "stream_kernel<" + home + name + moved + ">");
    }
  }
  source.text += "}  // namespace terrace::stencil\n";
  return source;
}

}  // namespace terrace::stencil
