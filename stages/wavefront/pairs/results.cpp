#include "stages/wavefront/pairs/results.hpp"

#include <span>
#include <variant>

#include "stages/wavefront/results.hpp"

namespace terrace::stages {
namespace {

/// Contents of an array.
std::string meaning_of(const std::string& array, const wavefront::Description& problem) {
  if (array == "pair") return "row and column of each pair that counts, from 0";
  if (array == "start") return "letters of row and column before the alignment of each pair";
  if (array == "identity") return "equal letters over columns of each alignment; 0 where it is empty";
  if (array == "cigar") return "operations of all alignments, one after another, as bytes: = X I D with counts";
  if (array == "cigar_begin")
    return "where the cigar of each alignment begins in `cigar`, and the end of the last one";
  if (array == "end") {
    return problem.items == wavefront::Items::values
               ? "values of row and column up to the end of the best warping of each pair"
               : "letters of row and column up to the end of the best alignment of each pair";
  }
  if (array == "hit") return "columns of the best scores of each row, best first; -1: there are fewer";
  if (array == "hit_score") return long_name(problem, "score") + ", of each hit";
  return long_name(problem, array) + ", of each pair";
}

void add_side(std::vector<io::SmallDataset>& results, const std::string& path, const PairSide& side, bool letters) {
  const std::string lengths = path + side.axis + "_length", unit = letters ? "letters" : "values";
  if (side.single) {
    results.push_back(io::small_scalar<std::int64_t>(lengths, side.items->length(0), "",
                                                     unit + " of the " + side.axis + "'s sequence or series"));
    return;
  }
  std::vector<std::int64_t> all;
  for (std::int64_t item = 0; item < side.count(); ++item) all.push_back(side.items->length(item));
  results.push_back(io::small_dataset<std::int64_t>(lengths, {side.count()}, {side.axis}, all, "",
                                                    unit + " of each item along the axis `" + side.axis + "`"));
  const io::NodeNames::List names = side.items->names().names();
  const std::string meaning = "names of the items along the axis `" + side.axis + "`";
  if (const auto* texts = std::get_if<io::NodeNames::Texts>(&names)) {
    results.push_back({{path + side.axis, ElementType::i64, {side.count()}, {side.axis}, "", meaning}, *texts});
  } else {
    const auto& numbers = std::get<io::NodeNames::Numbers>(names);
    results.push_back(
        io::small_dataset<std::int64_t>(path + side.axis, {side.count()}, {side.axis}, numbers, "", meaning));
  }
}

io::SmallDataset pair_results(const std::string& path, const Entries& entries) {
  std::vector<std::int64_t> items;
  for (std::int64_t entry = 0; entry < entries.count(); ++entry) {
    const auto [row, column] = entries.pair(entry);
    items.push_back(row);
    items.push_back(column);
  }
  return io::small_dataset<std::int64_t>(path + "pair", {entries.count(), 2}, {"entry", "side"}, items, "",
                                         "row and column of each pair, from 0");
}

}  // namespace

io::DatasetSpec pairs_dataset(const std::string& stage, const std::string& array, const PairsDefinition& definition) {
  const pairs::KeptSpec& spec = definition.spec;
  const bool of_alignment = definition.aligns && (array == "start" || array == "end" || array == "identity");
  const bool of_hits = array.starts_with("hit") || (of_alignment && spec.best > 0);
  std::vector<std::string> dimensions;
  const auto add_axis = [&](const PairSide& side) {
    if (!side.single) dimensions.push_back(side.axis);
  };
  if (array == "cigar") {
    dimensions.emplace_back("byte");
  } else if (array == "cigar_begin") {
    dimensions.emplace_back("bound");
  } else if (of_hits) {
    add_axis(definition.sides.rows);
    dimensions.emplace_back("rank");
  } else if (spec.counts || !definition.entries.is_matrix()) {
    dimensions.emplace_back("entry");
  } else {
    add_axis(definition.sides.rows);
    add_axis(definition.sides.columns);
  }
  if (array == "start" || array == "end" || array == "pair") dimensions.emplace_back("side");
  io::DatasetSpec made{"/" + stage + "/" + array, {}, {}, dimensions, "", meaning_of(array, *spec.pairs.description)};
  if (array == "hit") made.no_value = pairs::no_hit;
  return made;
}

std::vector<io::SmallDataset> small_results(const std::string& stage, const PairsDefinition& definition) {
  std::vector<io::SmallDataset> results;
  const std::string path = "/" + stage + "/";
  const bool letters = definition.spec.pairs.description->items == wavefront::Items::letters;
  add_side(results, path, definition.sides.rows, letters);
  add_side(results, path, definition.sides.columns, letters);
  if (definition.entries.kind() == Entries::Kind::given && !definition.spec.counts)
    results.push_back(pair_results(path, definition.entries));
  return results;
}

}  // namespace terrace::stages
