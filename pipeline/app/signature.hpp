// What a result depends on, and how two of these differ.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pipeline/app/prepare.hpp"
#include "pipeline/job/identity.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

/// What defines the result, fixes its bits, and was read: what a run that goes on, and a result that is there, are
/// compared with.
struct Signature {
  nlohmann::json identity, fixed, inputs;
  job::Defaults defaults = {};  // of a job that is to be run
};
Signature signature_of(const job::OpenJob& open, const Machine& machine);

/// `Signature::inputs` as it is now.
nlohmann::json inputs_of(const job::OpenJob& open);

/// The first difference between what was run and what is to be run, for people; nothing where there is none. Where
/// the files of inputs lie is none: a folder may move as a whole.
/// @param states whether another size or time of an input's file is a difference
std::optional<std::string> difference(const Signature& before, const Signature& now, bool states);

}  // namespace terrace::app
