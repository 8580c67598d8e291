// From a map of a job to checked settings of declared parameters.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"
#include "pipeline/job/yaml/value.hpp"

namespace terrace::job {

/// The nodes of a job by the names of its settings, maps and lists among them.
using NodesBySetting = std::map<std::string, const Node*, std::less<>>;

/// The keys that a map of a job may have.
struct Schema {
  std::string owner;  // whose map it is, for messages: "stage 'align' (wavefront)"
  std::vector<Parameter> parameters;
  std::set<std::string> other_keys = {};  // keys of this map that are read elsewhere
  bool complete = true;                   // true if missing parameters are complained about
  /// Explains a key that is no parameter: "it belongs to dtw". Empty: no explanation.
  std::function<std::string(const std::string& key)> explain = nullptr;
  NodesBySetting* nodes = nullptr;  // if not null: gets what the map holds at declared names
};

/// Reads all of `map` (a map node); errors become complaints. Parameters that are not given get their defaults, those
/// of nested maps only if the map is given.
/// @param at where missing parameters are reported
Settings read_settings(const Node& map, const Position& at, const Schema& schema, CheckContext& context);

/// The default of a parameter as a node; nullopt after a complaint. Only lists, maps and quoted texts are parsed: ","
/// is a text, not a list.
std::optional<Node> default_node(const Parameter& parameter, Complaints& complaints);

/// The same as a value.
std::optional<Value> read_default(const Parameter& parameter, CheckContext& context);

/// @throws Error when the default of a parameter is no value of it: a mistake in the declaration
void check_default(const Parameter& parameter, const std::string& owner);

/// The entry of a map whose key is unknown and near to `key`; null if there is none. To be called if `key` is
/// missing: the unknown key is reported as a misspelt one, and one error is enough.
/// @param known every key that the map may hold
const Entry* find_misspelt(const Node& map, const std::string& key, const std::vector<std::string>& known);

/// The keys that may stand in a map: the first part of `until.norm` and of `receivers[].at`.
std::vector<std::string> top_level_keys(const std::vector<Parameter>& parameters);

}  // namespace terrace::job
