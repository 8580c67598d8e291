// Run-time descriptions: those of the list say what the types say, and one made by hand is planned like them.
#include "kernels/wavefront/description.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "io/memory_source.hpp"
#include "kernels/wavefront/greedy_score.hpp"
#include "kernels/wavefront/reference/described.hpp"
#include "kernels/wavefront/report.hpp"
#include "kernels/wavefront/visit.hpp"
#include "stages/wavefront/costs.hpp"
#include "stages/wavefront/results.hpp"
#include "stages/wavefront/sweep_tally.hpp"
#include "stages/wavefront/wavefront_stage.hpp"
#include "tests/differential/wavefront/samples.hpp"

namespace terrace::stages {
namespace {

using namespace wavefront;
using Letters = std::vector<std::uint8_t>;

Letters random_letters(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  Letters letters(count);
  for (std::uint8_t& letter : letters) letter = static_cast<std::uint8_t>(random() % 4);
  return letters;
}

template <class V>
std::vector<V> random_values(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<V> values(count);
  for (V& value : values) value = static_cast<V>(random() % 1000) / V(8);
  return values;
}

template <class V>
void check_equal(const ReferenceTable<V>& a, const ReferenceTable<V>& b) {
  CHECK(a.h == b.h);
  CHECK(a.score == b.score);
  CHECK(a.row == b.row);
  CHECK(a.column == b.column);
}

template <class P>
void check_tables(const Description& described, const Settings& settings) {
  const auto k = problem_constants<P>(settings);
  if constexpr (P::items == Items::letters) {
    const Letters rows = random_letters(37, 1), columns = random_letters(29, 2);
    check_equal(described_reference<i64, std::uint8_t>(described, rows, columns),
                letters_reference<P>(k, rows, columns));
  } else if constexpr (P::items == Items::values) {
    const auto rows = random_values<float>(37, 1), columns = random_values<float>(29, 2);
    check_equal(described_reference<float, float>(described, rows, columns),
                values_reference<P, float>(k, rows, columns));
    const auto long_rows = random_values<double>(37, 1), long_columns = random_values<double>(29, 2);
    check_equal(described_reference<double, double>(described, long_rows, long_columns),
                values_reference<P, double>(k, long_rows, long_columns));
  }
}

/// Settings by which the list has P, not another variant of its name.
template <class P>
Settings settings_of() {
  Settings settings = test::sample_settings<P>();
  for (const char* cost : {"absolute", "squared"}) {
    for (const char* steps : {"symmetric1", "symmetric2"}) {
      if (chosen<P>(P::name, settings)) return settings;
      settings.set("cost", std::string(cost));
      settings.set("steps", std::string(steps));
    }
  }
  return settings;
}

template <class P>
void check_description() {
  const Settings settings = settings_of<P>();
  INFO(P::name);
  REQUIRE(chosen<P>(P::name, settings));
  const auto described = describe(P::name, settings);
  const auto k = problem_constants<P>(settings);
  CHECK(described->name == P::name);
  CHECK(described->help == P::help);
  CHECK(described->items == P::items);
  CHECK(described->report == P::report);
  CHECK(described->row_planes == P::row_planes);
  CHECK(described->column_planes == P::column_planes);
  CHECK(described->traceable == Traceable<P>);
  CHECK(static_cast<bool>(described->replay) == Traceable<P>);
  CHECK(described->bits.has_value() == requires { typename P::Bits; });
  CHECK(described->window == window_of<P, i64>(k));
  CHECK(described->bound(1000, 2000) == P::bound(k, 1000, 2000));
  REQUIRE(described->constants.size() == sizeof k);
  auto copied = k;
  std::memcpy(&copied, described->constants.data(), sizeof copied);
  CHECK(P::bound(copied, 1000, 2000) == P::bound(k, 1000, 2000));
  CHECK(described->scale == score_scale(P::name, settings));
  for (const auto& [rows, columns] : {std::pair<i64, i64>{0, 5}, {7, 0}, {7, 5}}) {
    const BlockResult expected = border_report<P>(k, rows, columns);
    const BlockResult found = border_report(*described, rows, columns);
    CHECK(found.score == expected.score);
    CHECK(found.row == expected.row);
    CHECK(found.column == expected.column);
  }
  check_tables<P>(*described, settings);
}

TEST_CASE("the descriptions of the list say what its types say") {
  Problems::for_each([]<class P>(P) { check_description<P>(); });
}

TEST_CASE("what the list does not have has no description") {
  CHECK_THROWS_AS(describe("heaviest_common_subsequence", Settings{}), JobError);
  CHECK_THROWS_AS(describe("smith_waterman", Settings{}), JobError);
}

/// The common subsequence whose letters weigh most; letter c weighs c + 1. It is in no list.
std::shared_ptr<const Description> heaviest_common_subsequence() {
  auto made = std::make_shared<Description>();
  made->name = "heaviest_common_subsequence";
  made->help = "weight of the heaviest common subsequence";
  made->bound = [](std::int64_t rows, std::int64_t columns) { return 256 * std::min(rows, columns); };
  made->in_i64.score = [](i64 row, i64 column) { return row == column ? row + 1 : 0; };
  made->in_i64.cell = [](const Around<i64>& n, i64 score) {
    return Cell<i64>{std::max({n.up, n.left, n.diagonal + score}), n.e, n.f};
  };
  made->in_i64.top = made->in_i64.left = [](i64) { return Border<i64>{0, 0}; };
  return made;
}

std::shared_ptr<io::Source> source_of(const Letters& letters) {
  std::vector<std::byte> bytes(letters.size());
  std::transform(letters.begin(), letters.end(), bytes.begin(),
                 [](std::uint8_t letter) { return std::byte{letter}; });
  return std::make_shared<io::MemorySource>(ElementType::u8, Extents{std::ssize(letters)}, std::move(bytes));
}

/// A sweep over 40 x 30 cells in blocks of 16 x 10.
SweepSpec heaviest_sweep() {
  SweepSpec spec;
  spec.description = heaviest_common_subsequence();
  spec.problem = spec.description->name;
  spec.rows = 40;
  spec.columns = 30;
  spec.block_rows = 16;
  spec.block_columns = 10;
  spec.value = narrowest_value(*spec.description, spec.rows, spec.columns);
  spec.border = ElementType::i32;
  return spec;
}

TEST_CASE("a problem that is in no list is computed by the reference") {
  const auto problem = heaviest_common_subsequence();
  const Letters rows{0, 2, 1, 3}, columns{2, 0, 3, 1};
  // 2 and 3, of weights 3 and 4.
  CHECK(described_reference<i64, std::uint8_t>(*problem, rows, columns).score == 7);
}

TEST_CASE("a problem that is in no list is planned, and its blocks' results are folded") {
  const SweepSpec spec = heaviest_sweep();
  CHECK(spec.value == ElementType::i16);
  const Letters rows = random_letters(40, 3), columns = random_letters(30, 4);
  const SweepPlan plan(spec, {source_of(rows), source_of(columns), nullptr}, std::nullopt);
  SweepTally tally(plan);
  CHECK(plan.problem().name == "heaviest_common_subsequence");
  CHECK(plan.blocks() == 9);
  const auto phase = plan.phase(0, tally);
  REQUIRE(phase);
  CHECK(phase->count == 9);
  std::vector<std::string> names;
  for (const run::ArraySpec& array : plan.arrays()) names.push_back(array.name);
  CHECK(names == std::vector<std::string>{"rows", "columns", "row_border", "column_border"});
  CHECK(plan.block(*phase, 4).accesses.size() == 6);  // items and borders, and the borders that it writes
  const auto table = described_reference<i64, std::uint8_t>(plan.problem(), rows, columns);
  for (std::int64_t index = 0; index < 9; ++index) {
    const Box cells = plan.cells_of(index);
    const BlockResult result{table.at(cells.end[0] - 1, cells.end[1] - 1), cells.end[0], cells.end[1]};
    tally.fold(*phase, index, &result);
  }
  CHECK(tally.score().score == table.score);
  CHECK(tally.score().row == 40);
  const auto results = score_results("heaviest", plan.spec(), plan.problem(), tally.score());
  REQUIRE(!results.empty());
  CHECK(results.size() == 2);  // score and lengths
}

TEST_CASE("blocks of a problem that is in no list are chosen, and its cost is predicted") {
  const SweepSpec spec = heaviest_sweep();
  const TableNeed need = table_need(spec, false);
  CHECK(need.border_bytes == 4);
  Resources resources;
  resources.device.processors = 2;
  resources.host_budget = resources.device_budget = 1 << 20;
  const BlockShape shape = choose_blocks(need, resources, [](const BlockShape&) { return std::int64_t{0}; });
  CHECK(shape.rows == 40);
  CHECK(shape.columns == 30);
  const run::Prediction prediction = predict(spec, 9, need, resources);
  CHECK(prediction.operations == 1200);
  CHECK_FALSE(prediction.leaves_out);
  CHECK(greedy_score(*spec.description, random_letters(40, 3), random_letters(30, 4)) == 0);
  CHECK(wavefront::distance_of(*spec.description, 7, 70) == 0);
}

}  // namespace
}  // namespace terrace::stages
