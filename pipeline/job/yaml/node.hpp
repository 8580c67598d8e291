// The tree of a YAML document, with places.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace terrace::job {

/// A place in the text of a job: in the file (source 0) or in the command-line setting `source - 1`.
struct Position {
  int source = 0;
  int line = 1;    // from 1
  int column = 1;  // from 1, in bytes of the line

  friend auto operator<=>(const Position&, const Position&) = default;
};

struct Entry;

/// A scalar, a list, a map, or nothing at all (`key:` and `key: ~`).
struct Node {
  enum class Kind { null, scalar, list, map };

  Kind kind = Kind::null;
  Position position = {};
  std::string text = {};         // of a scalar, without quotes
  bool quoted = false;           // a scalar in quotes (or a block): never a number or a flag
  std::vector<Node> items = {};  // of a list
  std::vector<Entry> entries;    // of a map; no key twice

  Node();
  Node(Kind of, Position at, std::string scalar = {}, bool in_quotes = false);

  /// The value of a key of a map; null if there is none.
  const Node* find(std::string_view key) const;
  Node* find(std::string_view key);
};

/// A key of a map and its value.
struct Entry {
  std::string key;
  Position position = {};  // of the key
  Node value = {};
};

// Here, where Entry is complete.
inline Node::Node() = default;
inline Node::Node(Kind of, Position at, std::string scalar, bool in_quotes)
    : kind(of), position(at), text(std::move(scalar)), quoted(in_quotes) {}

inline Node* Node::find(std::string_view key) {
  for (Entry& entry : entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

inline const Node* Node::find(std::string_view key) const { return const_cast<Node*>(this)->find(key); }

}  // namespace terrace::job
