#include "stages/nest/verify_tables.hpp"

#include <algorithm>

#include "kernels/nest/elements.hpp"
#include "kernels/nest/reference.hpp"
#include "stages/nest/words.hpp"

namespace terrace::stages {
namespace {

using formula::CellValue;
using formula::Node;
using formula::Operation;
using nest::Access;
using nest::Array;
using nest::Point;
using nest::Ranges;
using nest::Statement;

constexpr std::int64_t tile_elements = 1 << 16, most_input_bytes = std::int64_t{1} << 28;

/// Slices of a stored table, in memory.
struct StoredSlices {
  std::vector<std::byte> bytes;
  Ranges box;

  CellValue at(ElementType type, const Point& element) const {
    nest::i64 index = 0;
    for (std::size_t axis = 0; axis < box.size(); ++axis) {
      index = index * box[axis].size() + element[axis] - box[axis].begin;
    }
    return nest::load(type, bytes.data(), index);
  }
};

class TableVerifier {
 public:
  TableVerifier(const VerifyRequest& request, const NestDefinition& definition)
      : request_(request), definition_(definition), nest_(*definition.spec.nest) {}

  std::vector<Checked> verify() {
    std::vector<Checked> found;
    const bool reads_inputs = has_room_for_inputs();
    if (reads_inputs) read_inputs();
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
      const nest::Kept& kept = definition_.spec.kept[n];
      if (kept.table && reads_inputs && is_made_of_tables(static_cast<int>(n))) found.push_back(check(n));
      else if (kept.table) found.push_back(not_sampled(n, "table"));
      if (kept.last) found.push_back(not_sampled(n, "last"));
      if (kept.corner) found.push_back(not_sampled(n, "corner"));
    }
    return found;
  }

 private:
  Checked not_sampled(std::size_t number, const char* keep) const {
    return {dataset_of(request_.request.stage.settings, nest_.arrays[number].name, keep),
            "too many cells to run the loops again: --all computes it again", "", false};
  }
  bool has_room_for_inputs() const {
    std::int64_t bytes = 0;
    for (const std::shared_ptr<io::Source>& source : definition_.inputs) {
      bytes += volume(source->shape()) * static_cast<std::int64_t>(size_of(source->type()));
    }
    return bytes <= most_input_bytes;
  }
  void read_inputs() {
    std::vector<const void*> inputs;
    for (const std::shared_ptr<io::Source>& source : definition_.inputs) {
      inputs_.emplace_back(static_cast<std::size_t>(volume(source->shape())) * size_of(source->type()));
      if (!inputs_.back().empty()) source->read(Box::whole(source->shape()), inputs_.back().data());
      inputs.push_back(inputs_.back().data());
    }
    views_ = nest::whole_views(nest_, inputs);
  }
  /// True if statements that write the array read kept tables alone, beside inputs.
  bool is_made_of_tables(int array) const {
    for (const Statement& statement : nest_.statements) {
      if (statement.array != array) continue;
      for (const Node& node : statement.value.nodes()) {
        if (node.operation != Operation::read) continue;
        const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
        if (!access.is_input && !definition_.spec.kept[static_cast<std::size_t>(access.array)].table) return false;
      }
    }
    return true;
  }

  Checked check(std::size_t number) {
    const Array& array = nest_.arrays[number];
    std::int64_t row = 1;
    for (std::size_t axis = 1; axis < array.box.size(); ++axis)
      row *= std::max<std::int64_t>(1, array.box[axis].size());
    const std::int64_t rows = std::max<std::int64_t>(1, tile_elements / row), all = array.box[0].size();
    const std::string name = dataset_of(request_.request.stage.settings, array.name, "table");
    return check_parts(request_, name, {name, (all + rows - 1) / rows, "tiles"}, [&](std::int64_t tile) {
      const nest::i64 first = array.box[0].begin + tile * rows;
      return check_slices(number, {first, std::min<nest::i64>(array.box[0].end, first + rows)});
    });
  }
  /// The slices of a table, as far as it has them.
  StoredSlices slices(std::size_t number, const nest::Range& wanted) const {
    const Array& array = nest_.arrays[number];
    StoredSlices stored;
    stored.box = array.box;
    stored.box[0] = nest::intersection({wanted}, {array.box[0]})[0];
    Extents shape;
    Box box;
    for (std::size_t axis = 0; axis < array.box.size(); ++axis) {
      shape.push_back(array.box[axis].size());
      box.begin.push_back(stored.box[axis].begin - array.box[axis].begin);
      box.end.push_back(stored.box[axis].end - array.box[axis].begin);
    }
    const std::string name = dataset_of(request_.request.stage.settings, array.name, "table");
    const std::shared_ptr<io::Source> source = open_dataset(request_, name, shape, array.type);
    stored.bytes.resize(static_cast<std::size_t>(box.volume()) * size_of(array.type));
    if (!stored.bytes.empty()) source->read(box, stored.bytes.data());
    return stored;
  }
  std::string check_slices(std::size_t number, const nest::Range& tile) {
    const Array& array = nest_.arrays[number];
    std::vector<StoredSlices> tables;
    const nest::Range near{tile.begin - 2 * nest::most_distance, tile.end + 2 * nest::most_distance};
    for (std::size_t n = 0; n < nest_.arrays.size(); ++n) {
      tables.push_back(definition_.spec.kept[n].table ? slices(n, near) : StoredSlices{});
    }
    for (const Statement& statement : nest_.statements) {
      if (statement.array != static_cast<int>(number)) continue;
      Ranges box = statement.box;
      box[0] = nest::intersection({box[0]}, {tile.shifted(-statement.offset[0])})[0];
      if (nest::is_empty(box)) continue;
      formula::CheckedCells cells(statement.value);
      nest::Elements elements(nest_, views_.data());
      Point at = nest::first_point(box);
      do {
        CellValue computed;
        const bool is_made = cells.compute(0, Leaf{nest_, elements, tables, at}, computed);
        Point element{};
        Extents point;
        for (std::size_t axis = 0; axis < box.size(); ++axis) {
          element[axis] = at[axis] + statement.offset[axis];
          point.push_back(element[axis] - array.box[axis].begin);
        }
        const CellValue stored = tables[number].at(array.type, element);
        const bool is_same = nest::word_of(array.type, stored).whole == nest::word_of(array.type, computed).whole;
        if (!is_made || !is_same) {
          return difference_at(point, text_of_value(array, stored),
                               is_made ? text_of_value(array, computed) : "none");
        }
      } while (nest::step(box, box.size(), at));
    }
    return "";
  }
  static std::string text_of_value(const Array& array, const CellValue& value) {
    return dispatch(array.type, [&](auto zero) {
      using T = decltype(zero);
      return text_of(std::is_floating_point_v<T> ? static_cast<T>(value.real) : static_cast<T>(value.whole));
    });
  }

  /// The leaves of a statement over stored elements.
  struct Leaf {
    const nest::Nest& nest;
    nest::Elements& elements;
    const std::vector<StoredSlices>& tables;
    const Point& at;

    CellValue operator()(const Node& node) const {
      if (node.operation == Operation::index) return {0, at[static_cast<std::size_t>(node.number)]};
      const Access& access = nest.accesses[static_cast<std::size_t>(node.number)];
      if (access.is_input) return elements.input(access, at);
      const auto number = static_cast<std::size_t>(access.array);
      const Array& array = nest.arrays[number];
      Point element{};
      bool is_stored = true;
      for (std::size_t axis = 0; axis < access.offset.size(); ++axis) {
        element[axis] = at[axis] + access.offset[axis];
        is_stored &= tables[number].box[axis].holds(element[axis]);
      }
      if (is_stored) return tables[number].at(array.type, element);
      CellValue value;
      elements.first(access.array, element, value);
      return value;
    }
    bool operator()(const Node& node, const CellValue* subscripts, CellValue& found) const {
      return elements.look_up(node.number, subscripts, found);
    }
  };

  const VerifyRequest& request_;
  const NestDefinition& definition_;
  const nest::Nest& nest_;
  std::vector<std::vector<std::byte>> inputs_;
  std::vector<nest::InputView> views_;
};

}  // namespace

std::vector<Checked> verify_tables(const VerifyRequest& request, const NestDefinition& definition) {
  return TableVerifier(request, definition).verify();
}

}  // namespace terrace::stages
