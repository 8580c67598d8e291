#include "kernels/stencil/cpu/compiled.hpp"

#include "kernels/compiled/cxx.hpp"
#include "kernels/stencil/compiled.hpp"
#include "kernels/stencil/cpu/written_rows.hpp"
#include "kernels/stencil/measured.hpp"
#include "kernels/stencil/print_cell.hpp"

namespace terrace::stencil {
namespace {

/// Formulas of more operations make fewer rows at once: their values would not stay in registers. Not measured.
constexpr int most_operations_of_four_rows = 60, most_operations_of_two_rows = 120;

/// The formulas with the axes as rows of the CPU have them.
Written of_rows(const StencilSpec& spec) {
  Written written = *spec.written;
  if (spec.rank == 1) {
    written.cells = turned(written.cells);
    written.inner = turned(written.inner);
  }
  return written;
}

std::string in_source(bool value) { return value ? "true" : "false"; }

compiled::Source source_of(const StencilSpec& spec, device::InstructionSet set) {
  const std::string isa(name_of(set)), home = "terrace::stencil::", type = scalar_of(spec),
                                       plain = in_source(spec.source < 0 && spec.mask < 0);
  compiled::Source source;
  source.text = "#define TERRACE_ISA " + isa +
                "\n#include \"kernels/stencil/cpu/cell_kernel.hpp\"\n#include \"kernels/stencil/written_base.hpp\"\n"
                "namespace terrace::stencil {\n" +
                cell_source(spec, of_rows(spec)) +
                "struct RowCell : Cell {\n  static constexpr bool by_cells = true, plain = " + plain +
                ", uses_index = " + in_source(spec.written->cells.uses(formula::Operation::index)) +
                ";\n};\n}  // namespace terrace::stencil\n";
  source.kernels.push_back(home + isa + "::make_row<" + home + "RowCell, " + type + ">");
  for (int rows = 1; rows <= compiled_block_rows(spec); rows *= 2) {
    source.kernels.push_back(home + isa + "::make_block_by_cells<" + home + "RowCell, " + type + ", " +
                             std::to_string(rows) + ", " + plain + ">");
  }
  return source;
}

}  // namespace

int compiled_block_rows(const StencilSpec& spec) {
  if (spec.rank == 1 || depends_on_place(*spec.written)) return 0;
  const int operations = spec.written->cells.operations();
  if (operations > most_operations_of_two_rows) return 1;
  return operations > most_operations_of_four_rows ? 2 : most_block_rows;
}

std::shared_ptr<const compiled::SharedObject> compile_cell(const StencilSpec& spec, compiled::Store& store,
                                                           device::InstructionSet set) {
  return store.object(source_of(spec, set), {spec.compiler.command, compiled::cell_options(set)});
}

}  // namespace terrace::stencil
