// Memory for the values of a slab, used again and again: fresh pages cost more than what is computed in them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace terrace::graph {

/// Memory in pieces. The values that live at a time take 1 + `spare` times their own memory at most.
class Rooms {
 public:
  static constexpr double spare = 0.25;

  struct Room {
    std::unique_ptr<std::byte[]> data;
    std::size_t size = 0;
  };

  /// @param most bytes of the values that live at a time
  explicit Rooms(std::size_t most) : most_(with_spare(most)) {}

  /// A number of bytes with the part that may be spare.
  static std::size_t with_spare(std::size_t bytes) {
    return bytes + static_cast<std::size_t>(static_cast<double>(bytes) * spare);
  }

  /// Room for so many bytes, whose values are not known.
  Room take(std::size_t size) {
    const auto fits = [&](const Room& room) { return room.size >= size && room.size <= with_spare(size); };
    const auto found = std::ranges::find_if(free_, fits);
    if (found != free_.end()) {
      std::swap(*found, free_.back());
      Room room = std::move(free_.back());
      free_.pop_back();
      return room;
    }
    if (all_ + size > most_) clear();
    all_ += size;
    return {std::make_unique_for_overwrite<std::byte[]>(size), size};
  }
  void give(Room room) {
    if (room.data) free_.push_back(std::move(room));
  }

 private:
  void clear() {
    for (const Room& room : free_) all_ -= room.size;
    free_.clear();
  }

  std::size_t most_, all_ = 0;
  std::vector<Room> free_;
};

}  // namespace terrace::graph
