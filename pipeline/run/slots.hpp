// The table of a stage that binds slots to fields of its kernel's descriptor.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <type_traits>

#include "pipeline/base/error.hpp"
#include "pipeline/run/access.hpp"

namespace terrace::run {

/// A part of an access as a row of the table binds it.
struct SlotPiece {
  const TileView& tile;
  int index;   // of the slot
  int number;  // of the access among those that the block lists with this slot
};

/// The context of rows that need nothing but the descriptor and the part.
struct NoContext {};

/// A row of the table: writes the accesses with the slots (`slot`, 0) to (`slot`, `count` - 1) into the descriptor
/// `Task`. A Context is what the plan knows of the block in addition.
template <class Task, class Context = NoContext>
struct SlotField {
  Slot slot;         // of index 0
  const char* name;  // for messages
  void (*bind)(Task&, const SlotPiece&, const Context&);
  int count = 1;
  bool in_pieces = false;  // a slot may be listed several times, and an access may lie in several tiles
};

namespace detail {

template <class Member>
struct MemberOf;
template <class Task, class T>
struct MemberOf<T Task::*> {
  using Class = Task;
  using Type = T;
};

}  // namespace detail

/// The row that puts the pointer to the access into member `Data` and, if given, its stride of dimension `dimension`
/// into member `Stride`. If `Data` is an array of pointers, the slot's index is the element.
template <auto Data, auto Stride = nullptr, int dimension = 0, class Context = NoContext>
constexpr auto field(Slot slot, const char* name) {
  using Task = typename detail::MemberOf<decltype(Data)>::Class;
  using Member = typename detail::MemberOf<decltype(Data)>::Type;
  const auto bind = [](Task& task, const SlotPiece& piece, const Context&) {
    using Pointer = std::remove_extent_t<Member>;
    const auto data = reinterpret_cast<Pointer>(piece.tile.data);
    if constexpr (std::is_array_v<Member>) (task.*Data)[piece.index] = data;
    else task.*Data = data;
    if constexpr (!std::is_null_pointer_v<decltype(Stride)>) task.*Stride = piece.tile.strides[dimension];
  };
  return SlotField<Task, Context>{slot, name, bind, std::is_array_v<Member> ? int{std::extent_v<Member>} : 1};
}

namespace detail {

/// The number of the access among those with its slot.
inline int number_of(const BlockView& view, const AccessView& access) {
  int number = 0;
  for (const AccessView* other = view.accesses.data(); other != &access; ++other) {
    if (other->slot == access.slot) ++number;
  }
  return number;
}

template <class Task, class Context>
void bind_access(const SlotField<Task, Context>& row, const BlockView& view, const AccessView& access, Task& task,
                 const Context& context) {
  const int number = number_of(view, access);
  const auto fail = [&](const std::string& what) {
    const std::string index = access.slot.index != 0 || row.count > 1 ? ", " + std::to_string(access.slot.index) : "";
    throw Error("block " + std::to_string(view.index) + ": slot " + std::to_string(access.slot.number) + index +
                " ('" + row.name + "') " + what);
  };
  if (access.slot.index < 0 || access.slot.index >= row.count) fail("is beyond the last of that name");
  if (!row.in_pieces && number > 0) fail("is listed twice");
  if (!row.in_pieces && access.tiles.size() != 1) fail("lies in " + std::to_string(access.tiles.size()) + " tiles");
  for (const TileView& tile : access.tiles) row.bind(task, {tile, access.slot.index, number}, context);
}

}  // namespace detail

/// Puts every access that the block lists into the descriptor: row by row of the table, and for a row in the order in
/// which the block lists them. Fields of other slots stay as they are.
/// @throws Error if the table has no row for a slot or its index, or if, of a row that is not in pieces, two accesses
/// have the same slot, or an access lies in several tiles and is not contiguous
template <class Task, class Context, std::size_t rows>
void bind_slots(const SlotField<Task, Context> (&table)[rows], const BlockView& view, Task& task,
                const Context& context) {
  std::size_t bound = 0;
  for (const SlotField<Task, Context>& row : table) {
    for (const AccessView& access : view.accesses) {
      if (access.slot.number != row.slot.number) continue;
      detail::bind_access(row, view, access, task, context);
      ++bound;
    }
  }
  if (bound == view.accesses.size()) return;
  for (const AccessView& access : view.accesses) {
    const auto binds = [&](const auto& row) { return row.slot.number == access.slot.number; };
    if (std::any_of(std::begin(table), std::end(table), binds)) continue;
    throw Error("block " + std::to_string(view.index) + ": slot " + std::to_string(access.slot.number) +
                " is no field of the kernel's descriptor");
  }
}
template <class Task, std::size_t rows>
void bind_slots(const SlotField<Task> (&table)[rows], const BlockView& view, Task& task) {
  bind_slots(table, view, task, NoContext{});
}

}  // namespace terrace::run
