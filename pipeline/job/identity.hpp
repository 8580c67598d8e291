// Comparison of the definitions of two jobs.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "pipeline/base/json_library.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::job {

/// The settings on which the result depends: `inputs` by name and `stages` in order, each with its kind and all
/// settings, defaults included. Equal for equal jobs, however they are written; keys are sorted. Paths in the job's
/// folder are relative to it, so that a folder may move as a whole. Infinities are the texts "inf" and "-inf".
/// `results` holds the number of each stage's results (ProblemDeclaration::results) by its name.
nlohmann::json defining_json(const Job& job);

/// The number of a stage's results in a value of `defining_json`. Versions that recorded none had 1.
/// @throws nlohmann::json::exception if the record is damaged
int results_of(const nlohmann::json& identity, const std::string& stage);

/// For people, that this version's number of results of a stage is another one, and why: "this version gives other
/// results of stage 's': U is the letter T".
std::string other_results(const Stage& stage);

/// The settings on which it does not depend: name, budgets, scratch, back end, compilers, checkpoints, devices,
/// threads, output.
nlohmann::json accompanying_json(const Job& job);

/// Settings that a job leaves to their defaults, by their paths: "stages.align.match", "inputs.a.record"; and how
/// earlier settings of its stages are compared with its own.
struct Defaults {
  std::set<std::string> paths;
  std::map<std::string, EarlierDefault> earlier;  // for some of them, the default of earlier versions
  std::map<std::string, InWordsOf> in_words_of;   // by names of stages; those without are left out
};
Defaults defaults_of(const Job& job);

/// The difference of a setting that is left to a default which was another one, for people.
std::string changed_default(const std::string& path, const EarlierDefault& earlier, const std::string& now);

/// A stage of an earlier `defining_json` in the words of the stage of this one of the same name.
nlohmann::json in_words_of(const nlohmann::json& before, const nlohmann::json& now, const Defaults& defaults);

/// The first place in which two values of `defining_json` differ, for people: "stages.align.match was 1 and is 2";
/// nullopt if they are equal. The numbers of results are not compared. A setting that an earlier version did not
/// know, and that is left to its default, is no difference, unless an earlier default is declared for it.
/// @param defaults of the job of `now`
std::optional<std::string> first_difference(const nlohmann::json& before, const nlohmann::json& now,
                                            const Defaults& defaults = {});

}  // namespace terrace::job
