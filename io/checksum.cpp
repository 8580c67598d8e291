#include "io/checksum.hpp"

#include <xxhash.h>

#include <memory>
#include <new>

#include "io/box_runs.hpp"

namespace terrace::io {

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

std::uint64_t checksum_box(const void* array, const Extents& shape, std::size_t element_size, const Box& box) {
  const BoxRuns runs(shape, static_cast<std::int64_t>(element_size), box);
  const auto* bytes = static_cast<const std::byte*>(array);
  const auto run_bytes = static_cast<std::size_t>(runs.run_bytes());
  if (runs.count() == 0) return checksum({});
  if (runs.count() == 1) return checksum({bytes + runs.offset(0), run_bytes});
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(), XXH3_freeState);
  if (!state) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  for (std::int64_t run = 0; run < runs.count(); ++run) {
    XXH3_64bits_update(state.get(), bytes + runs.offset(run), run_bytes);
  }
  return XXH3_64bits_digest(state.get());
}

}  // namespace terrace::io
