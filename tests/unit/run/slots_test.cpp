// Accesses that a block lists come into the fields of a kernel's descriptor.
#include <catch2/catch.hpp>

#include <array>
#include <string>

#include "pipeline/run/slots.hpp"

using namespace terrace;

namespace {

enum class Slot { x, u, halo, unknown };

struct Task {
  float* x = nullptr;
  std::int64_t x_stride = 0;
  const void* u = nullptr;
  const float* halo = nullptr;
  std::int64_t halo_stride = 0;
  std::int64_t rows = 0;  // of no access
};

constexpr run::SlotField<Task> slots[] = {
    run::field<&Task::x, &Task::x_stride>(Slot::x, "x"),
    run::field<&Task::u>(Slot::u, "u"),
    run::field<&Task::halo, &Task::halo_stride, 1>(Slot::halo, "halo"),
};

std::array<float, 64> values;

std::byte* at(int element) { return reinterpret_cast<std::byte*>(&values[static_cast<std::size_t>(element)]); }

/// A part of a tile from element `element` of `values` on.
run::TileView tile(int element, Extents strides) { return {{{0, 0}, {2, 2}}, at(element), std::move(strides)}; }

run::BlockView block(std::vector<run::AccessView> accesses) { return {17, std::move(accesses)}; }

Task bound(const run::BlockView& view) {
  Task task;
  run::bind_slots(slots, view, task);
  return task;
}

}  // namespace

TEST_CASE("Every access comes into the fields of its slot, in whatever order a block lists them") {
  const Task task =
      bound(block({{Slot::halo, {tile(3, {24, 8})}}, {Slot::u, {tile(5, {7, 1})}}, {Slot::x, {tile(9, {16, 1})}}}));
  CHECK(task.x == &values[9]);
  CHECK(task.x_stride == 16);
  CHECK(task.u == &values[5]);
  CHECK(task.halo == &values[3]);
  CHECK(task.halo_stride == 8);
}

TEST_CASE("Fields of slots that a block does not list stay as they are") {
  const Task none = bound(block({}));
  CHECK(none.x == nullptr);
  CHECK(none.u == nullptr);
  CHECK(none.halo == nullptr);
  Task task;
  task.rows = 5;
  task.halo_stride = 6;
  run::bind_slots(slots, block({{Slot::x, {tile(1, {4, 1})}}}), task);
  CHECK(task.x == &values[1]);
  CHECK(task.u == nullptr);
  CHECK(task.halo == nullptr);
  CHECK(task.halo_stride == 6);
  CHECK(task.rows == 5);
}

TEST_CASE("An access whose slot has no row in the table fails") {
  const auto view = block({{Slot::x, {tile(1, {4, 1})}}, {Slot::unknown, {tile(2, {4, 1})}}});
  CHECK_THROWS_WITH(bound(view), "block 17: slot 3 is no field of the kernel's descriptor");
}

TEST_CASE("A slot that a block lists twice fails") {
  const auto view = block({{Slot::u, {tile(1, {4, 1})}}, {Slot::x, {tile(2, {4, 1})}}, {Slot::u, {tile(3, {4, 1})}}});
  CHECK_THROWS_WITH(bound(view), "block 17: slot 1 ('u') is listed twice");
}

TEST_CASE("An access in several tiles fails, and so does one in none") {
  const auto several = block({{Slot::x, {tile(1, {4, 1}), tile(2, {4, 1})}}});
  CHECK_THROWS_WITH(bound(several), "block 17: slot 0 ('x') lies in 2 tiles");
  CHECK_THROWS_WITH(bound(block({{Slot::halo, {}}})), "block 17: slot 2 ('halo') lies in 0 tiles");
}

TEST_CASE("Accesses are found by their slots") {
  const auto view = block({{Slot::x, {tile(1, {4, 1})}}, {Slot::halo, {tile(2, {4, 1})}}});
  REQUIRE(view.find(Slot::halo) != nullptr);
  CHECK(view.find(Slot::halo)->tiles[0].data == at(2));
  CHECK(view.find(Slot::u) == nullptr);
}
