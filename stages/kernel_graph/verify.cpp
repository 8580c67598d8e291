#include "stages/kernel_graph/verify.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "kernels/graph/stored.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/nodes.hpp"
#include "stages/kernel_graph/verify/boxes.hpp"
#include "stages/kernel_graph/verify/cells.hpp"
#include "stages/kernel_graph/verify/from_stored.hpp"

namespace terrace::stages {
namespace {

using graph::Array;
using graph::Makes;
using graph::Reduction;

template <class T>
class GraphVerifier {
 public:
  GraphVerifier(const VerifyRequest& request, const GraphDefinition& definition)
      : request_(request),
        definition_(definition),
        graph_(*definition.graph),
        cells_(request, definition),
        numbers_(graph_.reductions.size()) {}

  std::vector<Checked> verify() && {
    for (int n = 0; n < std::ssize(graph_.reductions); ++n) check_reduction(n);
    for (const graph::Kept& kept : graph_.kept) check_node(kept);
    for (const KeptNumber& number : definition_.numbers) check_number(number);
    return std::move(found_);
  }

 private:
  struct MadeNumber {
    double value = 0;
    std::string how;  // it was made; empty: it was not
  };

  bool is_known_by_nodes(int reduction) const {
    return std::ranges::any_of(graph_.nodes, [&](const graph::Node& node) {
      return std::ranges::count(node.settings.known, reduction, &graph::KnownNumber::number) > 0;
    });
  }
  const KeptNumber* kept_number(int reduction) const {
    const auto is_own = [&](const KeptNumber& number) {
      return number.dividend == reduction || number.divisor == reduction;
    };
    const auto found = std::ranges::find_if(definition_.numbers, is_own);
    return found == definition_.numbers.end() ? nullptr : &*found;
  }

  void check_reduction(int number) {
    const Reduction& own = graph_.reductions[static_cast<std::size_t>(number)];
    if (own.makes == Makes::counts) return check_counts(own);
    if (own.makes == Makes::positions) return check_positions(own);
    const KeptNumber* kept = kept_number(number);
    if (kept == nullptr && !is_known_by_nodes(number)) return;
    MadeNumber& made = numbers_[static_cast<std::size_t>(number)];
    std::optional<double> value;
    const std::size_t columns = static_cast<std::size_t>(graph_.shape(own.value).columns);
    made.how = cells_.visit(own.value, 1, [&](const Array<T>& band) {
      for (std::size_t at = 0; at < band.values.size(); at += columns) {
        value = graph::reduced_as_defined(own.measure, value, std::span<const T>(band.values.data() + at, columns));
      }
    });
    if (value) cells_.set_number(number, made.value = *value);
    // Nodes that know it are compared with what follows from the stored number.
    else if (kept != nullptr && kept->divisor < 0)
      cells_.set_number(number, read_all<double>(request_, kept->name).at(0));
  }

  void check_number(const KeptNumber& number) {
    const MadeNumber& dividend = numbers_[static_cast<std::size_t>(number.dividend)];
    const MadeNumber* divisor = number.divisor < 0 ? nullptr : &numbers_[static_cast<std::size_t>(number.divisor)];
    if (dividend.how.empty() || (divisor != nullptr && divisor->how.empty())) {
      return not_sampled(number.name, graph_.reductions[static_cast<std::size_t>(number.dividend)].value);
    }
    const double value = divisor == nullptr ? dividend.value : dividend.value / divisor->value;
    found_.push_back(check_texts(request_, number.name, {text_of(value)}, dividend.how));
  }

  void check_counts(const Reduction& own) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(own.bins.bins));
    const double comparisons = std::log2(static_cast<double>(own.bins.bins)) + 1;
    const std::string how = cells_.visit(own.value, comparisons, [&](const Array<T>& band) {
      const auto more = graph::counted_as_defined(own.bins, band);
      std::ranges::transform(counts, more, counts.begin(), std::plus<>());
    });
    if (how.empty()) return not_sampled(own.name, own.value);
    std::vector<std::string> texts;
    for (const std::int64_t count : counts) texts.push_back(text_of(count));
    found_.push_back(check_texts(request_, own.name, texts, how));
  }

  void not_sampled(const std::string& name, int value) {
    const std::optional<int> missing = cells_.missing_number(value);
    const auto name_of = [&](int number) { return quote(graph_.reductions[static_cast<std::size_t>(number)].name); };
    const std::string steps = longest_iteration(graph_, value);
    std::string why = "it depends on too many cells to be made again";
    if (missing) why = name_of(*missing) + ", on which it depends, is of too many cells to be made again";
    else if (!steps.empty()) why += ", by " + steps + ", between which no result keeps the states";
    found_.push_back({name, why + ": --all computes it again", "", false});
  }

  /// Checks boxes of a dataset. @param check the difference of a box from what was made of it
  void check_boxes(const std::string& name, int value,
                   const std::function<std::string(const Box& box, const std::vector<T>& made)>& check) {
    if (check_boxes_of(graph_, cells_, value, name, check)) return;
    if (const auto other = from_stored(request_, definition_, value)) {
      GraphCells<T> cells(request_, other->definition);
      cells.take_numbers(cells_);
      if (check_boxes_of(*other->definition.graph, cells, other->value, name, check)) {
        found_.back().what += " from " + other->names + " as stored";
        return;
      }
    }
    not_sampled(name, value);
  }
  /// @return false if the cells are too many
  bool check_boxes_of(const graph::Graph& graph, GraphCells<T>& cells, int value, const std::string& name,
                      const std::function<std::string(const Box& box, const std::vector<T>& made)>& check) {
    const GraphBoxes boxes(graph, value);
    if (!boxes.possible() || cells.missing_number(value)) return false;
    try {
      found_.push_back(check_parts(request_, name, {name, boxes.count(), boxes.name()}, [&](std::int64_t part) {
        const Box box = boxes.box(request_.sampler, name, part);
        return check(box, cells.make(value, box));
      }));
      return true;
    } catch (const graph::TooMuchWork&) {
      return false;
    }
  }

  void check_node(const graph::Kept& kept) {
    switch (kept.type) {
      case ElementType::u8:
        return check_node_of<std::uint8_t>(kept);
      case ElementType::u16:
        return check_node_of<std::uint16_t>(kept);
      case ElementType::f32:
        return check_node_of<float>(kept);
      default:
        return check_node_of<double>(kept);
    }
  }
  template <class Stored>
  void check_node_of(const graph::Kept& kept) {
    const std::string name = dataset_name(graph_.node(kept.value).name);
    const graph::Shape shape = graph_.shape(kept.value);
    const std::shared_ptr<io::Source> source = open_dataset(request_, name, {shape.rows, shape.columns}, kept.type);
    check_boxes(name, kept.value, [&](const Box& box, const std::vector<T>& made) {
      return difference_in<Stored>(box, read_box<Stored>(*source, box), made);
    });
  }
  /// True if both are NaN, or have the same bits.
  template <class Stored>
  static bool is_same(Stored a, Stored b) {
    if (a != a || b != b) return a != a && b != b;
    return a == b && std::signbit(static_cast<double>(a)) == std::signbit(static_cast<double>(b));
  }
  template <class Stored>
  static std::string difference_in(const Box& box, const std::vector<Stored>& stored, const std::vector<T>& made) {
    const std::int64_t width = box.end[1] - box.begin[1];
    for (std::size_t n = 0; n < stored.size(); ++n) {
      const Stored is = stored[n], expected = graph::stored<Stored>(made[n]);
      if (is_same(is, expected)) continue;
      const auto at = static_cast<std::int64_t>(n);
      return difference_at({box.begin[0] + at / width, box.begin[1] + at % width}, text_of(is), text_of(expected));
    }
    return "";
  }

  void check_positions(const Reduction& own) {
    const std::shared_ptr<io::Source> list = request_.dataset(own.name);
    if (list->type() != ElementType::i64 || list->shape().rank() != 2 || list->shape()[1] != 2) {
      throw WrongDataset(own.name, "is no list of rows and columns");
    }
    check_boxes(own.name, own.value,
                [&](const Box& box, const std::vector<T>& made) { return difference_of_list(*list, box, made); });
  }
  /// The number of the first entry of a list in a row, or in one after it.
  static std::int64_t first_in(io::Source& list, std::int64_t row) {
    std::int64_t begin = 0, end = list.shape()[0];
    while (begin < end) {
      const std::int64_t middle = (begin + end) / 2;
      if (read_box<std::int64_t>(list, {{middle, 0}, {middle + 1, 1}}).front() < row) begin = middle + 1;
      else end = middle;
    }
    return begin;
  }
  static std::string difference_of_list(io::Source& list, const Box& box, const std::vector<T>& made) {
    const std::int64_t width = box.end[1] - box.begin[1];
    std::set<std::pair<std::int64_t, std::int64_t>> expected;
    for (std::size_t n = 0; n < made.size(); ++n) {
      const auto at = static_cast<std::int64_t>(n);
      if (made[n] > 0) expected.insert({box.begin[0] + at / width, box.begin[1] + at % width});
    }
    const auto place = [](const auto& position) {
      return "row " + std::to_string(position.first) + ", column " + std::to_string(position.second);
    };
    const std::int64_t first = first_in(list, box.begin[0]), last = first_in(list, box.end[0]);
    const std::vector<std::int64_t> stored = read_box<std::int64_t>(list, {{first, 0}, {last, 2}});
    for (std::size_t n = 0; n < stored.size(); n += 2) {
      const std::pair position{stored[n], stored[n + 1]};
      if (position.second < box.begin[1] || position.second >= box.end[1]) continue;
      if (expected.erase(position) == 0) return place(position) + " is listed, and was not computed";
    }
    return expected.empty() ? "" : place(*expected.begin()) + " was computed, and is not listed";
  }

  const VerifyRequest& request_;
  const GraphDefinition& definition_;
  const graph::Graph& graph_;
  GraphCells<T> cells_;
  std::vector<MadeNumber> numbers_;  // of reductions
  std::vector<Checked> found_;
};

}  // namespace

std::vector<Checked> verify_kernel_graph(const VerifyRequest& request) {
  const GraphDefinition definition = define_graph(request.request);
  return definition.graph->type == ElementType::f32 ? GraphVerifier<float>(request, definition).verify()
                                                    : GraphVerifier<double>(request, definition).verify();
}

}  // namespace terrace::stages
