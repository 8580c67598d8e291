// Formulas that a job writes, compiled for the CPU when a run begins, by the compiler of C++ of the machine.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// A compiler of C++ that a stencil's formulas may be compiled by.
struct CellCompiler {
  std::string command;   // empty: none
  std::string why_none;  // if there is none
};

/// Gives a stencil a compiler: a setting beside its parameters.
void set_compiler(StencilSpec& spec, const CellCompiler& compiler);
/// Its compiler; none unless it was given one.
CellCompiler compiler_of(const StencilSpec& spec);

/// Bytes of host memory that the kernel allocates in addition to tiles and carries, or the strips that stand in for
/// it.
std::size_t stencil_compiled_bytes(const StencilSpec& spec, int threads);

/// make_stencil_cpu() of formulas that a job writes, compiled, or taken from the context's store.
/// @throws compiled::NotCompiled (kernels/compiled/store.hpp)
std::unique_ptr<device::BlockKernel> make_stencil_compiled(const StencilSpec& spec, device::Context& context);

}  // namespace terrace::stencil
