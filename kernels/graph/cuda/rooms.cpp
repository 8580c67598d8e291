#include "kernels/graph/cuda/rooms.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/graph/slabs.hpp"

namespace terrace::graph {
namespace {

/// Slabs in a row that are looked at.
constexpr i64 looked_at = 256;

struct Room {
  std::size_t begin, end;
  int value;
};

/// The first place that is free for so many bytes. @param rooms that are taken, ascending
std::size_t free_place(const std::vector<Room>& rooms, std::size_t bytes) {
  std::size_t place = 0;
  for (const Room& room : rooms) {
    if (place + bytes <= room.begin) return place;
    place = room.end;
  }
  return place;
}

}  // namespace

ValueRooms rooms_of(const Graph& graph, const std::vector<Rows>& needed) {
  const std::vector<int> last = last_readers(graph);
  ValueRooms made;
  made.at.resize(needed.size());
  std::vector<Room> taken;
  for (int value = 0; value < graph.values(); ++value) {
    const auto number = static_cast<std::size_t>(value);
    const i64 cells = needed[number].size() * graph.shape(value).columns;
    const bool has_room = cells > 0 && (graph.is_node(value) || graph.inputs[number].type != graph.type);
    if (has_room) {
      const std::size_t bytes = device::aligned_bytes(static_cast<std::size_t>(cells) * size_of(graph.type));
      const std::size_t place = free_place(taken, bytes);
      const auto after = std::ranges::upper_bound(taken, place, {}, &Room::begin);
      taken.insert(after, {place, place + bytes, value});
      made.at[number] = place;
      made.bytes = std::max(made.bytes, place + bytes);
    }
    if (!graph.is_node(value)) continue;
    std::erase_if(taken, [&](const Room& room) { return last[static_cast<std::size_t>(room.value)] == value; });
  }
  return made;
}

std::size_t most_room_bytes(const GraphSpec& spec) {
  const i64 slabs = slabs_of(spec);
  std::size_t most = 0;
  const auto look_at = [&](i64 first, i64 end) {
    for (i64 slab = first; slab < end; ++slab) {
      most = std::max(most, rooms_of(*spec.graph, rows_needed(spec, slab)).bytes);
    }
  };
  if (slabs <= 3 * looked_at) {
    look_at(0, slabs);
  } else {
    look_at(0, looked_at);
    look_at(slabs / 2, slabs / 2 + looked_at);
    look_at(slabs - looked_at, slabs);
  }
  return most;
}

}  // namespace terrace::graph
