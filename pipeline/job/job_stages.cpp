// The stages of a job.
#include <algorithm>
#include <array>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/job_reader.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "pipeline/job/yaml/reader.hpp"
#include "pipeline/job/yaml/scalar.hpp"
#include "pipeline/job/yaml/settings.hpp"

namespace terrace::job {
namespace {

/// Groups of the result file that are the program's own.
constexpr std::array<std::string_view, 3> reserved_names = {"checksums", "job", "profile"};

constexpr std::array<Parameter, 2> parameters_of_all = {{
    {"name", ParameterKind::text, "the name of the stage, and of its group in the result: letters, digits, _ and -"},
    {"temporary", ParameterKind::flag, "true: what the stage writes is for later stages, and not part of the result",
     "false"},
}};

/// Keys of every stage, which may stand next to its name or in the map of its kind.
constexpr std::array<std::string_view, 3> common_keys = {"temporary", "schedule", "type"};

bool is_common(const std::string& key) {
  return std::find(common_keys.begin(), common_keys.end(), key) != common_keys.end();
}

std::vector<std::string> kind_names(const StageTable& table) {
  std::vector<std::string> names;
  for (const StageDeclaration& kind : table.all()) names.push_back(kind.name);
  return names;
}

std::vector<std::string> problem_names(const StageDeclaration& kind) {
  std::vector<std::string> names;
  for (const ProblemDeclaration& problem : kind.problems) names.push_back(problem.name);
  return names;
}

/// Every parameter that any problem of a stage takes: for maps whose problem is not known.
std::vector<Parameter> all_parameters(const StageDeclaration& kind) {
  std::vector<Parameter> result = kind.parameters;
  for (const ProblemDeclaration& problem : kind.problems) {
    for (const Parameter& parameter : problem.parameters) {
      const bool known = std::any_of(result.begin(), result.end(), [&](const Parameter& other) {
        return std::string_view(other.name) == parameter.name;
      });
      if (!known) result.push_back(parameter);
    }
  }
  return result;
}

/// Every key that a stage may hold.
std::vector<std::string> keys_of_stages(const StageTable& table) {
  std::vector<std::string> names = kind_names(table);
  for (std::string_view key : common_keys) names.emplace_back(key);
  names.emplace_back("name");
  return names;
}

/// A misspelt `name` of a stage; null if there is none.
const Entry* find_misspelt_name(const Node& item, const StageTable& table) {
  const Entry* entry = find_misspelt(item, "name", keys_of_stages(table));
  return entry && entry->value.kind == Node::Kind::scalar ? entry : nullptr;
}

/// The stage whose problem has that name; null if there is none.
const StageDeclaration* family_of(const std::string& problem, const StageTable& table) {
  for (const StageDeclaration& kind : table.all()) {
    if (kind.find_problem(problem)) return &kind;
  }
  return nullptr;
}

class StageReader {
 public:
  StageReader(const Node& item, const StageTable& table, Draft& draft, CheckContext& context)
      : item_(item), table_(table), draft_(draft), context_(context), position_(item.position) {}

  void read() {
    const std::size_t complaints = context_.complaints.count();
    if (item_.kind == Node::Kind::map) {
      read_name();
      if (const Entry* entry = find_kind()) read_kind(*entry);
    } else {
      complain(item_.position, "a stage is a map such as {name: align, wavefront: {...}}, not " + describe(item_));
    }
    stage_.place = context_.complaints.sources().place(position_);
    draft_.job.stages.push_back(std::move(stage_));
    draft_.stage_complete.push_back(context_.complaints.count() == complaints);
  }

 private:
  void complain(const Position& position, const std::string& message) { context_.complaints.add(position, message); }

  void read_name() {
    const Node* name = item_.find("name");
    if (!name && find_misspelt_name(item_, table_)) return;
    if (!name) return complain(item_.position, "the stage needs a name, such as 'name: align'");
    if (name->kind != Node::Kind::scalar || !is_valid_name(name->text)) {
      return complain(name->position,
                      "a stage's name may have letters, digits, _ and - only, not " + describe(*name));
    }
    if (std::find(reserved_names.begin(), reserved_names.end(), name->text) != reserved_names.end()) {
      return complain(name->position,
                      "the result keeps /" + name->text + " for the program; name the stage otherwise");
    }
    const bool taken = draft_.job.find_stage(name->text) != nullptr;
    if (taken) complain(name->position, "two stages are named " + quote(name->text) + " and would write the same");
    stage_.name = name->text;
  }

  /// The first key of a kind's map that stands next to the stage's name; null if there is none.
  const Entry* find_stray() const {
    for (const Entry& entry : item_.entries) {
      if (is_stray(entry)) return &entry;
    }
    return nullptr;
  }

  /// True for a key next to the stage's name that belongs to the map of some kind.
  bool is_stray(const Entry& entry) const {
    if (entry.key == "name" || is_common(entry.key) || table_.find(entry.key)) return false;
    return std::any_of(table_.all().begin(), table_.all().end(), [&](const StageDeclaration& kind) {
      const auto keys = top_level_keys(all_parameters(kind));
      return (!kind.problems.empty() && entry.key == kind.selector) ||
             std::find(keys.begin(), keys.end(), entry.key) != keys.end();
    });
  }

  /// One complaint of all keys that stand next to the kind in place of below it, or that have no kind.
  void complain_of_strays(const Entry& first, const Entry* kind) {
    const Entry* problem = nullptr;
    const StageDeclaration* family = nullptr;
    for (const Entry& entry : item_.entries) {
      const bool selects = is_stray(entry) && entry.value.kind == Node::Kind::scalar;
      const StageDeclaration* found = selects ? family_of(entry.value.text, table_) : nullptr;
      if (!found || entry.key != found->selector) continue;
      problem = &entry;
      family = found;
    }
    const std::string belongs = quote(first.key) + " belongs to the map of the stage's kind";
    if (kind) {
      complain(first.position, belongs + ": indent it below " + quote(kind->key) + ", or write " + kind->key + ": {" +
                                   first.key + ": ..., ...}");
    } else if (problem) {
      complain(problem->position, "the stage is of no kind: write " + family->name + ": {" + family->selector + ": " +
                                      problem->value.text + ", ...}");
    } else {
      complain(first.position, belongs + ", which is missing; it needs one of " + kinds());
    }
  }

  /// The key that names the kind: the only key that is not common to all stages. Null after a complaint.
  const Entry* find_kind() {
    const Entry* kind = nullptr;
    const Entry* stray = find_stray();
    bool unknown = stray != nullptr;
    for (const Entry& entry : item_.entries) {
      if (entry.key == "name" || is_common(entry.key) || is_stray(entry)) continue;
      if (table_.find(entry.key)) {
        if (kind) complain(entry.position, "the stage is already a " + quote(kind->key) + "; write two stages");
        else kind = &entry;
      } else {
        complain_of_key(entry);
        unknown = unknown || &entry != find_misspelt_name(item_, table_);
      }
    }
    if (stray) complain_of_strays(*stray, kind);
    if (!kind && !unknown) complain(item_.position, "the stage is of no kind; it needs one of " + kinds());
    return stray ? nullptr : kind;
  }

  std::string kinds() const { return list_names(kind_names(table_)); }

  void complain_of_key(const Entry& entry) {
    if (const StageDeclaration* kind = family_of(entry.key, table_)) {
      return complain(entry.position, quote(entry.key) + " is no kind of stage but a " + kind->selector + "; write " +
                                          kind->name + ": {" + kind->selector + ": " + entry.key + ", ...}");
    }
    const std::string near = did_you_mean(entry.key, keys_of_stages(table_));
    complain(entry.position,
             "unknown kind of stage " + quote(entry.key) + (near.empty() ? "; the kinds are " + kinds() : near));
  }

  /// The map of the kind together with the common keys next to the name.
  Node merged_map(const Entry& kind) {
    Node map = kind.value;
    if (map.kind == Node::Kind::null) map.kind = Node::Kind::map;
    for (const Entry& entry : item_.entries) {
      if (!is_common(entry.key)) continue;
      if (map.find(entry.key)) complain(entry.position, quote(entry.key) + " is also given in the map of the stage");
      else map.entries.push_back(entry);
    }
    return map;
  }

  void read_kind(const Entry& entry) {
    const StageDeclaration& kind = *table_.find(entry.key);
    position_ = entry.position;
    stage_.kind = kind.name;
    if (entry.value.kind != Node::Kind::map && entry.value.kind != Node::Kind::null) {
      return complain(entry.value.position, quote(kind.name) + " takes a map of keys, not " + describe(entry.value));
    }
    const Node map = merged_map(entry);
    const ProblemDeclaration* problem = kind.problems.empty() ? nullptr : read_problem(map, kind);
    stage_.results = problem ? problem->results : kind.results;
    stage_.in_words_of = problem ? problem->in_words_of : kind.in_words_of;
    if (problem) stage_.results_change = problem->results_change;
    read_temporary(map);
    read_parameters(map, kind, problem);
  }

  const ProblemDeclaration* read_problem(const Node& map, const StageDeclaration& kind) {
    const auto names = problem_names(kind);
    const Node* node = map.find(kind.selector);
    if (!node) {
      std::vector<std::string> known = top_level_keys(all_parameters(kind));
      known.push_back(kind.selector);
      if (find_misspelt(map, kind.selector, known) || complain_of_other_selector(map, kind)) return nullptr;
      if (!kind.problem_if_absent.empty()) return take(kind.find_problem(kind.problem_if_absent));
      complain(position_, quote(kind.name) + " needs " + quote(kind.selector) + ": one of " + list_names(names));
      return nullptr;
    }
    const ProblemDeclaration* problem = node->kind == Node::Kind::scalar ? kind.find_problem(node->text) : nullptr;
    if (problem) return take(problem);
    const StageDeclaration* other = node->kind == Node::Kind::scalar ? family_of(node->text, table_) : nullptr;
    if (other) {
      foreign_ = true;
      complain(node->position, quote(node->text) + " belongs to " + quote(other->name) + ", not to " +
                                   quote(kind.name) + "; write " + other->name + ": {" + other->selector + ": " +
                                   node->text + ", ...}");
      return nullptr;
    }
    const std::string near = node->kind == Node::Kind::scalar ? did_you_mean(node->text, names) : "";
    complain(node->position,
             quote(kind.selector) + " takes one of " + list_names(names) + ", not " + describe(*node) + near);
    return nullptr;
  }

  const ProblemDeclaration* take(const ProblemDeclaration* problem) {
    stage_.problem = problem->name;
    return problem;
  }

  /// Complains of the word with which another kind chooses its problem; false if there is none.
  bool complain_of_other_selector(const Node& map, const StageDeclaration& kind) {
    for (const Entry& entry : map.entries) {
      const bool selects = std::any_of(table_.all().begin(), table_.all().end(), [&](const StageDeclaration& other) {
        return !other.problems.empty() && other.selector == entry.key;
      });
      if (!selects) continue;
      foreign_ = true;
      complain(entry.position, quote(kind.name) + " has no " + quote(entry.key) + ": it takes " +
                                   quote(kind.selector) + ", one of " + list_names(problem_names(kind)));
      return true;
    }
    return false;
  }

  void read_temporary(const Node& map) {
    const Node* node = map.find("temporary");
    if (!node) return;
    if (auto value = read_value(parameters_of_all[1], *node, context_)) stage_.temporary = std::get<bool>(*value);
    if (stage_.temporary) draft_.temporary[stage_.name] = node->position;
  }

  void read_parameters(const Node& map, const StageDeclaration& kind, const ProblemDeclaration* problem) {
    const bool known = problem || kind.problems.empty();
    if (!known && foreign_) return;  // its keys belong to the other kind
    Schema schema;
    schema.owner = owner(kind);
    schema.parameters = known ? parameters_of(kind, problem) : all_parameters(kind);
    schema.other_keys = {"temporary"};
    if (!kind.problems.empty()) schema.other_keys.insert(kind.selector);
    schema.complete = known;
    schema.explain = [&](const std::string& key) { return explain(key, kind); };
    schema.nodes = &nodes_;
    const std::size_t complaints = context_.complaints.count();
    stage_.settings = read_settings(map, position_, schema, context_);
    if (kind.find_inputs && context_.complaints.count() == complaints) {
      kind.find_inputs(stage_.settings,
                       [&](const std::string& name) { return draft_.job.find_input(name) != nullptr; });
    }
    stage_.arrays = names_of_arrays(schema.parameters, stage_.settings);
    stage_.sets = names_of_sets(problem, stage_.arrays);
    stage_.files = names_of_files(schema.parameters, stage_.settings);
    for (const ArrayName& array : array_names(stage_.arrays, stage_.settings)) {
      check_reference(array, schema.parameters);
    }
    if (known && context_.complaints.count() == complaints) look_at_whole(kind, problem);
  }

  std::string owner(const StageDeclaration& kind) const {
    const std::string what = kind.name + (stage_.problem.empty() ? "" : ", " + stage_.problem);
    return "stage " + (stage_.name.empty() ? what : quote(stage_.name) + " (" + what + ")");
  }

  std::string explain(const std::string& key, const StageDeclaration& kind) const {
    if (key == "name") return "it stands one level up, beside " + quote(kind.name);
    std::vector<std::string> owners;
    for (const ProblemDeclaration& problem : kind.problems) {
      const auto keys = top_level_keys(problem.parameters);
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) owners.push_back(problem.name);
    }
    if (owners.empty()) return "";
    std::string why = "it belongs to " + list_names(owners);
    if (stage_.problem.empty()) return why;
    why += ", not to " + stage_.problem;
    for (const auto& [refused, reason] : kind.find_problem(stage_.problem)->refused) {
      if (refused == key) why += ", " + reason;
    }
    return why;
  }

  void check_reference(const ArrayName& array, const std::vector<Parameter>& parameters) {
    const Node* node = node_of_element(node_of(array.setting), array.entry);
    const Parameter* parameter = find_parameter(parameters, array.setting);
    check_array(array.name, words_of(*parameter), node ? node->position : position_, table_, draft_, context_);
  }

  /// What the job has at a setting; null if it does not give it.
  const Node* node_of(const std::string& setting) const {
    const auto at = nodes_.find(setting);
    return at == nodes_.end() ? nullptr : at->second;
  }

  /// The kind of the input that a setting names; empty if it names none.
  std::string kind_of(const std::string& setting) const {
    if (!stage_.settings.holds<std::string>(setting)) return "";
    const Input* input = draft_.job.find_input(stage_.settings.text(setting));
    return input ? input->kind : "";
  }

  /// Checks of settings together, once each is valid by itself.
  void look_at_whole(const StageDeclaration& kind, const ProblemDeclaration* problem) {
    if (kind.fill_in) {
      kind.fill_in(stage_.problem, stage_.settings, [&](const std::string& setting) { return kind_of(setting); });
    }
    if (problem) {
      for (const EarlierDefault& earlier : problem->earlier_defaults) {
        if (!node_of(earlier.parameter)) stage_.earlier_defaults.push_back(earlier);
      }
    }
    if (kind.check) {
      for (const Finding& finding : kind.check(stage_.problem, stage_.settings)) report(finding);
    }
    add_outputs(kind, problem, stage_);
  }

  void report(const Finding& finding) {
    const Node* node = node_of(finding.parameter);
    const Position position = node ? node->position : position_;
    Complaints& complaints = finding.warns ? context_.warnings : context_.complaints;
    if (finding.place.text.empty()) return complaints.add(position, finding.message);
    complaints.add_rendered(complaints.sources().position_of(finding.place).value_or(position),
                            message_at(finding.place, finding.message));
  }

  const Node& item_;
  const StageTable& table_;
  Draft& draft_;
  CheckContext& context_;
  Position position_;     // of the kind, or of the whole
  NodesBySetting nodes_;  // of the map of the kind, while it is read
  bool foreign_ = false;  // the problem is one of another kind, or chosen with its word
  Stage stage_ = {};
};

}  // namespace

std::span<const Parameter> stage_parameters() { return parameters_of_all; }

void read_stages(const Node& stages, const StageTable& table, Draft& draft, CheckContext& context) {
  if (stages.kind != Node::Kind::list) {
    context.complaints.add(stages.position,
                           "'stages' takes a list of stages, each '- name: ...', not " + describe(stages));
    return;
  }
  if (stages.items.size() > most_stages) {
    context.complaints.add(stages.position, "a job has at most " + std::to_string(most_stages) + " stages, not " +
                                                std::to_string(stages.items.size()));
    return;
  }
  if (stages.items.empty()) context.complaints.add(stages.position, "the job needs at least one stage");
  for (const Node& item : stages.items) {
    const Node* name = item.find("name");
    if (const Entry* misspelt = name ? nullptr : find_misspelt_name(item, table)) name = &misspelt->value;
    draft.stage_names.push_back(name && name->kind == Node::Kind::scalar ? name->text : "");
  }
  for (const Node& item : stages.items) StageReader(item, table, draft, context).read();
}

}  // namespace terrace::job
