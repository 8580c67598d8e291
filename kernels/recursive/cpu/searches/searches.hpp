// The searches of the CPU.
#pragma once

#include "kernels/device/cpu_features.hpp"
#include "kernels/recursive/searches.hpp"

namespace terrace::recursive {

/// The ways to search.
enum class SearchWay {
  levels,   // levels.hpp
  sweeps,   // sweeps.hpp; where these pass edges too often, nearest
  breadth,  // BreadthFirst of nearest.hpp
  nearest   // NearestFirst
};

/// The reason why a way does not serve; empty: it does.
std::string unfit_for(SearchWay way, const SearchSpec& spec);

/// @throws DeviceError if the context is no CPU
std::unique_ptr<device::BlockKernel> make_searches_cpu(SearchWay way, const SearchSpec& spec,
                                                       device::Context& context, device::InstructionSet set);

/// Bytes that the searches of `threads` threads work in.
std::size_t search_bytes(SearchWay way, const SearchSpec& spec, int threads);

}  // namespace terrace::recursive
