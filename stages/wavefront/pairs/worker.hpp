// The worker of a plan of pairs.
#pragma once

#include <list>
#include <memory>

#include "kernels/device/memory.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/kept.hpp"
#include "kernels/pairs/sweeps.hpp"
#include "pipeline/run/worker.hpp"
#include "stages/wavefront/pairs/copies.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

class PairsPlan;
class AlignedPairsPlan;
struct CopiedCigars;

/// Kernels for pairs, long ones and copies, and the lists that blocks receive beside their descriptors.
class PairsWorker : public run::Worker {
 public:
  /// @param plan outlives the worker
  /// @param sweeps computes long pairs; null: there are none, or a device computes them
  PairsWorker(const PairsPlan& plan, std::unique_ptr<device::BlockKernel> kernel,
              std::unique_ptr<device::BlockKernel> sweeps);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  const PairsPlan& plan_;
  std::unique_ptr<device::BlockKernel> kernel_, sweeps_, copies_;
  mutable std::list<pairs::ListedPairs> listed_;  // of blocks that may still be computed
  mutable std::list<pairs::KnownScores> known_;   // likewise
  mutable std::list<pairs::SweptPairs> swept_;
  mutable std::list<CopiedPairs> copied_;
};

/// A device's kernels for pairs and for long ones, with their workspaces, and where the items of the sets begin.
class DevicePairsWorker : public run::Worker {
 public:
  /// @param plan outlives the worker
  DevicePairsWorker(const PairsPlan& plan, device::Context& context);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  const PairsPlan& plan_;
  device::Memory begins_, workspace_;  // workspaces outlive the kernels
  std::unique_ptr<device::Memory> sweeps_workspace_;
  pairs::i64 *row_begin_, *column_begin_;
  std::unique_ptr<device::BlockKernel> kernel_, sweeps_;
  mutable std::list<pairs::SweptPairs> swept_;  // of blocks that may still be computed
};

/// Bytes of begins that such a worker keeps.
std::size_t begins_bytes(const PairSides& sides);

/// The same as PairsWorker, and kernels for alignments and copies of their cigars.
class AlignedPairsWorker : public run::Worker {
 public:
  AlignedPairsWorker(const AlignedPairsPlan& plan, std::unique_ptr<run::Worker> scores,
                     std::unique_ptr<device::BlockKernel> kernel);
  ~AlignedPairsWorker() override;

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  const AlignedPairsPlan& plan_;
  std::unique_ptr<run::Worker> scores_;
  std::unique_ptr<device::BlockKernel> kernel_, copies_;
  mutable std::list<pairs::ListedPairs> listed_;
  mutable std::list<CopiedCigars> copied_;
};

}  // namespace terrace::stages
