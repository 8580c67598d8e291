// The one macro for functions that host, device and run-time compilers all see.
#pragma once

/// Marks a small function that host and device code share; it is always inlined, so that code compiled for several
/// instruction sets never meets under one symbol.
#if defined(__CUDACC__)
#define TERRACE_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define TERRACE_HOST_DEVICE [[gnu::always_inline]] inline
#endif
