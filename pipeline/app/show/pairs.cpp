#include "pipeline/app/show/pairs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "pipeline/app/show/paf.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::app {
namespace {

using Texts = std::vector<std::string>;

/// One side of pairs: names of its items, or the name of its only one, and their lengths.
struct Side {
  Texts names, lengths;
};

/// The pairs of a stage, in the order of its datasets.
class StoredPairs {
 public:
  StoredPairs(const std::filesystem::path& file, std::string stage)
      : reader_(file), where_(file.string() + ", /" + stage), group_("/" + std::move(stage)) {
    if (!reader_.has(group_ + "/row_length")) {
      throw JobError(where_ + ": has no pairs of sets (terrace show lists what it has)");
    }
    rows_ = side("row", "rows");
    columns_ = side("column", "columns");
    for (const char* name : {"start", "end", "identity", "cigar_begin"}) {
      if (has(name)) values_[name] = texts(name);
    }
    scores_ = texts(has("hit") ? "hit_score" : "score");
    if (has("cigar")) {
      for (const double byte : reader_.numbers(group_ + "/cigar")) cigars_ += static_cast<char>(byte);
    }
  }

  bool has(const std::string& name) const { return reader_.has(group_ + "/" + name); }
  bool has_values(const std::string& name) const { return values_.contains(name); }
  std::string attribute(const std::string& name, const std::string& otherwise) const {
    return reader_.attribute(group_, name).value_or(otherwise);
  }

  /// Calls each(entry, row, column, rank) in the order of the datasets; rank is -1 if these are no hits.
  void for_each(const std::function<void(std::size_t, std::size_t, std::size_t, std::int64_t)>& each) const {
    const std::size_t rows = rows_.lengths.size(), columns = columns_.lengths.size(), all = scores_.size();
    if (has("hit")) return for_each_hit(each);
    if (has("pair")) {
      const Texts pairs = texts("pair");
      if (pairs.size() != 2 * all) fail("pair");
      for (std::size_t at = 0; at < all; ++at) each(at, number(pairs[2 * at]), number(pairs[2 * at + 1]), -1);
      return;
    }
    const std::string which = attribute("pairs", "all");
    std::size_t at = 0;
    for (std::size_t row = 0; row < rows; ++row) {
      const std::size_t first = which == "same" ? row : which == "upper" ? row + 1 : 0;
      const std::size_t end = which == "same" ? std::min(columns, row + 1) : columns;
      for (std::size_t column = first; column < end && at < all; ++column) each(at++, row, column, -1);
    }
    if (at != all) fail("score");
  }

  const std::string& row_name(std::size_t row) const { return at(rows_.names, row, "row"); }
  const std::string& column_name(std::size_t column) const { return at(columns_.names, column, "column"); }
  const std::string& row_length(std::size_t row) const { return at(rows_.lengths, row, "row_length"); }
  const std::string& column_length(std::size_t column) const { return at(columns_.lengths, column, "column_length"); }
  const std::string& score(std::size_t entry) const { return at(scores_, entry, "score"); }
  const std::string& value(const std::string& name, std::size_t index) const {
    return at(values_.at(name), index, name);
  }
  std::string cigar(std::size_t entry) const {
    const std::size_t begin = number(value("cigar_begin", entry)), end = number(value("cigar_begin", entry + 1));
    if (begin > end || end > cigars_.size()) fail("cigar_begin");
    return cigars_.substr(begin, end - begin);
  }

 private:
  Side side(const std::string& axis, const std::string& attribute_name) const {
    Side found{{}, texts(axis + "_length")};
    if (has(axis)) found.names = texts(axis);
    else found.names.assign(found.lengths.size(), attribute(attribute_name, axis));
    if (found.names.size() != found.lengths.size()) fail(axis);
    return found;
  }

  void for_each_hit(const std::function<void(std::size_t, std::size_t, std::size_t, std::int64_t)>& each) const {
    const Texts hits = texts("hit");
    const std::size_t rows = rows_.lengths.size(), ranks = rows == 0 ? 0 : hits.size() / rows;
    if (hits.size() != scores_.size()) fail("hit");
    for (std::size_t at = 0; at < hits.size(); ++at) {
      if (hits[at].starts_with('-')) continue;
      each(at, at / ranks, number(hits[at]), static_cast<std::int64_t>(at % ranks));
    }
  }

  Texts texts(const std::string& name) const { return reader_.texts(group_ + "/" + name); }
  std::size_t number(const std::string& text) const {
    try {
      return std::stoull(text);
    } catch (const std::exception&) {
      fail("pair");
    }
  }
  const std::string& at(const Texts& values, std::size_t index, const std::string& name) const {
    if (index >= values.size()) fail(name);
    return values[index];
  }
  [[noreturn]] void fail(const std::string& name) const {
    throw IoError(where_ + "/" + name, "does not fit the other datasets of its stage");
  }

  io::ResultReader reader_;
  std::string where_, group_;
  Side rows_, columns_;
  Texts scores_;
  std::map<std::string, Texts> values_;
  std::string cigars_;
};

/// Fields of an end or a start.
std::string two(const StoredPairs& pairs, const std::string& name, std::size_t entry) {
  return "\t" + pairs.value(name, 2 * entry) + "\t" + pairs.value(name, 2 * entry + 1);
}

}  // namespace

bool holds_pairs(const io::ResultReader& reader, const std::string& stage) {
  return reader.has("/" + stage + "/row_length");
}

std::string tsv_lines(const std::filesystem::path& file, const std::string& stage) {
  const StoredPairs pairs(file, stage);
  std::string lines = "row\tcolumn";
  const bool hits = pairs.has("hit");
  lines += hits ? "\trank\tscore" : "\tscore";
  for (const char* name : {"start", "end"}) {
    if (pairs.has_values(name)) lines += std::string("\t") + name + "_row\t" + name + "_column";
  }
  if (pairs.has_values("identity")) lines += "\tidentity";
  if (pairs.has_values("cigar_begin")) lines += "\tcigar";
  lines += '\n';
  pairs.for_each([&](std::size_t entry, std::size_t row, std::size_t column, std::int64_t rank) {
    lines += field_of(pairs.row_name(row)) + "\t" + field_of(pairs.column_name(column));
    if (hits) lines += "\t" + std::to_string(rank);
    lines += "\t" + pairs.score(entry);
    for (const char* name : {"start", "end"}) {
      if (pairs.has_values(name)) lines += two(pairs, name, entry);
    }
    if (pairs.has_values("identity")) lines += "\t" + pairs.value("identity", entry);
    if (pairs.has_values("cigar_begin")) lines += "\t" + pairs.cigar(entry);
    lines += '\n';
  });
  return lines;
}

std::string paf_lines_of_pairs(const std::filesystem::path& file, const std::string& stage) {
  const StoredPairs pairs(file, stage);
  if (!pairs.has_values("cigar_begin") || !pairs.has_values("start") || !pairs.has_values("end")) {
    throw JobError(file.string() + ", /" + stage +
                   ": has no alignments: run the stage with `keep: alignment`, or print scores by --tsv");
  }
  std::string lines;
  const std::string tag = pairs.attribute("score_tag", "AS");
  pairs.for_each([&](std::size_t entry, std::size_t row, std::size_t column, std::int64_t) {
    const auto value = [&](const char* name, std::size_t at) { return pairs.value(name, 2 * entry + at); };
    lines += paf_line({pairs.row_name(row), pairs.row_length(row), value("start", 0), value("end", 0)},
                      {pairs.column_name(column), pairs.column_length(column), value("start", 1), value("end", 1)},
                      tag, pairs.score(entry), pairs.cigar(entry), file.string() + ", dataset /" + stage + "/cigar");
  });
  return lines;
}

}  // namespace terrace::app
