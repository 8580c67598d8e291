// Graphs as inputs: names and ids of nodes in every format, and the nodes that a matrix has.
#include <catch2/catch.hpp>

#include <limits>

#include "io/kinds.hpp"
#include "io/node_names.hpp"
#include "tests/unit/io/fixture.hpp"

using namespace terrace;
using namespace terrace::io;

namespace {

using Texts = NodeNames::Texts;
using Numbers = NodeNames::Numbers;

/// A graph with the warnings of opening it.
struct Opened {
  std::shared_ptr<Source> source;
  std::vector<std::string> warnings;

  NodeNames::List names() const { return source->nodes()->names(); }
  NodeNames::List ids() const { return source->nodes()->ids(); }
  /// The weight of an edge by the names of its nodes; 0: there is none.
  std::int64_t weight(const std::string& from, const std::string& to) const {
    const std::int64_t i = source->nodes()->row_of(from), j = source->nodes()->row_of(to);
    const std::int64_t found = read_box<std::int64_t>(*source, {{i, j}, {i + 1, j + 1}})[0];
    return found == std::numeric_limits<std::int64_t>::max() / 2 ? 0 : found;
  }
};

Opened open_graph(const std::string& name, const std::string& text, const std::vector<Setting>& more = {}) {
  TempFolder folder;
  folder.write(name, text);
  Settings settings;
  settings.set("graph", Value(name));
  settings.set("format", Value(std::string("auto")));
  for (const Setting& setting : more) settings.set(setting.name, setting.value, {"job.yaml:7: " + setting.name, ""});
  Opened opened;
  const std::string prefix = folder.path().string() + "/";
  const OpenContext context{.folder = folder.path(), .input = nullptr, .warn = [&](std::string warning) {
                              for (std::size_t at; (at = warning.find(prefix)) != std::string::npos;) {
                                warning.erase(at, prefix.size());
                              }
                              opened.warnings.push_back(warning);
                            }};
  opened.source = graph_kind().open(settings, context);
  return opened;
}

std::string graph_error(const std::string& name, const std::string& text, std::vector<Setting> more = {}) {
  TempFolder folder;
  folder.write(name, text);
  more.insert(more.begin(), {{"graph", name.c_str()}, {"format", "auto"}});
  return open_error(folder, more);
}

std::string error_of_name(const NodeNames& names, const std::string& text) {
  try {
    names.row_of(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

std::string graphml(const std::string& inside, const char* direction = "directed") {
  return "<?xml version=\"1.0\"?>\n<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
         "<key id=\"d0\" for=\"edge\" attr.name=\"weight\" attr.type=\"int\"/>\n"
         "<key id=\"d1\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n<graph edgedefault=\"" +
         std::string(direction) + "\">\n" + inside + "</graph>\n</graphml>\n";
}

}  // namespace

TEST_CASE("Nodes of a list of edges may be names, in order of first appearance") {
  const auto graph = open_graph("g.txt", "oslo rome 4\nrome \"new york\" 5\noslo rome 9\n");
  CHECK(graph.names() == NodeNames::List(Texts{"oslo", "rome", "new york"}));
  CHECK(graph.source->shape() == Extents{3, 3});
  CHECK(graph.weight("oslo", "rome") == 4);
  CHECK(graph.weight("rome", "new york") == 5);
  CHECK(graph.weight("rome", "oslo") == 0);
  CHECK(graph.warnings.empty());
}

TEST_CASE("Names may have blanks between commas and between tabs, and line ends may be CRLF") {
  CHECK(open_graph("g.csv", "\xef\xbb\xbfSt. Gallen,\"Paris, TX\",4\r\nParis,St. Gallen,5\r\n").names() ==
        NodeNames::List(Texts{"St. Gallen", "Paris, TX", "Paris"}));
  CHECK(open_graph("g.tsv", "new york\trome\t4\nlos angeles\tnew york\t5\n", {{"header", false}}).names() ==
        NodeNames::List(Texts{"new york", "rome", "los angeles"}));
  CHECK(open_graph("g.tsv", "new york\trome\t4\nlos angeles\tnew york\t5\n").weight("los angeles", "new york") == 5);
  CHECK(
      graph_error("g.txt", "oslo rome 4\nnew york rome 5\n") ==
      "io: g.txt:2:15: this line has 4 fields, and line 1 has 3: all edges have as many; names with blanks stand in "
      "double quotes, or between commas or tabs");
}

TEST_CASE("A first line of words is a header before numbers, or where it has a word for the weight") {
  const auto headed = open_graph("g.csv", "from,to,cost\noslo,rome,4\n");
  CHECK(headed.names() == NodeNames::List(Texts{"oslo", "rome"}));
  const auto named = open_graph("g.csv", "from,to,name,cost\noslo,rome,x,4\n", {{"weight", "cost"}});
  CHECK(named.weight("oslo", "rome") == 4);
  CHECK(open_graph("g.csv", "from,to\n0,1\n").names() == NodeNames::List(Numbers{0, 1}));
  const auto edge = open_graph("g.csv", "from,to\noslo,rome\nrome,bern\n");
  CHECK(edge.names() == NodeNames::List(Texts{"from", "to", "oslo", "rome", "bern"}));
  REQUIRE(edge.warnings.size() == 1);
  CHECK(edge.warnings[0] ==
        "g.csv:1: this line is read as an edge from node 'from' to node 'to', which no other line has: if it is a "
        "header, say `header: true`, else `header: false`");
  CHECK(open_graph("g.csv", "from,to\noslo,rome\n", {{"header", true}}).names() ==
        NodeNames::List(Texts{"oslo", "rome"}));
  CHECK(open_graph("g.csv", "oslo,rome\nrome,bern\n").warnings.empty());
  CHECK(graph_error("g.csv", "oslo,rome\n") ==
        "io: g.csv: has a line of names and no edge: if that line is an edge, say `header: false`");
}

TEST_CASE("A header says which columns have the nodes and the weights") {
  const auto weight = [](const std::string& text, const std::vector<Setting>& more = {}) {
    const auto graph = open_graph("g.csv", text, more);
    CHECK(graph.source->shape() == Extents{2, 2});
    CHECK(graph.warnings.empty());
    return graph.weight("1", "2");
  };
  CHECK(weight(",source,target,weight\n0,1,2,5\n") == 5);
  CHECK(weight(",0,1\n0,1,2\n") == 1);
  CHECK(weight("\"\",\"from\",\"to\",\"weight\"\n\"1\",1,2,5\n") == 5);
  CHECK(weight("weight,source,target\n5,1,2\n") == 5);
  CHECK(weight("Target,Source,Weight\n2,1,5\n") == 5);
  CHECK(weight(":END_ID(A),:START_ID(B),x,weight:int\n2,1,7,5\n") == 5);
  CHECK(weight("id,from_node,to_node,cost\n9,1,2,5\n") == 5);
  CHECK(weight("a,b,c\n1,2,5\n") == 5);
  CHECK(weight("from,to,cost,weight\n1,2,7,5\n") == 5);
  CHECK(weight("from,to,cost,weight\n1,2,7,5\n", {{"weight", "2"}}) == 7);
  CHECK(weight("from,to,cost,weight\n1,2,7,5\n", {{"unweighted", true}}) == 1);
  CHECK(weight("x,y,z\n7,1,2\n", {{"from", "y"}, {"to", "z"}, {"weight", "x"}}) == 7);
  CHECK(weight("7,1,2\n", {{"from", "1"}, {"to", "2"}, {"weight", "0"}}) == 7);
  CHECK(weight("x,y\n7,1,2\n", {{"header", true}, {"from", "1"}, {"to", "2"}, {"weight", "0"}}) == 7);
}

TEST_CASE("A list of which a header moves columns has another number of results") {
  const auto results = [](const std::string& text, const std::vector<Setting>& more = {}) {
    return open_graph("g.csv", text, more).source->results();
  };
  CHECK(results("from,to,cost\n0,1,5\n") == 1);
  CHECK(results("from,to\n0,1\n1,0\n") == 1);
  CHECK(results("from,to,cost,weight\n0,1,7,5\n", {{"weight", "cost"}}) == 1);
  CHECK(results("oslo,rome,4\n") == 1);
  CHECK(results("from,to,cost,weight\n0,1,7,5\n") == 4);
  CHECK(results("to,from,weight\n0,1,5\n") == 4);
  CHECK(results("from,to,id\n0,1,5\n") == 4);
  CHECK(results("oslo,rome,4\n0,1,5\n") == 4);
  CHECK(results(":START_ID,:END_ID\noslo,rome\n") == 4);
  CHECK(results("01,2,5\n") == 4);
  const auto both = open_graph("g.csv", ",from,to\n0,10,20\n");
  CHECK(both.source->results() == 4);
  CHECK_FALSE(both.source->changed_default());
}

TEST_CASE("A header that may mean two things is an error that names the key") {
  CHECK(graph_error("g.csv", "source,target,from,to\n1,2,3,4\n") ==
        "io: g.csv:1: this header has several columns of nodes: say which are meant by `from` and `to`");
  CHECK(graph_error("g.csv", "id,x,y\n1,2,3\n") ==
        "io: g.csv:1: this header has a column 'id', and none that is known to have nodes: say which have them by "
        "`from` and `to`");
  CHECK(graph_error("g.csv", "from,x,to\n1,2,3\n").find("`weight`, or `unweighted: true`") != std::string::npos);
  CHECK(graph_error("g.csv", "from,to,type\n1,2,3\n").find("none of them called weight") != std::string::npos);
  CHECK(graph_error("g.csv", "from,to,weight,Weight\n1,2,3,4\n").find("several of them called weight") !=
        std::string::npos);
  CHECK(graph_error("g.csv", "x,y,z\n1,2,3\n", {{"from", "x"}, {"to", "0"}}) ==
        "job: job.yaml:7: to: to: is the column of `from`, too");
  CHECK(graph_error("g.csv", "x,y,z\n1,2,3\n", {{"from", "x"}, {"to", "w"}}) ==
        "job: job.yaml:7: to: to: 'w' is neither a column of a header of g.csv nor an index from 0 on");
  CHECK(graph_error("g.csv", "x,x,z\n1,2,3\n", {{"from", "x"}, {"to", "z"}}) ==
        "job: job.yaml:7: from: from: several columns are called 'x'; give an index");
  CHECK(graph_error("g.csv", "1,2,3\n", {{"from", "0"}, {"to", "3"}, {"weight", "1"}}) ==
        "io: g.csv:1:6: this line has no column 3, counted from 0, for a node");
  CHECK(graph_error("g.txt", "\"x\" \"y\"\n\"1\" 1 2\n", {{"header", true}})
            .find("this header names 2 columns, and the line after it has 3 fields") != std::string::npos);
}

TEST_CASE("A first line that later lines could not be is an error, and no header") {
  CHECK(
      graph_error("g.txt", "San Jose Reno 5\nReno Elko 7\n") ==
      "io: g.txt:1:10: 'Reno' is no number; names with blanks stand in double quotes, or between commas or tabs; if "
      "this line is a header, say `header: true`");
  for (const char* missing : {"NA", "n/a", "null", "None", "-", "5km", "{}", "<NA>", "?"}) {
    const std::string weight = std::string("'") + missing + "' is no number; if this line is a header";
    CHECK(graph_error("g.csv", std::string("a,b,") + missing + "\nb,c,3\n").find("io: g.csv:1:5: " + weight) == 0);
  }
  CHECK(
      graph_error("g.csv", "a,b,\"1,5\"\nb,c,3\n") ==
      "io: g.csv:1:5: '1,5' is no number; write decimals with a point; if this line is a header, say `header: true`");
  CHECK(graph_error("g.csv", "1,2,,x\n") ==
        "io: g.csv:1:5: this edge has no weight; say `unweighted: true` where "
        "none has");
}

TEST_CASE("A name of several numbers is an error, unless it is quoted") {
  const std::string what =
      " is several numbers, or has a decimal comma: commas, tabs or blanks stand between fields, and decimals have a "
      "point; a name like that stands in double quotes";
  CHECK(graph_error("g.txt", "1 2 1,5\n2 3 2,5\n") == "io: g.txt:1:1: '1 2 1'" + what);
  CHECK(graph_error("g.txt", "1;2;1,5\n2;3;2,5\n") == "io: g.txt:1:1: '1;2;1'" + what);
  CHECK(graph_error("g.txt", "1\t2\t1,5\n") ==
        "io: g.txt:1:5: '1,5' is no number; write decimals with a point; if "
        "this line is a header, say `header: true`");
  CHECK(graph_error("g.txt", "1 2 1.5\n2 3 2,5\n") == "io: g.txt:2:1: '2 3 2'" + what);
  CHECK(graph_error("g.txt", "1;2;1\n") ==
        "io: g.txt:1:6: an edge has two nodes; commas, tabs or blanks stand between fields, and no ';'");
  CHECK(open_graph("g.csv", "\"12 34\",x1,5\n").names() == NodeNames::List(Texts{"12 34", "x1"}));
}

TEST_CASE("Numbers with leading zeros are names") {
  CHECK(open_graph("g.txt", "007 7 4\n").names() == NodeNames::List(Texts{"007", "7"}));
  CHECK(open_graph("g.txt", "0 10 4\n").names() == NodeNames::List(Numbers{0, 10}));
  const auto later = open_graph("g.txt", "1 2 4\n2 03 5\n");
  CHECK(later.names() == NodeNames::List(Texts{"1", "2", "03"}));
  REQUIRE(later.warnings.size() == 1);
  CHECK(later.warnings[0] ==
        "g.txt:2:3: '03' is written with a leading zero, and nodes of lines before are not: all "
        "are taken for names");
}

TEST_CASE("A list that is numbered from 1 has no node 0 to leave out") {
  CHECK(open_graph("g.txt", "1 2 3\n2 3 4\n").warnings.empty());
  CHECK(open_graph("g.txt", "1 2 3\n2 3 4\n").source->results() == 3);
  const auto gap = open_graph("g.txt", "1 2 3\n2 4 4\n");
  REQUIRE(gap.warnings.size() == 1);
  CHECK(gap.warnings[0].find("1 of 4 nodes have no edge, by their numbers") == 0);
}

TEST_CASE("Formats that are not read are named, unless the job says that it is a list of edges") {
  const std::string not_read =
      ", which is not read: networkx, igraph and Gephi write it as GraphML or GML; if it is a "
      "list of edges, say `format: edges`";
  CHECK(graph_error("g.net", "% note\n*Vertices 2\n1 \"a\"\n") == "io: g.net: is a Pajek file" + not_read);
  CHECK(graph_error("g.graph", "3 2\n2\n1 3\n2\n") ==
        "io: g.graph: is a METIS file by its name and first line" + not_read);
  CHECK(open_graph("g.graph", "oslo rome 4\n").weight("oslo", "rome") == 4);
  CHECK(graph_error("g.txt", "strict digraph {\n") == "io: g.txt: is a Graphviz (DOT) file" + not_read);
  CHECK(graph_error("g.txt", "c x\nc y\np sp 2 1\na 1 2 3\n").find("say `format: dimacs`") != std::string::npos);
  CHECK(open_graph("g.txt", "c d 5\np q 3\n").weight("p", "q") == 3);
  CHECK(open_graph("g.txt", "graph x 5\n").weight("graph", "x") == 5);
  TempFolder folder;
  folder.write("g.txt", "*Vertices b 2\n");
  CHECK(open_error(folder, {{"graph", "g.txt"}, {"format", "edges"}}) == "none");
  CHECK(graph_error("g.txt", "1 2 3\r2 3 4\r")
            .find("io: g.txt:1:6: a carriage return in a line: if lines end with it alone, as those of old Macs") ==
        0);
  CHECK(open_graph("g.gml", "# note\rgraph [\r node [ id 3 ]\r]\r").names() == NodeNames::List(Numbers{3}));
}

TEST_CASE("A first line with a weight is an edge, however the weight is written") {
  CHECK(open_graph("g.txt", "oslo rome +4\nrome bern 2\n").weight("oslo", "rome") == 4);
  CHECK(graph_error("g.txt", "oslo rome 1e400\nrome bern 2\n") ==
        "io: g.txt:1:11: '1e400' is no number; if this line is a header, say `header: true`");
  CHECK(graph_error("g.txt", "\"new york\" rome 4\n\"oslo rome 2\n") == "io: g.txt:2:1: this quote is not closed");
}

TEST_CASE("A name among numbers makes all nodes names, with a warning") {
  const auto graph = open_graph("g.txt", "1 2 4\n2 x1 5\n");
  CHECK(graph.names() == NodeNames::List(Texts{"1", "2", "x1"}));
  REQUIRE(graph.warnings.size() == 1);
  CHECK(graph.warnings[0] == "g.txt:2:3: 'x1' is no number, and nodes of lines before are: all are taken for names");
  CHECK(graph_error("g.txt", "0 1 2\n0 -1 2\n") == "io: g.txt:2:3: '-1' is no number of a node");
  CHECK(graph_error("g.csv", "a,b,1\nb,a,1\n,b,1\n") == "io: g.csv:3:1: a node has no name");
  CHECK(graph_error("g.txt", std::string("a b 1\nc\0d b 1\n", 13))
            .find("g.txt:2:1: the name of a node holds no zero") != std::string::npos);
}

TEST_CASE("Lists of edges have the nodes with edges, and say so where others are left out") {
  const auto used = open_graph("g.txt", "10 20 3\n20 35 4\n");
  CHECK(used.names() == NodeNames::List(Numbers{10, 20, 35}));
  REQUIRE(used.warnings.size() == 1);
  CHECK(used.warnings[0] ==
        "33 of 36 nodes have no edge, by their numbers, and are left out: `nodes: used` says so, `nodes: all` keeps "
        "them");
  CHECK(used.source->results() == 3);
  REQUIRE(used.source->changed_default());
  CHECK(used.source->changed_default()->earlier.value == "all");
  const auto all = open_graph("g.txt", "10 20 3\n20 35 4\n", {{"nodes", "all"}});
  CHECK(all.source->shape() == Extents{36, 36});
  CHECK(all.source->results() == 1);
  CHECK(all.warnings.empty());
  const auto dense = open_graph("g.txt", "0 1 3\n1 2 4\n");
  CHECK(dense.source->results() == 1);
  CHECK(dense.warnings.empty());
  CHECK(open_graph("g.txt", "0 2000000000000 3\n").source->shape() == Extents{2, 2});
  CHECK(open_graph("g.txt", "4 2\n1 2 4\n2 3 5\n").names() == NodeNames::List(Numbers{1, 2, 3, 4}));
  CHECK(open_graph("g.gr", "p sp 3 1\na 1 2 7\n").names() == NodeNames::List(Numbers{1, 2, 3}));
  CHECK(open_graph("g.gr", "p sp 3 1\na 1 3 7\n", {{"nodes", "used"}}).names() == NodeNames::List(Numbers{1, 3}));
}

TEST_CASE("GML gives labels and ids") {
  const std::string text =
      "graph [ directed 1\n node [ id 10 label \"St. &#72;elens &amp; co\" ]\n node [ id 4 label \"x\" ]\n"
      " node [ id 7 ]\n edge [ source 10 target 4 weight 4 ]\n]\n";
  const auto graph = open_graph("g.gml", text);
  CHECK(graph.names() == NodeNames::List(Texts{"St. Helens & co", "x", "7"}));
  CHECK(graph.ids() == NodeNames::List(Numbers{10, 4, 7}));
  CHECK(graph.weight("St. Helens & co", "x") == 4);
  CHECK(graph.weight("10", "4") == 4);
  CHECK(open_graph("g.gml", text, {{"nodes", "used"}}).names() == NodeNames::List(Texts{"x", "St. Helens & co"}));
  const auto plain = open_graph("g.gml", "graph [ node [ id 3 ] ]");
  CHECK_FALSE(plain.source->nodes()->has_labels());
  CHECK(plain.names() == NodeNames::List(Numbers{3}));
  const auto latin = open_graph("g.gml", "graph [ node [ id 3 label \"K\xf6ln\" ] ]");
  CHECK(latin.names() == NodeNames::List(Texts{"K\xc3\xb6ln"}));
}

TEST_CASE("GraphML gives ids, names, weights and directions") {
  const std::string nodes =
      "<node id=\"n0\"><data key=\"d1\">Oslo</data></node>\n<node id=\"n1\"><data key=\"d1\">Rome &amp; "
      "more</data></node>\n<node id=\"n2\"/>\n";
  const std::string edges =
      "<edge source=\"n0\" target=\"n1\"><data key=\"d0\"> 4 </data></edge>\n"
      "<edge source=\"n1\" target=\"n2\"><data key=\"d0\">5</data></edge>\n";
  const auto graph = open_graph("g.graphml", graphml(nodes + edges));
  CHECK(graph.names() == NodeNames::List(Texts{"Oslo", "Rome & more", "n2"}));
  CHECK(graph.ids() == NodeNames::List(Texts{"n0", "n1", "n2"}));
  CHECK(graph.weight("Oslo", "n1") == 4);
  CHECK(graph.weight("n1", "Oslo") == 0);
  CHECK(open_graph("g.xml", graphml(edges + nodes, "undirected")).weight("Rome & more", "Oslo") == 4);
  const auto mixed =
      open_graph("g.graphml", graphml(nodes + "<edge source=\"n0\" target=\"n1\" directed=\"false\"><data "
                                              "key=\"d0\">4</data></edge>\n<edge source=\"n1\" target=\"n2\"><data "
                                              "key=\"d0\">5</data></edge>\n"));
  CHECK(mixed.weight("n1", "n0") == 4);
  CHECK(mixed.weight("n2", "n1") == 0);
  CHECK(open_graph("g.graphml", graphml("<node id=\"5\"/><node id=\"3\"/>")).names() ==
        NodeNames::List(Numbers{5, 3}));
  CHECK(open_graph("g.graphml", graphml(nodes + "<edge source=\"n0\" target=\"n1\"/>"), {{"unweighted", true}})
            .weight("n0", "n1") == 1);
}

TEST_CASE("GraphML that is damaged or hostile is an error with its line") {
  const auto error = [](const std::string& inside) { return graph_error("g.graphml", graphml(inside)); };
  const std::string nodes = "<node id=\"a\"/><node id=\"b\"/>\n";
  CHECK(graph_error("g.graphml", "").find("io: g.graphml") == 0);
  CHECK(graph_error("g.graphml", "<?xml version='1.0'?>\n<svg/>\n") ==
        "io: g.graphml:2: begins with <svg>, not <graphml>");
  CHECK(graph_error("g.graphml", "<graphml/>") == "io: g.graphml: has no <graph>");
  CHECK(graph_error("g.graphml", "<graphml><graph edgedefault='directed'>").find("io: g.graphml:1:") == 0);
  CHECK(error("<node/>") == "io: g.graphml:6: <node> has no `id`");
  CHECK(error("<node id=\"a\"/><node id=\"a\"/>") == "io: g.graphml:6: a second node with the id 'a'");
  CHECK(error(nodes + "<edge source=\"a\" target=\"b\"/>").find("g.graphml:7: this edge has no 'weight'") !=
        std::string::npos);
  CHECK(error(nodes + "<edge source=\"a\" target=\"c\"><data key=\"d0\">1</data></edge>") ==
        "io: g.graphml:7: this edge is one of node 'c', and no <node> has that id");
  CHECK(error(nodes + "<edge source=\"a\" target=\"b\"><data key=\"d0\">x</data></edge>") ==
        "io: g.graphml:7: 'x' is no number");
  CHECK(error(nodes + "<edge source=\"a\" target=\"b\"><data key=\"d7\">1</data></edge>") ==
        "io: g.graphml:7: no <key> has the id 'd7'");
  CHECK(error("<hyperedge/>") == "io: g.graphml:6: a hyperedge, which no matrix of weights has");
  CHECK(error("<node id=\"a\"><graph edgedefault=\"directed\"/></node>").find("a graph in a node") !=
        std::string::npos);
  std::string deep;
  for (int i = 0; i < 1000; ++i) deep += "<x>";
  CHECK(error(deep).find("io: g.graphml") == 0);
  // A text that grows when its entities are put in place.
  std::string bomb = "<?xml version='1.0'?><!DOCTYPE g [<!ENTITY a0 'aaaaaaaaaa'>";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "&a" + std::to_string(i - 1) + ";";
    bomb += "<!ENTITY a" + std::to_string(i) + " '";
    for (int n = 0; n < 10; ++n) bomb += before;
    bomb += "'>";
  }
  bomb += "]><graphml><graph edgedefault='directed'><node id='&a9;'/></graph></graphml>";
  CHECK(graph_error("g.graphml", bomb).find("io: g.graphml") == 0);
  const std::string other =
      "<?xml version='1.0'?><!DOCTYPE g [<!ENTITY e SYSTEM 'file:///etc/hostname'>]><graphml>"
      "<graph edgedefault='directed'><node id='x'><data>&e;</data></node></graph></graphml>";
  CHECK(graph_error("g.graphml", other).find("io: g.graphml") == 0);
}

TEST_CASE("Nodes are found by label or id, never where it is unclear which is meant") {
  const NodeNames names(Numbers{10, 4, 7, 8}, Texts{"a", "b", "10", "b"});
  CHECK(names.row_of("a") == 0);
  CHECK(names.row_of("4") == 1);
  CHECK(names.row_of("7") == 2);
  CHECK(error_of_name(names, "10") == "is the name of one node and the id of another");
  CHECK(error_of_name(names, "b") == "is the name of several nodes: give an id");
  CHECK(error_of_name(names, "c") == "is no node: there are 'a', 'b', '10', 'b'");
  CHECK(error_of_name(NodeNames(Texts{"berlin", "rome"}), "Berlim") == "is no node; did you mean 'berlin'?");
  const NodeNames numbers(1, 3);
  CHECK(numbers.row_of("1") == 0);
  CHECK(numbers.row_of("3") == 2);
  for (const char* text : {"0", "4", "x", "", "1.0", "99999999999999999999"}) {
    CHECK(error_of_name(numbers, text) == "is no node: give whole numbers from 1 to 3");
  }
  CHECK(numbers.names() == NodeNames::List(Numbers{1, 2, 3}));
  CHECK(numbers == NodeNames(Numbers{1, 2, 3}));
}

TEST_CASE("A file that names its nodes has no others") {
  CHECK(graph_error("g.txt", "a b 1\nb c 2\n", {{"nodes", Value(std::int64_t{5})}}) ==
        "job: job.yaml:7: nodes: nodes: g.txt has 3, and names each of them, so not 5");
  CHECK(graph_error("g.txt", "0 5 2\n", {{"nodes", Value(std::int64_t{3})}}) ==
        "job: job.yaml:7: nodes: nodes: g.txt has 6, more than 3");
  CHECK(graph_error("g.txt", "4 2\na b 4\nb c 5\n") ==
        "io: g.txt:1: the file says that it has 4 nodes, and its edges name 3");
}
