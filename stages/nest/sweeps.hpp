// Nests that are sweeps of a grid in place: cut as sor and seidel are (stages/in_place), with the cell of the nest.
//
// Their blocks are slabs of whole rows of the grid, not boxes of skewed iterations. A slab is updated where it is,
// and what it hands on stays in the launch, or in its own last rows, in the type of the array; a box would hand on
// its borders as words of 64 bits, a launch a box, and at the end of some sweeps the whole grid is a border. So
// sweeps in place have the slabs, passes, checkpoints and parts of devices that the kernel was written for.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kernels/in_place/methods.hpp"
#include "kernels/nest/methods.hpp"
#include "stages/nest/definition.hpp"
#include "stages/stage_kind.hpp"

namespace terrace::stages {

/// A nest as sweeps of the family in_place, on a GPU.
struct NestSweeps {
  std::string unfit;  // why it is not swept; empty: it can be, and what follows is set
  const in_place::InPlaceMethod* method = nullptr;
  in_place::InPlaceSpec spec;  // with the cut of the attempt to resume, if that sweeps; else with the best one
  std::int64_t sweeps = 0;
  std::shared_ptr<io::Source> grid;  // before the first sweep, of the type of the array
  std::string why_not;               // one of several devices sweeps all

  /// Expected seconds of all sweeps.
  double seconds(const device::Limits& limits) const;
};

NestSweeps sweeps_of_nest(const Request& request, const NestDefinition& definition);

/// True if sweeps compute a nest: as in the attempt to resume, else if they are expected to take less time.
bool takes_sweeps(const Request& request, const NestDefinition& definition, const NestSweeps& sweeps,
                  const nest::NestMethod& other);

/// The methods of all back ends, sweeps among them.
std::vector<run::StageMethod> all_nest_methods();
/// The methods of a back end beside a nest. @param chosen null: it is swept
std::vector<run::StageMethod> nest_methods_for(const NestDefinition& definition, const NestSweeps& sweeps,
                                               const nest::NestMethod* chosen, const Resources& resources);

}  // namespace terrace::stages
