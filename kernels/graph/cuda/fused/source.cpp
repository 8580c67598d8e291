#include "kernels/graph/cuda/fused/source.hpp"

#include <fmt/format.h>

#include <bit>
#include <set>

#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "kernels/graph/print_cell.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::graph {
namespace {

/// "box_sum" as its type: "BoxSum".
std::string type_name(const std::string& name) {
  std::string made;
  bool is_first = true;
  for (const char letter : name) {
    if (letter != '_') made += static_cast<char>(is_first ? letter - 'a' + 'A' : letter);
    is_first = letter == '_';
  }
  return made;
}

/// A type of elements in memory.
std::string stored_type(ElementType type) {
  if (type == ElementType::f32) return "float";
  if (type == ElementType::f64) return "double";
  return "device::" + std::string(name_of(type));
}

const char* word(bool value) { return value ? "true" : "false"; }

/// Prints one cluster.
class Printer {
 public:
  Printer(const Graph& graph, const Cluster& cluster, const std::vector<bool>& is_checked, int blocks)
      : graph_(graph), cluster_(cluster), is_checked_(is_checked), blocks_(blocks) {}

  compiled::Source print() const {
    std::string text =
        "#include \"kernels/graph/cuda/fused/rim_kernel.cuh\"\n"
        "#include \"kernels/graph/cuda/fused/stream_kernel.cuh\"\n";
    std::set<std::string> names;
    for (const StreamedValue& member : cluster_.members) {
      if (!graph_.node(member.value).settings.formula) names.insert(operator_name(member.value));
    }
    for (const std::string& name : names) text += "#include \"kernels/graph/operators/" + name + ".hpp\"\n";
    text += "namespace terrace::graph {\n";
    for (const StreamedValue& member : cluster_.members) text += member_struct(member.value);
    text += cluster_struct() + "}  // namespace terrace::graph\n";
    return {text,
            {"terrace::graph::stream_cluster_kernel<terrace::graph::Cluster>",
             "terrace::graph::make_rim_kernel<terrace::graph::Cluster>"}};
  }

 private:
  /// The number of a value in the source: equal clusters have equal sources.
  int number(int value) const {
    int count = 0;
    for (const auto* values : {&cluster_.reads, &cluster_.members}) {
      for (const StreamedValue& own : *values) {
        if (own.value == value) return count;
        ++count;
      }
    }
    throw DeviceError("graph", "a cluster reads a value that it does not have");
  }
  std::string operator_name(int value) const { return operators()[at_value(graph_.node(value).op)].name; }
  std::string type() const { return graph_.type == ElementType::f32 ? "float" : "double"; }

  std::string literal(double value) const {
    if (graph_.type == ElementType::f32)
      return fmt::format("values::float_of({:#x}u)", std::bit_cast<std::uint32_t>(static_cast<float>(value)));
    return fmt::format("values::double_of({:#x}ull)", std::bit_cast<std::uint64_t>(value));
  }

  /// Numbers that a task brings are read; others are known.
  std::string set_numbers(int value) const {
    const NodeSettings& settings = graph_.node(value).settings;
    std::string text;
    for (std::size_t n = 0; n < settings.numbers.size(); ++n) {
      std::string number = literal(settings.numbers[n]);
      for (const KnownNumber& known : settings.known) {
        if (known.constant == n) number = fmt::format("all[{}]", cluster_.find(value)->first_number + n);
      }
      text += fmt::format("    to[{}] = {};\n", n, number);
    }
    return text;
  }

  std::string member_struct(int value) const {
    const NodeSettings& settings = graph_.node(value).settings;
    std::string text, op = type_name(operator_name(value));
    if (settings.formula) {
      op = fmt::format("Formula{}", number(value));
      text = formula_struct(op, graph_.node(value));
    }
    text += fmt::format("struct Member{} {{\n  using Op = {};\n", number(value), op);
    text += fmt::format("  static constexpr i32 row_radius = {}, column_radius = {}, axis = {}, numbers = {};\n",
                        settings.row_radius, settings.column_radius, settings.axis, settings.numbers.size());
    text += fmt::format("  static constexpr bool is_separable = {};\n", word(settings.is_separable));
    text += fmt::format("  static constexpr auto boundary = static_cast<Boundary>({});\n",
                        static_cast<int>(settings.boundary));
    text += fmt::format("  static __device__ __forceinline__ {0} boundary_value() {{ return {1}; }}\n", type(),
                        literal(settings.boundary_value));
    text += fmt::format(
        "  static __device__ __forceinline__ void set_numbers({0}* to, const {0}* all) {{\n{1}  }}\n}};\n", type(),
        set_numbers(value));
    return text;
  }

  /// A formula as an operator.
  std::string formula_struct(const std::string& name, const Node& node) const {
    const auto sources = static_cast<int>(node.operands.size());
    return cell_source(name + "Cell", node.settings.formula->cells, sources, type()) +
           fmt::format(
               "struct {0} {{\n  template <class T, class Read>\n"
               "  static __device__ __forceinline__ T cell(const Constants<T>&, const Read& read, i64 i, i64 j) "
               "{{\n    T made[1];\n    {0}Cell::make(read, i, j, made);\n    return made[0];\n  }}\n}};\n",
               name);
  }

  std::string cluster_struct() const {
    std::string text = "struct Cluster {\n  using Value = " + type() + ";\n";
    text += fmt::format(
        "  static constexpr i32 columns = {}, beside = {}, ahead = {}, blocks = {}, first = {}, "
        "last = {};\n",
        cluster_.columns, cluster_.beside, cluster_.ahead, blocks_, cluster_.first, cluster_.last);
    text += fmt::format("  static constexpr i32 made = {};\n", cluster_.made.size());
    text += "  static __device__ __forceinline__ constexpr i32 made_lag(i32 n) { return ";
    for (std::size_t n = 0; n + 1 < cluster_.made.size(); ++n) {
      text += fmt::format("n == {} ? {} : ", n, cluster_.find(cluster_.made[n])->lag);
    }
    text += fmt::format("{}; }}\n", cluster_.find(cluster_.made.back())->lag) + coming();
    return text + rows_struct() + step() + rim() + "};\n";
  }

  /// The rows that come from memory.
  std::string coming() const {
    std::string rows, read, check;
    for (std::size_t n = 0; n < cluster_.reads.size(); ++n) {
      const StreamedValue& own = cluster_.reads[n];
      rows +=
          fmt::format("    LaneColumns<{}, {}> v{};\n", stored_type(own.stored), cluster_.columns, number(own.value));
      read += fmt::format("    read_columns(work, work.reads[{}], step - {}, j, to.v{});\n", n, own.lag,
                          number(own.value));
      if (!is_checked_[n]) continue;
      check += fmt::format("    look_at(work, work.reads[{}], step - {}, j, from.v{}.values);\n", n, own.lag,
                           number(own.value));
    }
    const std::string begin = "  static __device__ __forceinline__ void ";
    return "  struct Coming {\n" + rows + "  };\n" + begin +
           "read(const ClusterWork& work, i32 step, i32 j, Coming& to) {\n" + read + "  }\n" + begin +
           "check(const ClusterWork& work, i32 step, i32 j, const Coming& from) {\n" + check + "  }\n";
  }

  std::string rows_struct() const {
    std::string text = "  struct Rows {\n";
    const auto window = [&](char kind, int value, int rows, int columns) {
      text += fmt::format("    RowWindow<{}, {}, {}, {}> {}{};\n", type(), cluster_.columns, rows, columns, kind,
                          number(value));
    };
    for (const auto* values : {&cluster_.reads, &cluster_.members}) {
      for (const StreamedValue& own : *values) {
        window('v', own.value, own.rows, own.columns);
        if (own.sums > 0) window('s', own.value, own.sums, 0);
      }
    }
    return text + "  };\n";
  }

  /// The operands of a member as a function. @param read the expression of an operand
  template <class Read>
  std::string reader(int value, const Read& read) const {
    const std::vector<int>& operands = graph_.node(value).operands;
    std::string text = "[&](i32 operand, i64 i, i64 j) { return ";
    for (std::size_t n = 0; n + 1 < operands.size(); ++n) {
      text += fmt::format("operand == {} ? {} : ", n, read(operands[n]));
    }
    return text + read(operands.back()) + "; }";
  }

  std::string step() const {
    std::string text = fmt::format(
        "  static __device__ __forceinline__ void step(const StreamPlace& place, Rows& rows, const Coming& coming, "
        "const void* numbers, {0} (&made)[{1}][columns]) {{\n    {0} row[columns];\n",
        type(), cluster_.made.size());
    for (const StreamedValue& own : cluster_.reads) {
      text += fmt::format("    load_columns(coming.v{0}, row);\n    rows.v{0}.add(row);\n", number(own.value));
    }
    for (const StreamedValue& member : cluster_.members) text += member_step(member);
    return text + "  }\n";
  }
  std::string member_step(const StreamedValue& member) const {
    const int value = member.value, own = number(value);
    const int later = member.sums > 0 ? member.sums / 2 : 0;  // rows by which sums are ahead
    const std::string read = reader(value, [&](int operand) {
      return fmt::format("rows.v{}.at(i + {}, j)", number(operand), cluster_.find(operand)->lag - member.lag + later);
    });
    std::string text;
    if (member.sums > 0) {
      text += fmt::format("    sum_row<Member{0}>(numbers, {1}, row);\n    rows.s{0}.add(row);\n", own, read);
      text += fmt::format("    make_row_of_sums<Member{0}>(numbers, rows.s{0}, row);\n", own);
    } else {
      text += fmt::format("    make_row<Member{}>(place, {}, numbers, {}, row);\n", own, member.lag, read);
    }
    text += fmt::format("    rows.v{}.add(row);\n", own);
    for (std::size_t n = 0; n < cluster_.made.size(); ++n) {
      if (cluster_.made[n] == value) text += fmt::format("    copy_row(row, made[{}]);\n", n);
    }
    return text;
  }

  std::string rim() const {
    std::string text = fmt::format(
        "  static __device__ __forceinline__ void rim(const ClusterWork& work, const RimTile& tile, {}* memory) {{\n",
        type());
    for (const StreamedValue& member : cluster_.members) {
      const int value = member.value, own = number(value);
      text += fmt::format("    const RimValues<{}> v{}{{memory + {}, tile.around({}, {})}};\n", type(), own,
                          member.rim_offset, member.reach.rows, member.reach.columns);
      const std::string read = reader(value, [&](int operand) {
        std::string inside = fmt::format("v{}.at(row, column)", number(operand));
        for (std::size_t n = 0; n < cluster_.reads.size(); ++n) {
          if (cluster_.reads[n].value == operand)
            inside = fmt::format("read_value<{}, {}>(work.reads[{}], row, column)", type(),
                                 stored_type(cluster_.reads[n].stored), n);
        }
        return fmt::format("read_inside<Member{}, {}>(work, i, j, [&](i64 row, i64 column) {{ return {}; }})", own,
                           type(), inside);
      });
      text += fmt::format("    make_rim_values<Member{0}>(work, v{0}, {1});\n", own, read);
    }
    for (std::size_t n = 0; n < cluster_.made.size(); ++n) {
      text += fmt::format("    write_rim(tile, work.made[{}], v{});\n", n, number(cluster_.made[n]));
    }
    return text + "  }\n";
  }

  const Graph& graph_;
  const Cluster& cluster_;
  const std::vector<bool>& is_checked_;
  int blocks_;
};

}  // namespace

compiled::Source source_of(const Graph& graph, const Cluster& cluster, const std::vector<bool>& is_checked,
                           int blocks) {
  return Printer(graph, cluster, is_checked, blocks).print();
}

}  // namespace terrace::graph
