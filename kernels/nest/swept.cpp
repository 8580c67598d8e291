#include "kernels/nest/swept.hpp"

#include <algorithm>

#include "kernels/formula/print.hpp"
#include "kernels/nest/print/formula.hpp"
#include "kernels/nest/value_ranges.hpp"

namespace terrace::nest {
namespace {

using formula::Node;
using formula::Operation;

/// The members of in_place::Neighbourhood, row by row.
constexpr const char* neighbours[3][3] = {
    {"up_left", "up", "up_right"}, {"left", "self", "right"}, {"down_left", "down", "down_right"}};

class Recogniser {
 public:
  explicit Recogniser(const NestSpec& spec) : spec_(spec), nest_(*spec.nest) {}

  Swept recognise() && {
    made_.unfit = why_not();
    return std::move(made_);
  }

 private:
  const Statement& statement() const { return nest_.statements.front(); }
  const Array& array() const { return nest_.arrays.front(); }

  std::string why_not() {
    if (nest_.arrays.size() > 1 || nest_.statements.size() > 1) return "it sweeps one array by one statement";
    if (std::string why = why_not_array(); !why.empty()) return why;
    if (std::string why = why_not_rim(); !why.empty()) return why;
    if (std::string why = why_not_reads(); !why.empty()) return why;
    const Kept& kept = spec_.kept.front();
    if (kept.corner || kept.best != 0) return "it keeps the array alone: neither its corner nor its best element";
    return print_cell();
  }

  std::string why_not_array() const {
    const std::size_t lacking = array().first_loop;
    if (lacking == 0 || nest_.depth() != lacking + 2) {
      return "it sweeps an array in place that has two axes, the last two loops";
    }
    if (array().from < 0) return "it sweeps an array whose first elements are an input's (`from`)";
    if (array().type != ElementType::i32 && !is_floating(array().type)) {
      return "it sweeps arrays of i32, f32 and f64, and this one has " + std::string(terrace::name_of(array().type));
    }
    return "";
  }

  std::string why_not_rim() {
    made_.sweeps = 1;
    for (std::size_t loop = 0; loop < array().first_loop; ++loop) made_.sweeps *= nest_.loops[loop].range.size();
    made_.rows = array().box[0].size();
    made_.columns = array().box[1].size();
    Ranges inside = array().box;
    for (Range& range : inside) ++range.begin, --range.end;
    if (made_.sweeps == 0 || is_empty(inside)) return "there are no cells";
    if (array().written == inside) return "";
    return "it sweeps all elements but the first and last row and column, " + to_string(inside) +
           ", and this nest writes " + to_string(array().written);
  }

  /// The neighbour that a read has; null if it is beyond them.
  const char* neighbour(const Access& access) const {
    const i64 row = access.offset[0] - statement().offset[0], column = access.offset[1] - statement().offset[1];
    return std::max(std::abs(row), std::abs(column)) > 1 ? nullptr : neighbours[row + 1][column + 1];
  }

  std::string why_not_reads() {
    for (const Node& node : statement().value.nodes()) {
      if (node.operation == Operation::look_up || node.operation == Operation::index) {
        return "its cells know neither their places nor tables";
      }
      if (node.operation != Operation::read) continue;
      const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
      if (access.is_input) {
        return "its cells read the array alone, and this nest reads " + nest_.in_words(access);
      }
      if (neighbour(access) == nullptr) {
        return "its cells read the 3 x 3 cells around them, and this nest reads " + nest_.in_words(access);
      }
      made_.corners |= access.offset[0] != statement().offset[0] && access.offset[1] != statement().offset[1];
    }
    return "";
  }

  std::string print_cell() {
    const formula::Formula& value = statement().value;
    const auto bounds = node_bounds(nest_, value, statement().box, array_bounds(spec_));
    FormulaInSource printed(value, bounds, array().type);
    const std::string statements = printed.statements([&](int number, const Node& node) {
      const std::string type = printed.type(number),
                        from = neighbour(nest_.accesses[static_cast<std::size_t>(node.number)]);
      return LeafInSource{"    const " + type + " " + formula::name_in_source(number) + " = static_cast<" + type +
                              ">(n." + from + ");\n",
                          false, ""};
    });
    if (printed.fails()) return "its cells must have a value whatever they read: these may leave their type";
    made_.operations = std::max(1, value.operations());
    made_.cell = std::string("struct Written {\n  static constexpr bool corners = ") +
                 (made_.corners ? "true" : "false") +
                 ", weighs = false;\n  template <class V>\n  struct Constants {};\n"
                 "  template <class V, class T>\n"
                 "  TERRACE_HOST_DEVICE static V cell(const Constants<T>&, const Neighbourhood<V>& n) {\n" +
                 statements + "    return static_cast<V>(" + printed.result() + ");\n  }\n};\n";
    return "";
  }

  const NestSpec& spec_;
  const Nest& nest_;
  Swept made_;
};

}  // namespace

Swept swept(const NestSpec& spec) { return Recogniser(spec).recognise(); }

}  // namespace terrace::nest
