// The table of a stage that binds slots to fields of its kernel's descriptor.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

#include "pipeline/base/error.hpp"
#include "pipeline/run/access.hpp"

namespace terrace::run {

/// A row of the table: writes the access with that slot into the descriptor `Task`.
template <class Task>
struct SlotField {
  Slot slot;
  const char* name;  // for messages
  void (*bind)(Task&, const TileView&);
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
/// into member `Stride`.
template <auto Data, auto Stride = nullptr, int dimension = 0>
constexpr auto field(Slot slot, const char* name) {
  using Task = typename detail::MemberOf<decltype(Data)>::Class;
  using Pointer = typename detail::MemberOf<decltype(Data)>::Type;
  return SlotField<Task>{slot, name, [](Task& task, const TileView& view) {
                           task.*Data = reinterpret_cast<Pointer>(view.data);
                           if constexpr (!std::is_null_pointer_v<decltype(Stride)>)
                             task.*Stride = view.strides[dimension];
                         }};
}

/// Puts every access that the block lists into the descriptor. Fields of other slots stay as they are.
/// @throws Error if the table has no row for a slot, two accesses have the same one, or an access lies in several
/// tiles and is not contiguous
template <class Task, std::size_t rows>
void bind_slots(const SlotField<Task> (&table)[rows], const BlockView& view, Task& task) {
  const auto fail = [&](Slot slot, const char* name, const std::string& what) {
    throw Error("block " + std::to_string(view.index) + ": slot " + std::to_string(slot.number) +
                (name == nullptr ? "" : std::string(" ('") + name + "')") + " " + what);
  };
  for (const AccessView& access : view.accesses) {
    const SlotField<Task>* row = nullptr;
    for (const SlotField<Task>& candidate : table) {
      if (candidate.slot == access.slot) row = &candidate;
    }
    if (row == nullptr) fail(access.slot, nullptr, "is no field of the kernel's descriptor");
    if (view.find(access.slot) != &access) fail(access.slot, row->name, "is listed twice");
    if (access.tiles.size() != 1) {
      fail(access.slot, row->name, "lies in " + std::to_string(access.tiles.size()) + " tiles");
    }
    row->bind(task, access.tiles.front());
  }
}

}  // namespace terrace::run
