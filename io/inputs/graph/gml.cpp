// Graphs in GML (Himsolt 1997): nested lists of keys and values.
#include <algorithm>
#include <cctype>

#include "io/inputs/graph/lines.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

/// Keys, values and brackets of a text, one after another.
class Words {
 public:
  Words(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {}

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
        const std::size_t end = text_.find('\n', at_);
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

class GmlReader {
 public:
  GmlReader(const InputFile& file, const EdgeRules& rules)
      : path_(file.path().string()),
        words_(path_, text_of(file, rules)),
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
    list_.nodes = static_cast<std::int64_t>(list_.names->size());
    return std::move(list_);
  }

 private:
  /// All of the file. @throws what the check throws
  static std::string text_of(const InputFile& file, const EdgeRules& rules) {
    if (rules.check_kept) rules.check_kept(file.size());
    std::string text(static_cast<std::size_t>(file.size()), '\0');
    file.read(0, file.size(), text.data());
    return text;
  }

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

  void expect_list(const char* of) {
    if (value() != "[") throw IoError(words_.place(), std::string(of) + " is a list: `" + of + " [ ... ]`");
  }

  void skip_value() {
    if (value() == "[") {
      for_each_key([&](std::string_view) { skip_value(); });
    }
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
    bool named = false;
    for_each_key([&](std::string_view key) {
      if (key != "id") return skip_value();
      list_.names->push_back(number());
      named = true;
    });
    if (!named) throw IoError(place, "this node has no id");
  }

  void read_edge() {
    const std::string place = words_.place();
    std::int64_t ends[2] = {-1, -1};
    std::string weight;
    std::string weight_place;
    for_each_key([&](std::string_view key) {
      if (key == "source" || key == "target") {
        ends[key == "target"] = number();
      } else if (key == weight_ && !unweighted_) {
        weight = value();
        weight_place = words_.place();
      } else {
        skip_value();
      }
    });
    if (ends[0] < 0 || ends[1] < 0) throw IoError(place, "this edge has no source or no target");
    if (weight.empty() && !unweighted_) {
      throw IoError(place, "this edge has no '" + weight_ +
                               "'; name the key of its weight by `weight`, or say `unweighted: true`");
    }
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
  std::vector<std::int64_t> edge_lines_;  // where each edge ends
  int depth_ = 0;
};

}  // namespace

EdgeList read_gml(const InputFile& file, const EdgeRules& rules) { return GmlReader(file, rules).read(); }

}  // namespace terrace::io
