// Graphs in GraphML (Brandes et al. 2002), by libxml2, element by element.
#include <libxml/xmlerror.h>
#include <libxml/xmlreader.h>

#include <memory>
#include <unordered_map>

#include "io/inputs/graph/lines.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::io {
namespace {

/// The elements of an XML file, one after another.
class XmlElements {
 public:
  explicit XmlElements(const InputFile& file) : path_(file.path().string()), text_(file) {
    // No network, no entities put in place: what a file names outside of itself is not read.
    reader_.reset(xmlReaderForIO(read_bytes, close_nothing, this, path_.c_str(), nullptr,
                                 XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING | XML_PARSE_BIG_LINES));
    if (!reader_) throw IoError(path_, "libxml2 cannot be set up");
    xmlTextReaderSetStructuredErrorHandler(reader_.get(), note_error, this);
  }

  /// Goes to the next beginning or end of an element, or text in it. @return false at the end of the file
  bool next() {
    const int code = xmlTextReaderRead(reader_.get());
    if (failure_) std::rethrow_exception(failure_);
    if (code < 0 || !fault_.empty())
      throw IoError(fault_place_.empty() ? place() : fault_place_, "is no XML: " + fault_);
    return code == 1;
  }

  bool begins() const { return xmlTextReaderNodeType(reader_.get()) == XML_READER_TYPE_ELEMENT; }
  bool ends() const { return xmlTextReaderNodeType(reader_.get()) == XML_READER_TYPE_END_ELEMENT; }
  bool is_text() const {
    const int type = xmlTextReaderNodeType(reader_.get());
    return type == XML_READER_TYPE_TEXT || type == XML_READER_TYPE_CDATA ||
           type == XML_READER_TYPE_SIGNIFICANT_WHITESPACE;
  }
  /// True if the element has no content: no end follows.
  bool is_empty() const { return xmlTextReaderIsEmptyElement(reader_.get()) == 1; }
  std::string_view name() const { return view(xmlTextReaderConstLocalName(reader_.get())); }
  std::string_view text() const { return view(xmlTextReaderConstValue(reader_.get())); }
  std::optional<std::string> attribute(const char* name) const {
    const std::unique_ptr<xmlChar, void (*)(void*)> value(
        xmlTextReaderGetAttribute(reader_.get(), reinterpret_cast<const xmlChar*>(name)),
        [](void* memory) { xmlFree(memory); });
    return value ? std::optional(std::string(view(value.get()))) : std::nullopt;
  }
  std::int64_t line() const { return xmlGetLineNo(xmlTextReaderCurrentNode(reader_.get())); }
  std::string place() const { return path_ + ":" + std::to_string(line()); }

 private:
  static std::string_view view(const xmlChar* text) {
    return text ? std::string_view(reinterpret_cast<const char*>(text)) : std::string_view();
  }

  static int read_bytes(void* self, char* buffer, int bytes) {
    auto& elements = *static_cast<XmlElements*>(self);
    try {
      return static_cast<int>(elements.text_.next(std::span(buffer, static_cast<std::size_t>(bytes))).size());
    } catch (...) {
      elements.failure_ = std::current_exception();  // no exception passes through the library
      return -1;
    }
  }
  static int close_nothing(void*) { return 0; }

  static void note_error(void* self, xmlErrorPtr error) {
    auto& elements = *static_cast<XmlElements*>(self);
    if (error->level == XML_ERR_WARNING || !elements.fault_.empty()) return;
    elements.fault_ = error->message ? error->message : "damaged";
    while (elements.fault_.ends_with('\n')) elements.fault_.pop_back();
    elements.fault_place_ = elements.path_ + ":" + std::to_string(error->line) + ":" + std::to_string(error->int2);
  }

  std::string path_;
  GzipReader text_;
  std::exception_ptr failure_;  // of reading the file
  std::string fault_, fault_place_;
  std::unique_ptr<xmlTextReader, void (*)(xmlTextReaderPtr)> reader_{nullptr, xmlFreeTextReader};
};

/// A key: the name of what elements of a kind carry, and its value where an element does not say.
struct Key {
  std::string of;  // node, edge, ...
  std::string name;
  std::optional<std::string> fallback;
};

struct NamedEdge {
  std::string from, to;
  std::string weight;
  bool one_way;
  std::int64_t line;
};

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  if (begin == text.npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") + 1 - begin));
}

class GraphmlReader {
 public:
  GraphmlReader(const InputFile& file, const EdgeRules& rules)
      : path_(file.path().string()),
        xml_(file),
        rules_(rules),
        weight_(rules.weight.empty() ? "weight" : rules.weight) {}

  EdgeList read() {
    while (xml_.next()) {
      if (!xml_.begins()) continue;
      const std::string name(xml_.name());
      if (depth_++ == 0 && name != "graphml")
        throw IoError(xml_.place(), "begins with <" + name + ">, not <graphml>");
      if (name == "key") read_key();
      else if (name == "graph") read_graph();
      else if (name != "graphml") skip();
    }
    if (!found_) throw IoError(path_, "has no <graph>");
    return finish();
  }

 private:
  std::string needed(const char* attribute) const {
    const auto value = xml_.attribute(attribute);
    if (!value) throw IoError(xml_.place(), "<" + std::string(xml_.name()) + "> has no `" + attribute + "`");
    return *value;
  }

  /// Calls visit(name) at the beginning of each element in the current one, which takes all of it.
  template <class Visit>
  void for_each_child(const Visit& visit) {
    if (xml_.is_empty()) return;
    while (xml_.next()) {
      if (xml_.ends()) return;
      if (xml_.begins()) visit(std::string(xml_.name()));
    }
  }

  void skip() {
    if (++nested_ > 200) throw IoError(xml_.place(), "elements lie in one another too deep");
    for_each_child([&](const std::string&) { skip(); });
    --nested_;
  }

  /// The text of the current element, which ends with it.
  std::string content() {
    std::string text;
    if (xml_.is_empty()) return text;
    while (xml_.next() && !xml_.ends()) {
      if (xml_.is_text()) text += xml_.text();
      else if (xml_.begins()) skip();
    }
    return trimmed(text);
  }

  void read_key() {
    Key key;
    const std::string id = needed("id");
    key.of = xml_.attribute("for").value_or("all");
    key.name = xml_.attribute("attr.name").value_or(id);
    for_each_child([&](const std::string& name) {
      if (name == "default") key.fallback = content();
      else skip();
    });
    keys_[id] = std::move(key);
  }

  void read_graph() {
    if (found_) throw IoError(xml_.place(), "a second graph");
    found_ = true;
    directed_ = needed("edgedefault") == "directed";
    for_each_child([&](const std::string& name) {
      if (name == "node") read_node();
      else if (name == "edge") read_edge();
      else if (name == "hyperedge") throw IoError(xml_.place(), "a hyperedge, which no matrix of weights has");
      else skip();
    });
  }

  /// Reads the data of a node or an edge. @param take called with the name of the key and the value
  template <class Take>
  void read_data(const char* of, const Take& take) {
    for (const auto& [id, key] : keys_) {
      if (key.fallback && (key.of == of || key.of == "all")) take(key.name, *key.fallback);
    }
    for_each_child([&](const std::string& name) {
      if (name == "graph") throw IoError(xml_.place(), "a graph in a node, which cannot be read");
      if (name != "data") return skip();
      const std::string id = needed("key");
      const auto key = keys_.find(id);
      if (key == keys_.end()) throw IoError(xml_.place(), "no <key> has the id " + quote(id));
      take(key->second.name, content());
    });
  }

  void read_node() {
    const std::string place = xml_.place(), id = needed("id");
    if (!rows_.try_emplace(id, static_cast<std::int64_t>(ids_.size())).second) {
      throw IoError(place, "a second node with the id " + quote(id));
    }
    ids_.push_back(id);
    std::string label, name;
    read_data("node", [&](const std::string& key, const std::string& value) {
      if (key == "label") label = value;
      if (key == "name") name = value;
    });
    if (label.empty()) label = name;
    labelled_ = labelled_ || !label.empty();
    labels_.push_back(label.empty() ? id : label);
    check_kept(ids_.size());
  }

  void read_edge() {
    NamedEdge edge{needed("source"), needed("target"), "", directed_, xml_.line()};
    const std::string place = xml_.place();
    if (const auto directed = xml_.attribute("directed")) edge.one_way = *directed == "true";
    mixed_ = mixed_ || edge.one_way != directed_;
    std::vector<std::string> keys;  // others
    read_data("edge", [&](const std::string& key, const std::string& value) {
      if (key != weight_) keys.push_back(key);
      else if (!rules_.unweighted) edge.weight = value;
    });
    if (edge.weight.empty() && !rules_.unweighted) throw IoError(place, message_without_weight(weight_, keys));
    edges_.push_back(std::move(edge));
    check_kept(edges_.size());
  }

  void check_kept(std::size_t count) const {
    constexpr std::size_t between = 1 << 14;
    if (rules_.check_kept && count % between == 0) {
      rules_.check_kept(
          static_cast<std::int64_t>(edges_.size() * sizeof(NamedEdge) + ids_.size() * 2 * sizeof(std::string)));
    }
  }

  std::int64_t row(const NamedEdge& edge, const std::string& node) const {
    const auto found = rows_.find(node);
    if (found != rows_.end()) return found->second;
    throw IoError(path_ + ":" + std::to_string(edge.line),
                  "this edge is one of node " + quote(node) + ", and no <node> has that id");
  }

  EdgeList finish() {
    EdgeList list;
    list.directed = directed_ || mixed_;
    for (const NamedEdge& edge : edges_) {
      const std::int64_t from = row(edge, edge.from), to = row(edge, edge.to);
      const auto add = [&](std::int64_t a, std::int64_t b) {
        if (const auto wrong = list.add(a, b, edge.weight))
          throw IoError(path_ + ":" + std::to_string(edge.line), *wrong);
      };
      add(from, to);
      if (mixed_ && !edge.one_way) add(to, from);
    }
    list.nodes = static_cast<std::int64_t>(ids_.size());
    if (labelled_) list.labels = std::move(labels_);
    number_ids(list);
    return list;
  }

  /// Ids that are all numbers are numbers.
  void number_ids(EdgeList& list) {
    std::vector<std::int64_t> numbers;
    for (const std::string& id : ids_) {
      const auto number = whole_number(id);
      if (!number || std::to_string(*number) != id) {
        list.texts = std::move(ids_);
        return;
      }
      numbers.push_back(*number);
    }
    for (Edge& edge : list.edges) {
      edge.from = numbers[static_cast<std::size_t>(edge.from)];
      edge.to = numbers[static_cast<std::size_t>(edge.to)];
    }
    list.names = std::move(numbers);
  }

  std::string path_;
  XmlElements xml_;
  const EdgeRules& rules_;
  std::string weight_;
  std::unordered_map<std::string, Key> keys_;
  std::unordered_map<std::string, std::int64_t> rows_;
  std::vector<std::string> ids_, labels_;
  std::vector<NamedEdge> edges_;
  bool found_ = false, directed_ = true, labelled_ = false;
  bool mixed_ = false;  // true if some edges go one way and others both
  int depth_ = 0, nested_ = 0;
};

}  // namespace

EdgeList read_graphml(const InputFile& file, const EdgeRules& rules) { return GraphmlReader(file, rules).read(); }

}  // namespace terrace::io
