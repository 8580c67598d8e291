// The file that has the name of a job's output.
#pragma once

#include <optional>
#include <string>

#include "io/files/durable.hpp"
#include "pipeline/app/earlier/fresh.hpp"
#include "pipeline/app/earlier/read_again.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

/// An error of the job's line that names the output.
JobError output_error(const job::Job& job, const std::string& message);

/// @throws JobError at the job's `output` if another program made the file of that name, or it cannot be read;
/// io::DiskError
void check_output(const job::Job& job);

/// The file that has the output's name.
struct ExistingOutput {
  std::optional<io::FileState> there = {};    // nullopt if no file has it
  std::optional<Difference> difference = {};  // of a result of Terrace, from the result of this job
};

/// Compares a result with the job: settings, numbers of results, and what its inputs hold. Inputs whose files are not
/// the ones that were read are compared by reading again what was read of them.
/// @param again for the machine of `now`
/// @throws as check_output(); DamagedRecord if its record is damaged and `fresh` keeps the result
ExistingOutput look_at_output(const job::OpenJob& open, const Signature& now, Fresh fresh, ReadAgain& again);

}  // namespace terrace::app
