#include "kernels/wavefront/cpu_kept.hpp"

#include <array>

#include "kernels/wavefront/cpu_borders.hpp"
#include "kernels/wavefront/problems.hpp"
#include "kernels/wavefront/window.hpp"

namespace terrace::wavefront {
namespace {

/// Copies borders as a table would store them: beyond the window, where borders are not written, infinite.
class EdgeKeeper {
 public:
  explicit EdgeKeeper(const SweepSpec& spec)
      : border_(spec.border),
        kept_(*spec.kept),
        scale_(static_cast<double>(score_scale(spec.problem, spec.settings))) {
    visit_problem(spec.problem, spec.settings,
                  [&]<class P>(P) { window_ = window_of<P, i64>(problem_constants<P>(spec.settings)); });
    const bool divides = is_floating(kept_) && !is_floating(spec.value);
    if (!divides && !holds_values(kept_, spec.border)) {
      throw DeviceError("make_cpu_sweep", "kept rows of type " + std::string(name_of(kept_)) +
                                              " cannot hold borders of type " + std::string(name_of(spec.border)));
    }
  }

  void keep(const BlockTask& task) const {
    const i64 row = task.row_end - 1, column = task.column_end - 1;
    const Line bottom{task.column_end - task.column_begin, inside(row, task.column_begin, task.column_end)};
    const Line right{task.row_end - task.row_begin, inside(column, task.row_begin, task.row_end)};
    if (task.kept.row) copy(task.bottom, 0, bottom, task.kept.row);
    if (task.kept.row_gaps) copy(task.bottom, task.row_border_stride, bottom, task.kept.row_gaps);
    if (task.kept.column) copy(task.right, 1, right, task.kept.column);
    if (task.kept.column_gaps) copy(task.right, task.column_border_stride + 1, right, task.kept.column_gaps);
  }

 private:
  /// Cells of a row or column of a block, and which of them lie in the window.
  struct Line {
    i64 count;
    ColumnRange inside;
  };

  ColumnRange inside(i64 across, i64 begin, i64 end) const {
    const auto within = [&](i64 at) { return std::clamp(at, begin, end) - begin; };
    return {within(across - window_), within(across + window_ + 1)};
  }

  void copy(const void* border, i64 offset, const Line& line, void* kept) const {
    if (is_floating(border_)) copy_as<double>(border, offset, line, kept);
    else copy_as<i64>(border, offset, line, kept);
  }

  /// @tparam Exact holds every value of a border's type
  template <class Exact>
  void copy_as(const void* border, i64 offset, const Line& line, void* kept) const {
    std::array<Exact, 512> values;
    dispatch(kept_, [&](auto sample) {
      using Stored = decltype(sample);
      auto* to = static_cast<Stored*>(kept);
      std::fill_n(to, line.inside.begin, static_cast<Stored>(infinity));
      for (i64 at = line.inside.begin; at < line.inside.end; at += static_cast<i64>(values.size())) {
        const i64 count = std::min(static_cast<i64>(values.size()), line.inside.end - at);
        read_border(border_, border, offset + at, count, values.data());
        for (i64 i = 0; i < count; ++i)
          to[at + i] = stored_value<Stored>(values[static_cast<std::size_t>(i)], scale_);
      }
      std::fill(to + line.inside.end, to + line.count, static_cast<Stored>(infinity));
    });
  }

  ElementType border_, kept_;
  double scale_;
  i64 window_ = no_window;
};

class KeepingBands : public BandSweeper {
 public:
  KeepingBands(const SweepSpec& spec, std::unique_ptr<BandSweeper> sweeper)
      : keeper_(spec), sweeper_(std::move(sweeper)) {}

  std::int64_t bands(std::int64_t rows) const override { return sweeper_->bands(rows); }
  void open(int slot, const BlockTask& task) override { sweeper_->open(slot, task); }
  bool sweep(Band& band) override { return sweeper_->sweep(band); }
  BlockResult finish(int slot, const BlockTask& task) override {
    keeper_.keep(task);
    return sweeper_->finish(slot, task);
  }

 private:
  EdgeKeeper keeper_;
  std::unique_ptr<BandSweeper> sweeper_;
};

class KeepingWaves : public TileWaveSweeper {
 public:
  KeepingWaves(const SweepSpec& spec, std::unique_ptr<TileWaveSweeper> sweeper)
      : keeper_(spec), sweeper_(std::move(sweeper)) {}

  void open(const BlockTask& task) override {
    task_ = task;
    sweeper_->open(task);
  }
  bool sweep(i64 row, i64 tile) override { return sweeper_->sweep(row, tile); }
  BlockResult finish() override {
    keeper_.keep(task_);
    return sweeper_->finish();
  }

 private:
  EdgeKeeper keeper_;
  BlockTask task_{};
  std::unique_ptr<TileWaveSweeper> sweeper_;
};

}  // namespace

std::unique_ptr<BandSweeper> keep_edges(const SweepSpec& spec, std::unique_ptr<BandSweeper> sweeper) {
  return std::make_unique<KeepingBands>(spec, std::move(sweeper));
}

std::unique_ptr<TileWaveSweeper> keep_edges(const SweepSpec& spec, std::unique_ptr<TileWaveSweeper> sweeper) {
  return std::make_unique<KeepingWaves>(spec, std::move(sweeper));
}

}  // namespace terrace::wavefront
