#include "kernels/stencil/cuda/written_source.hpp"

#include "kernels/formula/print.hpp"
#include "kernels/stencil/cuda/common/choice.hpp"
#include "kernels/stencil/print_cell.hpp"
#include "kernels/stencil/written.hpp"

namespace terrace::stencil {
namespace {

using formula::Formula;
using formula::Node;

/// The cell as planes that stream take it (cuda/planes/parts.cuh).
std::string plane_cell_source(const StencilSpec& spec, const PlaneParts& parts) {
  const Written& written = *spec.written;
  const Formula& cells = written.cells;
  const auto number = [](auto value) { return std::to_string(value); };
  const auto statements = [&](const std::vector<int>& nodes) {
    return formula::statements(
        cells, nodes, [&](const Node& node) { return read_of(written, node); }, "    ");
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
  text += "  }\n  template <class At>\n  static __device__ __forceinline__ void end(" + type +
          ", const At& at, const " + type + " (&handed)[" + count + "], " + type + " (&made)[" +
          number(parts.fields) + "]) {\n";
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
  source.text += "namespace terrace::stencil {\n" + cell_source(spec, *spec.written);
  source.kernels.push_back(kernel_name("step_kernel", "Cell", scalar_of(spec)));
  return source;
}

/// Adds the last kernel, and ends the source.
void end_source(const StencilSpec& spec, compiled::Source& source) {
  if (spec.points) source.kernels.push_back(kernel_name("make_points_kernel", "Cell", scalar_of(spec)));
  source.text += "}  // namespace terrace::stencil\n";
}

/// The source of kernels that stream planes. @param shape as written_source() has shapes
compiled::Source planes_source(const StencilSpec& spec, const std::string& cell, const std::string& shape) {
  compiled::Source source = steps_source(spec, {"planes/kernel.cuh"});
  source.text += cell + "using Shape = " + shape + ";\n";
  source.kernels.push_back(kernel_name("volume_kernel", "Shape", has_aligned_lines(spec) ? "true" : "false"));
  end_source(spec, source);
  return source;
}

}  // namespace

compiled::Source written_source(const StencilSpec& spec, const std::vector<std::string>& shapes) {
  std::vector<std::string> headers;
  if (!shapes.empty()) headers = {"rows/formula_level.cuh", "rows/kernel.cuh", "rows/written_sizes.hpp"};
  compiled::Source source = steps_source(spec, headers);
  for (std::size_t n = 0; n < shapes.size(); ++n) {
    const std::string name = "Shape" + std::to_string(n);
    source.text += "using " + name + " = " + shapes[n] + ";\n";
    source.kernels.push_back(kernel_name("stream_kernel", name, ""));
  }
  end_source(spec, source);
  return source;
}

compiled::Source written_source(const StencilSpec& spec, const PlaneParts& parts) {
  return planes_source(spec, plane_cell_source(spec, parts),
                       "VolumeShape<" + scalar_of(spec) +
                           ", VolumeKind::parts, 1, measured::CudaVolume::part_sizes(" +
                           std::to_string(parts.fields) + ", " + std::to_string(parts.handed.size()) + ", " +
                           std::to_string(size_of(spec.value)) + "), PlaneCell>");
}

compiled::Source written_source(const StencilSpec& spec, const PlaneWindows& windows, int arrays, bool fewer) {
  const auto word = [](bool value) { return value ? "true" : "false"; };
  return planes_source(spec, "",
                       "WindowShape<Cell, " + scalar_of(spec) + ", " + std::to_string(arrays) + ", window_sizes(" +
                           std::to_string(windows.fields) + ", " + std::to_string(windows.kept) + ", " +
                           word(arrays > 0) + ", " + std::to_string(size_of(spec.value)) + ", " + word(fewer) +
                           "), " + std::to_string(windows.near) + ", " + word(windows.corners) + ">");
}

}  // namespace terrace::stencil
