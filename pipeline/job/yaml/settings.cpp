#include "pipeline/job/yaml/settings.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/declared_names.hpp"
#include "pipeline/job/yaml/parse.hpp"

namespace terrace::job {
namespace {

/// The keys right below `prefix` ("", "until." or "arrays.*."), in the order of declaration.
std::vector<std::string> keys_below(const std::vector<Parameter>& parameters, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : parameters) {
    const std::string_view name = parameter.name;
    if (!name.starts_with(prefix)) continue;
    const std::size_t end = std::min(name.find_first_of(".[", prefix.size()), name.size());
    const std::string key(name.substr(prefix.size(), end - prefix.size()));
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

const Parameter* find_declared(const std::vector<Parameter>& parameters, const std::string& name) {
  auto at = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return name == p.name; });
  return at == parameters.end() ? nullptr : &*at;
}

/// "a map {at: ...} with at, values".
std::string map_in_words(const std::vector<std::string>& keys) {
  return "a map {" + keys.front() + ": ...} with " + list_names(keys);
}

/// True if places in the text of a value may be asked for.
bool has_places_inside(const Parameter& parameter) {
  return parameter.kind == ParameterKind::text || (parameter.kind == ParameterKind::texts && !parameter.choices);
}

/// The name of a declaration, and of one setting that it declares: "arrays.*.type" and "arrays.D.type".
struct Name {
  std::string declared;
  std::string setting;

  Name below(const std::string& key) const { return {declared + key, setting + key}; }
  Name below(const std::string& pattern, const std::string& key) const { return {declared + pattern, setting + key}; }
};

class SettingsReader {
 public:
  SettingsReader(const Position& at, const Schema& schema, CheckContext& context)
      : at_(at), schema_(schema), context_(context) {}

  Settings take() { return std::move(settings_); }

  /// @param prefix of the names of its keys: empty, or with a dot at its end
  void read_map(const Node& map, const Name& prefix) {
    std::vector<Wrong> unknown = std::exchange(unknown_, {}), missing = std::exchange(missing_, {});
    for (const Entry& entry : map.entries) read_entry(entry, prefix);
    for (const Parameter& parameter : schema_.parameters) {
      const std::string_view name = parameter.name;
      const std::size_t length = prefix.declared.size();
      if (!name.starts_with(prefix.declared) || name.find_first_of(".[", length) != name.npos) continue;
      const std::string key(name.substr(length));
      if (!map.find(key)) fill_in(parameter, prefix.below(key).setting, length == 0 ? at_ : map.position);
    }
    report();
    unknown_ = std::move(unknown);
    missing_ = std::move(missing);
  }

 private:
  struct Wrong {
    Position position;
    std::string message;
  };

  void read_entry(const Entry& entry, const Name& prefix) {
    if (prefix.declared.empty() && schema_.other_keys.contains(entry.key)) return;
    if (entry.key.find('.') != std::string::npos) return refuse_dotted(entry);
    const Name name = prefix.below(entry.key);
    const bool known = !is_pattern(entry.key) && (find_declared(schema_.parameters, name.declared) ||
                                                  !keys_below(schema_.parameters, name.declared + ".").empty());
    if (known) read_node(entry.value, name);
    else refuse_unknown(entry, prefix);
  }

  /// Reads what stands at a declared name.
  void read_node(const Node& node, const Name& name) {
    if (schema_.nodes) schema_.nodes->emplace(name.setting, &node);
    const Parameter* parameter = find_declared(schema_.parameters, name.declared);
    if (parameter && parameter->kind == ParameterKind::names && node.kind == Node::Kind::map) {
      return read_names(*parameter, node, name);
    }
    if (parameter && parameter->kind == ParameterKind::items && node.kind == Node::Kind::list) {
      return read_items(*parameter, node, name);
    }
    const bool named = parameter && parameter->kind == ParameterKind::names;
    const auto nested = named ? std::vector<std::string>{} : keys_below(schema_.parameters, name.declared + ".");
    if (!nested.empty() && node.kind == Node::Kind::map) read_map(node, name.below("."));
    else if (parameter) read_parameter(*parameter, node, name);
    else refuse_non_map(node, name, nested);
  }

  void read_parameter(const Parameter& parameter, const Node& node, const Name& name) {
    Parameter named = parameter;
    named.name = name.setting.c_str();
    auto value = read_value(named, node, context_);
    if (!value) return;
    const Sources& sources = context_.complaints.sources();
    settings_.set(name.setting, std::move(*value),
                  has_places_inside(parameter) ? sources.place_of_text(node) : sources.place(node.position));
  }

  /// Reads a map whose keys the user chose.
  void read_names(const Parameter& parameter, const Node& map, const Name& name) {
    std::vector<std::string> names;
    for (const Entry& entry : map.entries) {
      if (!is_identifier(entry.key)) {
        context_.complaints.add(entry.position, "the name " + quote(entry.key) + " in " + quote(name.setting) +
                                                    " may have letters, digits and _ only, and no digit first");
        continue;
      }
      names.push_back(entry.key);
      read_node(entry.value, name.below(".*", "." + entry.key));
    }
    check_number(parameter, map, name, map.entries.size());
    settings_.set(name.setting, std::move(names), context_.complaints.sources().place_of_parts(map));
  }

  void read_items(const Parameter& parameter, const Node& list, const Name& name) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      read_node(list.items[i], name.below("[]", "[" + std::to_string(i) + "]"));
    }
    check_number(parameter, list, name, list.items.size());
    settings_.set(name.setting, static_cast<std::int64_t>(list.items.size()),
                  context_.complaints.sources().place_of_parts(list));
  }

  void check_number(const Parameter& parameter, const Node& node, const Name& name, std::size_t number) {
    const auto given = static_cast<double>(number);
    if (given >= parameter.minimum && given <= parameter.maximum) return;
    context_.complaints.add(
        node.position, quote(name.setting) + " takes " + expected(parameter) + ", not " + std::to_string(number));
  }

  /// Names of nested keys are written with dots on the command line alone.
  void refuse_dotted(const Entry& entry) {
    const std::size_t dot = entry.key.find('.');
    context_.complaints.add(entry.position, "unknown key " + quote(entry.key) + " in " + schema_.owner +
                                                "; a key in a map is written as " + entry.key.substr(0, dot) + ": {" +
                                                entry.key.substr(dot + 1) + ": ...}");
  }

  void refuse_non_map(const Node& node, const Name& name, const std::vector<std::string>& nested) {
    context_.complaints.add(node.position,
                            quote(name.setting) + " takes " + map_in_words(nested) + ", not " + describe(node));
  }

  void refuse_unknown(const Entry& entry, const Name& prefix) {
    const std::string& above = prefix.setting;
    std::vector<std::string> known = keys_below(schema_.parameters, prefix.declared);
    if (above.empty()) known.insert(known.end(), schema_.other_keys.begin(), schema_.other_keys.end());
    std::string what = schema_.owner;
    if (!above.empty()) what = quote(above.substr(0, above.size() - 1)) + " of " + what;
    std::string message = "unknown key " + quote(entry.key) + " in " + what;
    std::string hint = schema_.explain ? schema_.explain(above + entry.key) : "";
    if (!hint.empty()) hint = "; " + hint;
    if (hint.empty()) {
      hint = did_you_mean(entry.key, known);
      for (const std::string& near : near_names(entry.key, known)) misspelt_.insert(above + near);
    }
    if (hint.empty()) hint = known.empty() ? "; it takes no keys" : "; it takes " + list_names(known);
    if (entry.value.kind == Node::Kind::null) hint += " (it has no value: a list is written in brackets, [a, b])";
    unknown_.push_back({entry.position, message + hint});
  }

  void fill_in(const Parameter& parameter, const std::string& name, const Position& at) {
    if (!parameter.default_text) {
      if (!schema_.complete || misspelt_.contains(name)) return;
      missing_.push_back({at, quote(name) + ": " + parameter.help + " (" + expected(parameter) + ")"});
    } else if (*parameter.default_text != '\0') {
      if (auto value = read_default(parameter, context_)) settings_.set(name, std::move(*value));
    }
  }

  /// Complains of the keys of a map that are unknown or missing. One of each are one mistake: the unknown key stands
  /// in place of the missing one.
  void report() {
    if (unknown_.size() == 1 && missing_.size() == 1) {
      context_.complaints.add(unknown_[0].position, unknown_[0].message + "; it needs " + missing_[0].message);
    } else {
      for (const Wrong& wrong : unknown_) context_.complaints.add(wrong.position, wrong.message);
      for (const Wrong& wrong : missing_) {
        context_.complaints.add(wrong.position, schema_.owner + " needs " + wrong.message);
      }
    }
  }

  Position at_;
  const Schema& schema_;
  CheckContext& context_;
  Settings settings_;
  std::vector<Wrong> unknown_ = {}, missing_ = {};  // keys of the map that is read
  std::set<std::string> misspelt_;  // keys that an unknown key was meant for: reported there, and not missing
};

}  // namespace

std::optional<Node> default_node(const Parameter& parameter, Complaints& complaints) {
  const std::string text = parameter.default_text;
  if (text.find_first_of("[{'\"") == 0) return parse_yaml(text, 0, complaints);
  return Node{Node::Kind::scalar, {}, text};
}

std::optional<Value> read_default(const Parameter& parameter, CheckContext& context) {
  const auto node = default_node(parameter, context.complaints);
  if (!node) return std::nullopt;
  return read_value(parameter, *node, context);
}

Settings read_settings(const Node& map, const Position& at, const Schema& schema, CheckContext& context) {
  SettingsReader reader(at, schema, context);
  reader.read_map(map, {});
  return reader.take();
}

void check_default(const Parameter& parameter, const std::string& owner) {
  if (!parameter.default_text || *parameter.default_text == '\0') return;
  const Sources sources("declaration", parameter.default_text, {});
  Complaints complaints(sources);
  CheckContext context{complaints, complaints, "/", "/"};
  read_default(parameter, context);
  if (complaints.empty()) return;
  throw Error("declaration of " + owner + ": the default of '" + parameter.name +
              "' is wrong: " + complaints.rendered().front());
}

const Entry* find_misspelt(const Node& map, const std::string& key, const std::vector<std::string>& known) {
  for (const Entry& entry : map.entries) {
    const std::vector<std::string> near = near_names(entry.key, known);
    if (std::find(near.begin(), near.end(), key) != near.end()) return &entry;
  }
  return nullptr;
}

std::vector<std::string> top_level_keys(const std::vector<Parameter>& parameters) {
  return keys_below(parameters, "");
}

}  // namespace terrace::job
