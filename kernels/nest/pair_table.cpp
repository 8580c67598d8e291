#include "kernels/nest/pair_table.hpp"

#include <array>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "kernels/formula/print.hpp"
#include "kernels/nest/print/formula.hpp"
#include "kernels/nest/print/text.hpp"
#include "kernels/nest/value_ranges.hpp"

namespace terrace::nest {
namespace {

using formula::Bounds;
using formula::Formula;
using formula::Node;
using formula::Operation;

/// A part of a formula, with the bounds of its nodes.
struct FormulaPart {
  Formula formula;
  std::vector<Bounds> bounds;
};

class PairRecogniser {
 public:
  explicit PairRecogniser(const NestSpec& spec) : spec_(spec), nest_(*spec.nest) {}

  PairTable recognise() && {
    made_.unfit = why_not();
    return std::move(made_);
  }

 private:
  const Statement& statement() const { return nest_.statements.front(); }
  const Array& array() const { return nest_.arrays.front(); }
  const Formula& value() const { return statement().value; }
  const Access& access_of(const Node& node) const { return nest_.accesses[static_cast<std::size_t>(node.number)]; }

  std::string why_not() {
    for (const auto check :
         {&PairRecogniser::why_not_table, &PairRecogniser::why_not_skew, &PairRecogniser::why_not_reads,
          &PairRecogniser::why_not_score, &PairRecogniser::print_borders, &PairRecogniser::print_cell}) {
      if (std::string why = (this->*check)(); !why.empty()) return why;
    }
    made_.problem = "struct Written : WrittenBase<Items::" + std::string(made_.has_values ? "values" : "letters") +
                    "> {\n" + (joins_diagonal() ? "  static constexpr bool score_joins_diagonal = true;\n" : "") +
                    functions_ + "};\n";
    return "";
  }

  std::string why_not_table() {
    if (nest_.arrays.size() > 1 || nest_.statements.size() > 1) return "it makes one table by one statement";
    if (nest_.depth() != 2 || array().first_loop > 0) return "it makes a table of two loops";
    if (array().from >= 0 || !array().outside) return "what is around its table is given by `outside`";
    if (is_empty(statement().box)) return "there are no cells";
    if (statement().box != nest_.ranges()) return "it makes all elements by one formula";
    made_.has_values = array().type == ElementType::f32;
    if (is_floating(array().type) && !made_.has_values) return "it makes tables of whole numbers and of f32";
    const Kept& kept = spec_.kept.front();
    return kept.table || kept.best != 0 ? "it keeps the last row and the last element alone" : "";
  }

  std::string why_not_skew() {
    const Skew& skew = spec_.skew;
    const std::vector<std::vector<i64>> plain = {{1, 0}, {0, 1}}, unshifted = {{0, 0}};
    const bool is_plain = skew.rows == plain && skew.shifts == unshifted && !skew.reversed[0] && !skew.reversed[1];
    if (!is_plain) return "its loops are taken as they are written, without a skew";
    const Sweep sweep(spec_);
    return sweep.halo()[0] == 1 && sweep.halo()[1] == 1 ? "" : "its cells read their neighbours in both directions";
  }

  /// The member of wavefront::Around that a read of the table is; null if it is beyond the neighbours.
  const char* neighbour(const Access& access) const {
    const i64 row = statement().offset[0] - access.offset[0], column = statement().offset[1] - access.offset[1];
    if (row < 0 || row > 1 || column < 0 || column > 1 || row + column == 0) return nullptr;
    return row == 0 ? "left" : column == 0 ? "up" : "diagonal";
  }

  std::string why_not_reads() {
    for (const Node& node : value().nodes()) {
      if (node.operation == Operation::look_up || node.operation == Operation::index)
        return "its cells know neither their places nor tables";
      if (node.operation != Operation::read) continue;
      const Access& access = access_of(node);
      if (!access.is_input && neighbour(access) == nullptr)
        return "its cells read their three neighbours, and this nest reads " + nest_.in_words(access);
      if (!access.is_input) continue;
      const auto type = nest_.inputs[static_cast<std::size_t>(access.array)].type;
      const bool is_item = access.loops.size() == 1 && access.loops[0] >= 0 &&
                           type == (made_.has_values ? ElementType::f32 : ElementType::u8);
      PairItem& item = is_item && access.loops[0] == 0 ? made_.row : made_.column;
      const PairItem read{access.array, is_item ? access.offset[0] : 0};
      const bool is_other = item.input >= 0 && (item.input != read.input || item.offset != read.offset);
      if (!is_item || is_other) {
        return "its cells read a letter, or in tables of f32 a number of f32, of their row and one of their column, "
               "and this nest reads " +
               nest_.in_words(access);
      }
      item = read;
    }
    return made_.row.input >= 0 && made_.column.input >= 0
               ? ""
               : "its cells read an item of their row and of their column";
  }

  /// Finds the node that is the score: all that items give to what depends on neighbours.
  std::string why_not_score() {
    const auto& nodes = value().nodes();
    std::vector<bool> has_item(nodes.size()), has_neighbour(nodes.size());
    const auto take = [&](int number) {
      const auto at = static_cast<std::size_t>(number);
      if (has_neighbour[at] || !has_item[at] || score_ == number) return true;
      const bool is_first = score_ < 0;
      score_ = number;
      return is_first;
    };
    bool is_one = true;
    for (std::size_t at = 0; at < nodes.size(); ++at) {
      if (nodes[at].operation == Operation::read) {
        const bool is_input = access_of(nodes[at]).is_input;
        has_item[at] = is_input;
        has_neighbour[at] = !is_input;
      }
      const auto operands = static_cast<std::size_t>(nodes[at].operand_count());
      for (std::size_t n = 0; n < operands; ++n) {
        const auto operand = static_cast<std::size_t>(nodes[at].operands[n]);
        if (has_item[operand]) has_item[at] = true;
        if (has_neighbour[operand]) has_neighbour[at] = true;
      }
      for (std::size_t n = 0; n < operands && has_neighbour[at]; ++n) is_one &= take(nodes[at].operands[n]);
    }
    is_one &= take(value().results().front());
    if (!is_one) return "its items give one number to what the neighbours give";
    const formula::Type type = value()[score_].type;
    const bool fits =
        type == formula::Type::boolean || (made_.has_values ? type == formula::Type::f32 : formula::is_whole(type));
    return fits ? "" : "the number that its items give is one of its elements' type";
  }

  /// True if the score and the neighbour before both are used in their sum alone.
  bool joins_diagonal() const {
    int sums = 0, uses = 0;
    const auto is_diagonal = [&](int number) {
      const Node& node = value()[number];
      return node.operation == Operation::read && !access_of(node).is_input &&
             std::string_view(neighbour(access_of(node))) == "diagonal";
    };
    for (const Node& node : value().nodes()) {
      int own = 0;
      for (std::size_t n = 0; n < static_cast<std::size_t>(node.operand_count()); ++n)
        own += node.operands[n] == score_ || is_diagonal(node.operands[n]) ? 1 : 0;
      uses += own;
      const bool is_sum = own == 2 && node.operation == Operation::add && node.operands[0] != node.operands[1];
      sums += is_sum ? 1 : 0;
    }
    return !made_.has_values && sums == 1 && uses == 2;
  }

  /// The nodes that a node needs; `leaf` nodes are replaced by reads of themselves.
  FormulaPart part(int result, const std::function<bool(int)>& is_leaf, const std::vector<Bounds>& bounds) const {
    FormulaPart made;
    std::map<int, int> known;
    const std::function<int(int)> copy = [&](int number) {
      if (const auto found = known.find(number); found != known.end()) return found->second;
      Node node = value()[number];
      if (is_leaf(number)) {
        Node leaf{Operation::read, node.type};
        leaf.number = -1 - number;
        node = leaf;
      } else {
        for (std::size_t n = 0; n < static_cast<std::size_t>(node.operand_count()); ++n)
          node.operands[n] = copy(node.operands[n]);
      }
      const int own = made.formula.add(node);
      if (static_cast<std::size_t>(own) == made.bounds.size())
        made.bounds.push_back(bounds[static_cast<std::size_t>(number)]);
      known[number] = own;
      return own;
    };
    made.formula.add_result(copy(result));
    return made;
  }

  /// A value of a formula as one of cells, V.
  std::string as_cell(const std::string& value) const {
    return made_.has_values ? "V(static_cast<float>(" + value + "))" : "V::of(static_cast<int>(" + value + "))";
  }
  LeafInSource leaf_in_source(const FormulaInSource& printed, int number, const std::string& value) const {
    const std::string type = printed.type(number), name = formula::name_in_source(number);
    return {"    const " + type + " " + name + " = static_cast<" + type + ">(" + value + ");\n", false, ""};
  }

  std::string print_cell() {
    const std::vector<Bounds> bounds = node_bounds(nest_, value(), statement().box, array_bounds(spec_));
    FormulaInSource whole(value(), bounds, array().type);
    whole.statements([&](int number, const Node&) { return leaf_in_source(whole, number, "0"); });
    if (whole.fails()) return "its cells must have a value whatever they read: these may leave their type";
    for (std::size_t n = 0; n < bounds.size(); ++n) {
      if (formula::is_whole(value().nodes()[n].type) && whole.type(static_cast<int>(n)) != "int")
        return "its numbers must be shown to be within i32";
    }
    print_score(bounds);
    const FormulaPart cell = part(
        value().results().front(), [&](int number) { return number == score_; }, bounds);
    FormulaInSource printed(cell.formula, cell.bounds, array().type);
    const std::string statements = printed.statements([&](int number, const Node& node) {
      const bool is_score = node.number < 0;
      const std::string from = is_score ? "s.value" : std::string("n.") + neighbour(access_of(node)) + ".value";
      return leaf_in_source(printed, number, from);
    });
    functions_ +=
        "  template <class V>\n"
        "  TERRACE_HOST_DEVICE static Cell<V> cell(const Constants<V>&, const Around<V>& n, V s) {\n" +
        statements + "    return {" + as_cell(printed.result()) + ", n.e, n.f};\n  }\n";
    return "";
  }

  void print_score(const std::vector<Bounds>& bounds) {
    const FormulaPart score = part(
        score_, [](int) { return false; }, bounds);
    FormulaInSource printed(score.formula, score.bounds, made_.has_values ? ElementType::f32 : ElementType::i32);
    const std::string statements = printed.statements([&](int number, const Node& node) {
      return leaf_in_source(printed, number, access_of(node).loops[0] == 0 ? "row.value" : "column.value");
    });
    functions_ +=
        "  template <class V>\n"
        "  TERRACE_HOST_DEVICE static V score(const Constants<V>&, V row, V column) {\n" +
        statements + "    return " + as_cell(printed.result()) + ";\n  }\n";
  }

  /// Elements above the first row, and before the first column.
  std::string print_borders() {
    const Formula& outside = *array().outside;
    for (const Node& node : outside.nodes()) {
      if (node.operation == Operation::read || node.operation == Operation::look_up)
        return "what is around its table depends on subscripts alone";
    }
    const std::vector<Bounds> bounds = node_bounds(nest_, outside, subscripts_of(nest_, 0), {});
    const std::array<i64, 2> first = {array().written[0].begin, array().written[1].begin};
    for (const bool is_top : {true, false}) {
      FormulaInSource printed(outside, bounds, array().type);
      const std::array<std::string, 2> at = {number(is_top ? first[0] - 1 : first[0]) + (is_top ? "" : " + row"),
                                             number(is_top ? first[1] : first[1] - 1) + (is_top ? " + column" : "")};
      const std::string statements = printed.statements([&](int node, const Node& of) {
        return leaf_in_source(printed, node, at[static_cast<std::size_t>(of.number)]);
      });
      if (printed.fails()) return "what is around its table must have a value";
      functions_ += std::string("  template <class V>\n  TERRACE_HOST_DEVICE static Border<V> ") +
                    (is_top ? "top(const Constants<V>&, i64 column) {\n" : "left(const Constants<V>&, i64 row) {\n") +
                    statements + "    return {" + border(printed.result()) + ", V(0)};\n  }\n";
    }
    return "";
  }
  /// Borders are also wanted of i64.
  std::string border(const std::string& value) const {
    return made_.has_values ? as_cell(value) : "V(static_cast<i64>(" + value + "))";
  }

  const NestSpec& spec_;
  const Nest& nest_;
  PairTable made_;
  int score_ = -1;
  std::string functions_;
};

}  // namespace

PairTable pair_table(const NestSpec& spec) { return PairRecogniser(spec).recognise(); }

}  // namespace terrace::nest
