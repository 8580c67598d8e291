#include "io/inputs/graph/other_formats.hpp"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "io/inputs/graph/lines.hpp"
#include "io/inputs/gzip_reader.hpp"

namespace terrace::io {
namespace {

constexpr const char* rewrite = "networkx, igraph and Gephi write it as GraphML or GML";

/// The words of a line in lower case.
std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view blanks = " \t\r";
  std::vector<std::string> words;
  for (std::size_t at = line.find_first_not_of(blanks); at != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, at), line.size());
    std::string word(line.substr(at, end - at));
    for (char& letter : word) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    words.push_back(std::move(word));
    at = line.find_first_not_of(blanks, end);
  }
  return words;
}

/// The first lines of a file as words, without empty ones and those of comments.
std::vector<std::vector<std::string>> first_lines(std::string_view text) {
  if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3);
  std::vector<std::vector<std::string>> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    auto words = words_of(text.substr(0, end));
    if (!words.empty() && edge_comments.find(words[0][0]) == edge_comments.npos) lines.push_back(std::move(words));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

bool is_word(const std::vector<std::string>& line, std::size_t word, std::initializer_list<const char*> known) {
  return word < line.size() && std::find(known.begin(), known.end(), line[word]) != known.end();
}

/// True for "p sp 3 4", the first line of a DIMACS file but for comments.
bool is_problem(const std::vector<std::string>& line) {
  return is_word(line, 0, {"p"}) && is_word(line, 1, {"sp", "edge", "col", "max", "min", "asn", "aux"}) &&
         line.size() >= 3;
}

/// True for a line of whole numbers, at least two and at most four, as METIS begins with.
bool is_of_sizes(const std::vector<std::string>& line) {
  return line.size() >= 2 && line.size() <= 4 && std::all_of(line.begin(), line.end(), [](const std::string& word) {
           return whole_number(word).has_value();
         });
}

/// The name of the format of a file that is not read; empty if its first line tells nothing.
std::string unread_format(const std::vector<std::string>& line) {
  const std::string& first = line[0];
  if (is_word(line, 0, {"*vertices", "*network", "*arcs", "*edges", "*arcslist", "*edgeslist", "*matrix"}))
    return "a Pajek file";
  if (is_word(line, 0, {"graph", "digraph", "strict"}) && (line.back().ends_with('{') || first == "strict"))
    return "a Graphviz (DOT) file";
  if (first == "dl" && line.size() > 1 && line[1].starts_with('n')) return "a UCINET (DL) file";
  if (first == "leda.graph") return "a LEDA file";
  if (first.starts_with("nodedef>") || first.starts_with("edgedef>")) return "a GDF file";
  if (first.starts_with(">>graph6<<") || first.starts_with(">>sparse6<<")) return "a graph6 or sparse6 file";
  if (first.starts_with("name:") || (first == "name" && is_word(line, 1, {":"}))) return "a TSPLIB file";
  if (first.starts_with('{') || first.starts_with('[')) return "a JSON file";
  return "";
}

}  // namespace

std::optional<std::string> other_format(const InputFile& file, const std::string& extension) {
  constexpr std::size_t looked_at = 4096;
  const std::string not_read = ", which is not read: " + std::string(rewrite);
  if (extension == ".lgl") return "is an LGL file by its name" + not_read;
  auto lines = first_lines(first_text(file, looked_at));
  if (lines.empty()) return std::nullopt;
  const auto& first = lines[0];
  if (const std::string name = unread_format(first); !name.empty()) return "is " + name + not_read;
  if ((extension == ".graph" || extension == ".metis") && is_of_sizes(first)) {
    return "is a METIS file by its name and first line" + not_read;
  }
  if (is_word(first, 0, {"ncols", "nrows"}) && first.size() == 2 && whole_number(first[1])) {
    return std::string("is an ESRI ASCII grid, and no graph");
  }
  if (is_word(first, 0, {"graph"}) && (first.size() == 1 || is_word(first, 1, {"["})) && lines.size() > 1) {
    return std::string("begins as a GML file: say `format: gml`");
  }
  const auto problem = std::find_if(lines.begin(), lines.end(), is_problem);
  if (problem == lines.end() || (problem != lines.begin() && first[0] != "c")) return std::nullopt;
  if (is_word(*problem, 1, {"sp"})) return std::string("begins as a DIMACS file: say `format: dimacs`");
  return "is a DIMACS file of another problem than shortest paths (p sp)" + not_read;
}

}  // namespace terrace::io
