// The worker of a plan of pairs.
#pragma once

#include <list>
#include <memory>

#include "kernels/device/memory.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "kernels/pairs/kept.hpp"
#include "pipeline/run/worker.hpp"
#include "stages/wavefront/pairs/copies.hpp"
#include "stages/wavefront/pairs/sides.hpp"

namespace terrace::stages {

class PairsPlan;
class AlignedPairsPlan;
struct CopiedCigars;

/// Kernels for pairs and for copies, and the lists that blocks receive beside their descriptors.
class PairsWorker : public run::Worker {
 public:
  /// @param plan outlives the worker
  PairsWorker(const PairsPlan& plan, std::unique_ptr<device::BlockKernel> kernel);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  const PairsPlan& plan_;
  std::unique_ptr<device::BlockKernel> kernel_, copies_;
  mutable std::list<pairs::ListedPairs> listed_;  // of blocks that may still be computed
  mutable std::list<CopiedPairs> copied_;         // likewise
};

/// A device's kernel for pairs, with its workspace, and where the items of the sets begin.
class DevicePairsWorker : public run::Worker {
 public:
  /// @param plan outlives the worker
  DevicePairsWorker(const PairsPlan& plan, device::Context& context);

  void bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const override;
  void run(const run::Phase& phase, const device::Port& port, int attempt) override;

 private:
  const PairsPlan& plan_;
  device::Memory begins_, workspace_;  // the workspace outlives the kernel
  pairs::i64 *row_begin_, *column_begin_;
  std::unique_ptr<device::BlockKernel> kernel_;
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
