// The blocks of stencils of one type of values on CUDA, apart from the formula: a block is begun, advanced level by
// level, saved or added up, and reported, by kernels of one stream.
#pragma once

#include <array>
#include <vector>

#include "kernels/launch/cuda_blocks.cuh"
#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cuda/common/launches.hpp"
#include "kernels/stencil/cuda/common/lines.hpp"
#include "kernels/stencil/cuda/points/lists.hpp"
#include "kernels/stencil/stencil.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::stencil {

struct StencilState;

/// The most threads of a thread block whose threads take values in turn, and the most such thread blocks of a launch.
/// Not measured.
inline constexpr i64 value_threads = 256, most_value_blocks = 2048;

/// Threads of a thread block for so many values side by side: whole warps.
constexpr unsigned threads_for(i64 values) {
  return static_cast<unsigned>(values >= value_threads ? value_threads : values < 1 ? 32 : (values + 31) / 32 * 32);
}

/// Offsets of the parts of a kernel's workspace, in bytes. Behind them is what some kernels have in addition, such as
/// the room for points.
struct StencilWorkspace {
  std::size_t terms_at, drive_at, sums_at, sources_at, receivers_at, values_at;
  std::array<std::size_t, most_fields> fields_at;
  std::size_t bytes;
};
StencilWorkspace plan_stencil(const StencilSpec& spec);

/// Some levels of a slab that are made at once.
template <class T>
struct Levels {
  i64 step, count;         // steps made before; steps to make
  RowRange input, output;  // rows of the grid; of a whole periodic grid, input beyond its ends
  bool whole;
  Lines<T> from[most_fields], to[most_fields];
};

/// Defined in the source that the build makes for T (cuda/common/blocks.cu.in).
template <class T>
class StencilBlocks : public device::CudaBlocks<StencilTask, StencilResult> {
  using Blocks = device::CudaBlocks<StencilTask, StencilResult>;

 protected:
  /// Brings the operands into the workspace.
  StencilBlocks(const StencilSpec& spec, device::Context& context, void* workspace, int fields);

  /// The most steps of a slab that are made at once.
  virtual i64 most_levels(const StencilTask&) const { return 1; }
  /// The number of steps of which those that are made at once are best a multiple.
  virtual i64 levels_unit() const { return 1; }
  /// Submits the kernels that make levels; they do nothing unless state()->begun.
  virtual void make_levels(const StencilTask& task, const Levels<T>& levels) = 0;

  /// Submits the kernel that makes the cells around sources again, and records the values of receivers.
  virtual void make_points(const Levels<T>&) { throw DeviceError("stencil", "these kernels take no points"); }

  /// Clears the levels in the workspace.
  void clear_levels() const;

  const StencilSpec& spec() const { return spec_; }
  const Axis& axis() const { return axis_; }
  StencilState* state() const { return static_cast<StencilState*>(workspace_); }
  const Term<T>* terms() const { return at<Term<T>>(plan_.terms_at); }
  const T* drive() const { return at<T>(plan_.drive_at); }
  PointLists<T> points() const;
  using Blocks::stream;
  /// The word of the launch that says, if not 0, that the host wants it to end.
  const device::u64* abort() const { return abort_; }

 private:
  template <class U>
  U* at(std::size_t offset) const {
    return reinterpret_cast<U*>(static_cast<unsigned char*>(workspace_) + offset);
  }

  bool submit(const device::Port& port, device::u64 block, const StencilTask& task) final;
  void compute(const StencilTask& task);
  void advance(const StencilTask& task);
  std::vector<i64> counts_of(const StencilTask& task) const;
  Levels<T> levels_of(const StencilTask& task, const SlabLaunches& all, std::size_t number) const;
  void find_changes(const StencilTask& task, const Levels<T>& levels);
  void clear_carry(const StencilTask& task);
  void hand_on(const StencilTask& task, const SlabLaunches& all, const SlabLaunch& launch, const Levels<T>& levels);
  void save(const StencilTask& task);
  void add_up(const StencilTask& task);
  void record(const StencilTask& task);
  void count_rows(const StencilTask& task);
  void count_lines(const Lines<T> (&lines)[most_fields], RowRange rows);

  RowRange own_rows(const StencilTask& task, i64 level) const;
  RowRange handed_on(const StencilTask& task, const SlabLaunch& launch) const;
  i64 handed_on_begin(const StencilTask& task, const SlabLaunch& launch) const;
  void add_level(Lines<T>& lines, const StencilTask& task, std::size_t field, const SlabLaunches& all,
                 const SlabLaunch& launch, RowRange rows) const;
  void add_own(Lines<T>& lines, const StencilTask& task, std::size_t field, i64 level, RowRange rows,
               bool in_workspace) const;
  void add_carried(Lines<T>& lines, const StencilTask& task, std::size_t field, const SlabLaunches& all,
                   const SlabLaunch& launch, i64 turn, i64 begin, RowRange rows) const;
  /// Copies rows that both have.
  void copy_rows(const Lines<T>& from, const Lines<T>& to);
  void copy_values(const T* from, T* to, i64 count);

  StencilSpec spec_;
  Axis axis_;
  std::size_t fields_;
  StencilWorkspace plan_;
  void* workspace_;
  const device::u64* abort_ = nullptr;
};

}  // namespace terrace::stencil
