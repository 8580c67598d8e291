// The tiles of a result array whose stage is complete: read by later stages, and checked.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

#include "pipeline/base/element_type.hpp"
#include "pipeline/run/executor/store.hpp"

namespace terrace::run {

/// Compares all that it reads with the checksums recorded when it was written. A tile that a box covers is compared
/// as it is read; a tile that a box covers in part is read once more as a whole, at the first such box, together with
/// its neighbours in the last dimension that the box covers in part, so that the rows read are as long as they can
/// be.
class HomeTiles {
 public:
  using Clock = std::chrono::steady_clock;
  /// Tiles that were read once more.
  struct Rereads {
    std::int64_t bytes = 0;
    Clock::time_point begin, end;  // of the first, and of the last
  };

  /// @param name for messages: "dataset /align/table"; @param checksums one a tile, in the order of tiles
  /// @param stage that wrote it, for DamagedTile
  HomeTiles(std::string name, Home home, ElementType type, TileGrid grid, std::vector<std::uint64_t> checksums,
            std::string stage = {});

  /// Copies a box into `buffer`, row-major, tightly packed. Blocks until it is there. May be called from several
  /// threads at once. @throws IoError; DamagedTile, naming file, array and tile
  void read(const Box& box, void* buffer);

  /// Returns the rereads since the last call, and starts a new count.
  Rereads take_rereads();

  /// Bytes that `check_rest` would read.
  std::int64_t rest_bytes(const std::vector<std::uint64_t>& earlier) const;
  /// Reads the tiles that nobody has read yet, in the order of the file, with a few MiB of memory.
  /// @param earlier not 0 for these tiles; may be shorter than there are tiles
  /// @param progress called with the bytes that have been read since its last call; it may throw
  /// @throws IoError as above
  void check_rest(const std::vector<std::uint64_t>& earlier, const std::function<void(std::int64_t)>& progress);

 private:
  enum class State : std::uint8_t { unread, being_read, right };

  bool is_rest(const std::vector<std::uint64_t>& earlier, std::int64_t tile) const;
  bool has_parts(const Box& box) const;
  void read_box(const Box& box, void* buffer, io::Route route) const;
  std::vector<std::uint64_t> checksums_at_home(std::int64_t first, std::int64_t last) const;
  void compare(std::int64_t tile, std::uint64_t found) const;
  void check_parts(const Box& box);
  void check(std::int64_t first, std::int64_t last);
  void read_again(std::int64_t first, std::int64_t last);
  std::int64_t claim(std::int64_t first, std::int64_t last);
  void set(std::int64_t first, std::int64_t last, State state);

  std::string name_, stage_;
  Home home_;
  std::int64_t element_;  // bytes
  TileGrid grid_;
  std::vector<std::uint64_t> checksums_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<State> states_;
  Rereads rereads_;
};

}  // namespace terrace::run
