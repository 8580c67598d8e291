// The stages of a job that an earlier job has computed, too.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "pipeline/base/json_library.hpp"
#include "pipeline/job/identity.hpp"
#include "pipeline/job/job.hpp"

namespace terrace::job {

/// Compares stages of two jobs by their identities: kind, problem and the number of its results, all settings with
/// their defaults, and what they read: the contents of inputs, and the identities of stages. Names of stages, of
/// inputs and of files are no part of an identity, nor is the place of a stage in its job.
class SameStages {
 public:
  /// The first difference between an input of the earlier job and one of this job, beyond their settings, for people:
  /// "input 'a' has changed: ..."; nullopt if they hold the same, or the comparison of the stage is to tell.
  using CompareInputs = std::function<std::optional<std::string>(const std::string& before, const std::string& now)>;
  /// The first reason why what a stage of the earlier job wrote is not what the stage of this job would write, for
  /// people; nullopt if there is none.
  using CompareStages = std::function<std::optional<std::string>(const std::string& before, const Stage& now)>;

  /// @param before defining_json() of the earlier job @param now must outlive this object
  SameStages(const nlohmann::json& before, const Job& now, CompareInputs compare_inputs,
             CompareStages compare_stages);

  /// The stage of the earlier job with the same identity: the stage of the same name, else one whose name no stage of
  /// this job has; nullopt if there is none. @throws nlohmann::json::exception if the record is damaged
  std::optional<std::string> earlier(const std::string& stage) const;
  /// The difference between the stage and the stage of the earlier job of the same name, for people; empty if there
  /// is no difference, or no such stage.
  std::string difference(const std::string& stage) const;

 private:
  void match(const Stage& stage);
  std::optional<std::string> compare(const nlohmann::json& before, const Stage& stage) const;
  std::optional<std::string> compare_input(const std::string& before, const std::string& now) const;
  std::optional<std::string> compare_array(const std::string& before, const std::string& now) const;
  std::optional<std::string> replace_names(const std::vector<std::string>& arrays, const Settings& settings,
                                           nlohmann::json& before) const;

  const nlohmann::json& before_;
  const Job& now_;
  nlohmann::json definition_;  // of this job
  Defaults defaults_;
  CompareInputs compare_inputs_;
  CompareStages compare_stages_;
  std::map<std::string, std::string> matches_;      // stages of the earlier job, by stages of this one
  std::map<std::string, std::string> differences_;  // by stages of this job
  std::set<std::string> taken_;                     // stages of the earlier job
};

}  // namespace terrace::job
