// Cells that a job writes as formulas, compiled at run time for the CPU.
#pragma once

#include <cstdint>
#include <memory>

#include "kernels/compiled/store.hpp"
#include "kernels/device/cpu_features.hpp"
#include "kernels/stencil/cpu/blocks.hpp"
#include "kernels/stencil/stencil.hpp"

namespace terrace::stencil {

/// Rows that a compiled formula makes at once in blocks; 0: it makes no blocks.
int compiled_block_rows(const StencilSpec& spec);

/// The kernels of a formula, which live as long as their code.
template <class T>
struct CompiledKernels {
  std::shared_ptr<const compiled::SharedObject> code;
  MakeRow<T> make_row;
  BlockKernelsOf<T> blocks;
};

/// Takes the kernels of a stencil's formula from a store, or compiles them by its compiler.
/// @throws compiled::NotCompiled; IoError
std::shared_ptr<const compiled::SharedObject> compile_cell(const StencilSpec& spec, compiled::Store& store,
                                                           device::InstructionSet set);

template <class T>
CompiledKernels<T> compiled_kernels(const StencilSpec& spec, compiled::Store& store, device::InstructionSet set) {
  CompiledKernels<T> kernels{compile_cell(spec, store, set), nullptr, {nullptr, nullptr, nullptr, 1}};
  const auto row = [&](std::size_t number) { return kernels.code->kernel(number); };
  const auto block = [&](std::size_t number) {
    return number < kernels.code->kernels()
               ? reinterpret_cast<MakeBlock<T>>(reinterpret_cast<std::uintptr_t>(row(number)))
               : nullptr;
  };
  kernels.make_row = reinterpret_cast<MakeRow<T>>(reinterpret_cast<std::uintptr_t>(row(0)));
  kernels.blocks.rows_1 = block(1);
  kernels.blocks.rows_2 = block(2);
  kernels.blocks.rows_4 = block(3);
  return kernels;
}

}  // namespace terrace::stencil
