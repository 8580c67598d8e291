// Nests on the CPU, compiled when a run begins, by the compiler of C++ of the machine.
#pragma once

#include <cstddef>
#include <memory>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// Bytes of host memory that the kernel allocates for the blocks of a spec (NestSpec::block).
std::size_t compiled_cpu_bytes(const NestSpec& spec, const device::Limits& limits);

/// A kernel that makes tiles, those of a hyperplane by all threads, by code that is compiled, or taken from the
/// context's store. @throws compiled::NotCompiled (kernels/compiled/store.hpp)
std::unique_ptr<device::BlockKernel> make_compiled_cpu(const NestSpec& spec, device::Context& context,
                                                       void* workspace);

}  // namespace terrace::nest
