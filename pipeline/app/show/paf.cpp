#include "pipeline/app/show/paf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

#include "io/results/reader.hpp"
#include "pipeline/app/show/pairs.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

/// Columns of an alignment, all and those with equal letters.
struct CigarCounts {
  std::int64_t length = 0, matches = 0;
};

CigarCounts count(const std::string& cigar, const std::string& where) {
  CigarCounts counts;
  const char* end = cigar.data() + cigar.size();
  for (const char* at = cigar.data(); at != end;) {
    std::int64_t run = 0;
    const auto [letter, error] = std::from_chars(at, end, run);
    if (error != std::errc() || letter == end || std::string_view("=XID").find(*letter) == std::string_view::npos) {
      throw IoError(where, "is no CIGAR of =, X, I and D");
    }
    counts.length += run;
    if (*letter == '=') counts.matches += run;
    at = letter + 1;
  }
  return counts;
}

/// Two numbers of a dataset, for rows and for columns.
std::pair<std::string, std::string> sides(const io::ResultReader& reader, const std::string& dataset,
                                          const std::string& where) {
  const std::vector<std::string> values = reader.texts(dataset);
  if (values.size() != 2) throw IoError(where + ", dataset " + dataset, "has no value for rows and one for columns");
  return {values[0], values[1]};
}

}  // namespace

std::string field_of(std::string name) {
  std::replace_if(
      name.begin(), name.end(), [](unsigned char letter) { return std::isspace(letter) != 0; }, '_');
  return name;
}

std::string paf_line(const PafSide& rows, const PafSide& columns, const std::string& tag, const std::string& score,
                     const std::string& cigar, const std::string& where) {
  if (cigar.empty()) return "";
  const CigarCounts counts = count(cigar, where);
  const bool whole = score.find_first_of(".e") == std::string::npos;
  return fmt::format("{}\t{}\t{}\t{}\t+\t{}\t{}\t{}\t{}\t{}\t{}\t255\t{}:{}:{}\tcg:Z:{}\n", field_of(rows.name),
                     rows.length, rows.start, rows.end, field_of(columns.name), columns.length, columns.start,
                     columns.end, counts.matches, counts.length, tag, whole ? 'i' : 'f', score, cigar);
}

std::string paf_lines(const std::filesystem::path& file, const std::string& stage) {
  const io::ResultReader reader(file);
  if (holds_pairs(reader, stage)) return paf_lines_of_pairs(file, stage);
  const std::string group = "/" + stage, path = group + "/";
  for (const char* name : {"cigar", "start", "end", "lengths", "score"}) {
    if (!reader.has(path + name)) {
      throw JobError(
          file.string() + ", " + group +
          ": has no alignment: name a stage that was run with `keep: alignment` (terrace show lists them)");
    }
  }
  const std::vector<std::string> cigar = reader.texts(path + "cigar"), score = reader.texts(path + "score");
  if (cigar.size() != 1 || score.size() != 1) throw IoError(file.string() + ", " + group, "has no alignment");
  const auto start = sides(reader, path + "start", file.string()), end = sides(reader, path + "end", file.string());
  const auto lengths = sides(reader, path + "lengths", file.string());
  const auto name = [&](const char* side) { return reader.attribute(group, side).value_or(side); };
  return paf_line({name("rows"), lengths.first, start.first, end.first},
                  {name("columns"), lengths.second, start.second, end.second},
                  reader.attribute(group, "score_tag").value_or("AS"), score[0], cigar[0],
                  file.string() + ", dataset " + path + "cigar");
}

}  // namespace terrace::app
