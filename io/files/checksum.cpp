#include "io/files/checksum.hpp"

#include <xxhash.h>

#include <memory>
#include <new>

#include "io/files/box_runs.hpp"

namespace terrace::io {

std::uint64_t checksum(std::span<const std::byte> bytes) { return XXH3_64bits(bytes.data(), bytes.size()); }

struct RunningChecksum::State {
  XXH3_state_t* of = XXH3_createState();
  State() {
    if (of == nullptr) throw std::bad_alloc();
    XXH3_64bits_reset(of);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { XXH3_freeState(of); }
};

RunningChecksum::RunningChecksum() : state_(std::make_unique<State>()) {}
RunningChecksum::RunningChecksum(RunningChecksum&&) noexcept = default;
RunningChecksum& RunningChecksum::operator=(RunningChecksum&&) noexcept = default;
RunningChecksum::~RunningChecksum() = default;

void RunningChecksum::add(std::span<const std::byte> bytes) {
  XXH3_64bits_update(state_->of, bytes.data(), bytes.size());
}
std::uint64_t RunningChecksum::value() const { return XXH3_64bits_digest(state_->of); }

std::uint64_t checksum_box(const void* array, const Extents& shape, std::size_t element_size, const Box& box) {
  const BoxRuns runs(shape, static_cast<std::int64_t>(element_size), box);
  const auto* bytes = static_cast<const std::byte*>(array);
  const auto run_bytes = static_cast<std::size_t>(runs.run_bytes());
  if (runs.count() == 0) return checksum({});
  if (runs.count() == 1) return checksum({bytes + runs.offset(0), run_bytes});
  RunningChecksum sum;
  for (std::int64_t run = 0; run < runs.count(); ++run) sum.add({bytes + runs.offset(run), run_bytes});
  return sum.value();
}

}  // namespace terrace::io
