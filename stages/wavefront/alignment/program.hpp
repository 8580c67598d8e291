// The best alignment as a program of blocks: a sweep that keeps borders, and the way back.
#pragma once

#include "kernels/wavefront/tracer.hpp"
#include "stages/wavefront/alignment/kept_borders.hpp"
#include "stages/wavefront/alignment/traced_path.hpp"

namespace terrace::stages {

/// Device memory that sweeps and walks need beside their blocks, on CUDA.
struct AlignmentWorkspace {
  std::size_t sweep = 0, walk = 0;
};
AlignmentWorkspace alignment_workspace(const wavefront::SweepSpec& spec, const AlignmentPlan& plan,
                                       const device::Limits& limits);

/// The sweep over the table: `spec` in the blocks of the plan's first level.
wavefront::SweepSpec table_sweep(wavefront::SweepSpec spec, const AlignmentPlan& plan);

/// Phase 0 sweeps the table and keeps the borders of the first level's cells. Then, from the end of the path: a phase
/// that sweeps the box of the next level that the path is in, from borders kept above it and before it up to where
/// the path leaves it, and keeps the borders of its cells; at the last level a phase of one block that walks through
/// the box. On the CPU the sweep of a box is one block. Each phase follows from where the path stands once the
/// earlier ones are folded.
class AlignmentProgram : public WavefrontProgram {
 public:
  /// @param spec as table_sweep gives it
  AlignmentProgram(wavefront::SweepSpec spec, const wavefront::ProblemInfo& problem, const WavefrontInputs& inputs,
                   AlignmentPlan plan);
  ~AlignmentProgram() override;

  std::optional<run::Phase> phase(std::int64_t number) override;
  bool needs_results(std::int64_t number) const override { return number > 0; }
  std::string part(const run::Phase& phase) const override;
  run::Block block(const run::Phase& phase, std::int64_t number, std::int64_t index) const override;
  void open(device::Context& context, int device) override;
  std::size_t descriptor_bytes() const override;
  std::size_t result_bytes() const override { return sizeof(wavefront::TraceResult); }
  void describe(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, std::int64_t number, const device::Port& port, int attempt,
           device::Context& context, int device) override;
  void fold(const run::Phase& phase, std::int64_t number, std::int64_t index, const void* result) override;
  std::string save() const override;
  void load(const std::string& state) override;

  /// Once all phases are folded.
  Alignment alignment() const { return path_.alignment(spec_); }

 private:
  struct Opened;

  /// What a phase does: sweep a box of a level, or walk through one of the last.
  struct Task {
    bool walk = false;
    std::size_t level = 0;
    KeptBox box;
    wavefront::PathPlace place = {};  // where a walk begins
  };
  /// Blocks of the sweep over a box, numbered row-major.
  struct BoxGrid {
    Box box;
    std::int64_t block_rows, block_columns;
    std::int64_t across() const;
    std::int64_t count() const;
    Box block(std::int64_t index) const;
  };
  /// What a block reads and writes beside letters, in the order of its accesses.
  struct BlockBorders {
    std::optional<run::Access> top, left, bottom, right;
  };

  TracedTable table() const { return {spec_, problem_, score_}; }
  Task next_task() const;
  Task task_of(const run::Phase& phase) const;
  BoxGrid grid_of(const Task& task) const;
  /// Whether the task's block is a whole box with the borders inside.
  bool takes_box(const Task& task) const {
    return task.walk || (task.level > 0 && plan_.levels[task.level].whole_box());
  }
  std::optional<run::Access> above(std::size_t level, const Box& cells) const;
  std::optional<run::Access> before(std::size_t level, const Box& cells) const;
  BlockBorders borders_of(const Task& task, const Box& block) const;
  void describe_sweep(const Task& task, const run::BlockView& view, void* descriptor) const;
  void describe_box(const Task& task, const run::BlockView& view, void* descriptor) const;

  AlignmentPlan plan_;
  KeptBorders borders_;
  std::vector<KeptBox> boxes_;  // of each level: the one that was swept last
  TracedPath path_;
  std::vector<std::unique_ptr<Opened>> opened_;  // one a device
};

}  // namespace terrace::stages
