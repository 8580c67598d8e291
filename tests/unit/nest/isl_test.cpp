// Distances and skews judged by isl (Verdoolaege, ICMS 2010): its exact flow of random nests has the same distances,
// and our skews pass its legality.
#include <isl/ctx.h>
#include <isl/flow.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <random>
#include <string>

#include "kernels/nest/schedule.hpp"
#include "tests/support/nests.hpp"

namespace terrace::nest {
namespace {

template <class T, T* (*free_it)(T*)>
struct Freed {
  void operator()(T* it) const { free_it(it); }
};
using Map = std::unique_ptr<isl_union_map, Freed<isl_union_map, isl_union_map_free>>;
using Set = std::unique_ptr<isl_union_set, Freed<isl_union_set, isl_union_set_free>>;

/// The texts by which isl reads a nest.
class IslTexts {
 public:
  explicit IslTexts(const Nest& nest) : nest_(nest) {}

  std::string domain(int statement) const { return "S" + std::to_string(statement) + point("x"); }
  std::string in_domain(int statement, const std::string& name) const {
    std::string text;
    for (std::size_t loop = 0; loop < nest_.depth(); ++loop) {
      const Range range = nest_.statements[static_cast<std::size_t>(statement)].box[loop];
      text += (loop > 0 ? " and " : "") + std::to_string(range.begin) + " <= " + name + std::to_string(loop) + " < " +
              std::to_string(range.end);
    }
    return text;
  }
  std::string element(int array, const std::vector<i64>& offset) const {
    const std::size_t first = nest_.arrays[static_cast<std::size_t>(array)].first_loop;
    std::string text = "A" + std::to_string(array) + "[";
    for (std::size_t axis = 0; axis < offset.size(); ++axis) {
      text += (axis > 0 ? ", x" : "x") + std::to_string(first + axis) + " + " + std::to_string(offset[axis]);
    }
    return text + "]";
  }
  std::string writes() const {
    std::string text = "{";
    for (int n = 0; n < count(); ++n) {
      const Statement& statement = nest_.statements[static_cast<std::size_t>(n)];
      text += domain(n) + " -> " + element(statement.array, statement.offset) + " : " + in_domain(n, "x") + "; ";
    }
    return text + "}";
  }
  std::string reads() const {
    std::string text = "{";
    for (int n = 0; n < count(); ++n) {
      for (const formula::Node& node : nest_.statements[static_cast<std::size_t>(n)].value.nodes()) {
        if (node.operation != formula::Operation::read) continue;
        const Access& access = nest_.accesses[static_cast<std::size_t>(node.number)];
        text += domain(n) + " -> " + element(access.array, access.offset) + " : " + in_domain(n, "x") + "; ";
      }
    }
    return text + "}";
  }
  /// The order in which the job writes a program.
  std::string program() const {
    std::string text = "{";
    for (int n = 0; n < count(); ++n) {
      text += domain(n) + " -> [";
      for (std::size_t loop = 0; loop < nest_.depth(); ++loop) {
        text += "x" + std::to_string(loop) + ", ";
        if (loop == 0 && nest_.order == Order::statements) text += std::to_string(n) + ", ";
      }
      text += (nest_.order == Order::cells ? std::to_string(n) : "0") + "]; ";
    }
    return text + "}";
  }
  /// The coordinates of a skew, and with them the order of statements at the same ones.
  std::string skewed(const Skew& skew, const std::vector<int>& order) const {
    std::string text = "{";
    for (int n = 0; n < count(); ++n) {
      text += domain(n) + " -> [";
      for (std::size_t row = 0; row < skew.rank(); ++row) {
        if (row > 0) text += ", ";
        for (std::size_t loop = 0; loop < nest_.depth(); ++loop) {
          const i64 sign = skew.reversed[loop] ? -1 : 1;
          text += std::to_string(sign * skew.rows[row][loop]) + " x" + std::to_string(loop) + " + ";
        }
        text += std::to_string(skew.shifts[static_cast<std::size_t>(n)][row]);
      }
      const auto at = std::find(order.begin(), order.end(), n) - order.begin();
      text += (order.empty() ? "" : ", " + std::to_string(at)) + "]; ";
    }
    return text + "}";
  }
  std::string flow(const std::vector<Dependence>& all) const {
    std::string text = "{";
    for (const Dependence& one : all) {
      text += "S" + std::to_string(one.source) + point("y") + " -> " + domain(one.target) + " : " +
              in_domain(one.source, "y") + " and " + in_domain(one.target, "x");
      for (std::size_t loop = 0; loop < nest_.depth(); ++loop) {
        const std::string number = std::to_string(loop);
        text += " and x" + number + " - y" + number + " = " + std::to_string(one.distance[loop]);
      }
      text += "; ";
    }
    return text + "}";
  }

 private:
  int count() const { return static_cast<int>(nest_.statements.size()); }
  std::string point(const std::string& name) const {
    std::string text = "[";
    for (std::size_t loop = 0; loop < nest_.depth(); ++loop)
      text += (loop > 0 ? ", " : "") + name + std::to_string(loop);
    return text + "]";
  }

  const Nest& nest_;
};

/// The exact flow under a schedule.
Map flow_by_isl(isl_ctx* context, const IslTexts& texts, const std::string& schedule) {
  const auto read = [&](const std::string& text) { return isl_union_map_read_from_str(context, text.c_str()); };
  isl_union_access_info* info = isl_union_access_info_from_sink(read(texts.reads()));
  info = isl_union_access_info_set_must_source(info, read(texts.writes()));
  info = isl_union_access_info_set_schedule_map(info, read(schedule));
  isl_union_flow* flow = isl_union_access_info_compute_flow(info);
  Map found(isl_union_flow_get_must_dependence(flow));
  isl_union_flow_free(flow);
  return found;
}

TEST_CASE("isl finds the same distances, and accepts the skews") {
  isl_ctx* context = isl_ctx_alloc();
  std::mt19937 random(3);
  int judged = 0, equations = 0;
  for (int trial = 0; trial < 1500 && judged < 250; ++trial) {
    const NestText text = random_text(random);
    Nest nest;
    std::vector<Dependence> flow;
    Skew skew;
    try {
      nest = write(text);
      flow = flow_of(nest);
      skew = least_skew(nest, flow, false);
    } catch (const NestFault&) {
      continue;
    } catch (const SkewFault&) {
      continue;
    }
    if (skew.first > 0) continue;  // loops that are counted as one have no affine order
    const IslTexts texts(nest);
    const auto read = [&](const std::string& map) { return Map(isl_union_map_read_from_str(context, map.c_str())); };
    const std::string own_order = texts.skewed(skew, statement_order(skew, flow));
    const Map exact = flow_by_isl(context, texts, nest.is_equations() ? own_order : texts.program());
    const Map own = read(texts.flow(flow));
    REQUIRE(exact);
    REQUIRE(own);
    CHECK(isl_union_map_is_equal(exact.get(), own.get()) == isl_bool_true);
    // Along no coordinate a value is made after it is read.
    const Map coordinates = read(texts.skewed(skew, {}));
    Map moved(isl_union_map_apply_range(
        isl_union_map_apply_domain(isl_union_map_copy(exact.get()), isl_union_map_copy(coordinates.get())),
        isl_union_map_copy(coordinates.get())));
    const Set deltas(isl_union_map_deltas(moved.release()));
    std::string legal = "{[";
    for (std::size_t n = 0; n < skew.rank(); ++n) legal += (n > 0 ? ", d" : "d") + std::to_string(n);
    legal += "] : ";
    for (std::size_t n = 0; n < skew.rank(); ++n) legal += (n > 0 ? " and d" : "d") + std::to_string(n) + " >= 0";
    const Set quadrant(isl_union_set_read_from_str(context, (legal + "}").c_str()));
    CHECK(isl_union_set_is_subset(deltas.get(), quadrant.get()) == isl_bool_true);
    ++judged;
    equations += nest.is_equations();
  }
  CHECK(judged > 150);
  CHECK(equations > 30);
  isl_ctx_free(context);
}

}  // namespace
}  // namespace terrace::nest
