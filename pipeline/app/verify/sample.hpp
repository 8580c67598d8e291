// Comparison of parts of a finished result with the plain programs.
#pragma once

#include <vector>

#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/verify/watch.hpp"
#include "stages/verifier.hpp"

namespace terrace::app {

/// The number of datasets that were compared, and how many of these differ.
struct VerifyCounts {
  std::int64_t compared = 0, different = 0;
};

/// Computes parts of the datasets again, and prints a line for each dataset. Datasets that no sample can check are
/// named.
/// @throws Error, IoError if the result or an input cannot be read, or has changed in shape
VerifyCounts verify_sample(Session& session, VerifyWatch& watch, const MadeResult& result, const job::OpenJob& open,
                           const stages::Sampler& sampler);

/// The findings of a sample of one stage. @throws as above
std::vector<stages::Checked> check_stage(const Session& session, VerifyWatch& watch, const MadeResult& result,
                                         const job::OpenJob& open, const job::Stage& stage,
                                         const stages::Sampler& sampler);

/// Prints a line for each, and counts them.
VerifyCounts report_stage(VerifyWatch& watch, const job::Stage& stage, const std::vector<stages::Checked>& found);

}  // namespace terrace::app
