#include "kernels/stencil/cpu/sweep.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <optional>

#include "kernels/device/cpu_context.hpp"
#include "kernels/device/for_instruction_set.hpp"
#include "kernels/launch/cpu_launch.hpp"
#include "kernels/stencil/compiled.hpp"
#include "kernels/stencil/constants.hpp"
#include "kernels/stencil/cpu/compiled.hpp"
#include "kernels/stencil/cpu/slab.hpp"
#include "kernels/stencil/cut.hpp"
#include "kernels/stencil/visit.hpp"
#include "kernels/stencil/written_base.hpp"

namespace terrace::stencil {
namespace {

using device::InstructionSet;

RowKernels kernels_for(InstructionSet set, int formula) {
  return device::for_instruction_set(set, sse2::row_kernels, avx2::row_kernels, avx512::row_kernels)(formula);
}

BlockKernels block_kernels_for(InstructionSet set, int formula, int pattern) {
  return device::for_instruction_set(set, sse2::block_kernels, avx2::block_kernels, avx512::block_kernels)(formula,
                                                                                                           pattern);
}

/// The number in Patterns of the offsets of a sum, or -1.
template <class T>
int pattern_of(const std::vector<Term<T>>& terms, const StencilSpec& spec) {
  const Terms<T> all{terms.data(), static_cast<i32>(terms.size())};
  const int number =
      Patterns::find([&]<class P>(P) { return P::is_product == spec.separable && P::fits(all, spec.rank); });
  return number == Patterns::size ? -1 : number;
}

/// Operands as the kernels read them: terms of grids of one dimension along the last axis.
template <class T>
Operands<T> operands_of(const StencilSpec& spec) {
  Operands<T> operands(spec);
  if (spec.rank == 1) {
    for (Term<T>& term : operands.terms) std::swap(term.offset[0], term.offset[2]);
  }
  return operands;
}

/// @param compiled kernels of the formulas that a job writes; null: they are not compiled
template <class T>
CpuPlan<T> plan_for(const StencilSpec& spec, const Operands<T>& operands, InstructionSet set,
                    const CompiledKernels<T>* compiled) {
  CpuPlan<T> plan{};
  plan.spec = spec;
  plan.sizes = tile_sizes(spec, compiled != nullptr);
  plan.axis = spec.axis();
  plan.radius = spec.radius;
  plan.middle = spec.rank == 3 ? spec.radius : 0;
  plan.terms = operands.terms.size();
  if (spec.points) plan.points = std::make_shared<const CpuPoints<T>>(spec);
  const RowKernels kernels = kernels_for(set, formula_of(spec));
  if constexpr (sizeof(T) == 4) plan.kernels = kernels.f32;
  else plan.kernels = kernels.f64;
  if (compiled != nullptr) {
    plan.kernels.make_row = compiled->make_row;
    plan.block_kernels = compiled->blocks;
    plan.own_faces = spec.written->own_faces;
    plan.fields = spec.fields();
    plan.additions = additions_of<WrittenFormula, T>(spec);
    const typename WrittenBase<1>::Constants<T> constants{operands.drive.data(), spec.written->series_steps};
    plan.constants.resize(sizeof constants);
    std::memcpy(plan.constants.data(), &constants, sizeof constants);
    return plan;
  }
  if (spec.written) {
    plan.kernels.make_row = make_written_row<T>;
    plan.written = std::make_shared<const WrittenPlan<T>>(spec, operands.drive.data(), set);
    plan.fields = spec.fields();
    plan.additions = additions_of<WrittenFormula, T>(spec);
    return plan;
  }
  const BlockKernels blocks = block_kernels_for(set, formula_of(spec), pattern_of(operands.terms, spec));
  if constexpr (sizeof(T) == 4) plan.block_kernels = blocks.f32;
  else plan.block_kernels = blocks.f64;
  visit_formula(spec, [&]<class F>(F) {
    plan.fields = spec.fields();
    plan.own_faces = F::own_faces;
    plan.additions = additions_of<F, T>(spec);
    const auto constants =
        F::template constants<T>(ConstantsReader<T>(spec, operands.terms.data(), operands.drive.data()));
    plan.constants.resize(sizeof constants);
    std::memcpy(plan.constants.data(), &constants, sizeof constants);
  });
  return plan;
}

/// Takes blocks one after another, each on all threads.
template <class T>
class CpuStencil : public device::BlockKernel {
 public:
  CpuStencil(const StencilSpec& spec, device::CpuContext& context, InstructionSet set,
             std::optional<CompiledKernels<T>> compiled)
      : compiled_(std::move(compiled)),
        operands_(operands_of<T>(spec)),
        plan_(plan_for<T>(spec, operands_, set, compiled_ ? &*compiled_ : nullptr)),
        slabs_(plan_, context) {}

  void run(const device::Port& port) override {
    device::compute_in_order<StencilTask, StencilResult>(port, [&](const StencilTask& task, StencilResult& result) {
      result = {};
      return compute(task, result, [&] { return device::is_set(*port.abort); });
    });
  }

 private:
  bool compute(const StencilTask& task, StencilResult& result, const std::function<bool()>& leave) {
    switch (task.work) {
      case Work::save:
        save(task);
        return true;
      case Work::record:
        plan_.points->bring(task);
        return true;
      case Work::total:
        result.total = total(task);
        return true;
      case Work::count:
        result.not_finite = slabs_.not_finite(task);
        return true;
      case Work::advance:
        break;
    }
    const bool done = slabs_.advance(task, leave);
    result.not_finite = slabs_.not_finite(task);
    return done;
  }

  void save(const StencilTask& task) const {
    const i64 width = plan_.spec.width();
    for (int f = 0; f < plan_.fields; ++f) {
      for (i64 row = task.row_begin; row < task.row_end; ++row) {
        std::memcpy(task.targets[f].row<T>(row, width), task.fields[f].row<T>(row, width),
                    static_cast<std::size_t>(width) * sizeof(T));
      }
    }
  }

  double total(const StencilTask& task) const {
    const Norm norm = plan_.spec.norm;
    const double* values = task.changes.row<double>(task.row_begin, 1);
    return sum_in_order(task.row_end - task.row_begin, norm,
                        [&](double sum, i64 i) { return joined(sum, values[i], norm); });
  }

  std::optional<CompiledKernels<T>> compiled_;
  Operands<T> operands_;
  CpuPlan<T> plan_;
  CpuSlabs<T> slabs_;
};

device::CpuContext& checked_cpu(const StencilSpec& spec, device::Context& context) {
  check_stencil(spec);
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("stencil", context.limits().name + " is not a CPU");
  return *cpu;
}

/// @param is_compiled formulas that a job writes are
std::size_t bytes_for(const StencilSpec& spec, int threads, bool is_compiled) {
  const TileSizes sizes = tile_sizes(spec, is_compiled);
  const i64 values = spec.fields() * CpuSlabs<double>::workspace_rows(spec) * spec.width() +
                     threads * CpuSlabs<double>::thread_values(spec, sizes);
  const auto rows = static_cast<std::size_t>(std::max(3, spec.fields())) * (17 * 17 + 17 * 20);
  const std::size_t pointers = (spec.terms.size() + rows + 6 * most_arrays + 128) * sizeof(void*);
  const std::size_t written = !spec.written || is_compiled     ? 0
                              : spec.value == ElementType::f32 ? WrittenPlan<float>::bytes(spec, threads)
                                                               : WrittenPlan<double>::bytes(spec, threads);
  const std::size_t points =
      spec.value == ElementType::f32 ? CpuPoints<float>::bytes(spec) : CpuPoints<double>::bytes(spec);
  return static_cast<std::size_t>(values) * size_of(spec.value) + static_cast<std::size_t>(threads) * pointers +
         written + points;
}

}  // namespace

void check_stencil(const StencilSpec& spec) {
  const auto refuse = [](const std::string& why) { throw DeviceError("stencil", why); };
  if (!is_floating(spec.value)) refuse("cells are f32 or f64, not " + std::string(name_of(spec.value)));
  if (spec.rank < 1 || spec.rank > most_rank) refuse("a grid has one to three axes");
  if (spec.radius < 1 || spec.radius > most_radius) {
    refuse("a radius of " + std::to_string(spec.radius) + " is not between 1 and " + std::to_string(most_radius));
  }
  if (spec.arrays > most_arrays) refuse("more than " + std::to_string(most_arrays) + " arrays");
  if (spec.slab_rows < 1 || spec.pass_steps < 1) refuse("a slab has at least one row, and a pass one step");
  if (spec.slab_tiles < 1 || spec.slab_tiles > most_slab_tiles || spec.slab_rows % spec.slab_tiles != 0) {
    refuse("a slab has one to " + std::to_string(most_slab_tiles) + " tiles of equal height");
  }
  bool own_faces = false;
  visit_formula(spec, [&]<class F>(F) { own_faces = F::own_faces; });
  for (const Faces& faces : spec.faces) {
    const bool low = faces.low == Face::periodic, high = faces.high == Face::periodic;
    if (low != high) refuse("one side of an axis is periodic, the other one is not");
    if (low && own_faces) refuse("the faces of " + spec.name + " are not periodic");
  }
  if (const auto fault = schedule_fault(spec)) refuse(fault->why);
  const std::int64_t least = least_slab_rows(spec.radius, 1);
  if (Cut(spec).streams() && spec.slab_rows < least) {
    refuse("slabs of " + std::to_string(spec.slab_rows) + " rows are too low: they need " + std::to_string(least));
  }
  if (!Cut(spec).has_room(spec.arrays)) {
    refuse("passes of " + std::to_string(spec.pass_steps) + " steps are too deep for slabs of " +
           std::to_string(spec.slab_rows) + " rows");
  }
}

std::size_t stencil_cpu_bytes(const StencilSpec& spec, int threads) { return bytes_for(spec, threads, false); }

std::size_t stencil_compiled_bytes(const StencilSpec& spec, int threads) {
  return std::max(bytes_for(spec, threads, false), bytes_for(spec, threads, true));
}

std::unique_ptr<device::BlockKernel> make_stencil_cpu(const StencilSpec& spec, device::Context& context,
                                                      InstructionSet set) {
  device::CpuContext& cpu = checked_cpu(spec, context);
  if (spec.value == ElementType::f32) return std::make_unique<CpuStencil<float>>(spec, cpu, set, std::nullopt);
  return std::make_unique<CpuStencil<double>>(spec, cpu, set, std::nullopt);
}

std::unique_ptr<device::BlockKernel> make_stencil_compiled(const StencilSpec& spec, device::Context& context,
                                                           InstructionSet set) {
  device::CpuContext& cpu = checked_cpu(spec, context);
  compiled::Store* store = context.modules();
  if (store == nullptr) throw compiled::NotCompiled("stencil", "there is no place for kernels of formulas");
  const auto make = [&]<class T>(T) {
    return std::make_unique<CpuStencil<T>>(spec, cpu, set, compiled_kernels<T>(spec, *store, set));
  };
  if (spec.value == ElementType::f32) return make(float{});
  return make(double{});
}

std::unique_ptr<device::BlockKernel> make_stencil_compiled(const StencilSpec& spec, device::Context& context) {
  return make_stencil_compiled(spec, context, device::best_instruction_set());
}

std::unique_ptr<device::BlockKernel> make_stencil_cpu(const StencilSpec& spec, device::Context& context) {
  return make_stencil_cpu(spec, context, device::best_instruction_set());
}

}  // namespace terrace::stencil
