#include "pipeline/job/yaml_settings.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "pipeline/base/error.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml_parse.hpp"

namespace terrace::job {
namespace {

/// The keys right below `prefix` ("" or "until."), in the order of declaration.
std::vector<std::string> keys_below(const std::vector<Parameter>& parameters, const std::string& prefix) {
  std::vector<std::string> keys;
  for (const Parameter& parameter : parameters) {
    const std::string name = parameter.name;
    if (!name.starts_with(prefix)) continue;
    const std::string key = name.substr(prefix.size(), name.find('.', prefix.size()) - prefix.size());
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
  }
  return keys;
}

const Parameter* find_parameter(const std::vector<Parameter>& parameters, const std::string& name) {
  auto at = std::find_if(parameters.begin(), parameters.end(), [&](const Parameter& p) { return name == p.name; });
  return at == parameters.end() ? nullptr : &*at;
}

/// The default of a parameter as a value.
std::optional<Value> read_default(const Parameter& parameter, CheckContext& context) {
  const auto node = default_node(parameter, context.complaints);
  if (!node) return std::nullopt;
  return read_value(parameter, *node, context);
}

class SettingsReader {
 public:
  SettingsReader(const Position& at, const Schema& schema, CheckContext& context)
      : at_(at), schema_(schema), context_(context) {}

  Settings take() { return std::move(settings_); }

  void read_map(const Node& map, const std::string& prefix) {
    std::vector<Wrong> unknown = std::exchange(unknown_, {}), missing = std::exchange(missing_, {});
    for (const Entry& entry : map.entries) read_entry(entry, prefix);
    for (const Parameter& parameter : schema_.parameters) {
      const std::string name = parameter.name;
      const bool here = name.starts_with(prefix) && name.find('.', prefix.size()) == std::string::npos;
      if (here && !map.find(name.substr(prefix.size()))) fill_in(parameter, prefix.empty() ? at_ : map.position);
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

  void read_entry(const Entry& entry, const std::string& prefix) {
    if (prefix.empty() && schema_.other_keys.contains(entry.key)) return;
    if (entry.key.find('.') != std::string::npos) return refuse_dotted(entry);
    const std::string name = prefix + entry.key;
    const Parameter* parameter = find_parameter(schema_.parameters, name);
    const auto nested = keys_below(schema_.parameters, name + ".");
    if (!nested.empty() && entry.value.kind == Node::Kind::map) read_map(entry.value, name + ".");
    else if (parameter) read_parameter(*parameter, entry);
    else if (!nested.empty()) refuse_non_map(entry, nested);
    else refuse_unknown(entry, prefix);
  }

  void read_parameter(const Parameter& parameter, const Entry& entry) {
    auto value = read_value(parameter, entry.value, context_);
    if (!value) return;
    const Position& position = entry.value.position;
    settings_.set(parameter.name, std::move(*value), context_.complaints.sources().place(position));
  }

  /// Names of nested keys are written with dots on the command line alone.
  void refuse_dotted(const Entry& entry) {
    const std::size_t dot = entry.key.find('.');
    context_.complaints.add(entry.position, "unknown key " + quote(entry.key) + " in " + schema_.owner +
                                                "; a key in a map is written as " + entry.key.substr(0, dot) + ": {" +
                                                entry.key.substr(dot + 1) + ": ...}");
  }

  void refuse_non_map(const Entry& entry, const std::vector<std::string>& nested) {
    context_.complaints.add(entry.value.position, quote(entry.key) + " takes a map {" + nested.front() +
                                                      ": ...} with " + list_names(nested) + ", not " +
                                                      describe(entry.value));
  }

  void refuse_unknown(const Entry& entry, const std::string& prefix) {
    std::vector<std::string> known = keys_below(schema_.parameters, prefix);
    if (prefix.empty()) known.insert(known.end(), schema_.other_keys.begin(), schema_.other_keys.end());
    std::string what = schema_.owner;
    if (!prefix.empty()) what = quote(prefix.substr(0, prefix.size() - 1)) + " of " + what;
    std::string message = "unknown key " + quote(entry.key) + " in " + what;
    std::string hint = schema_.explain ? schema_.explain(prefix + entry.key) : "";
    if (!hint.empty()) hint = "; " + hint;
    if (hint.empty()) {
      hint = did_you_mean(entry.key, known);
      for (const std::string& near : near_names(entry.key, known)) misspelt_.insert(prefix + near);
    }
    if (hint.empty()) hint = known.empty() ? "; it takes no keys" : "; it takes " + list_names(known);
    if (entry.value.kind == Node::Kind::null) hint += " (it has no value: a list is written in brackets, [a, b])";
    unknown_.push_back({entry.position, message + hint});
  }

  void fill_in(const Parameter& parameter, const Position& at) {
    if (!parameter.default_text) {
      if (!schema_.complete || misspelt_.contains(parameter.name)) return;
      missing_.push_back({at, quote(parameter.name) + ": " + parameter.help + " (" + expected(parameter) + ")"});
    } else if (*parameter.default_text != '\0') {
      if (auto value = read_default(parameter, context_)) settings_.set(parameter.name, std::move(*value));
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

Settings read_settings(const Node& map, const Position& at, const Schema& schema, CheckContext& context) {
  SettingsReader reader(at, schema, context);
  reader.read_map(map, "");
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
