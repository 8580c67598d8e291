// The input kind `graph`: a file of edges as the square matrix of their weights. The edges are kept in memory, the
// matrix is made by boxes.
#include "io/inputs/graph.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "io/files/checksum.hpp"
#include "io/held_source.hpp"
#include "io/input_file.hpp"
#include "io/inputs/packed_file.hpp"
#include "io/kinds.hpp"

namespace terrace::io {
namespace {

constexpr Parameter parameters[] = {
    {"graph", ParameterKind::file,
     "edges of a graph; the array is the square matrix of their weights, where there is none infinity, among whole "
     "numbers (i64) half the largest"},
    {"format", ParameterKind::choice,
     "auto: by the file's name or its first line; dimacs: shortest paths (.gr); edges: two or three numbers a line, "
     "as from SNAP; gml; matrix_market: coordinates",
     "auto", "auto, dimacs, edges, gml, matrix_market"},
    {"directed", ParameterKind::flag, "whether edges go one way alone; left out: what the file says, else true", ""},
    {"weight", ParameterKind::text,
     "what holds the weights: of gml a key, left out: weight; of lists of edges a column, by its name in the header "
     "or "
     "its index from 2 on, left out: 2, and where there is no such column every edge weighs 1",
     ""},
    {"unweighted", ParameterKind::flag, "every edge weighs 1", "false"},
    {"header", ParameterKind::flag,
     "whether the first line of a list of edges is none: names of columns, or the numbers of nodes and edges; left "
     "out: it is where it begins with a word, or has two numbers and the next line three",
     ""},
    {"nodes", ParameterKind::count,
     "how many nodes there are; used: only those with edges, in the order of their numbers; all: what the file says, "
     "else the largest number and those before it; left out: all, with a warning where most have no edge",
     "", "used, all", 0, 2e9},
};

constexpr std::int64_t most_nodes = 2000000000;

/// Edges by row, then column, each once, with the least weight.
class GraphSource : public HeldSource {
 public:
  GraphSource(EdgeList list, std::int64_t nodes, std::filesystem::path path)
      : shape_{nodes, nodes}, whole_(list.whole), results_(list.results), path_(std::move(path)) {
    edges_ = std::move(list.edges);
    const auto order = [](const Edge& a, const Edge& b) {
      return std::tie(a.from, a.to, a.weight) < std::tie(b.from, b.to, b.weight);
    };
    std::sort(edges_.begin(), edges_.end(), order);
    const auto same = [](const Edge& a, const Edge& b) { return a.from == b.from && a.to == b.to; };
    edges_.erase(std::unique(edges_.begin(), edges_.end(), same), edges_.end());
    edges_.shrink_to_fit();
  }

  ElementType type() const override { return whole_ ? ElementType::i64 : ElementType::f64; }
  const Extents& shape() const override { return shape_; }
  std::vector<std::filesystem::path> files() const override { return {path_}; }
  int results() const override { return results_; }
  std::size_t memory() const override { return edges_.capacity() * sizeof(Edge); }
  std::optional<std::uint64_t> content() const override {
    static_assert(sizeof(Edge) == 2 * sizeof(std::int64_t) + sizeof(double));  // no padding
    return checksum(std::as_bytes(std::span(edges_)));
  }

  std::optional<KnownRange> known_range() const override {
    KnownRange range{1, 0, {}, false, true, "the list of edges"};
    if (whole_) range.fillers = {static_cast<long double>(no_edge)};
    else range.fillers = {std::numeric_limits<long double>::infinity()};
    if (edges_.empty()) return range;
    const auto lighter = [](const Edge& a, const Edge& b) { return a.weight < b.weight; };
    const auto [least, most] = std::minmax_element(edges_.begin(), edges_.end(), lighter);
    range.least = least->weight;
    range.most = most->weight;
    return range;
  }

  void read(const Box& box, void* buffer) override {
    if (whole_) fill(box, static_cast<std::int64_t*>(buffer), no_edge);
    else fill(box, static_cast<double*>(buffer), std::numeric_limits<double>::infinity());
  }

 private:
  static constexpr std::int64_t no_edge = std::numeric_limits<std::int64_t>::max() / 2;

  template <class T>
  void fill(const Box& box, T* out, T none) const {
    std::fill_n(out, box.volume(), none);
    const std::int64_t width = box.end[1] - box.begin[1];
    for (std::int64_t i = box.begin[0]; i < box.end[0]; ++i, out += width) {
      const auto before = [](const Edge& edge, const std::pair<std::int64_t, std::int64_t>& place) {
        return std::pair(edge.from, edge.to) < place;
      };
      for (auto edge = std::lower_bound(edges_.begin(), edges_.end(), std::pair(i, box.begin[1]), before);
           edge != edges_.end() && edge->from == i && edge->to < box.end[1]; ++edge) {
        out[edge->to - box.begin[1]] = static_cast<T>(edge->weight);
      }
    }
  }

  Extents shape_;
  std::vector<Edge> edges_;
  bool whole_;
  int results_;
  std::filesystem::path path_;
};

std::string format_of(const Settings& settings, const InputFile& file) {
  const std::string& format = settings.text("format");
  if (format != "auto") return format;
  const std::string extension = file.path().extension().string();
  if (extension == ".gr") return "dimacs";
  if (extension == ".gml") return "gml";
  char bytes[64] = {};
  const std::int64_t count = file.read_some(0, sizeof bytes, bytes);
  std::string_view begin(bytes, static_cast<std::size_t>(count));
  if (begin.starts_with("%%MatrixMarket")) return "matrix_market";
  if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  if (begin.starts_with('<')) {
    throw IoError(file.path().string(),
                  "is XML, as GraphML is, which cannot be read: convert it to GML (igraph and networkx do), or to "
                  "lines of edges");
  }
  return "edges";
}

EdgeList read_edges(const std::string& format, const InputFile& file, const EdgeRules& rules) {
  if (format == "dimacs") return read_dimacs(file, rules);
  if (format == "gml") return read_gml(file, rules);
  if (format == "matrix_market") return read_matrix_market(file, rules);
  return read_edge_lines(file, rules);
}

/// The numbers that edges name, in order.
std::vector<std::int64_t> used_names(const EdgeList& list) {
  std::vector<std::int64_t> names;
  for (const Edge& edge : list.edges) names.push_back(edge.from), names.push_back(edge.to);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

/// Turns the file's numbers into rows, and returns how many rows there are.
std::int64_t number_nodes(EdgeList& list, const Settings& settings, const std::string& path) {
  const bool used = settings.holds<std::string>("nodes") && settings.text("nodes") == "used";
  if (used) list.names = used_names(list);
  std::map<std::int64_t, std::int64_t> rows;
  std::int64_t nodes = list.nodes.value_or(0);
  if (list.names) {
    nodes = static_cast<std::int64_t>(list.names->size());
    for (std::int64_t row = 0; row < nodes; ++row) {
      if (!rows.emplace((*list.names)[static_cast<std::size_t>(row)], row).second) {
        throw IoError(path,
                      "has two nodes with the id " + std::to_string((*list.names)[static_cast<std::size_t>(row)]));
      }
    }
  } else if (!list.nodes) {
    for (const Edge& edge : list.edges)
      nodes = std::max({nodes, edge.from + 1 - list.first, edge.to + 1 - list.first});
  }
  if (settings.holds<std::int64_t>("nodes")) {
    const std::int64_t given = settings.integer("nodes");
    if (given < nodes && !list.edges.empty()) {
      fail_setting(settings, "nodes",
                   "nodes: " + path + " has " + std::to_string(nodes) + ", more than " + std::to_string(given));
    }
    nodes = given;
  }
  if (nodes > most_nodes) {
    throw IoError(path, "has " + std::to_string(nodes) +
                            " nodes by their largest number, or by what it says, and at most " +
                            std::to_string(most_nodes) + " can be: where numbers have gaps, say `nodes: used`");
  }
  const auto row_of = [&](std::int64_t node) {
    if (list.names) {
      const auto row = rows.find(node);
      if (row != rows.end()) return row->second;
    } else if (node >= list.first && node - list.first < nodes) {
      return node - list.first;
    }
    throw IoError(path, "has an edge of node " + std::to_string(node) + ", which is none of its nodes");
  };
  for (Edge& edge : list.edges) edge.from = row_of(edge.from), edge.to = row_of(edge.to);
  return nodes;
}

/// "1,234,567".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::int64_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

/// The number of nodes that have an edge.
std::int64_t count_used(const EdgeList& list, std::int64_t nodes) {
  constexpr std::int64_t bits_of_edge = 64;
  if (nodes > bits_of_edge * static_cast<std::int64_t>(list.edges.size())) {
    return static_cast<std::int64_t>(used_names(list).size());
  }
  std::vector<bool> used(static_cast<std::size_t>(nodes));
  for (const Edge& edge : list.edges) {
    used[static_cast<std::size_t>(edge.from)] = used[static_cast<std::size_t>(edge.to)] = true;
  }
  return std::count(used.begin(), used.end(), true);
}

/// Warns if most rows and columns of the matrix are of nodes without an edge. @param list with rows for nodes
void warn_of_empty_rows(const EdgeList& list, std::int64_t nodes,
                        const std::function<void(const std::string&)>& warn) {
  const std::int64_t used = count_used(list, nodes);
  if (2 * used >= nodes) return;
  warn(grouped(nodes - used) + " of " + grouped(nodes) +
       " nodes have no edge: `nodes: used` keeps the others alone, `nodes: all` all of them");
}

std::shared_ptr<Source> open(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "graph", context));
  refuse_packed(file, "graph");
  const EdgeRules rules{settings.find<std::string>("weight").value_or(""),
                        settings.find<bool>("unweighted").value_or(false), settings.find<bool>("header"),
                        context.warn, kept_check(settings, "graph", context)};
  if (rules.unweighted && !rules.weight.empty()) {
    fail_setting(settings, "weight", "weight: an unweighted graph has none; leave out one of the two");
  }
  const std::string format = format_of(settings, file);
  if (!rules.weight.empty() && format != "edges" && format != "gml") {
    fail_setting(settings, "weight", "weight: a file of format " + format + " says by itself what its weights are");
  }
  if (rules.header && format != "edges") {
    fail_setting(settings, "header", "header: a file of format " + format + " has none; lists of edges may have one");
  }
  EdgeList list = read_edges(format, file, rules);
  const std::int64_t nodes = number_nodes(list, settings, file.path().string());
  if (!settings.find<bool>("directed").value_or(list.directed)) {
    const std::size_t count = list.edges.size();
    for (std::size_t n = 0; n < count; ++n) {
      const Edge edge = list.edges[n];
      list.edges.push_back({edge.to, edge.from, edge.weight});
    }
  }
  if (!settings.has("nodes") && context.warn) warn_of_empty_rows(list, nodes, context.warn);
  return std::make_shared<GraphSource>(std::move(list), nodes, file.path());
}

}  // namespace

bool is_graph(const Source& source) { return dynamic_cast<const GraphSource*>(&source) != nullptr; }

InputKind graph_kind() {
  return {"graph", "a graph's edges as the matrix of their weights: DIMACS, SNAP and plain lists, GML, Matrix Market",
          parameters, open,
          "{graph: roads.txt, directed: false, nodes: used}\nformat: edges, weight: 2, header: false"};
}

}  // namespace terrace::io
