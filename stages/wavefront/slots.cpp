#include "stages/wavefront/slots.hpp"

#include "pipeline/run/slots.hpp"

namespace terrace::stages {
namespace {

using run::field;
using wavefront::BlockTask;
using wavefront::KeptTask;
using Slot = WavefrontSlot;

/// A row for members of KeptTask::block.
template <auto Data, auto Stride = nullptr, int dimension = 0>
constexpr run::SlotField<KeptTask> block_field(Slot slot, const char* name) {
  return {slot, name, [](KeptTask& task, const run::SlotPiece& piece, const run::NoContext& none) {
            field<Data, Stride, dimension>({}, nullptr).bind(task.block, piece, none);
          }};
}

constexpr run::SlotField<KeptTask> sweep_slots[] = {
    block_field<&BlockTask::rows>(Slot::rows, "rows"),
    block_field<&BlockTask::columns>(Slot::columns, "columns"),
    block_field<&BlockTask::grid, &BlockTask::grid_stride>(Slot::grid, "grid"),
    block_field<&BlockTask::top>(Slot::top, "top"),
    block_field<&BlockTask::bottom>(Slot::bottom, "bottom"),
    block_field<&BlockTask::left>(Slot::left, "left"),
    block_field<&BlockTask::right>(Slot::right, "right"),
    block_field<&BlockTask::table, &BlockTask::table_stride>(Slot::table, "table"),
    block_field<&BlockTask::table, &BlockTask::table_stride, 1>(Slot::table_layer, "layer of the table"),
    field<&KeptTask::rows, &KeptTask::row_stride>(Slot::kept_rows, "kept rows"),
    field<&KeptTask::row_gaps, &KeptTask::row_stride>(Slot::kept_row_gaps, "gaps of kept rows"),
    field<&KeptTask::columns, &KeptTask::column_stride>(Slot::kept_columns, "kept columns"),
    field<&KeptTask::column_gaps, &KeptTask::column_stride>(Slot::kept_column_gaps, "gaps of kept columns"),
    field<&KeptTask::rows, &KeptTask::row_stride, 2>(Slot::row_lines, "row lines"),
    field<&KeptTask::columns, &KeptTask::column_stride, 2>(Slot::column_lines, "column lines"),
};

}  // namespace

void bind_sweep(const run::BlockView& view, KeptTask& task) { run::bind_slots(sweep_slots, view, task); }

}  // namespace terrace::stages
