// `--fresh`: the permission of a command to discard earlier work, and the note of it until a plan records it.
#pragma once

#include <map>
#include <string>

#include "pipeline/app/earlier/signature.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/run/run_folder.hpp"

namespace terrace::app {

/// Earlier work that `--fresh` allows a run to discard.
enum class Fresh {
  nothing,
  changed,  // the stages of a result that Terrace made which this job would make otherwise, or not at all
  stage,    // one stage as well, and what reads it, and an unfinished run of the same job that was begun without
            // --fresh
  result,   // all of a result that Terrace made, and such a run
  all       // also any other unfinished run
};

/// Stages that are not taken over, nor what reads them, by name; the reason, for people.
using Anew = std::map<std::string, std::string>;

/// The permission of a command to discard earlier work.
struct Wish {
  Fresh fresh = Fresh::nothing;
  std::string stage = {};  // that is to be computed anew, of Fresh::stage
  bool noted = false;      // not by the command itself: by an attempt of the same job that ended before it had a plan
  Anew damaged = {};       // of Fresh::changed: stages of which stored tiles were found to be damaged

  /// All stages that are to be computed anew.
  Anew anew() const;
};

/// @param text as the command line has it: empty without the option, "true" with no value
/// @throws JobError that lists the possible values
Wish wish_from(const std::string& text, const job::Job& job);

/// The wish of the command, or a larger one that such an attempt has noted in the folder.
/// @param asked by the command; @throws IoError if the note is damaged and the command asks for nothing
Wish wish_of(const run::RunFolder& folder, const job::OpenJob& open, const Wish& asked);

/// The note of a wish in the run's folder. @param now of the job
nlohmann::json note_of(const Wish& wish, const Signature& now);

}  // namespace terrace::app
