#include "pipeline/job/yaml/override.hpp"

#include <algorithm>
#include <charconv>
#include <map>

#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/parse.hpp"
#include "pipeline/job/yaml/value.hpp"

namespace terrace::job {
namespace {

/// Keys of a stage that stand next to its name; all others belong to the map of its kind.
bool stands_beside_name(const std::string& key) { return key == "name" || key == "temporary"; }

/// True for "[3]", which stands for an entry of a list.
bool is_index(const std::string& part) { return part.starts_with('['); }

/// Adds a part of a path, and the indices behind it as parts of their own: "sources[3]" is "sources" and "[3]".
void add_part(std::vector<std::string>& parts, const std::string& part) {
  std::size_t name_end = part.size();
  std::vector<std::string> indices;
  while (name_end > 0 && part[name_end - 1] == ']') {
    const std::size_t open = part.rfind('[', name_end);
    if (open == std::string::npos || open == 0 || open + 2 == name_end) break;
    const std::string index = part.substr(open, name_end - open);
    if (index.find_first_not_of("0123456789", 1) != index.size() - 1) break;
    indices.insert(indices.begin(), index);
    name_end = open;
  }
  parts.push_back(part.substr(0, name_end));
  parts.insert(parts.end(), indices.begin(), indices.end());
}

std::vector<std::string> split_path(const std::string& path) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t dot = path.find('.'); dot != std::string::npos; dot = path.find('.', begin)) {
    add_part(parts, path.substr(begin, dot - begin));
    begin = dot + 1;
  }
  add_part(parts, path.substr(begin));
  return parts;
}

/// Moves what stands in the first line of a value to its columns in the setting, which begins with the key.
void move_right(Position& position, const Position& begin) {
  position.source = begin.source;
  if (position.line == begin.line) position.column += begin.column - 1;
}

void move_right(Node& node, const Position& begin) {
  move_right(node.position, begin);
  for (Node& item : node.items) move_right(item, begin);
  for (Entry& entry : node.entries) {
    move_right(entry.position, begin);
    move_right(entry.value, begin);
  }
}

class Override {
 public:
  Override(int source, const std::string& text, Complaints& complaints)
      : position_{source, 1, 1}, text_(text), complaints_(complaints) {}

  /// Reads the setting. @returns true if it can be applied
  bool parse() {
    const std::size_t equals = text_.find('=');
    if (equals == 0 || equals == std::string::npos)
      return refuse("a setting is key=value, such as memory.device=1GiB");
    key_ = text_.substr(0, equals);
    path_ = split_path(key_);
    if (std::find(path_.begin(), path_.end(), "") != path_.end()) return refuse("a part of the key is empty");
    if (path_.size() > static_cast<std::size_t>(deepest_nesting)) return refuse("the key has too many parts");
    auto value = parse_yaml(text_.substr(equals + 1), position_.source, complaints_);
    if (!value) return false;
    move_right(*value, {position_.source, 1, static_cast<int>(equals) + 2});
    value_ = std::move(*value);
    return true;
  }

  const std::string& key() const { return key_; }

  bool refuse(const std::string& message) {
    complaints_.add(position_, message);
    return false;
  }

  void apply(Node& root) {
    if (path_[0] != "stages" || path_.size() == 1) return set(root, 0);
    if (path_.size() == 2) {
      refuse("name the key of the stage, as in stages." + path_[1] + ".schedule=auto");
    } else if (Node* stage = find_stage(root)) {
      apply_to_stage(*stage);
    }
  }

 private:
  Node* find_stage(Node& root) {
    Node* stages = root.find("stages");
    std::vector<std::string> names;
    if (stages) {
      for (Node& stage : stages->items) {
        const Node* name = stage.find("name");
        if (!name || name->kind != Node::Kind::scalar) continue;
        if (name->text == path_[1]) return &stage;
        names.push_back(name->text);
      }
    }
    const std::string near = did_you_mean(path_[1], names);
    refuse("the job has no stage " + quote(path_[1]) + (near.empty() ? "; its stages: " + list_names(names) : near));
    return nullptr;
  }

  void apply_to_stage(Node& stage) {
    const bool beside = stage.find(path_[2]) != nullptr || stands_beside_name(path_[2]);
    if (beside) return set(stage, 2);
    for (Entry& entry : stage.entries) {
      const bool can_hold_keys = entry.value.kind == Node::Kind::map || entry.value.kind == Node::Kind::null;
      const bool is_kind = !stands_beside_name(entry.key) && can_hold_keys;
      if (is_kind) return set(entry.value, 2);
    }
    refuse("stage " + quote(path_[1]) + " has no map of keys to set " + quote(path_[2]) + " in");
  }

  /// Sets path_[from ...] below `node`, making maps on the way.
  void set(Node& node, std::size_t from) {
    if (is_index(path_[from])) return set_entry(node, from);
    if (node.kind == Node::Kind::null) node = {Node::Kind::map, position_};
    if (node.kind != Node::Kind::map) {
      refuse(from == 0 ? "the job is no map of keys"
                       : quote(path_[from - 1]) + " is no map: it has no " + path_[from]);
      return;
    }
    Node* next = node.find(path_[from]);
    if (!next) {
      node.entries.push_back({path_[from], position_, {Node::Kind::null, position_}});
      next = &node.entries.back().value;
    }
    set_at(*next, from);
  }

  /// Sets path_[from ...] below an entry of a list, which is there.
  void set_entry(Node& list, std::size_t from) {
    std::size_t index = 0;
    const std::string& part = path_[from];
    const auto [end, error] = std::from_chars(part.data() + 1, part.data() + part.size(), index);
    const bool there = list.kind == Node::Kind::list && error == std::errc{} && index < list.items.size();
    if (there) return set_at(list.items[index], from);
    refuse(quote(path_[from - 1]) + " has no entry " + part + ": " +
           (list.kind == Node::Kind::list ? "it is " + describe(list) + ", counted from 0" : "it is no list"));
  }

  void set_at(Node& next, std::size_t from) {
    if (from + 1 == path_.size()) next = std::move(value_);
    else set(next, from + 1);
  }

  Position position_;
  std::string text_;
  Complaints& complaints_;
  std::string key_ = {};
  std::vector<std::string> path_ = {};
  Node value_ = {};
};

}  // namespace

void apply_overrides(Node& root, Complaints& complaints) {
  std::map<std::string, std::string> before;
  int source = 0;
  for (const std::string& text : complaints.sources().overrides()) {
    Override setting(++source, text, complaints);
    if (!setting.parse()) continue;
    auto [at, is_new] = before.emplace(setting.key(), text);
    if (is_new) setting.apply(root);
    else setting.refuse("it was set before, by --set " + at->second);
  }
}

}  // namespace terrace::job
