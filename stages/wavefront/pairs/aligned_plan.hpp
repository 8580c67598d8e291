// Alignments of pairs, after their scores.
#pragma once

#include <memory>

#include "kernels/pairs/alignments.hpp"
#include "stages/wavefront/pairs/cigars.hpp"
#include "stages/wavefront/pairs/plan.hpp"

namespace terrace::stages {

/// Cigars that a block copies: those of one block of alignments to a part of the list of all, and where each
/// begins. Without cigars the parts are filled with zeros.
struct CopiedCigars {
  std::int64_t begin = 0;                 // of the first one in the list
  const std::int64_t* lengths = nullptr;  // of each; null: all begin there
  const char* cigars = nullptr;
  std::vector<std::pair<char*, std::int64_t>> parts;  // of the list, with their bytes
  std::int64_t* begins = nullptr;                     // null: not written
  std::int64_t count = 0;                             // of begins
  std::atomic<bool> ended{false};                     // the kernel needs it no more
};

/// The phases of PairsPlan, then rounds of blocks of alignments, each followed by copies of their cigars.
class AlignedPairsPlan : public PairsPlan {
 public:
  AlignedPairsPlan(PairsDefinition definition, PairsCut cut);

  std::optional<run::Phase> phase(std::int64_t number, const run::Tally& tally) const override;
  bool depends_on_results(std::int64_t number) const override { return number > 0; }
  run::Block block(const run::Phase& phase, std::int64_t index) const override;
  std::int64_t entries(int array, const run::Tally& tally) const override;
  std::string part(const run::Phase& phase) const override;
  bool uses_host() const override { return true; }
  std::size_t descriptor_bytes() const override;
  std::unique_ptr<run::Worker> make_worker(device::Context& context) const override;

  /// The descriptor of a block of alignments, and its list of pairs.
  pairs::AlignmentsTask alignments(const run::Phase& phase, const run::BlockView& view,
                                   pairs::ListedPairs& listed) const;
  void list_cigars(const run::Phase& phase, const run::BlockView& view, CopiedCigars& copied) const;

  /// Progress of alignments; the tally adds to it.
  CigarRounds& cigars() const { return *cigars_; }
  /// The most bytes of all cigars that a result holds.
  std::int64_t most_cigars() const;

 private:
  /// The most bytes of the cigar of any pair.
  std::int64_t most_cigar_bytes() const;
  /// Alignments in all, once their pairs are known.
  std::int64_t total() const;
  std::int64_t blocks_of_all() const;
  std::int64_t blocks_of(std::int64_t round) const;
  /// Alignments of a block, those behind the last one among them as far as results have room.
  ItemRange entries_of(std::int64_t number) const;
  std::int64_t listed_of(std::int64_t number) const;
  Extents aligned_shape(std::int64_t entries, std::int64_t values) const;
  Box aligned_box(const ItemRange& entries, std::int64_t values) const;
  int add_aligned(const char* name, ElementType type, std::int64_t values);
  run::Block aligned_block(const run::Phase& phase, std::int64_t index) const;
  run::Block copied_block(const run::Phase& phase, std::int64_t index) const;
  run::Block last_block() const;
  /// The pairs of a block whose pairs are known before the run.
  std::vector<ItemPair> known_pairs(std::int64_t number) const;
  std::vector<ItemRange> runs_of_pairs(std::int64_t number, int side) const;

  std::int64_t most_;        // alignments that results have room for
  std::int64_t cigar_room_;  // bytes of the cigars of a block
  int starts_, ends_of_, identities_, begins_, cigar_list_, lengths_, round_cigars_;
  std::shared_ptr<CigarRounds> cigars_ = std::make_shared<CigarRounds>();
};

}  // namespace terrace::stages
