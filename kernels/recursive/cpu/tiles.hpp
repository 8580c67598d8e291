// Closures on the CPU, for those who choose the instruction set.
#pragma once

#include "kernels/device/cpu_features.hpp"
#include "kernels/device/thread_pool.hpp"
#include "kernels/recursive/tiles.hpp"

namespace terrace::recursive {

/// make_tiles_cpu() with a chosen instruction set, which the CPU must have.
std::unique_ptr<device::BlockKernel> make_tiles_cpu(const TileSpec& spec, device::Context& context,
                                                    device::InstructionSet set);

/// The same for tables with trails, for make_tiles_cpu(). @throws DeviceError if there are no kernels
std::unique_ptr<device::BlockKernel> make_paths_cpu(const TileSpec& spec, device::ThreadPool& pool,
                                                    device::InstructionSet set);

/// The same of tables that has_blas(): products, and eliminations.
std::unique_ptr<device::BlockKernel> make_products_cpu(const TileSpec& spec, device::ThreadPool& pool);
std::unique_ptr<device::BlockKernel> make_elimination_cpu(const TileSpec& spec, device::ThreadPool& pool);

/// The same of tables of bits, and of counts.
std::unique_ptr<device::BlockKernel> make_bits_cpu(const TileSpec& spec, device::ThreadPool& pool,
                                                   device::InstructionSet set);
std::unique_ptr<device::BlockKernel> make_counts_cpu(device::ThreadPool& pool, device::InstructionSet set);

}  // namespace terrace::recursive
