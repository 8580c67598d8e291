// Graphs in GML (Himsolt 1997): nested lists of keys and values.
#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "io/inputs/graph/lines.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

/// Keys, values and brackets of a text, one after another.
class Words {
 public:
  Words(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
    if (text_.starts_with("\xef\xbb\xbf")) text_.erase(0, 3);
  }

  /// The next word; false at the end. Strings are given with their quotes.
  bool next(std::string_view& word) {
    skip();
    if (at_ >= text_.size()) return false;
    begin_ = at_;
    line_begin_ = line_;
    if (text_[at_] == '[' || text_[at_] == ']') {
      ++at_;
    } else if (text_[at_] == '"') {
      const std::size_t end = text_.find('"', at_ + 1);
      if (end == std::string::npos) throw IoError(place(), "this text has no end: a quote is missing");
      advance(end + 1);
    } else {
      while (at_ < text_.size() && !std::isspace(static_cast<unsigned char>(text_[at_])) && text_[at_] != '[' &&
             text_[at_] != ']') {
        ++at_;
      }
    }
    word = std::string_view(text_).substr(begin_, at_ - begin_);
    return true;
  }

  /// The line on which the last word began.
  std::int64_t line() const { return line_begin_; }
  /// The place in the file at which the last word began.
  std::string place() const {
    const std::size_t before = text_.rfind('\n', begin_ == 0 ? 0 : begin_ - 1);
    const std::size_t column = before == std::string::npos || begin_ == 0 ? begin_ + 1 : begin_ - before;
    return path_ + ":" + std::to_string(line_begin_) + ":" + std::to_string(column);
  }

 private:
  void advance(std::size_t to) {
    for (; at_ < to; ++at_) line_ += text_[at_] == '\n' ? 1 : 0;
  }
  void skip() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        const std::size_t end = text_.find_first_of("\r\n", at_);
        at_ = end == std::string::npos ? text_.size() : end;
      } else if (std::isspace(static_cast<unsigned char>(text_[at_]))) {
        advance(at_ + 1);
      } else {
        return;
      }
    }
  }

  std::string path_, text_;
  std::size_t at_ = 0, begin_ = 0;
  std::int64_t line_ = 1, line_begin_ = 1;
};

/// A letter as UTF-8; empty if there is none of that number.
std::string utf8_letter(std::uint32_t number) {
  const auto byte = [&](int shift, unsigned head, unsigned mask) {
    return static_cast<char>(head | ((number >> shift) & mask));
  };
  if (number == 0 || number > 0x10FFFF || (number >= 0xD800 && number < 0xE000)) return {};
  if (number < 0x80) return {byte(0, 0, 0x7F)};
  if (number < 0x800) return {byte(6, 0xC0, 0x1F), byte(0, 0x80, 0x3F)};
  if (number < 0x10000) return {byte(12, 0xE0, 0x0F), byte(6, 0x80, 0x3F), byte(0, 0x80, 0x3F)};
  return {byte(18, 0xF0, 0x07), byte(12, 0x80, 0x3F), byte(6, 0x80, 0x3F), byte(0, 0x80, 0x3F)};
}

/// The letter of "quot", "#233" or "#xE9"; empty if there is none.
std::string letter_of_entity(std::string_view name) {
  constexpr std::pair<std::string_view, const char*> known[] = {
      {"quot", "\""}, {"amp", "&"}, {"lt", "<"}, {"gt", ">"}, {"apos", "'"}};
  for (const auto& [entity, letter] : known) {
    if (name == entity) return letter;
  }
  if (!name.starts_with('#')) return {};
  name.remove_prefix(1);
  const bool hexadecimal = name.starts_with('x');
  if (hexadecimal) name.remove_prefix(1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number, hexadecimal ? 16 : 10);
  if (error != std::errc{} || end != name.data() + name.size()) return {};
  return utf8_letter(number);
}

/// A text of GML, whose letters beyond ASCII may be entities. What is none stays as it is.
std::string without_entities(std::string_view text) {
  constexpr std::size_t longest = 12;
  std::string result;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '&' ? text.substr(at, longest).find(';') : text.npos;
    const std::string letter = end == text.npos ? "" : letter_of_entity(text.substr(at + 1, end - 1));
    result += letter.empty() ? std::string(1, text[at]) : letter;
    if (!letter.empty()) at += end;
  }
  return result;
}

class GmlReader {
 public:
  GmlReader(const InputFile& file, const EdgeRules& rules)
      : path_(file.path().string()),
        words_(path_, whole_text(file, rules.check_kept)),
        weight_(rules.weight.empty() ? "weight" : rules.weight),
        unweighted_(rules.unweighted) {}

  EdgeList read() {
    list_.directed = false;
    list_.names.emplace();
    bool found = false;
    std::string_view key;
    while (words_.next(key)) {
      const bool graph = key == "graph";
      if (graph && found) throw IoError(words_.place(), "a second graph");
      if (graph) {
        found = true;
        expect_list("graph");
        read_graph();
      } else {
        skip_value();
      }
    }
    if (!found) throw IoError(path_, "has no `graph [ ... ]`");
    check_edges();
    if (labelled_) list_.labels = std::move(labels_);
    list_.nodes = static_cast<std::int64_t>(list_.names->size());
    return std::move(list_);
  }

 private:
  std::string_view value() {
    std::string_view word;
    if (!words_.next(word) || word == "]") throw IoError(words_.place(), "a value is missing");
    return word;
  }

  std::int64_t number() {
    const std::string_view text = value();
    if (const auto number = whole_number(text)) return *number;
    throw IoError(words_.place(), quote(text) + " is no number of a node");
  }

  /// A text, without its quotes and with the letters that its entities stand for.
  std::string text() {
    std::string_view word = value();
    if (word == "[") throw IoError(words_.place(), "a label is a text");
    if (word.starts_with('"')) word = word.substr(1, word.size() - 2);
    if (word.find('\0') != word.npos) throw IoError(words_.place(), "a label holds no zero byte");
    return without_entities(word);
  }

  void expect_list(const char* of) {
    if (value() != "[") throw IoError(words_.place(), std::string(of) + " is a list: `" + of + " [ ... ]`");
  }

  /// @return true if the value is none of a list
  bool skip_value() {
    if (value() != "[") return true;
    for_each_key([&](std::string_view) { skip_value(); });
    return false;
  }

  /// Calls visit(key) for each key up to the list's end; it takes the value.
  template <class Visit>
  void for_each_key(const Visit& visit) {
    if (++depth_ > 100) throw IoError(words_.place(), "lists lie in one another too deep");
    std::string_view key;
    while (words_.next(key)) {
      if (key == "]") {
        --depth_;
        return;
      }
      if (key == "[") throw IoError(words_.place(), "a list has a key before it");
      visit(key);
    }
    throw IoError(path_, "ends within a list: a `]` is missing");
  }

  void read_graph() {
    for_each_key([&](std::string_view key) {
      if (key == "directed") {
        list_.directed = value() == "1";
      } else if (key == "node") {
        expect_list("node");
        read_node();
      } else if (key == "edge") {
        expect_list("edge");
        read_edge();
      } else {
        skip_value();
      }
    });
  }

  void read_node() {
    const std::string place = words_.place();
    std::optional<std::int64_t> id;
    std::optional<std::string> label;
    for_each_key([&](std::string_view key) {
      if (key == "id") id = number();
      else if (key == "label") label = text();
      else skip_value();
    });
    if (!id) throw IoError(place, "this node has no id");
    list_.names->push_back(*id);
    labelled_ = labelled_ || label.has_value();
    labels_.push_back(label ? *label : std::to_string(*id));
  }

  void read_edge() {
    const std::string place = words_.place();
    std::int64_t ends[2] = {-1, -1};
    std::string weight;
    std::string weight_place;
    std::vector<std::string> keys;  // others
    for_each_key([&](std::string_view key) {
      if (key == "source" || key == "target") {
        ends[key == "target"] = number();
      } else if (key == weight_ && !unweighted_) {
        weight = value();
        weight_place = words_.place();
      } else {
        const std::string name(key);
        if (skip_value()) keys.push_back(name);
      }
    });
    if (ends[0] < 0 || ends[1] < 0) throw IoError(place, "this edge has no source or no target");
    if (weight.empty() && !unweighted_) throw IoError(place, message_without_weight(weight_, keys));
    if (const auto wrong = list_.add(ends[0], ends[1], weight)) throw IoError(weight_place, *wrong);
    edge_lines_.push_back(words_.line());
  }

  /// Nodes may stand behind the edges that name them, so that this is seen at the end.
  void check_edges() const {
    std::vector<std::int64_t> ids = *list_.names;
    std::sort(ids.begin(), ids.end());
    for (std::size_t n = 0; n < list_.edges.size(); ++n) {
      for (const std::int64_t node : {list_.edges[n].from, list_.edges[n].to}) {
        if (std::binary_search(ids.begin(), ids.end(), node)) continue;
        throw IoError(path_ + ":" + std::to_string(edge_lines_[n]),
                      "this edge is one of node " + std::to_string(node) + ", and no `node` has that id");
      }
    }
  }

  std::string path_;
  Words words_;
  std::string weight_;
  bool unweighted_;
  EdgeList list_;
  std::vector<std::string> labels_;       // of all nodes; an id where a node has none
  bool labelled_ = false;                 // true if a node has one
  std::vector<std::int64_t> edge_lines_;  // where each edge ends
  int depth_ = 0;
};

}  // namespace

EdgeList read_gml(const InputFile& file, const EdgeRules& rules) { return GmlReader(file, rules).read(); }

}  // namespace terrace::io
