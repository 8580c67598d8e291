#include "pipeline/run/home_tiles.hpp"

#include <algorithm>
#include <future>
#include <span>
#include <utility>

#include "io/files/checksum.hpp"
#include "io/files/tile_checksums.hpp"
#include "pipeline/base/bands.hpp"

namespace terrace::run {
namespace {

constexpr std::int64_t band_bytes = 1 << 20;  // of a tile, read at a time by each thread

/// Passes `request` a callback for its end, and waits until it is called.
template <class Request>
void wait_for(const Request& request) {
  std::promise<void> there;
  request([&](std::exception_ptr error) {
    if (error) there.set_exception(error);
    else there.set_value();
  });
  there.get_future().get();
}

}  // namespace

HomeTiles::HomeTiles(std::string name, Home home, ElementType type, TileGrid grid,
                     std::vector<std::uint64_t> checksums)
    : name_(std::move(name)),
      home_(std::move(home)),
      element_(static_cast<std::int64_t>(size_of(type))),
      grid_(std::move(grid)),
      checksums_(std::move(checksums)),
      states_(static_cast<std::size_t>(grid_.count()), State::unread) {
  if (checksums_.size() != states_.size()) throw Error(name_ + " has not a checksum for each of its tiles");
}

void HomeTiles::read_box(const Box& box, void* buffer) const {
  wait_for([&](io::BlockFile::Done done) {
    home_.file->read_box({home_.offset, grid_.shape(), element_}, box, buffer, std::move(done));
  });
}

void HomeTiles::read(const Box& box, void* buffer) {
  if (box.empty()) return;
  read_box(box, buffer);
  grid_.for_each_tile(box, [&](std::int64_t tile, const Box& part) {
    if (part.volume() < grid_.box(tile).volume()) {
      check(tile);
      return;
    }
    Box inside = part;
    for (int d = 0; d < part.rank(); ++d) {
      inside.begin[d] -= box.begin[d];
      inside.end[d] -= box.begin[d];
    }
    compare(tile, io::checksum_box(buffer, box.shape(), static_cast<std::size_t>(element_), inside));
    set(tile, State::right);
  });
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
  }
}

void HomeTiles::compare(std::int64_t tile, std::uint64_t found) {
  if (found == checksums_[static_cast<std::size_t>(tile)]) return;
  throw damaged_tile(home_.file->path().string() + ", " + name_, grid_.box(tile));
}

/// Reads the whole tile once more and compares it, unless that has been done.
void HomeTiles::check(std::int64_t tile) {
  if (!claim(tile)) return;
  const Box box = grid_.box(tile);
  const auto begin = Clock::now();
  try {
    compare(tile, checksum_at_home(box));
  } catch (...) {
    set(tile, State::unread);
    throw;
  }
  set(tile, State::right);
  const std::lock_guard lock(mutex_);
  if (rereads_.bytes == 0) rereads_.begin = begin;
  rereads_.begin = std::min(rereads_.begin, begin);
  rereads_.end = std::max(rereads_.end, Clock::now());
  rereads_.bytes += box.volume() * element_;
}

std::uint64_t HomeTiles::checksum_at_home(const Box& tile) const {
  const TileGrid bands = bands_of(tile.shape(), std::max<std::int64_t>(1, band_bytes / element_));
  std::vector<std::byte> buffer(static_cast<std::size_t>(volume(bands.tile_shape()) * element_));
  io::RunningChecksum sum;
  for (std::int64_t number = 0; number < bands.count(); ++number) {
    Box band = bands.box(number);
    for (int d = 0; d < band.rank(); ++d) {
      band.begin[d] += tile.begin[d];
      band.end[d] += tile.begin[d];
    }
    read_box(band, buffer.data());
    sum.add(std::span(buffer).first(static_cast<std::size_t>(band.volume() * element_)));
  }
  return sum.value();
}

HomeTiles::Rereads HomeTiles::take_rereads() {
  const std::lock_guard lock(mutex_);
  return std::exchange(rereads_, {});
}

/// True if the caller must read the tile; waits while another thread reads it.
bool HomeTiles::claim(std::int64_t tile) {
  State& state = states_[static_cast<std::size_t>(tile)];
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return state != State::being_read; });
  if (state == State::right) return false;
  state = State::being_read;
  return true;
}

void HomeTiles::set(std::int64_t tile, State state) {
  {
    const std::lock_guard lock(mutex_);
    states_[static_cast<std::size_t>(tile)] = state;
  }
  changed_.notify_all();
}

}  // namespace terrace::run
