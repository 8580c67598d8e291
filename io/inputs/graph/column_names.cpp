#include "io/inputs/graph/column_names.hpp"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <utility>

namespace terrace::io {
namespace {

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> known) {
  return std::find(known.begin(), known.end(), text) != known.end();
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& letter : result) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return result;
}

/// Letters and digits of a name in lower case, without Neo4j's type or space of ids behind it.
std::string plain_name(std::string_view text) {
  text = text.substr(0, text.find('('));
  text = text.substr(0, text.find(':', 1));
  std::string plain;
  for (const char letter : lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(letter))) plain += letter;
  }
  return plain;
}

bool names_from(const std::string& plain) {
  return is_one_of(plain, {"source", "from", "src", "startid", "fromid", "sourceid", "srcid", "fromnode",
                           "fromnodeid", "sourcenode", "sourcenodeid", "startnode", "origin"});
}

bool names_to(const std::string& plain) {
  return is_one_of(plain, {"target", "to", "dst", "dest", "destination", "endid", "toid", "targetid", "dstid",
                           "destid", "tonode", "tonodeid", "targetnode", "targetnodeid", "endnode"});
}

/// Pairs of names that are those of nodes only together.
constexpr std::pair<std::string_view, std::string_view> pairs[] = {
    {"head", "tail"},   {"start", "end"},   {"u", "v"},   {"i", "j"},   {"a", "b"},    {"node1", "node2"},
    {"nodea", "nodeb"}, {"node0", "node1"}, {"v1", "v2"}, {"n1", "n2"}, {"id1", "id2"}};

std::vector<std::size_t> columns_called(const std::vector<std::string>& plain, std::string_view name) {
  std::vector<std::size_t> columns;
  for (std::size_t column = 0; column < plain.size(); ++column) {
    if (plain[column] == name) columns.push_back(column);
  }
  return columns;
}

}  // namespace

bool is_column_name(std::string_view text) {
  if (text.empty() || is_number(text)) return false;
  const auto first = static_cast<unsigned char>(text.front());
  if (!std::isalpha(first) && first < 0x80 && std::string_view("_:~").find(text.front()) == std::string_view::npos) {
    return false;
  }
  return !is_one_of(lower(text), {"na", "n/a", "nan", "null", "nul", "none", "nil", "inf", "infinity", "missing",
                                  "undefined", "unknown"});
}

bool names_weight(std::string_view text) { return plain_name(text) == "weight"; }

bool names_index(std::string_view text) {
  return is_one_of(plain_name(text), {"id", "index", "edge", "edgeid", "eid", "row", "rowid", "rowname", "rownames"});
}

bool names_other(std::string_view text) {
  return is_one_of(plain_name(text), {"type", "label", "name", "key", "kind", "relation", "relationship",
                                      "interaction", "directed", "timeset", "comment"});
}

std::vector<NodeColumns> node_columns(const std::vector<std::string>& names) {
  std::vector<std::string> plain;
  for (const std::string& name : names) plain.push_back(plain_name(name));
  std::vector<NodeColumns> found;
  for (std::size_t from = 0; from < names.size(); ++from) {
    for (std::size_t to = 0; names_from(plain[from]) && to < names.size(); ++to) {
      if (!names_to(plain[to])) continue;
      found.push_back({from, to, names[from].starts_with(':') ? Certainty::sure : Certainty::usual});
    }
  }
  if (!found.empty()) return found;
  for (const auto& [first, second] : pairs) {
    for (const std::size_t from : columns_called(plain, first)) {
      for (const std::size_t to : columns_called(plain, second)) {
        if (first == "head") found.push_back({std::min(from, to), std::max(from, to), Certainty::usual, true});
        else found.push_back({from, to, Certainty::weak});
      }
    }
  }
  return found;
}

}  // namespace terrace::io
