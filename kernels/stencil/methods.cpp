#include "kernels/stencil/methods.hpp"

#include <algorithm>
#include <string_view>

#include "kernels/stencil/compiled.hpp"
#include "kernels/stencil/costs.hpp"
#include "kernels/stencil/cpu/sizes.hpp"

namespace terrace::stencil {
namespace {

using device::Backend;
using device::Limits;

device::Cost cpu_cost(const StencilSpec& spec, const Limits& limits, double steps) {
  const double usual = spec.rank == 3 ? measured::cpu_line_of_volume : measured::cpu_line;
  const double shorter = 1 / static_cast<double>(std::max<std::int64_t>(1, spec.extents[2])) - 1 / usual;
  return cost_by(measured::cpu_rates, Backend::cpu, spec, limits,
                 {.steps = steps,
                  .array_bytes = measured::cpu_array_bytes,
                  .more_seconds = spec.rank > 1 ? measured::cpu_line_seconds * std::max(0.0, shorter) : 0});
}

device::Cost strips_cost(const StencilSpec& spec, const Limits& limits, double steps) {
  return cost_of_strips(spec, limits, {.steps = steps});
}

/// Method::unfit of kernels of the operators of the list, and of those of formulas.
std::string unfit_if_written(const StencilSpec& spec, const Limits&) {
  return spec.written ? "it computes the operators of the list; formulas that a job writes have kernels of their own"
                      : "";
}
std::string unfit_unless_written(const StencilSpec& spec, const Limits&) {
  return spec.written ? ""
                      : "it computes formulas that a job writes; the operators of the list have kernels of their own";
}

/// The same stencil, of which a kernel makes one step at a time.
StencilSpec step_by_step(StencilSpec spec) {
  spec.depth = 1;
  return spec;
}

std::unique_ptr<device::BlockKernel> make_on_cpu(const StencilSpec& spec, device::Context& context, void*) {
  return make_stencil_cpu(spec, context);
}

constexpr StencilMethod cpu_methods[] = {
    {.name = "tiles",
     .help = "several steps of tiles that stay in a thread's cache",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = unfit_if_written,
     .cost = [](const StencilSpec& spec,
                const Limits& limits) { return cpu_cost(spec, limits, static_cast<double>(cpu_depth(spec))); },
     .workspace = [](const StencilSpec& spec,
                     const Limits& limits) { return stencil_cpu_bytes(spec, limits.processors); },
     .make = make_on_cpu},
    {.name = "steps",
     .help = "one step of all cells at a time",
     .backend = Backend::cpu,
     .schedule = "plain",
     .automatic = false,
     .unfit = unfit_if_written,
     .cost = [](const StencilSpec& spec, const Limits& limits) { return cpu_cost(spec, limits, 1); },
     .workspace = [](const StencilSpec& spec,
                     const Limits& limits) { return stencil_cpu_bytes(step_by_step(spec), limits.processors); },
     .make = [](const StencilSpec& spec, device::Context& context,
                void*) { return make_stencil_cpu(step_by_step(spec), context); }},
    {.name = "compiled",
     .help =
         "several steps of tiles that stay in a thread's cache, of formulas that a job writes, by the compiler of "
         "C++ of this machine",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit =
         [](const StencilSpec& spec, const Limits& limits) {
           const std::string unfit = unfit_unless_written(spec, limits);
           return unfit.empty() && spec.compiler.command.empty() ? spec.compiler.why_none : unfit;
         },
     .cost =
         [](const StencilSpec& spec, const Limits& limits) {
           return cost_of_compiled(spec, limits, {.steps = static_cast<double>(cpu_depth(spec))});
         },
     .workspace = [](const StencilSpec& spec,
                     const Limits& limits) { return stencil_compiled_bytes(spec, limits.processors); },
     .make = [](const StencilSpec& spec, device::Context& context,
                void*) { return make_stencil_compiled(spec, context); }},
    {.name = "strips",
     .help = "operations over strips of cells that stay in the cache, of formulas that a job writes",
     .backend = Backend::cpu,
     .schedule = "",
     .automatic = true,
     .unfit = unfit_unless_written,
     .cost = [](const StencilSpec& spec,
                const Limits& limits) { return strips_cost(spec, limits, static_cast<double>(cpu_depth(spec))); },
     .workspace = [](const StencilSpec& spec,
                     const Limits& limits) { return stencil_cpu_bytes(spec, limits.processors); },
     .make = make_on_cpu},
    {.name = "strip_steps",
     .help = "the same, one step of all cells at a time",
     .backend = Backend::cpu,
     .schedule = "plain",
     .automatic = false,
     .unfit = unfit_unless_written,
     .cost = [](const StencilSpec& spec, const Limits& limits) { return strips_cost(spec, limits, 1); },
     .workspace = [](const StencilSpec& spec,
                     const Limits& limits) { return stencil_cpu_bytes(step_by_step(spec), limits.processors); },
     .make = [](const StencilSpec& spec, device::Context& context,
                void*) { return make_stencil_cpu(step_by_step(spec), context); }}};

}  // namespace

std::span<const StencilMethod> stencil_methods() {
  static const auto all = device::joined_methods<StencilSpec>(stencil_cuda_methods(), cpu_methods);
  return all;
}

double lost_rows(const StencilMethod& method, const StencilSpec& spec, const device::Limits& limits) {
  if (method.backend == Backend::cuda) return cuda_lost_rows(method, spec, limits);
  // A tile of a sub-pass makes the rows of its halo again.
  return 2 * spec.radius * method.cost(spec, limits).steps;
}

const StencilMethod* method_instead(const StencilMethod& method) {
  return std::string_view(method.name) == "compiled" ? device::find_method(stencil_methods(), Backend::cpu, "strips")
                                                     : nullptr;
}

const StencilMethod& choose_stencil_method(const StencilSpec& spec, Backend backend, const Limits& limits) {
  return device::chosen_method("stencil", stencil_methods(), backend, name_of(spec.schedule), spec, limits);
}

}  // namespace terrace::stencil
