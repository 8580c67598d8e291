// Whether two jobs compute the same.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "pipeline/job/job.hpp"

namespace terrace::job {

/// What the result depends on: `inputs` by name and `stages` in order, each with its kind and all settings, defaults
/// included. Equal for equal jobs, however they are written; keys are sorted. Files in the job's folder stand
/// relative to it, so that a folder may move as a whole; others absolute. Infinities are the texts "inf" and "-inf".
/// `results` holds the number of each stage's results (ProblemDeclaration::results) by its name.
nlohmann::json defining_json(const Job& job);

/// The number of a stage's results in a value of `defining_json`. Versions that recorded none had 1.
/// @throws nlohmann::json::exception where the record is damaged
int results_of(const nlohmann::json& identity, const std::string& stage);

/// What it does not depend on: name, budgets, scratch, back end, checkpoints, devices, output.
nlohmann::json accompanying_json(const Job& job);

/// Settings that a job leaves to their defaults, by their paths: "stages.align.match", "inputs.a.record".
struct Defaults {
  std::set<std::string> paths;
  std::map<std::string, EarlierDefault> earlier;  // of these, what earlier versions had in their place
};
Defaults defaults_of(const Job& job);

/// The first place in which two values of `defining_json` differ, for people: "stages.align.match was 1 and is 2";
/// nothing where they are equal. The numbers of results are not compared. A setting that an earlier version did not
/// know, and that is left to its default, is no difference, unless an earlier default is declared for it.
/// @param defaults of the job that `now` is of
std::optional<std::string> first_difference(const nlohmann::json& before, const nlohmann::json& now,
                                            const Defaults& defaults = {});

}  // namespace terrace::job
