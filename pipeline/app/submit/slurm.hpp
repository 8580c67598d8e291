// The commands of Slurm.
#pragma once

#include <string>

namespace terrace::app {

/// The indices of an array that this site allows: 0 to this number, exclusive; Slurm's default if it cannot be asked.
long most_array_indices();

/// Hands a script to sbatch, which prints the number of the job. @throws Error if sbatch is not there, or refuses
void hand_to_sbatch(const std::string& script);

}  // namespace terrace::app
