#include "kernels/stencil/cuda/written/source.hpp"

#include "kernels/formula/print.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

using formula::Formula;
using formula::Node;
using formula::Operation;

std::string scalar_of(const StencilSpec& spec) { return spec.value == ElementType::f32 ? "float" : "double"; }

/// The read of a pack: what a node of an array is taken from.
std::string pack_of(const Written& written, const Node& node) {
  if (node.number >= written.fields) return "at.array(" + std::to_string(node.number - written.fields) + ")";
  std::string text = "at(" + std::to_string(node.number);
  for (std::size_t axis = 0; axis < most_rank; ++axis) text += ", " + std::to_string(node.offset[axis]);
  return text + ")";
}

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
      text += "    const V r" + std::to_string(n) + " = " + pack_of(written, node) + ";\n";
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

/// The cell as a struct (operator.hpp).
std::string cell_source(const StencilSpec& spec) {
  const Written& written = *spec.written;
  std::string text =
      "struct Cell : WrittenBase<" + std::to_string(written.fields) +
      "> {\n"
      "  static constexpr int rank = " +
      std::to_string(spec.rank) + ", radius = " + std::to_string(spec.radius) +
      ";\n"
      "  static constexpr bool own_faces = " +
      (written.own_faces ? "true" : "false") +
      ";\n"
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

/// The cell as planes that stream take it (cuda/volumes/written.cuh).
std::string plane_cell_source(const StencilSpec& spec, const PlaneParts& parts) {
  const Written& written = *spec.written;
  const Formula& cells = written.cells;
  const auto number = [](auto value) { return std::to_string(value); };
  const auto statements = [&](const std::vector<int>& nodes) {
    return formula::statements(
        cells, nodes, [&](const Node& node) { return pack_of(written, node); }, "    ");
  };
  const auto name = [](int node) { return formula::name_in_source(node); };
  const auto is_condition = [&](int node) { return cells[node].type == formula::Type::boolean; };
  const std::string type = scalar_of(spec), count = number(parts.handed.empty() ? 1 : parts.handed.size());
  std::string text = "struct PlaneCell {\n  static constexpr i32 fields = " + number(parts.fields) +
                     ", handed = " + number(parts.handed.size()) +
                     ";\n  static constexpr u32 near = " + number(parts.near) +
                     ";\n  static constexpr bool corners = " + (parts.corners ? "true" : "false") +
                     ";\n  template <class At>\n  static __device__ __forceinline__ void begin(const At& at, " +
                     type + " (&handed)[" + count + "]) {\n" + statements(parts.begin);
  for (std::size_t n = 0; n < parts.handed.size(); ++n) {
    const int node = parts.handed[n];
    text += "    handed[" + number(n) + "] = " + name(node) + (is_condition(node) ? " ? 1 : 0" : "") + ";\n";
  }
  text += "  }\n  template <class At>\n  static __device__ __forceinline__ void end(const At& at, const " + type +
          " (&handed)[" + count + "], " + type + " (&made)[" + number(parts.fields) + "]) {\n";
  for (std::size_t n = 0; n < parts.handed.size(); ++n) {
    const int node = parts.handed[n];
    text += "    const " + formula::type_in_source(cells[node].type) + " " + name(node) + " = handed[" + number(n) +
            "]" + (is_condition(node) ? " != 0" : "") + ";\n";
  }
  text += statements(parts.end);
  for (std::size_t f = 0; f < cells.results().size(); ++f) {
    text += "    made[" + number(f) + "] = " + name(cells.results()[f]) + ";\n";
  }
  return text + "  }\n};\n";
}

/// The name of a kernel of one or two arguments.
std::string kernel_name(const std::string& kernel, const std::string& first, const std::string& second) {
  const std::string home = "terrace::stencil::";
  return home + kernel + "<" + home + first + (second.empty() ? "" : ", " + second) + ">";
}

/// The cell and kernel 0. @param headers of other kernels
compiled::Source steps_source(const StencilSpec& spec, const std::vector<std::string>& headers) {
  compiled::Source source;
  source.text = "#include \"kernels/stencil/written_base.hpp\"\n#include \"kernels/stencil/cuda/steps/kernel.cuh\"\n";
  if (spec.points) source.text += "#include \"kernels/stencil/cuda/points/kernel.cuh\"\n";
  for (const std::string& header : headers) source.text += "#include \"kernels/stencil/cuda/" + header + "\"\n";
  source.text += "namespace terrace::stencil {\n" + cell_source(spec);
  source.kernels.push_back(kernel_name("step_kernel", "Cell", scalar_of(spec)));
  return source;
}

/// Adds the last kernel, and ends the source.
void end_source(const StencilSpec& spec, compiled::Source& source) {
  if (spec.points) source.kernels.push_back(kernel_name("make_points_kernel", "Cell", scalar_of(spec)));
  source.text += "}  // namespace terrace::stencil\n";
}

}  // namespace

compiled::Source written_source(const StencilSpec& spec, const std::vector<std::string>& shapes) {
  std::vector<std::string> headers;
  if (!shapes.empty()) headers = {"formulas/level.cuh", "streams/kernel.cuh", "written/sizes.hpp"};
  compiled::Source source = steps_source(spec, headers);
  for (std::size_t n = 0; n < shapes.size(); ++n) {
    const std::string name = "Shape" + std::to_string(n);
    source.text += "using " + name + " = " + shapes[n] + ";\nusing " + name + "ByValues = StreamByValues<" + name +
                   ">::Shape;\n";
    for (const char* moved : {"", "ByValues"}) {
      source.kernels.push_back(kernel_name("stream_kernel", name + moved, ""));
    }
  }
  end_source(spec, source);
  return source;
}

compiled::Source written_source(const StencilSpec& spec, const PlaneParts& parts) {
  compiled::Source source = steps_source(spec, {"volumes/kernel.cuh"});
  source.text += plane_cell_source(spec, parts) + "using Shape = VolumeShape<" + scalar_of(spec) +
                 ", VolumeKind::written, 1, measured::CudaVolume::written_sizes(" + std::to_string(parts.fields) +
                 ", " + std::to_string(parts.handed.size()) + ", " + std::to_string(size_of(spec.value)) +
                 "), PlaneCell>;\n";
  for (const char* aligned : {"true", "false"}) {
    source.kernels.push_back(kernel_name("volume_kernel", "Shape", aligned));
  }
  end_source(spec, source);
  return source;
}

}  // namespace terrace::stencil
