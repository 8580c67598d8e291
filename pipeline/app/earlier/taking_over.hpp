// The stages of a job that need not be computed, since a result holds what they give.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pipeline/app/earlier/fresh.hpp"
#include "pipeline/app/earlier/read_again.hpp"
#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/taken_stage.hpp"

namespace terrace::app {

/// The loss when a new result replaces the one that is there: a dataset that is dropped or computed anew.
struct Loss {
  std::string what;  // "dataset /align/score is to be computed anew"
  std::string why;   // may be empty
  std::string in_words() const { return why.empty() ? what : what + ": " + why; }
};

/// The decision about every stage of a job beside a finished result.
struct TakenOver {
  /// By stages of the job; a part without datasets is a temporary stage that no computed stage reads.
  std::map<std::string, std::shared_ptr<const run::TakenPart>> stages;
  /// The first dataset of the result, or what somebody has added to it, that is to be lost or computed anew; nullopt
  /// if there is none.
  std::optional<Loss> loss;

  /// "'apsp', 'near' are taken over from result.h5"; empty if nothing is.
  std::string in_words() const;
  bool takes(const std::string& stage) const { return stages.contains(stage); }
};

/// Looks for stages of the job in what an earlier run has kept when it failed, and in the result that has the
/// output's name, if there are such files. Reads their small parts, in a child process. The loss is the output's.
/// @param now of the job @param again for the machine of `now`
/// @return a loss that names the fault, if the record of the output is damaged or missing
TakenOver taken_over(const job::OpenJob& open, const Signature& now, const Anew& anew, ReadAgain& again);

/// A finished stage of an unfinished run that a new run would compute again, or not at all.
struct LostStage {
  std::string name;
  std::string why;  // for people
};

/// The stages of a finished file that the job neither has unchanged nor takes over.
/// @param file of the complete stages of an unfinished run @param now of the job @param again for the machine of
/// `now`
/// @throws IoError
std::vector<LostStage> lost_stages(const std::filesystem::path& file, const job::OpenJob& open, const Signature& now,
                                   ReadAgain& again);

}  // namespace terrace::app
