// Declarations of the keys of a job and of its stages. The loader, `terrace job`, `terrace problems`, the schema and
// the reference are made from them.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pipeline/base/earlier_default.hpp"
#include "pipeline/base/json_library.hpp"
#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::job {

// Rules for declarations of parameters:
// - `choices` of a kind other than `choice` are words allowed in place of a value (`every: auto`); the setting then
//   holds the word as text. For `texts` every element must be a word; `type` takes element types and words.
// - A dotted name (`until.norm`) is a key of a nested map. Required keys and defaults there apply only if the
//   map is given; the map is optional. `snapshots` and `snapshots.every` may both be declared, as two accepted
//   forms.
// - `NAME.*` is the value at each key of NAME, which is of kind `names`: a map whose keys the user chooses
//   (`arrays.*`). `NAME.*.KEY` is a key of a map there (`arrays.*.type`): then required keys and defaults apply to
//   each of these maps. `NAME[]` and `NAME[].KEY` are the same for each entry of NAME, which is of kind `items`: a
//   list. A value and a map may both be declared, as two accepted forms (`cells[]` and `cells[].do`).
// - The settings of `cells: {u: ..., v: ...}` are "cells", the names in the order of the job, "cells.u" and
// "cells.v";
//   of a list "sources", the number of entries, and "sources[0].at". So the order of names is part of an identity.
// - `names` and `items` have no default but {} and [].

/// The choice of one of several results that are equally good. Every output says it: there is no default.
struct Ties {
  enum Kind {
    none,  // there is one result, or the problem says which: all back ends give the same, but for rounding
    open   // another back end may choose another
  };
  Ties(Kind chosen) : kind(chosen) {}
  Kind kind;
};

/// A dataset that a stage writes into its group `/<stage>/`.
struct OutputDeclaration {
  std::string name;
  std::string shape;    // in words: "rows x columns", "one value"
  std::string meaning;  // one sentence, no full stop
  Ties ties;
  /// Condition for writing it, as a setting of the stage: "keep: table, alignment" (any of the words; a list contains
  /// one of them); "free_ends" (it is given, and not false). Empty: always.
  std::string when = {};
  /// Decides in place of `when` if a setting's words do not suffice; `when` then is for people.
  std::function<bool(const Settings&)> written = nullptr;
  /// True if its first extent is known only when the stage has run, so that no stage of the job can read it; null:
  /// never.
  std::function<bool(const Settings&)> has_found_length = nullptr;
  /// The names of the datasets that are written with these settings, if they have names that the user chose: one for
  /// each field. `name` then is a word for people, such as FIELD. Null: `name` itself.
  std::function<std::vector<std::string>(const Settings&)> names = nullptr;
};

/// The kind of the input that a setting names; empty for an array of a stage.
using KindOf = std::function<std::string(const std::string& setting)>;

/// Examples of a stage, from which the reference is made: together with `inputs` each is a job that runs.
struct Example {
  std::string inputs;  // the map of inputs, without braces: "a: {values: [3, 1, 2]}, b: ..."; empty: none
  /// Settings of the stage, without its selector. A text in braces is complete, as the first one is; any other is
  /// laid over the first one: "keep: borders, every: 100". A key that is in none of them gets an example of its own,
  /// with a value that is made up for its kind.
  std::vector<std::string> settings;
};

/// The settings of an earlier job in the words of this one if they mean the same, else as they are. Both are
/// `settings` of a stage in defining_json().
using InWordsOf = nlohmann::json (*)(const nlohmann::json& before, const nlohmann::json& now);

/// One problem (or operator) of a stage.
struct ProblemDeclaration {
  std::string name;
  std::string summary;                     // one sentence, no full stop
  std::string group;                       // heading in tables: "sequences", "grids"
  std::vector<Parameter> parameters;       // apply only when this problem is named
  std::vector<OutputDeclaration> outputs;  // in addition to those of the stage
  std::vector<EarlierDefault> earlier_defaults = {};
  /// Number of its results: raised by every change after which the same settings and arrays give other results. A
  /// result by another number is not used as a result of this version.
  int results = 1;
  /// The change that raised `results`, and the setting that keeps the earlier ones if there is one: completes "this
  /// version gives other results of stage 's': ..."; empty: not said.
  std::string results_change = {};
  /// For problems whose settings hold names and texts that say the same in several ways; null: settings are compared
  /// as they are written.
  InWordsOf in_words_of = nullptr;
  /// Lines of text under the summary in `terrace problems NAME`, for operators the formula as it is computed; empty:
  /// none.
  std::string explanation = {};
  Example example = {};
  /// Parameters whose arrays may be sets of sequences or series.
  std::vector<std::string> sets = {};
  /// Keys that other problems take and this one does not, with the reason: "whose rim is fixed".
  std::vector<std::pair<std::string, std::string>> refused = {};
};

/// An error in settings that are each valid by themselves, or a warning of settings that are hardly meant.
struct Finding {
  std::string parameter;  // at whose place it is reported; empty or not given in the job: at the stage's place
  std::string message;    // the fault and the remedy
  bool warns = false;     // else it is an error
  Place place = {};       // where it is reported, such as inside(settings.place("cells.u"), 7); empty: at `parameter`
};

/// One kind of stage: the key that names it in a job.
struct StageDeclaration {
  std::string name;
  std::string help;                               // one sentence, no full stop
  std::string selector = "problem";               // the key that names the problem: `operator` for stencils
  std::vector<Parameter> parameters = {};         // common to all problems; `schedule: auto` is added if missing
  std::vector<OutputDeclaration> outputs = {};    // of every problem
  std::vector<ProblemDeclaration> problems = {};  // empty: the stage has no selector
  std::string problem_if_absent = {};             // the problem of a stage that names none; empty: it must name one
  // Of a stage without problems, as in ProblemDeclaration:
  int results = 1;
  InWordsOf in_words_of = nullptr;
  Example example = {};
  /// Adds the inputs of the job that texts of the stage name, as settings of arrays: before arrays are looked up.
  /// Null: texts name none. @param is_input true for the name of an input of the job
  std::function<void(Settings&, const std::function<bool(const std::string&)>& is_input)> find_inputs = nullptr;
  /// Sets defaults that depend on the stage's inputs; null: there are none. Called before `check`.
  std::function<void(const std::string& problem, Settings&, const KindOf&)> fill_in = nullptr;
  /// Checks settings together, after each was found valid; null: no such check.
  std::function<std::vector<Finding>(const std::string& problem, const Settings&)> check = nullptr;

  const ProblemDeclaration* find_problem(std::string_view problem) const;
};

/// The stages that jobs may name; entries can be added at any time, and stay where they are.
class StageTable {
 public:
  /// @throws Error when the name is taken or the declaration contradicts itself (a parameter declared twice, a
  /// default that its own parameter refuses)
  void add(StageDeclaration declaration);
  /// Null if there is no such stage.
  const StageDeclaration* find(std::string_view name) const;
  const std::deque<StageDeclaration>& all() const { return stages_; }

 private:
  std::deque<StageDeclaration> stages_;
};

/// A key of a job that holds many things, and is read by functions of its own.
struct PartDeclaration {
  const char* name;
  const char* type;          // "map", "list"
  const char* help;          // one sentence, no full stop
  const char* expected;      // completes "takes": "a list of stages"
  const char* default_text;  // null: required; "": absent unless given
  const char* example;       // as a job has it
};

/// The keys at the top of a job, apart from its parts.
std::span<const Parameter> job_parameters();
/// `inputs`, `stages` and `sweep`.
std::span<const PartDeclaration> job_parts();
/// A job that has every key, without braces: of a key the example.
std::string job_example();
/// The keys of every stage, which stand next to its kind.
std::span<const Parameter> stage_parameters();

/// The parameters that apply when `problem` is named: the stage's own, then the problem's. A problem may declare a
/// parameter of the stage again; then its declaration applies.
std::vector<Parameter> parameters_of(const StageDeclaration& stage, const ProblemDeclaration* problem);

/// The outputs declared for `problem`, the stage's own first.
std::vector<const OutputDeclaration*> outputs_of(const StageDeclaration& stage, const ProblemDeclaration* problem);

/// True if an output is written with these (checked) settings.
bool is_written(const OutputDeclaration& output, const Settings& settings);

/// The names of the datasets that an output writes with these (checked) settings; none if it is not written.
std::vector<std::string> names_written(const OutputDeclaration& output, const Settings& settings);

}  // namespace terrace::job
