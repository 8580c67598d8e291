#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>

#include "kernels/formula/syntax.hpp"
#include "kernels/graph/node_formula.hpp"
#include "kernels/graph/operators.hpp"
#include "pipeline/base/near_name.hpp"
#include "pipeline/base/printable.hpp"
#include "stages/kernel_graph/nodes.hpp"

namespace terrace::stages {
namespace {

using graph::OperatorInfo;
using graph::OwnKey;

/// A key as messages show it.
std::string in_code(const std::string& key) { return "`" + key + "`"; }

/// Reads one node; adds to the findings.
class NodeReader {
 public:
  NodeReader(const Settings& settings, const std::string& list, std::size_t number,
             std::vector<job::Finding>& findings)
      : settings_(settings), findings_(findings), list_(list) {
    made_.name = settings.names(list)[number];
    made_.place = element_of(settings.place(list), number);
    prefix_ = list + "." + made_.name + ".";
  }

  NodeText read() && {
    find_operator();
    if (made_.op < 0) return std::move(made_);
    read_operands();
    if (op().is_reduction) {
      read_reduction();
    } else {
      read_parameters();
      read_own_boundary();
    }
    refuse_others();
    if (settings_.has(prefix_ + "type")) made_.kept_as = element_type_from(settings_.text(prefix_ + "type"));
    return std::move(made_);
  }

 private:
  const OperatorInfo& op() const { return graph::operators()[static_cast<std::size_t>(made_.op)]; }
  void fault(const std::string& what, const std::string& key = "") {
    findings_.push_back(
        {key.empty() ? list_ : prefix_ + key, "node " + quote(made_.name) + ": " + what, false, place_of(key)});
  }
  /// The place of a key, or of what stands in its map; else that of the node.
  Place place_of(const std::string& key) const {
    for (const char* inner : {"", ".value", ".of"}) {
      if (!key.empty() && settings_.has(prefix_ + key + inner)) return settings_.place(prefix_ + key + inner);
    }
    return made_.place;
  }

  void find_operator() {
    std::vector<std::string> all, given;
    for (const OperatorInfo& info : graph::operators()) {
      all.emplace_back(info.name);
      const std::string own = prefix_ + info.name;
      const bool is_map = info.own_key == OwnKey::iteration && settings_.has(own + ".nodes");
      if (settings_.has(own) || is_map) given.emplace_back(info.name);
    }
    if (given.size() == 1) made_.op = graph::find_operator(given[0]).value();
    else if (given.empty()) fault("it has no operator; give one of " + list_names(all));
    else fault("it has several operators, " + list_names(given) + ": give one");
  }

  void read_formula() {
    const std::string setting = prefix_ + op().name;
    made_.formula = {settings_.text(setting), settings_.place(setting)};
    for (const std::string& name : settings_.names(prefix_ + "operands")) {
      made_.names.push_back(name);
      made_.operands.push_back(operands_in(settings_, prefix_ + "operands." + name).front());
    }
    if (made_.operands.empty()) fault("`formula` needs `operands`: the arrays that it reads, by names", op().name);
    if (made_.operands.size() > graph::most_formula_operands) {
      fault("a formula has at most " + std::to_string(graph::most_formula_operands) + " operands", "operands");
    }
    try {
      find_unread(*formula::parse(made_.formula->name));
    } catch (const formula::Fault& wrong) {
      findings_.push_back(
          {setting, "node " + quote(made_.name) + ": " + wrong.what, false, inside(made_.formula->place, wrong.at)});
    }
  }

  /// Each operand is there to be read.
  void find_unread(const formula::Syntax& text) {
    std::set<std::string> read;
    const std::function<void(const formula::Syntax&)> visit = [&](const formula::Syntax& part) {
      if (part.form == formula::Form::name || part.form == formula::Form::subscript) read.insert(part.word);
      for (const auto& child : part.children) visit(*child);
    };
    visit(text);
    for (const std::string& name : made_.names) {
      if (!read.contains(name)) fault("the formula does not read its operand " + quote(name), "operands." + name);
    }
  }

  void read_operands() {
    if (op().own_key == OwnKey::formula) return read_formula();
    if (op().own_key == OwnKey::arrays) made_.operands = operands_in(settings_, prefix_ + op().name);
    const auto check = [&](std::size_t found, int wanted, const char* key) {
      if (static_cast<int>(found) == wanted) return;
      fault(in_code(key) + " takes " + counted(wanted, "array") + ", not " + std::to_string(found), key);
    };
    check(made_.operands.size(), op().operands, op().name);
    if (op().more > 0) {
      if (settings_.has(prefix_ + op().more_key)) {
        const auto more = operands_in(settings_, prefix_ + op().more_key);
        check(more.size(), op().more, op().more_key);
        made_.operands.insert(made_.operands.end(), more.begin(), more.end());
      } else {
        fault(in_code(op().name) + " needs " + in_code(op().more_key) + ": " + op().more_help, op().name);
      }
    }
    if (op().takes_size && settings_.has(prefix_ + "like")) {
      made_.like = operands_in(settings_, prefix_ + "like").front();
    }
  }

  void read_parameters() {
    graph::NodeSettings& made = made_.settings;
    made.row_radius = made.column_radius = op().radius;
    if (!op().coefficient_keys.empty()) return read_coefficients();
    for (const Parameter& parameter : op().parameters) {
      const std::string setting = prefix_ + parameter.name;
      if (parameter.name == std::string(op().number_key) && settings_.has(setting + ".of")) {
        made_.number = {settings_.text(setting + ".of"), settings_.place(setting + ".of")};
        made.known.push_back({made.numbers.size(), 0, settings_.number(setting + ".times")});
        made.numbers.push_back(0);
      } else if (!settings_.has(setting) && parameter.default_text == nullptr) {
        fault(in_code(op().name) + " needs " + in_code(parameter.name) + ": " + parameter.help, op().name);
      } else if (parameter.kind == ParameterKind::choice) {
        made.axis = settings_.text(setting) == "x" ? 1 : 0;
      } else if (parameter.kind == ParameterKind::integer) {
        const auto radius =
            settings_.has(setting) ? static_cast<int>(settings_.integer(setting)) : std::atoi(parameter.default_text);
        made.row_radius = made.column_radius = radius;
      } else {
        made.numbers.push_back(settings_.has(setting) ? settings_.number(setting)
                                                      : std::strtod(parameter.default_text, nullptr));
      }
    }
  }

  void read_reduction() {
    graph::Reduction& made = made_.reduction.emplace();
    made.name = made_.name;
    made.makes = op().makes;
    for (const char* key : {"boundary", "boundary.value"}) {
      if (settings_.has(prefix_ + key)) fault(in_code(op().name) + " takes no `boundary`", "boundary");
    }
    if (made.makes == graph::Makes::number) return read_measure(made);
    if (settings_.has(prefix_ + "most")) made.positions.most = settings_.integer(prefix_ + "most");
    if (settings_.has(prefix_ + "bins")) made.bins.bins = settings_.integer(prefix_ + "bins");
    if (!settings_.has(prefix_ + "range")) return;
    const auto& range = settings_.get<std::vector<double>>(prefix_ + "range");
    if (range.size() == 2 && range[0] < range[1] && std::isfinite(range[1] - range[0])) {
      made.bins.low = range[0], made.bins.high = range[1];
    } else {
      fault("`range` is two numbers, the lower first: [0, 1]", "range");
    }
  }
  void read_measure(graph::Reduction& made) {
    if (!settings_.has(prefix_ + "with")) return fault("`reduce` needs `with`: minimum, maximum or sum", "reduce");
    const std::string& word = settings_.text(prefix_ + "with");
    using graph::Measure;
    made.measure = word == "minimum" ? Measure::minimum : word == "maximum" ? Measure::maximum : Measure::sum;
  }

  /// Reads the coefficients of a neighbourhood, which say its radius.
  void read_coefficients() {
    const graph::CoefficientKeys& keys = op().coefficient_keys;
    const std::string dense = in_code(keys.dense), lists = in_code(keys.rows) + " and " + in_code(keys.columns);
    const std::int64_t count = settings_.count(prefix_ + keys.dense);
    const bool has_rows = settings_.has(prefix_ + keys.rows), has_columns = settings_.has(prefix_ + keys.columns);
    if (count > 0 && (has_rows || has_columns)) {
      fault(dense + " stand alone, without " + lists, keys.dense);
    } else if (count > 0) {
      read_dense(keys.dense, count);
    } else if (!has_rows || !has_columns) {
      fault(in_code(op().name) + " needs " + dense + ", or " + lists, op().name);
    } else {
      made_.settings.is_separable = true;
      made_.settings.row_radius = take_numbers(keys.rows);
      made_.settings.column_radius = take_numbers(keys.columns);
    }
  }
  void read_dense(const std::string& dense, std::int64_t count) {
    if (count % 2 == 0) fault("its coefficients have " + std::to_string(count) + " rows; give an odd number", dense);
    made_.settings.row_radius = static_cast<int>(count / 2);
    std::size_t width = 0;
    for (std::int64_t row = 0; row < count; ++row) {
      const std::string key = dense + "[" + std::to_string(row) + "]";
      made_.settings.column_radius = take_numbers(key);
      const std::size_t own = settings_.get<std::vector<double>>(prefix_ + key).size();
      if (row > 0 && own != width) fault("its rows of coefficients have different lengths", key);
      width = own;
    }
  }
  /// Takes a list of coefficients. @return its radius
  int take_numbers(const std::string& key) {
    const auto& numbers = settings_.get<std::vector<double>>(prefix_ + key);
    constexpr std::size_t most = 2 * graph::most_radius + 1;
    if (numbers.size() % 2 == 0 || numbers.size() > most) {
      fault(in_code(key.substr(0, key.find('['))) + " has " +
                counted(static_cast<std::int64_t>(numbers.size()), "number") +
                "; give an odd number of them, at most " + std::to_string(most),
            key);
    }
    made_.settings.numbers.insert(made_.settings.numbers.end(), numbers.begin(), numbers.end());
    return static_cast<int>(numbers.size() / 2);
  }

  void read_own_boundary() {
    const std::string own = settings_.has(prefix_ + "boundary") || settings_.has(prefix_ + "boundary.value")
                                ? prefix_ + "boundary"
                                : "boundary";
    if (own != "boundary" && !op().has_boundary) fault(in_code(op().name) + " takes no `boundary`", "boundary");
    read_boundary(settings_, own, made_.settings);
  }

  /// Finds keys of other operators.
  void refuse_others() {
    std::set<std::string> own;
    if (op().more > 0) own.insert(op().more_key);
    if (op().takes_size) own.insert("like");
    if (op().own_key == OwnKey::formula) own.insert("operands");
    if (op().own_key == OwnKey::iteration) own.insert("times");
    for (const Parameter& parameter : op().parameters) own.insert(parameter.name);
    std::set<std::string> others = {"like", "operands", "times"}, lists;
    for (const OperatorInfo& info : graph::operators()) {
      if (info.more > 0) others.insert(info.more_key);
      for (const Parameter& parameter : info.parameters) {
        if (std::string(parameter.name) != info.name) others.insert(parameter.name);
        if (parameter.kind == ParameterKind::items) lists.insert(parameter.name);
      }
    }
    for (const std::string& key : others) {
      // Lists of maps or values are there also without entries.
      const bool is_given = lists.contains(key) ? settings_.count(prefix_ + key) > 0 : settings_.has(prefix_ + key);
      if (own.contains(key) || (!is_given && !settings_.has(prefix_ + key + ".of"))) continue;
      fault(in_code(op().name) + " takes no " + in_code(key), key);
    }
  }

  const Settings& settings_;
  std::vector<job::Finding>& findings_;
  std::string list_, prefix_;
  NodeText made_;
};

}  // namespace

/// The texts of a setting, which is one or a list, with their places.
std::vector<NodeText::Operand> operands_in(const Settings& settings, const std::string& setting) {
  if (settings.holds<std::string>(setting)) return {{settings.text(setting), settings.place(setting)}};
  std::vector<NodeText::Operand> found;
  for (const std::string& name : settings.names(setting)) {
    found.push_back({name, element_of(settings.place(setting), found.size())});
  }
  return found;
}

NodeText read_node(const Settings& settings, const std::string& list, std::size_t number,
                   std::vector<job::Finding>& findings) {
  return NodeReader(settings, list, number, findings).read();
}

void read_boundary(const Settings& settings, const std::string& setting, graph::NodeSettings& made) {
  if (settings.has(setting + ".value")) {
    made.boundary = graph::Boundary::value;
    made.boundary_value = settings.number(setting + ".value");
    return;
  }
  const std::string& word = settings.text(setting);
  using graph::Boundary;
  made.boundary = word == "edge"       ? Boundary::edge
                  : word == "reflect"  ? Boundary::reflect
                  : word == "periodic" ? Boundary::periodic
                                       : Boundary::symmetric;
}

}  // namespace terrace::stages
