// The steps of reading a job.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/source.hpp"
#include "pipeline/job/declaration.hpp"
#include "pipeline/job/job.hpp"
#include "pipeline/job/yaml/value.hpp"

namespace terrace::job {

/// Names are looked up one by one, and inputs opened recursively: these limits suffice for people.
inline constexpr std::size_t most_inputs = 1000;
inline constexpr std::size_t most_stages = 1000;

/// A job in the making.
struct Draft {
  Job job;
  std::optional<Node> root;                   // of the text; nullopt if it is no YAML
  std::vector<const Node*> input_nodes;       // the maps of the inputs, in the order of job.inputs
  std::vector<Position> input_positions;      // of the names, in the order of job.inputs
  std::vector<bool> input_complete;           // true if everything in the input was right
  std::vector<bool> stage_complete;           // the same of stages, in the order of job.stages
  std::vector<std::string> stage_names;       // of all stages, also of those not read yet
  std::map<std::string, Position> temporary;  // by names of stages: where they say that they are temporary
  std::set<std::string> used_inputs, used_stages;
  bool inputs_known = true;  // else `inputs` could not be read, which is reported there, and names say nothing
};

/// True if `name` can name an input or a stage: letters, digits, _ and -.
bool is_valid_name(const std::string& name);

/// The node of a setting by its name, such as "until.norm" or "receivers[3].at"; null if the job does not give it.
/// The name of a declaration finds the first setting that it declares: "cells.*", "receivers[].at".
const Node* find_setting(const Node& map, std::string_view name);

/// The settings that are paths, whose value is given and is not just a word in place of a value.
std::vector<std::string> names_of_files(const std::vector<Parameter>& parameters, const Settings& settings);

/// The settings whose value names at least one array, parameter by parameter: Input::arrays, Stage::arrays.
std::vector<std::string> names_of_arrays(const std::vector<Parameter>& parameters, const Settings& settings);

/// Of these settings those whose arrays may be sets. @param problem null: none @param arrays names_of_arrays()
std::vector<std::string> names_of_sets(const ProblemDeclaration* problem, const std::vector<std::string>& arrays);

/// Sets Stage::outputs and Stage::ties by the stage's settings.
void add_outputs(const StageDeclaration& kind, const ProblemDeclaration* problem, Stage& stage);

/// The node of one element of a setting that is a list, or of the setting itself if it is one value. Null if the job
/// does not give the setting.
const Node* find_element(const Node& map, std::string_view setting, std::size_t element);
/// The same of the setting's node, which may be null.
const Node* node_of_element(const Node* setting, std::size_t element);

/// Reads everything but inputs and stages. @param root a map
void read_header(const Node& root, Draft& draft, CheckContext& context);

/// True if `key` is missing in the job and an unknown key, which read_header() reports, was probably meant.
bool is_misspelt(const Node& root, const std::string& key);

/// Reads the map of inputs, and checks that they do not refer to each other in a circle.
void read_inputs(const Node& inputs, std::span<const io::InputKind> kinds, Draft& draft, CheckContext& context);

/// Reads the list of stages, and checks the inputs and earlier stages that they read.
void read_stages(const Node& stages, const StageTable& table, Draft& draft, CheckContext& context);

/// Checks the name of an array that the stage read next after draft.job.stages wants to read.
/// @param words that might stand in its place
void check_array(const std::string& array, const std::vector<std::string>& words, const Position& position,
                 const StageTable& table, Draft& draft, CheckContext& context);

/// Checks the inputs that inputs are made of: that they exist, and do not refer to each other in a circle.
void check_inputs(Draft& draft, CheckContext& context);

/// Checks that the output is no folder and no input.
void check_output(const Node& root, Draft& draft, CheckContext& context);

/// Checks that the result holds anything: that not every stage is temporary.
void check_kept(Draft& draft, CheckContext& context);

/// Warns of inputs and temporary stages that nothing reads.
void warn_of_unused(const Draft& draft, CheckContext& context);

/// Opens every input without errors. Failures become complaints. @throws io::DiskError
/// @param to_run else the job is only checked: lengths that take long to find are estimated
std::map<std::string, std::shared_ptr<io::Source>> open_inputs(const Draft& draft,
                                                               std::span<const io::InputKind> kinds,
                                                               CheckContext& context, bool to_run);

}  // namespace terrace::job
