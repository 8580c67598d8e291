// A stencil as a plan of blocks.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/methods.hpp"
#include "kernels/stencil/stencil.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/compiled_method.hpp"
#include "stages/stencil/tally.hpp"
#include "stages/stencil/timeline.hpp"

namespace terrace::stages {

/// The arrays that a stencil reads, of one shape, in the type of the grid.
struct StencilInputs {
  Extents shape;
  std::vector<std::string> names;  // of the fields
  std::vector<std::shared_ptr<io::Source>> fields;
  std::vector<std::shared_ptr<io::Source>> arrays;  // constant ones, by number
};

/// Rows of the grid, and the number to add to them for the rows that a slab counts.
struct RowPiece {
  stencil::RowRange rows;
  std::int64_t shift;
};

/// A tile of the grid has rows of a slab: generation 0 is the input, and a pass makes one generation of each tile.
///
/// If each part is one slab, the slab updates its tiles in place. Rims of parts are arrays that a phase before the
/// pass fills; the slabs beside them update them.
///
/// Else slabs follow one another (kernels/stencil/cut.hpp): a slab reads the rows that it takes from tiles of the
/// generation before the pass, and writes the tiles that it leaves. Those of a slab that leaves none are a room of
/// its own, in which its levels are made, and which nobody reads. Slabs of a part hand on a carry
/// (kernels/stencil/task.hpp), an array that the very first one writes and all others update.
///
/// The values of receivers of a pass are an array too, the traces: the slabs of a part write those that they make,
/// one slab after another, and a phase after the pass brings those of all parts to the dataset.
class StencilPlan : public run::Plan {
 public:
  StencilPlan(const stencil::StencilMethod& method, stencil::StencilSpec spec, StencilEvents events,
              StencilInputs inputs);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override;
  std::int64_t entries(int array, const run::Tally& tally) const override;
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::string part(const run::Phase& phase) const override;
  int devices(int available) const override;
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::string dealt() const override;
  std::size_t descriptor_bytes() const override { return sizeof(stencil::StencilTask); }
  std::size_t result_bytes() const override { return sizeof(stencil::StencilResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block.
  stencil::StencilTask task(const run::Phase& phase, const run::BlockView& view) const;

  const CompiledMethod<stencil::StencilSpec>& compiled_method() const { return method_; }
  const stencil::StencilMethod& method() const { return method_.method(); }
  const stencil::StencilSpec& spec() const { return spec_; }
  const StencilEvents& events() const { return events_; }
  const Timeline& timeline() const { return timeline_; }
  const stencil::Cut& cut() const { return cut_; }
  /// Blocks of a phase that adds up changes.
  std::int64_t total_blocks() const;
  /// True if the array of that number in arrays() holds snapshots.
  bool is_snapshots(int array) const { return snapshots_ >= 0 && array >= snapshots_; }
  bool is_receivers(int array) const { return receivers_ >= 0 && array == receivers_; }
  /// The steps after which the finished stage has recorded receivers.
  std::vector<std::int64_t> receiver_times(const StencilTally& tally) const;
  /// Steps that the finished stage has made.
  std::int64_t steps_made(const StencilTally& tally) const;

 private:
  int add(run::ArraySpec array);
  void add_grid(StencilInputs& inputs);
  void add_between_slabs();
  void add_results();
  void add_receivers();
  std::size_t fields() const { return fields_; }

  StencilPhase value_of(const run::Phase& phase) const { return phase.value.as<StencilPhase>(); }
  /// The box of rows in an array of the grid's shape.
  Box rows_box(stencil::RowRange rows) const;
  /// Rows of constant arrays that a slab needs, as pieces inside the grid.
  std::vector<RowPiece> array_pieces(const stencil::Slab& slab, std::int64_t steps) const;
  std::vector<RowPiece> pieces_of(stencil::RowRange rows) const;

  void add_slab(const StencilPhase& phase, const stencil::Slab& slab, run::Block& block) const;
  void add_rows_in_place(const StencilPhase& phase, const stencil::Slab& slab, run::Block& block) const;
  void add_rows_of_stream(const StencilPhase& phase, const stencil::Slab& slab, run::Block& block) const;
  void add_handed_on(run::Slot slot, int array, const StencilPhase& phase, const stencil::Slab& slab,
                     run::Block& block) const;
  void add_record(const StencilPhase& phase, std::int64_t index, std::vector<run::Access>& accesses) const;
  /// The times that block `index` of a phase that records brings to a tile of the dataset of receivers.
  stencil::RowRange recorded_times(const StencilPhase& phase, std::int64_t index) const;
  std::int64_t record_blocks(const StencilPhase& phase) const;
  /// The generation of the traces after so many passes, of all parts alike: a slab makes one, and the last one of a
  /// part the pass's last.
  std::int64_t traces_generation(std::int64_t passes) const { return passes * cut_.most_turns(); }
  void add_rim(const StencilPhase& phase, std::int64_t index, std::vector<run::Access>& accesses) const;
  /// The rim that block `index` of a phase of rims copies: above or below a part.
  stencil::RowRange rim_of(std::int64_t index, std::int64_t steps) const;
  Box rim_tile(std::int64_t index) const;
  Box changes_tile(std::int64_t index) const;

  mutable CompiledMethod<stencil::StencilSpec> method_;
  stencil::StencilSpec spec_;
  StencilEvents events_;
  stencil::Cut cut_;
  Timeline timeline_;
  std::size_t fields_;
  std::vector<run::ArraySpec> arrays_;
  int first_array_ = -1, carry_ = -1, room_ = -1, rims_ = -1, changes_ = -1, snapshots_ = -1;  // of field 0
  int traces_ = -1, receivers_ = -1;
};

}  // namespace terrace::stages
