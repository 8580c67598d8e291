// Parts of a finished result against the plain programs.
#pragma once

#include <vector>

#include "pipeline/app/made_result.hpp"
#include "pipeline/app/verify/watch.hpp"
#include "stages/verifier.hpp"

namespace terrace::app {

/// How many datasets were compared with something, and how many of these differ.
struct VerifyCounts {
  std::int64_t compared = 0, different = 0;
};

/// Computes parts of the datasets again, and prints a line for each dataset. Datasets that no sample can tell
/// anything about are named.
/// @throws Error, IoError where the result or an input cannot be read, or has changed in shape
VerifyCounts verify_sample(Session& session, VerifyWatch& watch, const MadeResult& result, const job::OpenJob& open,
                           const stages::Sampler& sampler);

/// What a sample says of one stage. @throws as above
std::vector<stages::Checked> check_stage(const Session& session, VerifyWatch& watch, const MadeResult& result,
                                         const job::OpenJob& open, const job::Stage& stage,
                                         const stages::Sampler& sampler);

/// Prints a line for each, and counts them.
VerifyCounts report_stage(VerifyWatch& watch, const job::Stage& stage, const std::vector<stages::Checked>& found);

}  // namespace terrace::app
