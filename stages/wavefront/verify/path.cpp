// Verifies alignments and warping paths: the path followed over the inputs.
#include <bit>
#include <charconv>

#include "stages/wavefront/path.hpp"
#include "stages/wavefront/verify/cells.hpp"

namespace terrace::stages {
namespace {

/// A path as a result holds it, with its begin and its recorded end.
struct StoredPath {
  Path path;  // its runs from the first one to the last
  std::int64_t row = 0, column = 0, end_row = 0, end_column = 0;
};

StoredPath read_alignment(const VerifyRequest& request, const VerifiedTable& table) {
  StoredPath stored;
  const std::vector<std::string> cigar = request.texts("cigar");
  if (cigar.size() != 1) throw WrongDataset("cigar", "is no single text");
  const char* end = cigar[0].data() + cigar[0].size();
  for (const char* at = cigar[0].data(); at != end;) {
    std::int64_t count = 0;
    const auto [letter, error] = std::from_chars(at, end, count);
    const bool right = error == std::errc() && letter != end && count > 0 && count <= table.rows + table.columns &&
                       std::string_view("=XID").find(*letter) != std::string_view::npos;
    if (!right) throw WrongDataset("cigar", "is no text of counts with =, X, I and D");
    stored.path.add(*letter, count);
    at = letter + 1;
  }
  const auto start = read_all<std::int64_t>(request, "start"), last = read_all<std::int64_t>(request, "end");
  if (start.size() != 2 || last.size() != 2) throw WrongDataset("start", "is no cell of the table");
  stored.row = start[0], stored.column = start[1];
  stored.end_row = last[0], stored.end_column = last[1];
  return stored;
}

/// The pairs that a warping goes through, as steps.
StoredPath read_warping(const VerifyRequest& request, const VerifiedTable& table) {
  StoredPath stored;
  const std::vector<std::int64_t> pairs = read_all<std::int64_t>(request, "path");
  stored.end_row = table.rows, stored.end_column = table.columns;
  if (table.problem->free_start.columns) {
    const auto start = read_all<std::int64_t>(request, "start"), last = read_all<std::int64_t>(request, "end");
    if (start.size() != 2 || pairs.size() < 2 || start[0] != pairs[0] || start[1] != pairs[1]) {
      throw WrongDataset("start", "is not the first pair of the path");
    }
    if (last.size() != 2) throw WrongDataset("end", "is no cell of the table");
    stored.column = start[1] + 1;  // the first pair costs once, as if the path came from above
    stored.end_row = last[0], stored.end_column = last[1];
  }
  std::int64_t row = -1, column = stored.column - 1;
  for (std::size_t at = 0; at + 1 < pairs.size(); at += 2) {
    const std::int64_t down = pairs[at] - row, right = pairs[at + 1] - column;
    const char step = down == 1 && right == 1   ? '='
                      : down == 1 && right == 0 ? 'I'
                      : down == 0 && right == 1 ? 'D'
                                                : 0;
    if (step == 0) {
      throw ComputeError("step " + std::to_string(at / 2) + " goes from row " + std::to_string(row) + " and column " +
                         std::to_string(column) + " to row " + std::to_string(pairs[at]) + " and column " +
                         std::to_string(pairs[at + 1]));
    }
    stored.path.add(step, 1);
    row = pairs[at], column = pairs[at + 1];
  }
  return stored;
}

/// True if an alignment may end where the path ends.
bool may_end(const VerifiedTable& table, const StoredPath& path) {
  const wavefront::Description& problem = *table.problem;
  if (problem.report == wavefront::Report::best) return true;
  const bool bottom = path.end_row == table.rows, right = path.end_column == table.columns;
  if (problem.report == wavefront::Report::ends) {
    if ((problem.ends.last_row && bottom) || (problem.ends.last_column && right)) return true;
  }
  return bottom && right;
}

/// @param following advances by the items that are read
wavefront::ReadItems reader_of(io::Source& source, WatchedPart& following) {
  return [&](std::int64_t first, std::int64_t count, void* items) {
    source.read({{first}, {first + count}}, items);
    following.advance(count);
  };
}

/// Compares the score of the path over the inputs with that of the result.
std::string compare(const VerifyRequest& request, const VerifiedTable& table, const StoredPath& stored) {
  const job::Stage& stage = request.request.stage;
  const bool letters = table.value == ElementType::i64;
  if (stored.row < 0 || stored.column < 0 || stored.row > table.rows || stored.column > table.columns) {
    return "start is no cell of the table";
  }
  WatchedPart following(request.request.watch, "following the path of '" + stage.name + "'", "item",
                        table.rows - stored.row + table.columns - stored.column);
  const std::vector<PathRun> runs(stored.path.runs().rbegin(), stored.path.runs().rend());
  const wavefront::BlockResult found = table.problem->replay(
      {stage.problem, table.settings, table.value, table.rows, table.columns, stored.row, stored.column, runs,
       reader_of(*table.row_items, following), reader_of(*table.column_items, following)});
  if (found.row != stored.end_row || found.column != stored.end_column) {
    return "the path ends at row " + std::to_string(found.row) + " and column " + std::to_string(found.column) +
           ", not at row " + std::to_string(stored.end_row) + " and column " + std::to_string(stored.end_column);
  }
  const std::string score =
      !letters ? text_of(wavefront::reported_cost(found.score))
      : table.problem->scale == 1
          ? text_of(found.score)
          : text_of(static_cast<double>(found.score) / static_cast<double>(table.problem->scale));
  const std::vector<std::string> given = request.texts("score");
  if (given.size() != 1 || given[0] != score) {
    return "score " + (given.empty() ? "?" : given[0]) + ", and the path scores " + score;
  }
  if (!letters) return "";
  const std::int64_t length = stored.path.length(), matches = stored.path.count('=');
  const double identity = length == 0 ? 0 : static_cast<double>(matches) / static_cast<double>(length);
  const std::vector<std::string> shown = request.texts("identity");
  if (shown.size() == 1 && shown[0] == text_of(identity)) return "";
  return "identity " + (shown.empty() ? "?" : shown[0]) + ", and that of the path is " + text_of(identity);
}

}  // namespace

Checked verify_path(const VerifyRequest& request, const VerifiedTable& table) {
  const bool letters = table.value == ElementType::i64;
  Checked checked{letters                             ? "start, end, cigar, identity, score"
                  : table.problem->free_start.columns ? "path, start, end, score"
                                                      : "path, score",
                  "followed over the inputs", "", true};
  try {
    const StoredPath stored = letters ? read_alignment(request, table) : read_warping(request, table);
    checked.difference = compare(request, table, stored);
    if (checked.difference.empty() && !may_end(table, stored)) {
      checked.difference = "end is no cell that an alignment may end in";
    }
  } catch (const ComputeError& error) {
    checked.difference = error.what();
  } catch (const WrongDataset& error) {
    checked.difference = error.what();
  }
  return checked;
}

}  // namespace terrace::stages
