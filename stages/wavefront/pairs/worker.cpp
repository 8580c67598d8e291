#include "stages/wavefront/pairs/worker.hpp"

#include <algorithm>
#include <cstring>

#include "kernels/launch/cpu_launch.hpp"
#include "stages/stage_methods.hpp"
#include "stages/wavefront/pairs/aligned_plan.hpp"
#include "stages/wavefront/pairs/plan.hpp"
#include "stages/wavefront/pairs/task.hpp"

namespace terrace::stages {
namespace {

bool sweeps_pairs(const run::Phase& phase) { return kind_of(phase) == PairsPhase::sweep; }

bool copies_pairs(const PairsPlan& plan, const run::Phase& phase) {
  return plan.spec().counts && kind_of(phase) > PairsPhase::compute;
}

/// A new entry; those that kernels need no more go.
template <class Listed>
Listed* add_to(std::list<Listed>& lists) {
  lists.remove_if([](const Listed& listed) { return listed.ended.load(); });
  return &lists.emplace_back();
}

void bind_swept(const PairsPlan& plan, const run::BlockView& view, std::list<pairs::SweptPairs>& lists,
                void* descriptor) {
  const pairs::SweepsTask task = plan.swept_task(view, *add_to(lists));
  std::memcpy(descriptor, &task, sizeof task);
}

}  // namespace

PairsWorker::PairsWorker(const PairsPlan& plan, std::unique_ptr<device::BlockKernel> kernel,
                         std::unique_ptr<device::BlockKernel> sweeps)
    : plan_(plan), kernel_(std::move(kernel)), sweeps_(std::move(sweeps)), copies_(make_copies(plan.spec())) {}

void PairsWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  if (sweeps_pairs(phase)) return bind_swept(plan_, view, swept_, descriptor);
  if (copies_pairs(plan_, phase)) {
    const CopyTask task{add_to(copied_)};
    plan_.list_copies(phase, view, *task.copied);
    std::memcpy(descriptor, &task, sizeof task);
    return;
  }
  pairs::KeptTask task = plan_.task(phase, view);
  if (!plan_.pairs().is_matrix() && plan_.place_of(phase, view.index).step != PairsStep::keep) {
    task.listed = add_to(listed_);
    plan_.list_pairs(phase, view, *task.listed);
  }
  if (task.packed.to == nullptr) {
    if (pairs::KnownScores* known = add_to(known_); plan_.list_known(phase, view, *known)) task.known = known;
    else known->ended = true;
  }
  std::memcpy(descriptor, &task, sizeof task);
}

void PairsWorker::run(const run::Phase& phase, const device::Port& port, int) {
  (sweeps_pairs(phase) ? sweeps_ : copies_pairs(plan_, phase) ? copies_ : kernel_)->run(port);
}

namespace {

std::size_t side_begins_bytes(const PairSide& side) {
  return device::aligned_bytes(static_cast<std::size_t>(side.count() + 1) * sizeof(pairs::i64));
}

/// Copies begins to memory of a device.
void bring_begins(device::Context& context, const PairSide& side, pairs::i64* to) {
  constexpr std::int64_t piece = 1 << 17;
  const std::int64_t count = side.count() + 1;
  const device::Memory host(context, static_cast<std::size_t>(std::min(piece, count)) * sizeof(pairs::i64),
                            device::In::host);
  for (std::int64_t at = 0; at < count; at += piece) {
    const auto bytes = static_cast<std::size_t>(std::min(piece, count - at)) * sizeof(pairs::i64);
    std::memcpy(host.data(), begins_of_items(side, at), bytes);
    context.copy(device::Queue::up, to + at, host.data(), bytes);
    context.record(device::Queue::up)->wait();
  }
}

}  // namespace

std::size_t begins_bytes(const PairSides& sides) {
  return side_begins_bytes(sides.rows) + side_begins_bytes(sides.columns);
}

DevicePairsWorker::DevicePairsWorker(const PairsPlan& plan, device::Context& context)
    : plan_(plan),
      begins_(context, begins_bytes(plan.sides())),
      workspace_(context, plan.definition().method->workspace(plan.spec().pairs, context.limits())),
      row_begin_(begins_.as<pairs::i64>()),
      column_begin_(reinterpret_cast<pairs::i64*>(begins_.as<>() + side_begins_bytes(plan.sides().rows))),
      kernel_(plan.definition().method->make(plan.spec().pairs, context, workspace_.data())) {
  const PairsDefinition& definition = plan.definition();
  if (definition.sweeps != nullptr) {
    sweeps_workspace_ = workspace_for(*definition.sweeps, definition.whole, context);
    sweeps_ = make_kernel(*definition.sweeps, definition.whole, context, sweeps_workspace_.get());
  }
  bring_begins(context, plan.sides().rows, row_begin_);
  bring_begins(context, plan.sides().columns, column_begin_);
}

void DevicePairsWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  if (sweeps_pairs(phase)) return bind_swept(plan_, view, swept_, descriptor);
  const pairs::PairsTask task = plan_.device_task(phase, view, row_begin_, column_begin_);
  std::memcpy(descriptor, &task, sizeof task);
}

void DevicePairsWorker::run(const run::Phase& phase, const device::Port& port, int) {
  (sweeps_pairs(phase) ? sweeps_ : kernel_)->run(port);
}

namespace {

/// The descriptor of a block of cigars.
struct CigarsTask {
  CopiedCigars* copied;
};

class CigarCopies final : public device::BlockKernel {
 public:
  void run(const device::Port& port) override {
    device::compute_in_order<CigarsTask, pairs::AlignmentsResult>(port, [](const CigarsTask& task, auto& result) {
      result.bytes = 0;
      copy(*task.copied);
      task.copied->ended = true;
      return true;
    });
  }

 private:
  static void copy(const CopiedCigars& copied) {
    std::int64_t begin = copied.begin;
    for (std::int64_t at = 0; at < copied.count; ++at) {
      copied.begins[at] = begin;
      if (copied.lengths != nullptr) begin += copied.lengths[at];
    }
    const char* from = copied.cigars;
    for (const auto& [to, bytes] : copied.parts) {
      if (from == nullptr) {
        std::memset(to, 0, static_cast<std::size_t>(bytes));
      } else {
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        from += bytes;
      }
    }
  }
};

}  // namespace

AlignedPairsWorker::AlignedPairsWorker(const AlignedPairsPlan& plan, std::unique_ptr<run::Worker> scores,
                                       std::unique_ptr<device::BlockKernel> kernel)
    : plan_(plan), scores_(std::move(scores)), kernel_(std::move(kernel)), copies_(std::make_unique<CigarCopies>()) {}

AlignedPairsWorker::~AlignedPairsWorker() = default;

void AlignedPairsWorker::bind(const run::Phase& phase, const run::BlockView& view, void* descriptor) const {
  const PairsPhase::Kind kind = kind_of(phase);
  if (kind < PairsPhase::align) return scores_->bind(phase, view, descriptor);
  if (kind == PairsPhase::align) {
    const pairs::AlignmentsTask task = plan_.alignments(phase, view, *add_to(listed_));
    std::memcpy(descriptor, &task, sizeof task);
  } else {
    const CigarsTask task{add_to(copied_)};
    plan_.list_cigars(phase, view, *task.copied);
    std::memcpy(descriptor, &task, sizeof task);
  }
}

void AlignedPairsWorker::run(const run::Phase& phase, const device::Port& port, int attempt) {
  const PairsPhase::Kind kind = kind_of(phase);
  if (kind < PairsPhase::align) scores_->run(phase, port, attempt);
  else (kind == PairsPhase::align ? kernel_ : copies_)->run(port);
}

}  // namespace terrace::stages
