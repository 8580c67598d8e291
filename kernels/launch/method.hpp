// A method: a kernel that could compute a stage, as a value. A family has one table of them, which decides what runs
// and predicts how fast it is.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/device/context.hpp"
#include "kernels/launch/block_kernel.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::device {

enum class Backend { cpu, cuda };

/// "cpu", "cuda".
constexpr const char* name_of(Backend backend) { return backend == Backend::cuda ? "cuda" : "cpu"; }

/// The back end whose kernels a context runs.
inline Backend backend_of(const Context& context) {
  return context.shares_host_memory() ? Backend::cpu : Backend::cuda;
}

/// The expected cost of a unit of a family's work on a device: of a cell and step, or of a relaxation.
struct Cost {
  double seconds = 0;
  double bytes = 0;  // to and from the device's memory
  double steps = 1;  // that are made between two visits of a cell to that memory
};

/// @tparam Spec the definition of what is computed, as the family's kernels are made by
template <class Spec>
struct Method {
  const char* name;  // in `terrace methods`, recorded choices and results
  const char* help;
  Backend backend;
  const char* schedule;  // that a job names to have this method; empty: none does
  bool automatic;        // taken where the job leaves the choice
  /// The reason why the method does not compute a spec; empty: it does.
  std::string (*unfit)(const Spec& spec, const Limits& limits);
  Cost (*cost)(const Spec& spec, const Limits& limits);
  /// Bytes of memory that a kernel takes beside tiles: on CUDA of `make`'s workspace, on the CPU of its own.
  std::size_t (*workspace)(const Spec& spec, const Limits& limits);
  /// @param workspace `workspace` bytes of device memory, owned by the caller; null on the CPU @throws DeviceError
  std::unique_ptr<BlockKernel> (*make)(const Spec& spec, Context& context, void* workspace);
};

/// Method::unfit of one that computes every spec.
template <class Spec>
std::string never_unfit(const Spec&, const Limits&) {
  return "";
}

/// The methods of both back ends as one table.
template <class Spec>
std::vector<Method<Spec>> joined_methods(std::span<const Method<Spec>> cuda, std::span<const Method<Spec>> cpu) {
  std::vector<Method<Spec>> all(cuda.begin(), cuda.end());
  all.insert(all.end(), cpu.begin(), cpu.end());
  return all;
}

/// A method beside a spec.
template <class Spec>
struct RatedMethod {
  const Method<Spec>* method;
  std::string unfit;
  Cost cost;  // where `unfit` is empty
};

/// The methods of a back end, in the table's order.
template <class Spec>
std::vector<RatedMethod<Spec>> rate_methods(std::span<const Method<Spec>> methods, Backend backend, const Spec& spec,
                                            const Limits& limits) {
  std::vector<RatedMethod<Spec>> all;
  for (const Method<Spec>& method : methods) {
    if (method.backend != backend) continue;
    RatedMethod<Spec> rated{&method, method.unfit(spec, limits), {}};
    if (rated.unfit.empty()) rated.cost = method.cost(spec, limits);
    all.push_back(std::move(rated));
  }
  return all;
}

/// The cheapest of the methods of a back end that are not unfit; null if there is none. A schedule that no method of
/// the back end has leaves the choice.
template <class Spec>
const Method<Spec>* choose_method(std::span<const Method<Spec>> methods, Backend backend, std::string_view schedule,
                                  const Spec& spec, const Limits& limits) {
  bool is_named = false;
  for (const Method<Spec>& method : methods) is_named |= method.backend == backend && method.schedule == schedule;
  std::vector<const Method<Spec>*> fit;
  for (const Method<Spec>& method : methods) {
    const bool is_asked_for = is_named ? method.schedule == schedule : method.automatic;
    if (method.backend == backend && is_asked_for && method.unfit(spec, limits).empty()) fit.push_back(&method);
  }
  if (fit.size() < 2) return fit.empty() ? nullptr : fit.front();
  const Method<Spec>* best = nullptr;
  double least = 0;
  for (const Method<Spec>* method : fit) {
    const double seconds = method->cost(spec, limits).seconds;
    if (best == nullptr || seconds < least) best = method, least = seconds;
  }
  return best;
}

/// The same. @param what is computed, for the error @throws DeviceError if there is none
template <class Spec>
const Method<Spec>& chosen_method(std::string_view what, std::span<const Method<Spec>> methods, Backend backend,
                                  std::string_view schedule, const Spec& spec, const Limits& limits) {
  const Method<Spec>* method = choose_method(methods, backend, schedule, spec, limits);
  if (method == nullptr) {
    throw DeviceError(std::string(what), "no kernel of this program computes it on " + std::string(name_of(backend)) +
                                             " by schedule " + std::string(schedule));
  }
  return *method;
}

/// The method of that name; null if there is none.
template <class Spec>
const Method<Spec>* find_method(std::span<const Method<Spec>> methods, Backend backend, std::string_view name) {
  for (const Method<Spec>& method : methods) {
    if (method.backend == backend && method.name == name) return &method;
  }
  return nullptr;
}

}  // namespace terrace::device
