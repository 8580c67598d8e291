// The input kind `graph`: a file of edges as the square matrix of their weights. The edges are kept in memory, the
// matrix is made by boxes.
#include "io/inputs/graph.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <tuple>
#include <utility>

#include "io/files/checksum.hpp"
#include "io/held_source.hpp"
#include "io/input_file.hpp"
#include "io/inputs/graph/other_formats.hpp"
#include "io/inputs/graph/rows.hpp"
#include "io/inputs/gzip_reader.hpp"
#include "io/kinds.hpp"

namespace terrace::io {
namespace {

constexpr Parameter graph_parameters[] = {
    {"graph", ParameterKind::file,
     "edges of a graph, plain or gzip; the array is the square matrix of their weights, where there is none "
     "infinity, "
     "among whole numbers (i64) half the largest; stages that are made of it write the names of its nodes, or their "
     "ids, in the dataset `node`"},
    {"format", ParameterKind::choice,
     "auto: by the file's name or its first line; dimacs: shortest paths (.gr); edges: two nodes a line, numbers or "
     "names, and their weight, as from SNAP; gml; graphml; matrix_market: coordinates",
     "auto", "auto, dimacs, edges, gml, graphml, matrix_market"},
    {"directed", ParameterKind::flag, "whether edges go one way alone; left out: what the file says, else true", ""},
    {"from", ParameterKind::text,
     "the column of a list of edges with the nodes that edges leave, by its name in the header or its index from 0; "
     "given with `to`; left out: the header's `source`, `from`, `:START_ID` or another usual name, else the first",
     ""},
    {"to", ParameterKind::text,
     "the column with the nodes that edges reach: as `from`; left out: `target`, `to`, "
     "`:END_ID` or another usual name, else the second",
     ""},
    {"weight", ParameterKind::text,
     "what holds the weights: of gml and graphml a key, left out: weight; of lists of edges a column, by its name in "
     "the header or its index, left out: the header's `weight`, else the one behind the nodes, and where there is no "
     "such column every edge weighs 1",
     ""},
    {"unweighted", ParameterKind::flag, "every edge weighs 1", "false"},
    {"header", ParameterKind::flag,
     "whether the first line of a list of edges is none: names of columns, or the numbers of nodes and edges; left "
     "out: it is where it has words and the next line numbers, or a word in place of a weight, or usual names of "
     "columns, as many as the next line has fields, or where it has two numbers and the next line three",
     ""},
    {"nodes", ParameterKind::count,
     "how many nodes there are; used: only those with edges, in the order of their numbers; all: what the file says, "
     "else the largest number and those before it; left out: used in lists of edges without the number of nodes, "
     "else all",
     "", "used, all", 0, 2e9},
};

/// Edges by row, then column, each once, with the least weight.
class GraphSource : public HeldSource {
 public:
  GraphSource(EdgeList list, const Nodes& nodes, std::filesystem::path path)
      : shape_{nodes.names->count(), nodes.names->count()},
        names_(nodes.names),
        whole_(list.whole),
        left_out_(nodes.left_out > 0),
        results_(list.results),
        path_(std::move(path)) {
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
  int results() const override { return left_out_ ? std::max(results_without_unused, results_) : results_; }
  std::optional<ChangedDefault> changed_default() const override {
    if (results() != results_without_unused) return std::nullopt;
    return ChangedDefault{{"nodes", "all"}, "used"};
  }
  std::shared_ptr<const NodeNames> nodes() const override { return names_; }
  std::span<const Edge> edges() const { return edges_; }
  std::size_t memory() const override { return edges_.capacity() * sizeof(Edge) + names_->memory(); }
  std::optional<std::uint64_t> content() const override {
    static_assert(sizeof(Edge) == 2 * sizeof(std::int64_t) + sizeof(double));  // no padding
    const std::uint64_t both[] = {checksum(std::as_bytes(std::span(edges_))), names_->content()};
    return checksum(std::as_bytes(std::span(both)));
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
  static constexpr int results_without_unused = 3;  // before, lists of edges had all nodes by default
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
  std::shared_ptr<const NodeNames> names_;
  std::vector<Edge> edges_;
  bool whole_;
  bool left_out_;  // true if nodes without an edge are left out by default
  int results_;
  std::filesystem::path path_;
};

std::string format_of(const Settings& settings, const InputFile& file) {
  const std::string& format = settings.text("format");
  if (format != "auto") return format;
  const auto name = file.path().filename();
  const std::string extension = (name.extension() == ".gz" ? name.stem() : name).extension().string();
  if (extension == ".gr") return "dimacs";
  if (extension == ".gml") return "gml";
  if (extension == ".graphml") return "graphml";
  const std::string text = first_text(file, 64);
  std::string_view begin = text;
  if (begin.starts_with("%%MatrixMarket")) return "matrix_market";
  if (begin.starts_with("\xef\xbb\xbf")) begin.remove_prefix(3);
  begin.remove_prefix(std::min(begin.find_first_not_of(" \t\r\n"), begin.size()));
  if (begin.starts_with('<')) return "graphml";
  if (const auto other = other_format(file, extension)) {
    throw IoError(file.path().string(), *other + "; if it is a list of edges, say `format: edges`");
  }
  return "edges";
}

EdgeList read_edges(const std::string& format, const InputFile& file, const EdgeRules& rules) {
  if (format == "dimacs") return read_dimacs(file, rules);
  if (format == "gml") return read_gml(file, rules);
  if (format == "graphml") return read_graphml(file, rules);
  if (format == "matrix_market") return read_matrix_market(file, rules);
  return read_edge_lines(file, rules);
}

/// "1,234,567".
std::string grouped(std::int64_t number) {
  std::string text = std::to_string(number);
  for (auto at = static_cast<std::int64_t>(text.size()) - 3; at > 0; at -= 3) {
    text.insert(static_cast<std::size_t>(at), ",");
  }
  return text;
}

/// @throws JobError if keys do not fit together
EdgeRules rules_of(const Settings& settings, const OpenContext& context) {
  const auto place = [&](const char* key) { return settings.has(key) ? settings.place(key) : Place{}; };
  EdgeRules rules{settings.find<std::string>("from").value_or(""),
                  settings.find<std::string>("to").value_or(""),
                  settings.find<std::string>("weight").value_or(""),
                  settings.find<bool>("unweighted").value_or(false),
                  settings.find<bool>("header"),
                  context.warn,
                  kept_check(settings, "graph", context),
                  place("from"),
                  place("to"),
                  place("weight")};
  if (rules.unweighted && !rules.weight.empty()) {
    fail_setting(settings, "weight", "weight: an unweighted graph has none; leave out one of the two");
  }
  if (rules.from.empty() != rules.to.empty()) {
    const char* given = rules.from.empty() ? "to" : "from";
    fail_setting(settings, given, std::string(given) + ": give `from` and `to`, or neither");
  }
  return rules;
}

std::shared_ptr<Source> open_graph(const Settings& settings, const OpenContext& context) {
  const InputFile file(input_path(settings, "graph", context));
  const EdgeRules rules = rules_of(settings, context);
  const std::string format = format_of(settings, file);
  if (!rules.weight.empty() && format != "edges" && format != "gml" && format != "graphml") {
    fail_setting(settings, "weight", "weight: a file of format " + format + " says by itself what its weights are");
  }
  if (rules.header && format != "edges") {
    fail_setting(settings, "header", "header: a file of format " + format + " has none; lists of edges may have one");
  }
  if (!rules.from.empty() && format != "edges") {
    fail_setting(settings, "from", "from: a file of format " + format + " says by itself which nodes an edge has");
  }
  EdgeList list = read_edges(format, file, rules);
  const Nodes nodes = number_nodes(list, settings, file.path().string());
  if (!settings.find<bool>("directed").value_or(list.directed)) {
    const std::size_t count = list.edges.size();
    for (std::size_t n = 0; n < count; ++n) {
      const Edge edge = list.edges[n];
      list.edges.push_back({edge.to, edge.from, edge.weight});
    }
  }
  if (const std::int64_t left_out = nodes.left_out - nodes.first; left_out > 0 && context.warn) {
    context.warn(grouped(left_out) + " of " + grouped(left_out + nodes.names->count()) +
                 " nodes have no edge, by their numbers, and are left out: `nodes: used` says so, `nodes: all` keeps "
                 "them");
  }
  return std::make_shared<GraphSource>(std::move(list), nodes, file.path());
}

}  // namespace

bool is_graph(const Source& source) { return dynamic_cast<const GraphSource*>(&source) != nullptr; }

std::span<const Edge> edges_of(const Source& source) {
  const auto* graph = dynamic_cast<const GraphSource*>(&source);
  return graph != nullptr ? graph->edges() : std::span<const Edge>();
}

InputKind graph_kind() {
  return {"graph",
          "a graph's edges as the matrix of their weights: DIMACS, SNAP and plain lists, GML, GraphML, Matrix Market",
          graph_parameters,
          open_graph,
          "{graph: roads.txt, directed: false, nodes: used}\nformat: edges, weight: 2, header: false\nfrom: 0, to: 1",
          {{"nodes", "all"}}};
}

}  // namespace terrace::io
