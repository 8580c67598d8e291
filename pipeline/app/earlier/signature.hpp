// The settings and inputs that a result depends on, and the differences between two of them.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "pipeline/app/machine.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/job/identity.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::app {

/// The settings that define the result, those that fix its bits, and the inputs read. A run to be resumed, and a
/// result that exists, are compared by it.
struct Signature {
  nlohmann::json identity, fixed, inputs;
  job::Defaults defaults = {};                               // of a job that is to be run
  std::map<std::string, std::string> changed_defaults = {};  // by inputs, for people: why results() differ
  std::map<std::string, std::string> other_results = {};     // by stages: job::other_results()
  std::string cpu = {};                                      // RunPlan::cpu
};
Signature signature_of(const job::OpenJob& open, const Machine& machine);

/// `Signature::inputs` of the current files.
nlohmann::json inputs_of(const job::OpenJob& open);
/// RunPlan::contents of the current inputs.
nlohmann::json contents_of(const job::OpenJob& open);

/// The inputs and stages for which this version makes other results than the version that ran, by their numbers
/// (io::Source::results(), job::ProblemDeclaration::results).
struct Outdated {
  std::set<std::string> inputs, stages;
};
/// @throws nlohmann::json::exception if the record is damaged
Outdated outdated(const Signature& before, const Signature& now);

/// The states of files that are compared.
enum class FileStates {
  none,
  content,  // size, and time of content
  all       // also the file itself, and the time of its attributes
};

/// The first difference between earlier and current inputs, for people, or nullopt. Other places of their files are
/// no difference: a folder may move as a whole.
/// @param before, now Signature::inputs
std::optional<std::string> input_difference(const nlohmann::json& before, const nlohmann::json& now,
                                            FileStates states);

/// The signature of a run, of its plan.json. @throws nlohmann::json::exception if the record is damaged
Signature signature_in(const nlohmann::json& plan);

/// The first difference between the machine of a run and the current one that may change bits, for people.
/// @param before signature_in() the run's plan
std::optional<std::string> machine_difference(const Signature& before, const Signature& now);

/// A difference between the run to begin and the earlier run.
struct Difference {
  std::string text;         // for people
  bool of_version = false;  // job and inputs are the same, and this version makes other results of them
};

/// The first difference between the earlier run and the run to begin, or nullopt. States of files are not compared:
/// compare_input() and what was read of the files tell whether an input has changed.
std::optional<Difference> difference(const Signature& before, const Signature& now);

}  // namespace terrace::app
