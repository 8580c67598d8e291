#include "kernels/pairs/cpu/lanes.hpp"

#include <algorithm>

#include "kernels/pairs/cpu/series_bounds.hpp"
#include "kernels/pairs/cpu/work.hpp"
#include "kernels/pairs/sweeps.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::pairs {

std::unique_ptr<device::BlockKernel> make_lanes(const PairsSpec& spec, device::Context& context,
                                                device::InstructionSet set) {
  auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  if (cpu == nullptr) throw DeviceError("pairs in lanes", context.limits().name + " is not a CPU");
  const auto problem = description_of(spec);
  if (problem->items == wavefront::Items::values) return make_series_lanes(spec, *cpu, set);
  return problem->bits ? make_bits_lanes(spec, *cpu, set) : make_letters_lanes(spec, *cpu, set);
}

std::unique_ptr<device::BlockKernel> make_lanes(const PairsSpec& spec, device::Context& context, void*) {
  const auto* cpu = dynamic_cast<device::CpuContext*>(&context);
  return make_lanes(spec, context, cpu == nullptr ? device::InstructionSet::sse2 : cpu->instruction_set());
}

std::string unfit_for_lanes(const PairsSpec& spec, const device::Limits&) {
  if (std::string fault = fault_of(spec); !fault.empty()) return fault;
  if (std::max(spec.longest_row, spec.longest_column) > most_lane_elements) {
    return "it has items of at most 65,535 elements";
  }
  return "";
}

std::size_t lanes_bytes(const PairsSpec& spec, int threads) {
  // A thread has the cells of a vector's rows and the letters, or values, of its items; a pair its place and key.
  const i64 of_thread = letters_bytes(spec.longest_row) +
                        most_vector_bytes * (spec.longest_row + spec.longest_column + most_block) +
                        envelope_bytes(spec.longest_row, spec.longest_column);
  constexpr i64 of_pair = 96;
  return static_cast<std::size_t>(threads * of_thread + spec.most_pairs * of_pair);
}

}  // namespace terrace::pairs
