// A slab on the CPU: its sub-passes, and the rows that it takes from the slab above and hands on.
//
// A sub-pass makes a few steps of the whole slab, by tiles on all threads. It reads the rows of a level where they
// are, and writes those of the next level to another place, in turns the workspace and where the block's rows leave:
// so no tile overwrites the halo of another one.
#pragma once

#include <memory>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/memory.hpp"
#include "kernels/stencil/cpu/line.hpp"
#include "kernels/stencil/cpu/tile.hpp"

namespace terrace::stencil {

/// Takes slabs one after another.
template <class T>
class CpuSlabs {
 public:
  CpuSlabs(const CpuPlan<T>& plan, device::CpuContext& context);

  /// Makes the steps of a slab (Work::advance). @return false if it left early
  bool advance(const StencilTask& task, const std::function<bool()>& leave);
  /// The cells that are not finite after the last step, if the task counts them; of Work::count in its rows.
  NotFinite not_finite(const StencilTask& task);

  /// Rows of the workspace of a field: as many as a slab holds of one level.
  static std::int64_t workspace_rows(const StencilSpec& spec);
  static std::int64_t thread_values(const StencilSpec& spec, const TileSizes& sizes);

 private:
  Rows rows_of(const StencilTask& task, int field, i64 level) const;
  SubPass sub_pass(const StencilTask& task, i64 level, i64 depth, bool from, bool to);
  bool make(const SubPass& pass, const std::function<bool()>& leave);
  void hand_on(const StencilTask& task, const SubPass& pass, i64 level);
  void report_changes(const StencilTask& task, const SubPass& pass);
  void copy_back(const StencilTask& task, RowRange rows);
  std::vector<TileRange> tiles_of(const SubPass& pass) const;
  /// The workspace of a field, holding the rows of a level.
  Rows workspace(const StencilTask& task, int field, i64 level);
  template <class Work>
  void for_rows(RowRange rows, const Work& work);

  const CpuPlan<T>& plan_;
  device::ThreadPool& pool_;
  i64 width_;
  std::vector<std::unique_ptr<device::Memory>> workspaces_;
  std::vector<TileWorker<T>> workers_;
  std::vector<LineWorker<T>> lines_;
};

extern template class CpuSlabs<float>;
extern template class CpuSlabs<double>;

}  // namespace terrace::stencil
