// Distances and skews: the nests of the paper, and random ones whose iterations are followed one by one.
#include "kernels/nest/schedule.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <set>

#include "tests/support/nests.hpp"

namespace terrace::nest {
namespace {

enum class Storage { given, expanded };

Skew skew_of(const Nest& nest, bool balanced, Storage storage) {
  std::vector<Dependence> all = flow_of(nest);
  if (storage == Storage::given) all = with_false_dependences(nest, all);
  const Skew skew = least_skew(nest, all, balanced);
  CHECK(is_legal(skew, all));
  return skew;
}

/// The three schedules: communication_minimal and balanced with given storage, balanced with expanded storage.
std::vector<std::string> schedules_of(const Written& written) {
  const Nest nest = write(written.text);
  return {skew_of(nest, false, Storage::given).in_words(), skew_of(nest, true, Storage::given).in_words(),
          skew_of(nest, true, Storage::expanded).in_words()};
}
using Words = std::vector<std::string>;

/// A nest over a grid in place, its rim fixed.
Written sweeps(int rank) {
  const char* names[] = {"i", "j", "k"};
  Written made;
  made.input("g", std::vector<i64>(static_cast<std::size_t>(rank), 12)).loop("t", "5");
  for (int axis = 0; axis < rank; ++axis) made.loop(names[axis], "1", "size(g, " + std::to_string(axis) + ") - 1");
  return made.array("A", std::nullopt, "g");
}

Written jacobi(int rank, const std::string& made_of, const std::string& cell) {
  Written made = sweeps(rank);
  made.array("B", ElementType::f32, "").in_order(Order::statements);
  return made.cell("B" + cell + " = " + made_of).cell("A" + cell + " = B" + cell);
}

TEST_CASE("the skews of the paper's nests are those that it prints, or follow from its rules") {
  Written figure_2;
  figure_2.input("g", {21}).loop("t", "5").loop("i", "20").array("A", std::nullopt, "g");
  figure_2.cell("A[i] = 0.5*(A[i] + A[i+1])");
  CHECK(schedules_of(figure_2) == Words{"1 0; 1 1", "2 1; 1 1", "1 0; 1 1"});

  CHECK(schedules_of(jacobi(1, "(A[i-1] + A[i] + A[i+1])/3", "[i]")) ==
        Words{"1 0; 2 1 + 0, 1", "1 0; 2 1 + 0, 1", "1 0; 1 1"});
  const Words two = {"1 0 0; 2 1 0; 2 0 1 + 0, 1, 1", "1 0 0; 2 1 0; 2 0 1 + 0, 1, 1", "1 0 0; 1 1 0; 1 0 1"};
  const std::string five = "A[i][j] + A[i][j+1] + A[i+1][j] + A[i-1][j] + A[i][j-1]";
  CHECK(schedules_of(jacobi(2, "0.2*(" + five + ")", "[i][j]")) == two);
  CHECK(schedules_of(jacobi(2, five + " + A[i-1][j-1] + A[i+1][j+1]", "[i][j]")) == two);
  const Words three = {"1 0 0 0; 2 1 0 0; 2 0 1 0; 2 0 0 1 + 0, 1, 1, 1",
                       "1 0 0 0; 2 1 0 0; 2 0 1 0; 2 0 0 1 + 0, 1, 1, 1", "1 0 0 0; 1 1 0 0; 1 0 1 0; 1 0 0 1"};
  const std::string seven =
      "A[i][j][k] + A[i-1][j][k] + A[i+1][j][k] + A[i][j-1][k] + A[i][j+1][k] + A[i][j][k-1] + A[i][j][k+1]";
  CHECK(schedules_of(jacobi(3, seven, "[i][j][k]")) == three);
  std::string all = "0.0";
  for (const char* i : {"-1", "", "+1"}) {
    for (const char* j : {"-1", "", "+1"}) {
      for (const char* k : {"-1", "", "+1"}) {
        all += std::string(" + A[i") + i + "][j" + j + "][k" + k + "]";
      }
    }
  }
  CHECK(schedules_of(jacobi(3, all, "[i][j][k]")) == three);

  CHECK(schedules_of(sweeps(1).cell("A[i] = (A[i-1] + A[i] + A[i+1])/3")) ==
        Words{"1 0; 1 1", "2 1; 1 1", "2 1; 1 1"});
  CHECK(schedules_of(sweeps(2).cell("A[i][j] = 0.2*(" + five + ")")) ==
        Words{"1 0 0; 1 1 0; 1 0 1", "2 1 1; 1 0 0; 1 1 0", "2 1 1; 1 0 0; 1 1 0"});
}

Written finite_differences() {
  Written made;
  made.input("ex0", {12, 12}).input("ey0", {12, 12}).input("hz0", {12, 12}).input("pulse", {5});
  made.loop("t", "5").loop("i", "12").loop("j", "12");
  made.array("ey", std::nullopt, "ey0").array("ex", std::nullopt, "ex0").array("hz", std::nullopt, "hz0");
  made.cell({{"i", {"1"}}}, "ey[i][j] = pulse[t]");
  made.cell({{"i", {"1", "12"}}}, "ey[i][j] = ey[i][j] - 0.5*(hz[i][j] - hz[i-1][j])");
  made.cell({{"j", {"1", "12"}}}, "ex[i][j] = ex[i][j] - 0.5*(hz[i][j] - hz[i][j-1])");
  made.cell({{"i", {"11"}}, {"j", {"11"}}},
            "hz[i][j] = hz[i][j] - 0.7*(ex[i][j+1] - ex[i][j] + ey[i+1][j] - ey[i][j])");
  return made.in_order(Order::statements);
}

TEST_CASE("nothing hinders the nest of finite differences in time: all three schedules are one") {
  const std::string least = "1 0 0; 1 1 0; 1 0 1 + 0, 1, 1";
  CHECK(schedules_of(finite_differences()) == Words{least, least, least});
}

TEST_CASE("a copy as in figure 7 frees its nest, and not a symmetric one; two copies by parity free that") {
  Written copied;
  copied.input("g", {21})
      .loop("t", "5")
      .loop("i", "20")
      .array("A", std::nullopt, "g")
      .array("B", ElementType::f32, "g");
  copied.cell("B[i] = A[i]").cell("A[i] = 0.5*(A[i] + B[i+1])").in_order(Order::statements);
  CHECK(schedules_of(copied)[1] == "1 0; 1 1 + 0, 1");

  Written symmetric = sweeps(1);
  symmetric.array("B", ElementType::f32, "g").in_order(Order::statements);
  symmetric.cell("B[i] = A[i]").cell("A[i] = (B[i-1] + B[i] + B[i+1])/3");
  CHECK(schedules_of(symmetric)[1] == "1 0; 2 1 + 0, 1");

  // Two sweeps an iteration: a slope of 2 is one cell a sweep.
  Written parity = sweeps(1);
  parity.array("B", ElementType::f32, "g").in_order(Order::statements);
  parity.cell("B[i] = (A[i-1] + A[i] + A[i+1])/3").cell("A[i] = (B[i-1] + B[i] + B[i+1])/3");
  CHECK(schedules_of(parity)[1] == "1 0; 2 1 + 0, 1");
}

/// The iterations of a statement in a tile, by their wavefront.
std::map<i64, i64> wavefronts(const Skew& skew, i64 side) {
  std::map<i64, i64> counts;
  Point at{};
  for (at[0] = 0; at[0] < side; ++at[0]) {
    for (at[1] = 0; at[1] < side; ++at[1]) ++counts[skew.is_balanced ? at[0] : at[0] + at[1]];
  }
  return counts;
}

TEST_CASE("full tiles have equal wavefronts when they are balanced") {
  Written made;
  made.input("g", {21})
      .loop("t", "5")
      .loop("i", "20")
      .array("A", std::nullopt, "g")
      .cell("A[i] = 0.5*(A[i] + A[i+1])");
  const Nest nest = write(made.text);
  for (const bool balanced : {false, true}) {
    const Skew skew = skew_of(nest, balanced, Storage::given);
    // Every dependence leads to a later wavefront, so that one is computed at once.
    for (const Dependence& one : with_false_dependences(nest, flow_of(nest))) {
      CHECK(skew.along(0, one) + (balanced ? 0 : skew.along(1, one)) >= 1);
    }
    std::set<i64> sizes;
    for (const auto& [wavefront, size] : wavefronts(skew, 8)) sizes.insert(size);
    CHECK(sizes.size() == (balanced ? 1 : 8));
  }
}

TEST_CASE("equations find their direction, or name the cycle") {
  Written back;
  back.loop("i", "10").loop("j", "10").array("D", ElementType::i64, "", "0").cell("D[i][j] = D[i+1][j] + D[i][j+1]");
  const Skew skew = skew_of(write(back.text), false, Storage::expanded);
  CHECK(skew.in_words() == "1 0; 0 1");
  CHECK(skew.reversed == std::vector<bool>{true, true});

  Written mixed;
  mixed.loop("i", "10")
      .loop("j", "10")
      .array("D", ElementType::i64, "", "0")
      .cell("D[i][j] = D[i+1][j] + D[i-3][j+2]");
  CHECK_NOTHROW(skew_of(write(mixed.text), false, Storage::expanded));

  const auto fault = [](const Written& written) -> std::string {
    try {
      const Nest nest = write(written.text);
      least_skew(nest, flow_of(nest), false);
    } catch (const SkewFault& found) {
      return found.what;
    }
    return "";
  };
  Written both;
  both.loop("i", "10").array("D", ElementType::i64, "", "0").cell("D[i] = D[i-1] + D[i+1]");
  CHECK(fault(both) == "no order computes the nest: D[i] needs D[i-1], which needs D[i]");
  Written itself;
  itself.loop("i", "10").array("D", ElementType::i64, "", "0").cell("D[i+1] = D[i+1] + 1");
  CHECK_THAT(fault(itself), Catch::Contains("no order computes the nest: D[i+1] needs itself") &&
                                Catch::Contains("add an outer loop"));
  Written one_another;
  one_another.loop("i", "10").array("D", ElementType::i64, "", "0").array("E", ElementType::i64, "", "0");
  one_another.cell("D[i] = E[i] + 1").cell("E[i] = D[i-2] + D[i+2]");
  CHECK(fault(one_another) ==
        "no order computes the nest: D[i] needs E[i], which needs D[i-2], which needs E[i-2], which needs D[i]");
  Written steep;
  steep.loop("i", "90").loop("j", "90").array("D", ElementType::i64, "", "0").cell("D[i][j] = D[i-1][j+30]");
  CHECK(fault(steep) == "");  // j reversed
  steep.text.cells[0].text = "D[i][j] = D[i-1][j+30] + D[i-1][j-30]";
  CHECK(fault(steep) == "no skew with coefficients of at most 8 makes all distances non-negative: (1, -30), (1, 30)");
}

TEST_CASE("loops that no array has are one loop") {
  Written made;
  made.input("g", {12}).loop("r", "3").loop("t", "5").loop("i", "1", "11").array("A", std::nullopt, "g");
  made.cell("A[i] = (A[i-1] + A[i] + A[i+1])/3");
  const Skew skew = skew_of(write(made.text), false, Storage::given);
  CHECK(skew.first == 1);
  CHECK(skew.in_words() == "1 0; 1 1");
}

/// An iteration of a statement.
struct Instance {
  int statement;
  Point at;
  auto operator<=>(const Instance&) const = default;
};

/// All instances of a nest, those of programs in their order.
std::vector<Instance> instances_of(const Nest& nest) {
  std::vector<Instance> all;
  for (int number = 0; number < static_cast<int>(nest.statements.size()); ++number) {
    const Ranges& box = nest.statements[static_cast<std::size_t>(number)].box;
    if (is_empty(box)) continue;
    Instance instance{number, {}};
    for (std::size_t loop = 0; loop < box.size(); ++loop) instance.at[loop] = box[loop].begin;
    for (bool more = true; more;) {
      all.push_back(instance);
      more = false;
      for (std::size_t loop = box.size(); loop-- > 0 && !more;) {
        more = ++instance.at[loop] < box[loop].end;
        if (!more) instance.at[loop] = box[loop].begin;
      }
    }
  }
  std::sort(all.begin(), all.end(), [&](const Instance& a, const Instance& b) {
    if (nest.order == Order::cells) return std::pair(a.at, a.statement) < std::pair(b.at, b.statement);
    if (a.at[0] != b.at[0]) return a.at[0] < b.at[0];
    return std::pair(a.statement, a.at) < std::pair(b.statement, b.at);
  });
  return all;
}

using Element = std::pair<int, std::vector<i64>>;

Element element_of(const Nest& nest, int array, const std::vector<i64>& offset, const Point& at) {
  Element element{array, offset};
  const std::size_t first = nest.arrays[static_cast<std::size_t>(array)].first_loop;
  for (std::size_t axis = 0; axis < offset.size(); ++axis) element.second[axis] += at[first + axis];
  return element;
}

/// Follows a nest's iterations one by one.
class Follower {
 public:
  Follower(const Nest& nest, std::vector<Dependence> dependences, Skew skew, bool given)
      : nest_(nest), dependences_(std::move(dependences)), skew_(std::move(skew)), given_(given) {}

  /// @return the number of flows that were found
  int follow() {
    const std::vector<Instance> all = instances_of(nest_);
    const bool equations = nest_.is_equations();
    if (equations) {
      for (const Instance& one : all) last_[written(one)] = one;
    }
    for (const Instance& one : all) {
      for (const formula::Node& node : nest_.statements[static_cast<std::size_t>(one.statement)].value.nodes()) {
        if (node.operation == formula::Operation::read) read(one, node.number);
      }
      if (!equations) write(one);
    }
    return flows_;
  }

 private:
  Element written(const Instance& one) const {
    const Statement& statement = nest_.statements[static_cast<std::size_t>(one.statement)];
    return element_of(nest_, statement.array, statement.offset, one.at);
  }
  void read(const Instance& one, int number) {
    const Access& access = nest_.accesses[static_cast<std::size_t>(number)];
    if (access.is_input) return;
    const Element element = element_of(nest_, access.array, access.offset, one.at);
    const auto found = last_.find(element);
    if (found != last_.end()) {
      ++flows_;
      meet(Dependence::flow, found->second, one);
    }
    readers_[element].push_back(one);
  }
  void write(const Instance& one) {
    const Element element = written(one);
    const bool in_place = nest_.arrays[static_cast<std::size_t>(element.first)].first_loop > 0;
    if (given_ && in_place) {
      for (const Instance& reader : readers_[element]) {
        if (!(reader == one)) meet(Dependence::anti, reader, one);
      }
      const auto found = last_.find(element);
      if (found != last_.end()) meet(Dependence::output, found->second, one);
    }
    readers_[element].clear();
    last_[element] = one;
  }
  /// The dependence is listed, and no coordinate of the skew steps back.
  void meet(Dependence::Kind kind, const Instance& source, const Instance& target) {
    Dependence met{kind, source.statement, target.statement, {}, -1};
    i64 first = 0;  // loops before skew_.first, in the loop that stands for them
    for (std::size_t loop = 0; loop < nest_.depth(); ++loop) {
      const i64 distance = target.at[loop] - source.at[loop];
      if (loop <= skew_.first) first = first * nest_.loops[loop].range.size() + distance;
      met.distance[loop] = loop < skew_.first ? 0 : loop == skew_.first ? first : distance;
    }
    const bool is_listed = std::any_of(dependences_.begin(), dependences_.end(), [&](const Dependence& one) {
      return one.kind == met.kind && one.source == met.source && one.target == met.target &&
             one.distance == met.distance;
    });
    bool is_right = is_listed;
    for (std::size_t n = 0; n < skew_.rank(); ++n) is_right &= skew_.along(n, met) >= 0;
    if (!is_right)
      FAIL_CHECK("statement " << met.target << " on " << met.source << ": "
                              << to_string(met.distance, nest_.depth()));
  }

  const Nest& nest_;
  std::vector<Dependence> dependences_;
  Skew skew_;
  bool given_;
  std::map<Element, Instance> last_;
  std::map<Element, std::vector<Instance>> readers_;
  int flows_ = 0;
};

TEST_CASE("random nests have the distances of their iterations, and skews that are legal for each of them") {
  std::mt19937 random(7);
  int followed = 0, flows = 0, balanced_ones = 0;
  for (int trial = 0; trial < 200; ++trial) {
    const NestText text = random_text(random);
    Nest nest;
    try {
      nest = write(text);
    } catch (const NestFault&) {
      continue;
    }
    for (const bool given : {false, true}) {
      std::vector<Dependence> all = flow_of(nest);
      if (given) all = with_false_dependences(nest, all);
      for (const bool balanced : {false, true}) {
        try {
          Skew skew = least_skew(nest, all, balanced);
          CHECK(is_legal(skew, all));
          flows += Follower(nest, all, std::move(skew), given).follow();
          ++followed;
          balanced_ones += balanced;
        } catch (const SkewFault& fault) {
          // A program has an order.
          CHECK((nest.is_equations() || fault.what.starts_with("no skew with coefficients of at most 8")));
        }
      }
    }
  }
  CHECK(followed > 200);
  CHECK(balanced_ones > 80);
  CHECK(flows > 20000);
}

}  // namespace
}  // namespace terrace::nest
