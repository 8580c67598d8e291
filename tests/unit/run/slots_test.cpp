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

namespace {

enum class Part { above, own, output };

/// The rows that pieces of a grid hold, and the first value of each output.
struct PiecesTask {
  int pieces = 0;
  std::int64_t begin[4] = {};
  const std::byte* data[4] = {};
  float* outputs[3] = {};
};

/// The numbers to add to the rows of `own`, an access each.
using Shifts = std::vector<std::int64_t>;

void add_rows(PiecesTask& task, const run::SlotPiece& piece, const Shifts& shifts) {
  const std::int64_t shift = shifts.empty() ? 0 : shifts.at(static_cast<std::size_t>(piece.number));
  task.begin[task.pieces] = piece.tile.box.begin[0] + shift;
  task.data[task.pieces++] = piece.tile.data;
}

constexpr run::SlotField<PiecesTask, Shifts> piece_slots[] = {
    {Part::above, "above", add_rows},
    {.slot = Part::own, .name = "own", .bind = add_rows, .in_pieces = true},
    run::field<&PiecesTask::outputs, nullptr, 0, Shifts>(Part::output, "output"),
};

run::TileView rows_from(std::int64_t row, int element) { return {{{row}, {row + 1}}, at(element), {1}}; }

PiecesTask pieces_of(const run::BlockView& view, const Shifts& shifts = {}) {
  PiecesTask task;
  run::bind_slots(piece_slots, view, task, shifts);
  return task;
}

}  // namespace

TEST_CASE("The index of a slot is the element of an array of pointers") {
  const PiecesTask task =
      pieces_of(block({{{Part::output, 2}, {rows_from(0, 7)}}, {{Part::output, 0}, {rows_from(0, 5)}}}));
  CHECK(task.outputs[0] == &values[5]);
  CHECK(task.outputs[1] == nullptr);
  CHECK(task.outputs[2] == &values[7]);
}

TEST_CASE("Pieces are bound in the order of the table, those of a row in the order of the block") {
  const auto view = block({{Part::own, {rows_from(4, 4), rows_from(5, 5)}},
                           {Part::above, {rows_from(3, 3)}},
                           {Part::own, {rows_from(0, 6)}}});
  const PiecesTask task = pieces_of(view);
  REQUIRE(task.pieces == 4);
  for (int n = 0; n < 4; ++n) CHECK(task.data[n] == at(3 + n));
  CHECK(task.begin[3] == 0);
}

TEST_CASE("A piece has the number of its access among those with its slot, and what the plan knows of the block") {
  const auto view = block({{Part::own, {rows_from(4, 4), rows_from(5, 5)}}, {Part::own, {rows_from(0, 6)}}});
  const PiecesTask task = pieces_of(view, {0, 6});
  REQUIRE(task.pieces == 3);
  CHECK(task.begin[0] == 4);
  CHECK(task.begin[1] == 5);
  CHECK(task.begin[2] == 6);
}

TEST_CASE("An index that the table does not have fails") {
  CHECK_THROWS_WITH(pieces_of(block({{{Part::output, 3}, {rows_from(0, 5)}}})),
                    "block 17: slot 2, 3 ('output') is beyond the last of that name");
  CHECK_THROWS_WITH(pieces_of(block({{{Part::own, 1}, {rows_from(0, 5)}}})),
                    "block 17: slot 1, 1 ('own') is beyond the last of that name");
}

TEST_CASE("Slots of one name and different indices are different") {
  const auto view = block({{{Part::output, 1}, {rows_from(0, 5)}}, {{Part::output, 2}, {rows_from(0, 6)}}});
  REQUIRE(view.find({Part::output, 2}) != nullptr);
  CHECK(view.find({Part::output, 2})->tiles[0].data == at(6));
  CHECK(view.find(Part::output) == nullptr);
  const auto twice = block({{{Part::output, 1}, {rows_from(0, 5)}}, {{Part::output, 1}, {rows_from(0, 6)}}});
  CHECK_THROWS_WITH(pieces_of(twice), "block 17: slot 2, 1 ('output') is listed twice");
}
