#include "pipeline/job/yaml/parse.hpp"
#include "pipeline/base/printable.hpp"
#include "pipeline/job/yaml/scan.hpp"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

namespace terrace::job {
namespace {

/// Ends the parse: the rest of the text cannot be understood.
struct SyntaxError {
  Position position;
  std::string message;
};

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  for (const Entry& entry : node.entries) count += count_nodes(entry.value);
  return count;
}

int depth_of(const Node& node) {
  int deepest = 0;
  for (const Node& item : node.items) deepest = std::max(deepest, depth_of(item));
  for (const Entry& entry : node.entries) deepest = std::max(deepest, depth_of(entry.value));
  return deepest + 1;
}

/// The index behind the quote that closes the quoted text which begins at `at`; nullopt if none does.
std::optional<std::size_t> quote_end(const std::string& text, std::size_t at) {
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    const bool escaped = quote == '"' ? text[at] == '\\' : text.compare(at, 2, "''") == 0;
    if (escaped) ++at;
    else if (text[at] == quote) return at + 1;
  }
  return std::nullopt;
}

/// Builds the tree from the parser's events.
class TreeBuilder : public YAML::EventHandler {
 public:
  /// @param text what is parsed; must outlive the builder
  TreeBuilder(const std::string& text, int source, Complaints& complaints)
      : text_(text), source_(source), complaints_(complaints) {
    line_starts_.push_back(0);
    for (std::size_t at = text.find('\n'); at != std::string::npos; at = text.find('\n', at + 1)) {
      line_starts_.push_back(at + 1);
    }
  }

  Node take() { return std::move(root_); }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (std::exchange(started_, true)) {
      throw SyntaxError{position_of(mark), "a second document begins; a job is one YAML document"};
    }
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    finish({Node::Kind::null, position_of(mark)}, anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto at = anchors_.find(anchor);
    if (at == anchors_.end()) throw SyntaxError{position_of(mark), "an alias stands inside of what it names"};
    count_copy(at->second, position_of(mark));
    check_depth(position_of(mark), depth_of(at->second));
    finish(Node(at->second), 0);
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    refuse_tag(mark, tag);
    if (tag == "!") refuse_open_quote(mark);
    finish({Node::Kind::scalar, position_of(mark), value, tag == "!"}, anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(Node::Kind::list, mark, tag, anchor);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(Node::Kind::map, mark, tag, anchor);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Frame {
    Node node;
    YAML::anchor_t anchor;
    bool has_key = false;  // of a map: `key` waits for its value
    bool quoted_key = false;
    Entry key = {};
    std::map<std::string, Position> keys = {};
  };

  Position position_of(const YAML::Mark& mark) const { return {source_, mark.line + 1, mark.column + 1}; }

  void refuse_tag(const YAML::Mark& mark, const std::string& tag) const {
    if (tag.empty() || tag == "?" || tag == "!") return;
    throw SyntaxError{position_of(mark), "the tag " + quote(tag) + " has no meaning in a job; take it away"};
  }

  /// The parser ends a quoted text at the end of the file if no quote does.
  void refuse_open_quote(const YAML::Mark& mark) const {
    const auto line = static_cast<std::size_t>(mark.line);
    const std::size_t at = line < line_starts_.size()
                               ? begin_of_scalar(text_, line_starts_[line] + static_cast<std::size_t>(mark.column))
                               : 0;
    const bool quoted = at < text_.size() && (text_[at] == '"' || text_[at] == '\'');
    if (quoted && !quote_end(text_, at)) throw SyntaxError{position_of(mark), "this quote is not closed"};
  }

  void check_depth(const Position& position, int more) const {
    if (static_cast<int>(frames_.size()) + more <= deepest_nesting) return;
    throw SyntaxError{position, "lists and maps are nested more than 64 deep"};
  }

  void count_copy(const Node& node, const Position& position) {
    copied_nodes_ += count_nodes(node);
    if (copied_nodes_ <= most_alias_nodes) return;
    throw SyntaxError{position, "anchors and aliases make this job too large: they repeat more than 100000 values"};
  }

  void open(Node::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    refuse_tag(mark, tag);
    check_depth(position_of(mark), 1);
    if (awaits_key())
      throw SyntaxError{position_of(mark),
                        "a key must be a word, not a list or a map; is a bracket or brace left open?"};
    frames_.push_back({{kind, position_of(mark)}, anchor});
  }

  void close() {
    Frame frame = std::move(frames_.back());
    frames_.pop_back();
    finish(std::move(frame.node), frame.anchor);
  }

  bool awaits_key() const {
    return !frames_.empty() && frames_.back().node.kind == Node::Kind::map && !frames_.back().has_key;
  }

  void finish(Node node, YAML::anchor_t anchor) {
    if (anchor != 0) {
      count_copy(node, node.position);
      anchors_[anchor] = node;
    }
    if (frames_.empty()) root_ = std::move(node);
    else if (frames_.back().node.kind == Node::Kind::list) frames_.back().node.items.push_back(std::move(node));
    else if (awaits_key()) begin_entry(node);
    else end_entry(std::move(node));
  }

  void begin_entry(const Node& key) {
    if (key.kind != Node::Kind::scalar) throw SyntaxError{key.position, "a key is missing before the ':'"};
    if (!key.quoted) refuse_plain_key(key);
    frames_.back().key = {key.text, key.position, {}};
    frames_.back().quoted_key = key.quoted;
    frames_.back().has_key = true;
  }

  /// Keys without quotes that YAML takes and that are mistakes in a job.
  static void refuse_plain_key(const Node& key) {
    if (key.text == "<<") {
      throw SyntaxError{key.position,
                        "merge keys (<<) are no part of a job; write the keys out, or let an alias be the whole map"};
    }
    if (key.text.starts_with("\xC2\xA0")) {
      throw SyntaxError{key.position, "this is a no-break space (U+00A0), as copied text has them; write blanks"};
    }
    const std::size_t brace = key.text.find_first_of("{[");
    if (brace == std::string::npos) return;
    Position position = key.position;
    position.column += static_cast<int>(brace);
    throw SyntaxError{position, std::string("a ':' and a blank are missing before this '") + key.text[brace] + "'"};
  }

  /// `{fasta:x.fa}`: a key without a value, since the blank behind its ':' is missing. The entry that was meant goes
  /// on, so that nothing else is said about it.
  void mend_missing_blank(Entry& key, Node& value) {
    const std::size_t colon = key.key.find(':');
    const bool misses =
        value.kind == Node::Kind::null && colon != std::string::npos && colon > 0 && colon + 1 < key.key.size();
    if (!misses) return;
    Position position = key.position;
    position.column += static_cast<int>(colon);
    const std::string name = key.key.substr(0, colon), text = key.key.substr(colon + 1);
    complaints_.add(position, "a blank is missing behind this ':'; write " + quote(name + ": " + text));
    value = {Node::Kind::scalar, {position.source, position.line, position.column + 1}, text};
    key.key = name;
  }

  void end_entry(Node value) {
    Frame& frame = frames_.back();
    frame.has_key = false;
    if (!frame.quoted_key) mend_missing_blank(frame.key, value);
    // The value is missing, so the key is the place to show.
    if (value.kind == Node::Kind::null) value.position = frame.key.position;
    auto [at, is_new] = frame.keys.emplace(frame.key.key, frame.key.position);
    if (!is_new) {
      complaints_.add(frame.key.position, "duplicate key " + quote(frame.key.key) +
                                              ": it was given before, at line " + std::to_string(at->second.line) +
                                              "; keep one of them");
      return;
    }
    frame.key.value = std::move(value);
    frame.node.entries.push_back(std::move(frame.key));
  }

  const std::string& text_;
  std::vector<std::size_t> line_starts_;
  int source_;
  Complaints& complaints_;
  bool started_ = false;
  Node root_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::size_t copied_nodes_ = 0;
};

/// Position of a byte of the text.
Position position_of_byte(const std::string& text, std::size_t at, int source) {
  const auto end = text.begin() + static_cast<std::ptrdiff_t>(at);
  const auto line_start = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  const std::size_t column = line_start == std::string::npos ? at : at - line_start - 1;
  return {source, static_cast<int>(std::count(text.begin(), end, '\n')) + 1, static_cast<int>(column) + 1};
}

/// YAML is text in UTF-8 without control characters; other bytes are probably no job.
void require_text(const std::string& text, int source) {
  const std::size_t invalid = first_invalid_byte(text);
  const auto odd = std::find_if(text.begin(), text.end(), [](char letter) {
    const auto byte = static_cast<unsigned char>(letter);
    return (byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r') || byte == 0x7F;
  });
  const std::size_t at = std::min(invalid, static_cast<std::size_t>(odd - text.begin()));
  if (at == text.size()) return;
  throw SyntaxError{position_of_byte(text, at, source),
                    "this is no text in UTF-8 (byte " + std::to_string(at) + " of the file); a job is a YAML text"};
}

/// A part of the parser's message, and the words for people who write jobs.
struct Explanation {
  std::string_view part, words;
};
constexpr Explanation explanations[] = {
    {"anchor is not defined", "this alias names no anchor above it"},
    {"end of map flow",
     "not valid YAML here: a map in braces is not closed, or lacks a comma; a text with brackets, braces or commas "
     "needs quotes"},
    {"end of sequence flow",
     "not valid YAML here: a list in brackets is not closed, or lacks a comma; a text with brackets, braces or "
     "commas needs quotes"},
    {"end of map", "not valid YAML here: expected 'key: value', indented like the keys above"},
    {"end of sequence", "not valid YAML here: expected '- value', indented like the entries above"},
    {"EOF in scalar", "a quote is not closed"},
    {"illegal map value",
     "not valid YAML here: this ':' belongs to no key; a line above may lack its ':', or a text with ': ' its "
     "quotes"},
    {"illegal map key", "not valid YAML here: a key cannot stand at this place; look at the line above"},
    {"illegal flow end", "not valid YAML here: a bracket or a brace that closes none of its kind"},
    {"illegal block entry",
     "not valid YAML here: a list with '- ' cannot begin at this place; put it on a line of its own"},
    {"bad file", "lists and maps are nested more than 64 deep"},
    {"multiple tags", "this value has two tags; take them away"},
    {"multiple anchors", "this value has two anchors; keep one"},
    {"unknown escape", "a '\\' in double quotes begins no escape that YAML knows; write '\\\\', or single quotes"},
    {"invalid unicode", "an escape in double quotes names no letter of Unicode"},
    {"hex number", "an escape in double quotes lacks its hexadecimal digits"},
    {"document indicator", "a line of '---' or '...' stands in a text; indent it, or close the quote above"},
    {"illegal tab", "indentation must be made of spaces, not tabs"},
    {"flow indicator", "a text that begins with a bracket, a brace or a comma needs quotes"},
    {"block scalar", "not valid YAML here: behind '|' and '>' stands nothing but a digit from 1 to 9, '+' or '-'"},
    {"alias", "behind '*' stands the name of an anchor, and nothing else; a text that begins with '*' needs quotes"},
    {"anchor", "behind '&' stands the name of an anchor; a text that begins with '&' needs quotes"},
    {"tag", "a text that begins with '!' needs quotes"},
    {"YAML", "a line that begins with '%' has no meaning in a job; take it away"},
    {"unknown token", "a text cannot begin with this letter: put it in quotes"},
};

/// The parser's message, in words for people who write jobs. Its own text never reaches them.
std::string explain(const std::string& message) {
  for (const Explanation& known : explanations) {
    if (message.find(known.part) != std::string::npos) return std::string(known.words);
  }
  return "not valid YAML here; a text with letters that YAML takes for its own needs quotes";
}

SyntaxError from_parser(const YAML::Exception& error, const std::string& text, int source) {
  Position position{source, error.mark.line + 1, error.mark.column + 1};
  if (error.mark.is_null()) position = position_of_byte(text, text.size(), source);
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < position.line; ++i) std::getline(lines, line);
  const std::size_t indented = line.find_first_not_of(' ');
  if (indented != std::string::npos && line[indented] == '\t') {
    position.column = static_cast<int>(indented) + 1;
    return {position, "indentation must be made of spaces, not tabs"};
  }
  return {position, explain(error.msg)};
}

Node parse_document(const std::string& text, int source, Complaints& complaints) {
  require_text(text, source);
  TreeBuilder builder(text, source, complaints);
  try {
    std::istringstream stream(text);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const YAML::Exception& error) {
    throw from_parser(error, text, source);
  }
  return builder.take();
}

}  // namespace

std::optional<Node> parse_yaml(const std::string& text, int source, Complaints& complaints) {
  try {
    return parse_document(text, source, complaints);
  } catch (const SyntaxError& error) {
    complaints.add(error.position, error.message);
    return std::nullopt;
  }
}

}  // namespace terrace::job
