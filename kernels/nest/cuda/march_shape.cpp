#include "kernels/nest/cuda/march_shape.hpp"

#include <algorithm>
#include <cstdlib>

#include "kernels/device/memory.hpp"
#include "kernels/nest/cuda/march.hpp"
#include "kernels/nest/cuda/state.hpp"
#include "kernels/nest/measured.hpp"

namespace terrace::nest {
namespace {

i64 parts(i64 all, i64 one) { return std::max<i64>(1, (all + one - 1) / one); }

NestTask largest_of(const NestSpec& spec, const Sweep& sweep) {
  NestTask largest{};
  for (std::size_t n = 0; n < sweep.rank(); ++n) {
    largest.end[n] = std::max<i64>(1, sweep.space()[n].size());
    if (n < spec.block.size()) largest.end[n] = std::min(largest.end[n], std::max<i64>(1, spec.block[n]));
  }
  return largest;
}

/// The windows of a march: as large as registers hold, and so that a block has bands for all processors.
Tiling windows_of(const NestSpec& spec, const device::Limits& limits) {
  const std::size_t rank = spec.skew.rank(), line = rank - 2;
  const int* sides = measured::cuda_march_sides[rank == 3 ? 1 : 0];
  NestSpec cut = spec;
  for (std::size_t n = 0; n < rank; ++n) cut.tile[n] = std::min<i64>(sides[n], std::max<i64>(1, spec.tile[n]));
  if (spec.tile == Point{}) {
    std::copy_n(sides, rank, cut.tile.begin());
    const i64 rows = largest_of(spec, Sweep(spec)).end[line];
    const auto wanted = static_cast<i64>(std::max(1, limits.processors) * measured::cuda_march_bands);
    while (rank == 2 && cut.tile[line] > measured::cuda_march_least_rows &&
           parts(rows, cut.tile[line] * march_lanes) < wanted)
      cut.tile[line] /= 2;
  }
  while (true) {
    const Tiling windows(cut, sides, false);
    const auto largest = std::max_element(cut.tile.begin(), cut.tile.end());
    if (windows.value_bytes() <= static_cast<std::size_t>(measured::cuda_march_window_bytes) || *largest == 1)
      return windows;
    *largest = (*largest + 1) / 2;
  }
}

}  // namespace

CudaMarch::CudaMarch(const NestSpec& spec, const device::Limits& limits)
    : sweep_(spec), tiling_(windows_of(spec, limits)), largest_(largest_of(spec, sweep_)) {
  const std::size_t rank = tiling_.rank(), line = rank - 2;
  bool has_best = false;
  for (const Kept& kept : spec.kept) has_best |= kept.best != 0;
  for (const Statement& one : spec.nest->statements)
    value_bytes_.push_back(size_of(spec.nest->arrays[static_cast<std::size_t>(one.array)].type));
  for (const std::size_t bytes : value_bytes_)
    words_ += (bytes > 4 ? 2 : 1) * (rank == 3 ? tiling_.extent(0) : 1) * tiling_.halo(line);

  shared_bytes_ = std::max(has_best ? march_threads * sizeof(BestElement) : 0, planes_bytes());

  const NestTask& largest = largest_;
  const i64 bands = parts(largest.end[line], tiling_.side(line) * march_lanes);
  // A group's place is free when the one that had it before has been taken as a whole.
  most_rings_ = 2 + std::max((bands + 1) / march_group_lag,
                             std::max(1, limits.processors) * measured::cuda_march_warps / bands);

  copies_at_ = device::aligned_bytes(sizeof(NestState));
  std::size_t words = 0;
  for (std::size_t n = 0; n < rank; ++n) {
    // Only a block that is not the first one has a face before it.
    if (largest.end[n] < sweep_.space()[n].size()) words += static_cast<std::size_t>(face_words(largest, n));
  }
  march_at_ = copies_at_ + device::aligned_bytes(words * sizeof(Word));
  MarchWork work{};
  bytes_ = march_at_ + lay_out(work, largest, nullptr);
}

std::size_t CudaMarch::planes_bytes() const {
  const std::size_t rank = tiling_.rank();
  if (rank < 3) return 0;
  const auto columns = static_cast<int>(tiling_.side(rank - 1));
  int pieces = 0;
  bool can_copy = true;
  for (const std::size_t bytes : value_bytes_) {
    const int size = march_piece_values(static_cast<int>(bytes), columns);
    can_copy &= bytes * static_cast<std::size_t>(size) >= 4;
    pieces += static_cast<int>(tiling_.halo(0) * tiling_.side(rank - 2)) * columns / size;
  }
  const int ahead = can_copy ? march_planes_ahead(pieces) : 0;
  return ahead == 0 ? 0 : static_cast<std::size_t>((ahead + 1) * pieces * 16) * march_threads;
}

std::string CudaMarch::why_unfit(const NestSpec& spec, const device::Limits& limits) {
  const std::size_t rank = spec.skew.rank();
  if (rank < 2 || rank > 3) return "it takes nests with 2 or 3 coordinates, and this one has " + std::to_string(rank);
  const Sweep sweep(spec);
  for (std::size_t n = 0; n < rank; ++n) {
    if (sweep.halo()[n] <= measured::cuda_march_most_distance) continue;
    return "it keeps values in registers for distances of up to " +
           std::to_string(measured::cuda_march_most_distance) + ", and a dependence has " +
           std::to_string(sweep.halo()[n]) + " along coordinate " + std::to_string(n);
  }
  const std::size_t bytes = windows_of(spec, limits).value_bytes();
  if (bytes <= static_cast<std::size_t>(measured::cuda_march_most_window_bytes)) return "";
  return "the values that a thread keeps in registers would take " + std::to_string(bytes) +
         " bytes, and it has room for " + std::to_string(measured::cuda_march_most_window_bytes);
}

bool CudaMarch::is_empty(const NestTask& task, std::size_t rank) {
  for (std::size_t n = 0; n < rank; ++n) {
    if (task.end[n] <= task.begin[n]) return true;
  }
  return false;
}

i64 CudaMarch::face_words(const NestTask& task, std::size_t coordinate) const {
  Ranges block;
  for (std::size_t n = 0; n < tiling_.rank(); ++n) block.push_back({task.begin[n], task.end[n]});
  return sweep_.face_words(coordinate, block);
}

std::size_t CudaMarch::lay_out(MarchWork& work, const NestTask& task, unsigned char* workspace) const {
  const std::size_t rank = tiling_.rank(), line = rank - 2, last = rank - 1;
  const auto cells = [&](std::size_t n) { return task.end[n] - task.begin[n]; };
  work.groups = rank == 3 ? parts(cells(0), tiling_.side(0)) : 1;
  work.bands = parts(cells(line), tiling_.side(line) * march_lanes);
  work.chunks = parts(cells(last), tiling_.side(last));
  work.steps = work.chunks + march_lanes - 1;
  work.rings = std::min(work.groups, most_rings_);
  work.border_words = work.rings * work.chunks * tiling_.side(last) * words_;
  const i64 levels_before = rank == 3 ? tiling_.halo(0) : 0;
  work.plane_values =
      levels_before > 0 ? work.bands * work.steps * march_lanes * tiling_.side(line) * tiling_.side(last) : 0;
  std::size_t at = march_at_;
  const auto take = [&](std::size_t bytes) {
    unsigned char* taken = workspace == nullptr ? nullptr : workspace + at;
    at += device::aligned_bytes(bytes);
    return taken;
  };
  const auto words = [&](i64 count) {
    return reinterpret_cast<device::u64*>(take(static_cast<std::size_t>(count) * sizeof(device::u64)));
  };
  work.ticket = words(1);
  work.finished = words(work.rings);
  work.progress = words(work.rings * work.bands);
  work.border = words(work.border_words);
  std::size_t plane = 0;
  for (const std::size_t bytes : value_bytes_)
    plane += (bytes * static_cast<std::size_t>(levels_before * work.plane_values) + 15) / 16 * 16;
  work.plane = take(plane);
  return at - march_at_;
}

Word* CudaMarch::copies(unsigned char* workspace) const { return reinterpret_cast<Word*>(workspace + copies_at_); }

MarchWork CudaMarch::work(const NestTask& task, unsigned char* workspace) const {
  MarchWork work{};
  work.block = tiling_.work(task, nullptr);
  lay_out(work, task, workspace);
  Word* copy = copies(workspace);
  for (std::size_t n = 0; n < tiling_.rank(); ++n) {
    if (task.before[n] == nullptr) continue;
    work.before[n] = copy;
    copy += face_words(task, n);
  }
  return work;
}

compiled::Source CudaMarch::source(const NestSpec& spec) const {
  compiled::Source source;
  source.text = nest_headers() + "#include \"kernels/nest/cuda/march_kernel.cuh\"\nnamespace terrace::nest {\n" +
                nest_source(spec, tiling_, Rim::ghosts) + "}  // namespace terrace::nest\n";
  for (const char* kernel : {"begin_nest_kernel", "make_rest_kernel", "prepare_march_kernel", "march_kernel",
                             "finish_march_kernel", "report_nest_kernel"}) {
    source.kernels.push_back("terrace::nest::" + std::string(kernel) + "<terrace::nest::Written>");
  }
  return source;
}

i64 CudaMarch::slant() const {
  const std::size_t line = tiling_.rank() - 2, last = tiling_.rank() - 1;
  i64 most = 0;
  for (const std::vector<i64>& loop : sweep_.inverse()) {
    if (loop[last] != 0) most = std::max(most, std::abs(loop[line]));
  }
  return most;
}

double CudaMarch::chain_seconds() const {
  MarchWork work{};
  lay_out(work, largest_, nullptr);
  const std::size_t rank = tiling_.rank(), line = rank - 2, last = rank - 1;
  const auto& seconds = measured::cuda_march_step_seconds[rank - 2];
  const i64 slant = this->slant(), bands = (work.bands - 1) * (march_lanes - 1);
  if (rank == 2 && slant > 0) {
    // The next band begins when the last lane has passed the rim.
    const i64 row = sweep_.space()[last].size() - slant * sweep_.space()[line].size();
    const auto at_rims = static_cast<double>(bands) * (1 + static_cast<double>(slant * tiling_.side(line)) /
                                                               static_cast<double>(tiling_.side(last)));
    return at_rims * seconds[1] +
           static_cast<double>(parts(std::min(largest_.end[last], row), tiling_.side(last))) * seconds[0];
  }
  constexpr int reports = 2;  // a group is so many behind the one before
  return static_cast<double>(bands + work.steps + (work.groups - 1) * reports * march_report_steps) *
         seconds[slant > 0 ? 1 : 0];
}

double CudaMarch::cells() const {
  double all = 1;
  for (std::size_t n = 0; n < tiling_.rank(); ++n) all *= static_cast<double>(largest_.end[n]);
  return all;
}

std::size_t march_cuda_bytes(const NestSpec& spec, const device::Limits& limits) {
  return CudaMarch(spec, limits).bytes();
}

}  // namespace terrace::nest
