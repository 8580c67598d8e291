#include "pipeline/run/home_tiles.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "io/files/checksum.hpp"
#include "io/files/tile_checksums.hpp"
#include "pipeline/base/bands.hpp"
#include "pipeline/run/damaged_tile.hpp"
#include "pipeline/run/wait_for.hpp"

namespace terrace::run {
namespace {

constexpr std::int64_t band_bytes = 1 << 20;  // of a tile, read at a time by each thread

}  // namespace

HomeTiles::HomeTiles(std::string name, Home home, ElementType type, TileGrid grid,
                     std::vector<std::uint64_t> checksums, std::string stage)
    : name_(std::move(name)),
      stage_(std::move(stage)),
      home_(std::move(home)),
      element_(static_cast<std::int64_t>(size_of(type))),
      grid_(std::move(grid)),
      checksums_(std::move(checksums)),
      states_(static_cast<std::size_t>(grid_.count()), State::unread) {
  if (checksums_.size() != states_.size()) throw Error(name_ + " has not a checksum for each of its tiles");
}

void HomeTiles::read_box(const Box& box, void* buffer, io::Route route) const {
  wait_for([&](io::BlockFile::Done done) {
    home_.file->read_box({home_.offset, grid_.shape(), element_}, box, buffer, std::move(done), route);
  });
}

/// True if the box covers tiles in part.
bool HomeTiles::has_parts(const Box& box) const {
  const Extents& shape = grid_.shape();
  const Extents& tile = grid_.tile_shape();
  for (int d = 0; d < box.rank(); ++d) {
    if (box.begin[d] % tile[d] != 0 || (box.end[d] % tile[d] != 0 && box.end[d] != shape[d])) return true;
  }
  return false;
}

void HomeTiles::read(const Box& box, void* buffer) {
  if (box.empty()) return;
  const bool parts = has_parts(box);
  if (parts) check_parts(box);
  // The check has just brought these tiles into the page cache.
  read_box(box, buffer, parts ? io::Route::page_cache : io::Route::best);
  grid_.for_each_tile(box, [&](std::int64_t tile, const Box& part) {
    if (part.volume() < grid_.box(tile).volume()) return;
    Box inside = part;
    for (int d = 0; d < part.rank(); ++d) {
      inside.begin[d] -= box.begin[d];
      inside.end[d] -= box.begin[d];
    }
    compare(tile, io::checksum_box(buffer, box.shape(), static_cast<std::size_t>(element_), inside));
    set(tile, tile + 1, State::right);
  });
}

/// Checks the tiles that the box covers in part.
void HomeTiles::check_parts(const Box& box) {
  std::int64_t first = 0, last = 0;  // neighbours that have not been checked yet
  grid_.for_each_tile(box, [&](std::int64_t tile, const Box& part) {
    if (part.volume() == grid_.box(tile).volume()) return;
    if (tile != last || tile == io::end_of_tile_group(grid_, first)) {
      check(first, last);
      first = tile;
    }
    last = tile + 1;
  });
  check(first, last);
}

bool HomeTiles::is_rest(const std::vector<std::uint64_t>& earlier, std::int64_t tile) const {
  const auto number = static_cast<std::size_t>(tile);
  return number < earlier.size() && earlier[number] != 0 && states_[number] != State::right;
}

std::int64_t HomeTiles::rest_bytes(const std::vector<std::uint64_t>& earlier) const {
  std::int64_t bytes = 0;
  for (std::int64_t tile = 0; tile < grid_.count(); ++tile) {
    if (is_rest(earlier, tile)) bytes += grid_.box(tile).volume() * element_;
  }
  return bytes;
}

void HomeTiles::check_rest(const std::vector<std::uint64_t>& earlier,
                           const std::function<void(std::int64_t)>& progress) {
  for (std::int64_t first = 0, last = 0; first < grid_.count(); first = last) {
    last = first + 1;
    if (!is_rest(earlier, first)) continue;
    const std::int64_t end = io::end_of_tile_group(grid_, first);
    while (last < end && is_rest(earlier, last)) ++last;
    const auto found =
        io::checksums_of_tiles(grid_, element_, first, last, [&](std::int64_t offset, std::span<std::byte> piece) {
          wait_for([&](io::BlockFile::Done done) {
            home_.file->read(home_.offset + offset, piece.data(), std::ssize(piece), std::move(done));
          });
          progress(std::ssize(piece));
        });
    for (std::int64_t tile = first; tile < last; ++tile) compare(tile, found[static_cast<std::size_t>(tile - first)]);
    set(first, last, State::right);
  }
}

void HomeTiles::compare(std::int64_t tile, std::uint64_t found) const {
  if (found == checksums_[static_cast<std::size_t>(tile)]) return;
  throw DamagedTile(home_.file->path().string() + ", " + name_, grid_.box(tile), stage_);
}

/// Reads those of the adjacent tiles once more, as a whole, that nobody has, and compares them.
void HomeTiles::check(std::int64_t first, std::int64_t last) {
  while (first < last) {
    const std::int64_t end = claim(first, last);
    if (end > first) read_again(first, end);
    first = std::max(end, first + 1);
  }
}

/// Reads claimed tiles.
void HomeTiles::read_again(std::int64_t first, std::int64_t last) {
  const auto begin = Clock::now();
  std::int64_t bytes = 0;
  try {
    const std::vector<std::uint64_t> found = checksums_at_home(first, last);
    for (std::int64_t tile = first; tile < last; ++tile) {
      compare(tile, found[static_cast<std::size_t>(tile - first)]);
      bytes += grid_.box(tile).volume() * element_;
    }
  } catch (...) {
    set(first, last, State::unread);
    throw;
  }
  set(first, last, State::right);
  const std::lock_guard lock(mutex_);
  if (rereads_.bytes == 0) rereads_.begin = begin;
  rereads_.begin = std::min(rereads_.begin, begin);
  rereads_.end = std::max(rereads_.end, Clock::now());
  rereads_.bytes += bytes;
}

/// Through the page cache: parts of the tiles are read next.
std::vector<std::uint64_t> HomeTiles::checksums_at_home(std::int64_t first, std::int64_t last) const {
  const Box tiles{grid_.box(first).begin, grid_.box(last - 1).end};
  const TileGrid bands = bands_of(tiles.shape(), std::max<std::int64_t>(1, band_bytes / element_));
  std::vector<std::byte> buffer(static_cast<std::size_t>(volume(bands.tile_shape()) * element_));
  io::TileRowChecksums sums(grid_, element_, first, last);
  for (std::int64_t number = 0; number < bands.count(); ++number) {
    Box band = bands.box(number);
    for (int d = 0; d < band.rank(); ++d) {
      band.begin[d] += tiles.begin[d];
      band.end[d] += tiles.begin[d];
    }
    read_box(band, buffer.data(), io::Route::page_cache);
    sums.add(std::span(buffer).first(static_cast<std::size_t>(band.volume() * element_)));
  }
  return sums.values();
}

HomeTiles::Rereads HomeTiles::take_rereads() {
  const std::lock_guard lock(mutex_);
  return std::exchange(rereads_, {});
}

/// Claims tiles from `first` on for the caller, who must read them; waits while another thread reads the first.
/// @return one past the last of them, `last` at most; `first` if that one need not be read
std::int64_t HomeTiles::claim(std::int64_t first, std::int64_t last) {
  const auto state = [this](std::int64_t tile) -> State& { return states_[static_cast<std::size_t>(tile)]; };
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return state(first) != State::being_read; });
  std::int64_t end = first;
  for (; end < last && state(end) == State::unread; ++end) state(end) = State::being_read;
  return end;
}

void HomeTiles::set(std::int64_t first, std::int64_t last, State state) {
  {
    const std::lock_guard lock(mutex_);
    std::fill(states_.begin() + first, states_.begin() + last, state);
  }
  changed_.notify_all();
}

}  // namespace terrace::run
