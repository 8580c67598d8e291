#include <charconv>
#include <cstring>

#include "kernels/wavefront/replay.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/rounding.hpp"
#include "stages/wavefront/pairs/plain_pairs.hpp"

namespace terrace::stages {
namespace {

/// The runs of a cigar from the last one to the first. @throws WrongDataset
std::vector<wavefront::PathRun> runs_of_cigar(const std::string& cigar) {
  std::vector<wavefront::PathRun> runs;
  const char* end = cigar.data() + cigar.size();
  for (const char* at = cigar.data(); at != end;) {
    std::int64_t count = 0;
    const auto [letter, error] = std::from_chars(at, end, count);
    const bool right = error == std::errc() && letter != end && count > 0 && std::strchr("=XID", *letter) != nullptr;
    if (!right) throw WrongDataset("cigar", "is no text of counts with =, X, I and D");
    runs.insert(runs.begin(), {*letter, count});
    at = letter + 1;
  }
  return runs;
}

/// Alignments of a finished result.
class StoredAlignments {
 public:
  StoredAlignments(const VerifyRequest& request, const PairsDefinition& definition)
      : definition_(definition),
        starts_(request.dataset("start")),
        ends_(request.dataset("end")),
        identities_(request.dataset("identity")),
        begins_(request.dataset("cigar_begin")),
        cigars_(request.dataset("cigar")),
        scores_(request.dataset(definition.spec.best > 0 ? "hit_score" : "score")) {
    if (definition.spec.best > 0) items_ = request.dataset("hit");
    else if (definition.spec.counts) items_ = request.dataset("pair");
    count_ = volume(identities_->shape());
  }

  Checked check(const VerifyRequest& request) const {
    return check_parts(request, "start, end, identity, cigar, cigar_begin",
                       {"cigar", ceiling(count_, verified_together), "parts"}, [&](std::int64_t part) {
                         const std::int64_t end = std::min(count_, (part + 1) * verified_together);
                         for (std::int64_t entry = part * verified_together; entry < end; ++entry) {
                           const std::string difference = follow(entry);
                           if (!difference.empty()) return "alignment " + std::to_string(entry) + ": " + difference;
                         }
                         return std::string();
                       });
  }

 private:
  /// The box of an alignment in a dataset with `values` values of each.
  Box box_of(const io::Source& source, std::int64_t entry, std::int64_t values) const {
    const int axes = source.shape().rank() - (values > 1 ? 1 : 0);
    Box box = Box::whole(source.shape());
    for (int axis = axes - 1; axis >= 0; --axis) {
      box.begin[axis] = axis == 0 ? entry : entry % source.shape()[axis];
      box.end[axis] = box.begin[axis] + 1;
      entry /= source.shape()[axis];
    }
    return box;
  }

  ItemPair pair_of(std::int64_t entry) const {
    if (definition_.spec.best > 0) {
      const std::int64_t column = read_box<std::int64_t>(*items_, box_of(*items_, entry, 1)).at(0);
      return {column < 0 ? column : definition_.sides.rows.single ? 0 : entry / definition_.spec.best, column};
    }
    if (!definition_.spec.counts) return definition_.entries.pair(entry);
    const auto pair = read_box<std::int64_t>(*items_, {{entry, 0}, {entry + 1, 2}});
    return {pair[0], pair[1]};
  }

  std::string cigar_of(std::int64_t entry) const {
    const auto bounds = read_box<std::int64_t>(*begins_, {{entry}, {entry + 2}});
    if (bounds[0] < 0 || bounds[1] < bounds[0] || bounds[1] > cigars_->shape()[0]) {
      throw WrongDataset("cigar_begin", "does not fit `cigar`");
    }
    const auto bytes = read_box<std::uint8_t>(*cigars_, {{bounds[0]}, {bounds[1]}});
    return {bytes.begin(), bytes.end()};
  }

  std::string follow(std::int64_t entry) const {
    const auto [row, column] = pair_of(entry);
    const std::string cigar = cigar_of(entry);
    if (row < 0) return cigar.empty() ? "" : "there is a cigar, and no hit";
    const auto start = read_box<std::int64_t>(*starts_, box_of(*starts_, entry, 2)),
               end = read_box<std::int64_t>(*ends_, box_of(*ends_, entry, 2));
    const std::vector<std::byte> rows = read_item_bytes(definition_.sides.rows, row, row + 1),
                                 columns = read_item_bytes(definition_.sides.columns, column, column + 1);
    const std::vector<wavefront::PathRun> runs = runs_of_cigar(cigar);
    const auto reader = [](const std::vector<std::byte>& items) {
      return [&items](std::int64_t first, std::int64_t count, void* to) {
        std::memcpy(to, items.data() + first, static_cast<std::size_t>(count));
      };
    };
    const pairs::PairsSpec& spec = definition_.spec.pairs;
    wavefront::BlockResult found;
    try {
      found =
          spec.description->replay({spec.problem, spec.settings, ElementType::i64, std::ssize(rows),
                                    std::ssize(columns), start[0], start[1], runs, reader(rows), reader(columns)});
    } catch (const ComputeError& error) {
      return error.what();
    }
    if (found.row != end[0] || found.column != end[1]) return "the path does not end where `end` says";
    return score_difference(entry, found.score);
  }

  std::string score_difference(std::int64_t entry, std::int64_t score) const {
    return dispatch(definition_.spec.stored, [&](auto zero) -> std::string {
      using T = decltype(zero);
      const T stored = read_box<T>(*scores_, box_of(*scores_, entry, 1)).at(0);
      const T followed =
          definition_.spec.scale == 1
              ? static_cast<T>(score)
              : static_cast<T>(static_cast<double>(score) / static_cast<double>(definition_.spec.scale));
      if (stored == followed) return "";
      return "score " + text_of(stored) + ", and the path scores " + text_of(followed);
    });
  }

  const PairsDefinition& definition_;
  std::shared_ptr<io::Source> starts_, ends_, identities_, begins_, cigars_, scores_, items_;
  std::int64_t count_ = 0;
};

}  // namespace

Checked verify_alignments(const VerifyRequest& request, const PairsDefinition& definition) {
  return StoredAlignments(request, definition).check(request);
}

}  // namespace terrace::stages
