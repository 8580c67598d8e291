// Scores of pairs of two sets as a plan of blocks.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "kernels/pairs/kept.hpp"
#include "kernels/pairs/packed_list.hpp"
#include "kernels/pairs/sweeps.hpp"
#include "pipeline/run/plan.hpp"
#include "stages/wavefront/pairs/copies.hpp"
#include "stages/wavefront/pairs/cut.hpp"
#include "stages/wavefront/pairs/definition.hpp"
#include "stages/wavefront/pairs/found.hpp"
#include "stages/wavefront/pairs/pairs_slot.hpp"
#include "stages/wavefront/pairs/steps.hpp"
#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {

/// Items [begin, end) of a side.
struct ItemRange {
  std::int64_t begin, end;
};

/// The task of a phase.
struct PairsPhase {
  enum Kind : std::int64_t {
    sweep = -1,  // long pairs, before all others
    compute,     // blocks of pairs
    copy,        // what counts of the round before to the list
    fill,        // what is left of the list's last tile
    align,       // alignments of pairs
    cigars,      // cigars of the round before to the result
    end          // what is left of the last tiles of cigars
  };
  std::int64_t kind;
  std::int64_t round;  // of a list of pairs that count, or of alignments
  std::int64_t count;  // entries of the complete list, or of alignments
};

/// The task of a phase; phases without a value compute.
inline PairsPhase::Kind kind_of(const run::Phase& phase) {
  return static_cast<PairsPhase::Kind>(phase.value.as<PairsPhase>().kind);
}

/// A block is a rectangle of the matrix of all pairs, or a range of the list of pairs, and as many blocks of the plan
/// as it has steps (PairsSteps). All blocks are one phase; if a list of the pairs beyond a limit is wanted, a phase
/// for each round and one for its copies (FoundPairs). Long pairs have a phase before these: blocks of few of them
/// write their scores to scratch, from where they are taken when scores are kept.
class PairsPlan : public run::Plan {
 public:
  PairsPlan(PairsDefinition definition, PairsCut cut);

  const std::vector<run::ArraySpec>& arrays() const override { return arrays_; }
  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override { return spec().counts && number > 0; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::int64_t entries(int array, const run::Tally& tally) const override;
  std::string part(const run::Phase& phase) const override;
  int devices(int available) const override { return steps_.on_device() ? available : 0; }
  std::string dealt() const override {
    return steps_.on_device() ? std::to_string(blocks_ + swept_blocks()) + " blocks of pairs" : "";
  }
  bool uses_host() const override { return steps_.count() > 1 || spec().counts || !steps_.on_device(); }
  int device(const run::Phase& phase, std::int64_t index, int devices) const override;
  std::size_t descriptor_bytes() const override { return sizeof(pairs::KeptTask); }
  std::size_t result_bytes() const override { return sizeof(pairs::KeptResult); }
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block; of a list without that list.
  pairs::KeptTask task(const run::Phase& phase, const run::BlockView& view) const;
  /// The descriptor of a block that a device computes. @param row_begin, column_begin where items begin, in its
  /// memory
  pairs::PairsTask device_task(const run::Phase& phase, const run::BlockView& view, const pairs::i64* row_begin,
                               const pairs::i64* column_begin) const;
  /// The pairs of a block of a list, with the items that it sees.
  void list_pairs(const run::Phase& phase, const run::BlockView& view, pairs::ListedPairs& listed) const;
  /// The scores of a block's long pairs. @return false if it has none
  bool list_known(const run::Phase& phase, const run::BlockView& view, pairs::KnownScores& known) const;
  /// The descriptor of a block of long pairs, and these.
  pairs::SweepsTask swept_task(const run::BlockView& view, pairs::SweptPairs& listed) const;
  /// Entries that a block copies to the list.
  void list_copies(const run::Phase& phase, const run::BlockView& view, CopiedPairs& copied) const;

  const PairsDefinition& definition() const { return definition_; }
  const pairs::KeptSpec& spec() const { return definition_.spec; }
  const PairSides& sides() const { return definition_.sides; }
  const Entries& pairs() const { return definition_.entries; }
  const PairsCut& cut() const { return cut_; }
  const PairsSteps& steps() const { return steps_; }
  /// The step and the number of a block in a phase that computes.
  PairsSteps::Place place_of(const run::Phase& phase, std::int64_t index) const {
    return steps_.place(index, phase.count);
  }
  std::int64_t blocks() const { return blocks_; }
  /// Blocks of long pairs.
  std::int64_t swept_blocks() const { return swept_blocks_; }
  /// The pair of that number in a block of a phase that computes.
  ItemPair pair_of(const run::Phase& phase, std::int64_t index, std::int64_t number) const;
  /// Rows of pairs that such a block counts.
  std::int64_t rows_of(const run::Phase& phase, std::int64_t index) const;
  /// Pairs that count of which a list has room for no more.
  std::int64_t most_listed() const;
  /// The pairs found so far; the tally adds to them.
  FoundPairs& found() const { return *found_; }

 protected:
  int add(run::ArraySpec spec);
  const run::ArraySpec& array(int number) const { return arrays_[static_cast<std::size_t>(number)]; }
  int hits() const { return hits_; }
  int list_of_pairs() const { return pairs_; }
  /// Items of a side as runs in ascending order; all of them if they lie in one tile.
  std::vector<ItemRange> runs_of(std::vector<std::int64_t> items, int side) const;
  /// Adds the accesses of runs to a block, and finds them in its view.
  void read_runs(const std::vector<ItemRange>& runs, int side, run::Block& block) const;
  void bind_runs(const std::vector<ItemRange>& runs, int side, const run::BlockView& view,
                 std::vector<pairs::ItemRun>& bound) const;

 private:
  int add_input(const char* name, const PairSide& side, std::int64_t tile);
  int add_result(const char* name, ElementType type, std::int64_t values);
  int add_hits(const char* name, ElementType type);
  /// The hits of a block's rows, as access.
  run::Access hits_of(run::Slot slot, int array, std::int64_t index) const;
  Extents result_shape(std::int64_t values) const;
  Extents result_tile(std::int64_t values) const;
  Box result_box(std::int64_t index, std::int64_t values) const;

  PairsBlock block_of(std::int64_t index) const;
  /// Entries of a block of a list.
  std::int64_t first_entry(std::int64_t index) const { return index * cut_.entries; }
  std::int64_t end_of_entries(std::int64_t index) const;
  std::int64_t pairs_of(std::int64_t number) const;
  /// Adds what a step reads of the items, and of the list.
  void read_pairs(std::int64_t number, PairsStep step, run::Block& block) const;
  /// Adds what is kept of scores.
  void write_kept(const run::Phase& phase, std::int64_t number, run::Block& block) const;
  double cells_of(std::int64_t number) const;
  /// Long pairs [begin, end) of a block of them.
  ItemRange swept_of(std::int64_t index) const;
  std::vector<ItemRange> runs_of_swept(std::int64_t index, int side) const;
  run::Block swept_block(std::int64_t index) const;
  /// Long pairs of each row of a block that has some; a list has one row.
  std::vector<ItemRange> known_of(std::int64_t number) const;
  void read_known(std::int64_t number, run::Block& block) const;
  void add_known();
  /// A side of a packed list.
  pairs::PackedSide packed_side(std::int64_t number, int side) const;
  pairs::PackedPlaces packed_places(std::int64_t number) const;
  bool is_whole_side(int side) const;
  run::Block copies(const run::Phase& phase, std::int64_t index) const;
  void add_list();
  /// The number of a block among all blocks.
  std::int64_t number_of(const run::Phase& phase, std::int64_t index) const;
  std::int64_t rounds() const;
  std::int64_t blocks_of_round(std::int64_t round) const;
  /// Place of a block's scores until they are copied. @param row of the block; -1: all of them
  Box box_in_round(std::int64_t number, std::int64_t row) const;
  run::Access list_part(run::Slot slot, int array, std::int64_t begin, std::int64_t end, std::int64_t values) const;
  /// The items of one side that a block of a list needs.
  std::vector<ItemRange> runs_of_block(std::int64_t index, int side) const;

  PairsDefinition definition_;
  PairsCut cut_;
  PairsSteps steps_;
  std::int64_t across_;  // blocks of a row of blocks, or of a round of a list
  std::int64_t blocks_;
  std::vector<run::ArraySpec> arrays_;
  int rows_ = -1, columns_ = -1, scores_ = -1, ends_ = -1, hits_ = -1, hit_scores_ = -1, pairs_ = -1, round_ = -1;
  int computed_ = -1, computed_ends_ = -1, packed_ = -1, known_scores_ = -1, known_ends_ = -1;
  std::int64_t swept_blocks_ = 0;
  std::shared_ptr<FoundPairs> found_ = std::make_shared<FoundPairs>();
};

}  // namespace terrace::stages
