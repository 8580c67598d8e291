#include "kernels/graph/cuda/rooms.hpp"

#include <algorithm>

#include "kernels/device/memory.hpp"
#include "kernels/graph/carry.hpp"
#include "kernels/graph/cuda/iteration_steps.hpp"
#include "kernels/graph/iteration.hpp"
#include "kernels/graph/slabs.hpp"

namespace terrace::graph {
namespace {

/// Slabs in a row that are looked at.
constexpr i64 looked_at = 256;

struct Room {
  std::size_t begin, end;
  int value;
};

/// The value of rooms beside an iteration.
constexpr int beside = -1;

/// The first place that is free for so many bytes. @param rooms that are taken, ascending
std::size_t free_place(const std::vector<Room>& rooms, std::size_t bytes) {
  std::size_t place = 0;
  for (const Room& room : rooms) {
    if (place + bytes <= room.begin) return place;
    place = room.end;
  }
  return place;
}

/// True if all arrays have as many rows.
bool have_equal_rows(const Graph& graph) {
  for (int value = 1; value < graph.values(); ++value) {
    if (graph.shape(value).rows != graph.shape(0).rows) return false;
  }
  return true;
}

/// True if some of the rows are the first or the last one of their array.
bool touch_ends(const Graph& graph, const std::vector<Rows>& needed) {
  for (int value = 0; value < graph.values(); ++value) {
    const std::vector<Range>& ranges = needed[static_cast<std::size_t>(value)].ranges();
    if (!ranges.empty() && (ranges.front().begin == 0 || ranges.back().end == graph.shape(value).rows)) return true;
  }
  return false;
}

}  // namespace

Lifetimes lifetimes_of(const Graph& graph) {
  Lifetimes made{last_readers(graph), {}, std::vector<bool>(static_cast<std::size_t>(graph.values()), true)};
  for (int value = 0; value < graph.values(); ++value) {
    made.has_memory.push_back(graph.is_node(value) ||
                              graph.inputs[static_cast<std::size_t>(value)].type != graph.type);
  }
  return made;
}

ValueRooms rooms_of(const GraphSpec& spec, const std::vector<Rows>& needed, const Lifetimes& lifetimes) {
  const Graph& graph = *spec.graph;
  const std::vector<int> carriers = carriers_of(spec);
  ValueRooms made;
  made.at.resize(needed.size());
  made.beside.resize(needed.size());
  std::vector<Room> taken;
  const auto take = [&](int value, std::size_t bytes) {
    const std::size_t place = free_place(taken, bytes);
    taken.insert(std::ranges::upper_bound(taken, place, {}, &Room::begin), {place, place + bytes, value});
    made.bytes = std::max(made.bytes, place + bytes);
    return place;
  };
  const auto take_room = [&](int value) {
    const auto number = static_cast<std::size_t>(value);
    const i64 cells = needed[number].size() * graph.shape(value).columns;
    if (cells == 0 || !lifetimes.has_memory[number]) return;
    made.at[number] = take(value, device::aligned_bytes(static_cast<std::size_t>(cells) * size_of(graph.type)));
  };
  int states_until = 0;
  for (int value = 0; value < graph.values(); ++value) {
    const auto number = static_cast<std::size_t>(value);
    if (value >= states_until) take_room(value);
    // All states of an iteration are made at the first one.
    if (const int states = nodes_of_iteration(graph, value); states > 0 && value >= states_until) {
      states_until = value + states;
      for (int state = value + 1; state < states_until; ++state) take_room(state);
      const i64 pass_steps = carrier_of(graph, carriers, value) ? spec.pass_steps : 0;
      const Iteration& iteration = *graph.node(value).settings.iteration;
      const std::size_t bytes = memory_of(iteration, needed[number], pass_steps, lifetimes.has_body[number]).bytes;
      if (bytes > 0) {
        made.beside[number] = take(beside, bytes);
        std::erase_if(taken, [](const Room& room) { return room.value == beside; });
      }
    }
    if (!graph.is_node(value)) continue;
    std::erase_if(taken,
                  [&](const Room& room) { return lifetimes.last[static_cast<std::size_t>(room.value)] == value; });
  }
  return made;
}

std::size_t most_room_bytes(const GraphSpec& spec, const Lifetimes& lifetimes) {
  const i64 slabs = slabs_of(spec);
  std::size_t most = 0;
  // Counts a slab; true if it needs the first or the last row of some array.
  const auto look_at = [&](i64 slab) {
    const std::vector<Rows> needed = rows_needed(spec, slab);
    most = std::max(most, rooms_of(spec, needed, lifetimes).bytes);
    return touch_ends(*spec.graph, needed);
  };
  if (have_equal_rows(*spec.graph)) {
    // Slabs away from both ends need the same rows, only further down.
    i64 first = 0, end = slabs;
    while (first < std::min(slabs, looked_at) && look_at(first)) ++first;
    while (end > std::max(first, slabs - looked_at) && look_at(end - 1)) --end;
    if (first == looked_at && end > first) look_at((first + end) / 2);
    return most;
  }
  const auto look_at_all = [&](i64 first, i64 end) {
    for (i64 slab = first; slab < end; ++slab) look_at(slab);
  };
  if (slabs <= 3 * looked_at) {
    look_at_all(0, slabs);
  } else {
    look_at_all(0, looked_at);
    look_at_all(slabs / 2, slabs / 2 + looked_at);
    look_at_all(slabs - looked_at, slabs);
  }
  return most;
}

}  // namespace terrace::graph
