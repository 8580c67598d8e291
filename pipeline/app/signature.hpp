// What a result depends on, and how two of these differ.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
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

/// The inputs and stages of which this version makes other results than the version that was run, by their numbers
/// (io::Source::results(), job::ProblemDeclaration::results).
struct Outdated {
  std::set<std::string> inputs, stages;
};
/// @throws nlohmann::json::exception where the record is damaged
Outdated outdated(const Signature& before, const Signature& now);

/// The first difference between inputs as they were and as they are, for people, or nullopt. Where their files lie is
/// none: a folder may move as a whole.
/// @param before, now Signature::inputs
/// @param states whether another size or time of a file is a difference
std::optional<std::string> input_difference(const nlohmann::json& before, const nlohmann::json& now, bool states);

/// A way in which what is to be run differs from what was run.
struct Difference {
  std::string text;         // for people
  bool of_version = false;  // job and inputs are the same, and this version makes other results of them
};

/// The first difference between what was run and what is to be run, or nullopt.
/// @param states as input_difference()
std::optional<Difference> difference(const Signature& before, const Signature& now, bool states);

}  // namespace terrace::app
