// Verifies transitive closures: sampled rows by a search from their nodes.
#include <bit>

#include "stages/recursive/closures/edges.hpp"
#include "stages/recursive/square_matrix.hpp"
#include "stages/recursive/verify.hpp"
#include "stages/refuse.hpp"

namespace terrace::stages {
namespace {

using Words = std::vector<std::uint32_t>;  // of a row, 32 nodes each

/// Rows of the matrix of edges: kept in memory if it fits some 256 MiB.
class EdgeWords {
 public:
  explicit EdgeWords(std::shared_ptr<io::Source> bits) : bits_(std::move(bits)) {
    constexpr std::int64_t most_words = 64 << 20;
    if (volume(bits_->shape()) <= most_words) all_ = read_box<std::uint32_t>(*bits_, Box::whole(bits_->shape()));
  }

  /// @param row as many words as a row has, which the words of the node's are added to
  void add(std::int64_t node, Words& row) const {
    const auto words = static_cast<std::int64_t>(row.size());
    if (all_.empty()) {
      const Words read = read_box<std::uint32_t>(*bits_, {{node, 0}, {node + 1, words}});
      for (std::size_t word = 0; word < row.size(); ++word) row[word] |= read[word];
      return;
    }
    const std::uint32_t* from = all_.data() + node * words;
    for (std::size_t word = 0; word < row.size(); ++word) row[word] |= from[word];
  }

 private:
  std::shared_ptr<io::Source> bits_;
  Words all_;
};

/// The nodes that are reached from a node over at least one edge.
Words reached(const EdgeWords& edges, std::int64_t from, std::int64_t words) {
  Words found(static_cast<std::size_t>(words)), done(found.size());
  edges.add(from, found);
  for (bool more = true; more;) {
    more = false;
    for (std::size_t word = 0; word < found.size(); ++word) {
      while (const std::uint32_t left = found[word] & ~done[word]) {
        const int bit = std::countr_zero(left);
        done[word] |= 1u << bit;
        edges.add(static_cast<std::int64_t>(word) * cells_of_word + bit, found);
        more = true;
      }
    }
  }
  return found;
}

}  // namespace

std::vector<Checked> verify_transitive_closure(const VerifyRequest& request) {
  const Settings& settings = request.request.stage.settings;
  const std::shared_ptr<io::Source> matrix = open_square_matrix(request.request);
  const std::int64_t nodes = matrix->shape()[0], words = (nodes + cells_of_word - 1) / cells_of_word;
  const bool packed = settings.flag("packed");
  const std::int64_t across = packed ? (nodes + 7) / 8 : nodes;
  const std::shared_ptr<io::Source> closure = open_dataset(request, "closure", {nodes, across}, ElementType::u8);
  const EdgeWords edges(
      edge_bits(matrix, label_of(request.request.stage, "matrix"), no_edge_of(request.request, *matrix)));
  return {check_parts(request, "closure", {"closure", nodes, "rows"}, [&](std::int64_t from) -> std::string {
    const Words found = reached(edges, from, words);
    const auto row = read_box<std::uint8_t>(*closure, {{from, 0}, {from + 1, across}});
    for (std::int64_t column = 0; column < across; ++column) {
      const auto at = static_cast<std::size_t>(column);
      const unsigned computed =
          packed ? found[at / 4] >> (8 * (at % 4)) & 0xFFu : found[at / cells_of_word] >> (at % cells_of_word) & 1u;
      if (row[at] == computed) continue;
      return difference_at({from, column}, text_of(row[at]), text_of(static_cast<std::uint32_t>(computed)));
    }
    return "";
  })};
}

}  // namespace terrace::stages
