// Parts of pictures: arrays reduced to cells, queues with lanes, ticks of axes, texts.
#include <catch2/catch.hpp>
#include <cmath>
#include <limits>
#include <random>

#include "io/memory_source.hpp"
#include "pipeline/app/markup.hpp"
#include "pipeline/app/pictures/plot/colours.hpp"
#include "pipeline/app/pictures/plot/gnuplot.hpp"
#include "pipeline/app/pictures/plot/raster.hpp"
#include "pipeline/app/pictures/plot/unpacked.hpp"
#include "pipeline/app/pictures/queues.hpp"
#include "pipeline/app/pictures/report/axis.hpp"
#include "pipeline/app/show/bound.hpp"
#include "pipeline/app/show/rate.hpp"

namespace terrace::app {
namespace {

template <class T>
io::MemorySource source_of(const Extents& shape, const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {element_type_of<T>(), shape, std::vector<std::byte>(bytes.begin(), bytes.end())};
}

/// Mean, least and largest value of the rows and columns that belong to a cell, counted one by one.
template <class T>
void check_cells(const std::vector<T>& values, std::int64_t rows, std::int64_t columns, const Raster& raster,
                 double none) {
  for (int i = 0; i < raster.rows; ++i) {
    for (int j = 0; j < raster.columns; ++j) {
      double sum = 0, count = 0, least = HUGE_VAL, most = -HUGE_VAL;
      for (std::int64_t r = 0; r < rows; ++r) {
        for (std::int64_t c = 0; c < columns; ++c) {
          const auto value = static_cast<double>(values[static_cast<std::size_t>(r * columns + c)]);
          if (r * raster.rows / rows != i || c * raster.columns / columns != j) continue;
          if (!std::isfinite(value) || value == none) continue;
          sum += value, count += 1;
          least = std::min(least, value), most = std::max(most, value);
        }
      }
      const auto at = static_cast<std::size_t>(i * raster.columns + j);
      CAPTURE(rows, columns, raster.rows, raster.columns, i, j);
      if (count == 0) {
        CHECK(std::isnan(raster.mean[at]));
        continue;
      }
      CHECK(raster.mean[at] == Approx(sum / count));
      CHECK(raster.least[at] == least);
      CHECK(raster.most[at] == most);
    }
  }
}

TEMPLATE_TEST_CASE("Cells are the mean, least and largest of their values, however the plane is read", "",
                   std::uint8_t, std::int32_t, std::int64_t, float, double) {
  std::mt19937 draw(5);
  for (const auto& [rows, columns] :
       {std::pair(1, 1), std::pair(1, 17), std::pair(17, 1), std::pair(13, 29), std::pair(40, 7)}) {
    std::vector<TestType> values(static_cast<std::size_t>(rows * columns));
    for (TestType& value : values) value = static_cast<TestType>(draw() % 100);
    auto source = source_of(Extents{rows, columns}, values);
    for (const auto& [high, wide] : {std::pair(1, 1), std::pair(3, 5), std::pair(rows, columns)}) {
      if (high > rows || wide > columns) continue;
      for (const std::int64_t piece : {std::int64_t{1}, std::int64_t{60}, std::int64_t{300}, std::int64_t{1} << 20}) {
        check_cells(values, rows, columns,
                    reduce(source, plane_of(source.shape(), {}), high, wide, false, 7.0, piece), 7.0);
      }
    }
  }
}

TEST_CASE("Values that are not finite do not count, and cells without a value are none") {
  constexpr double infinite = std::numeric_limits<double>::infinity(), none = std::nan("");
  const std::vector<double> values{1, infinite, none, -infinite, 5, none, none, none};
  auto source = source_of(Extents{2, 4}, values);
  const Plane plane = plane_of(source.shape(), {});
  check_cells(values, 2, 4, reduce(source, plane, 2, 2, false, std::nullopt), none);
  const Raster nearest = reduce(source, plane, 1, 4, true, std::nullopt);
  CHECK(nearest.mean[0] == 1);
  CHECK(std::isnan(nearest.mean[1]));
}

TEST_CASE("The nearest value is one from the middle of the cell") {
  std::vector<std::int32_t> values(90 * 70);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int32_t>(i);
  auto source = source_of(Extents{90, 70}, values);
  for (const std::int64_t piece : {8, 100, 1 << 20}) {
    const Raster raster = reduce(source, plane_of(source.shape(), {}), 9, 7, true, std::nullopt, piece);
    for (int i = 0; i < 9; ++i) {
      for (int j = 0; j < 7; ++j)
        CHECK(raster.mean[static_cast<std::size_t>(i * 7 + j)] == (i * 10 + 4) * 70 + j * 10 + 4);
    }
  }
}

TEST_CASE("A plane of an array of more dimensions is at its leading indices; one of one dimension is a row") {
  std::vector<std::int64_t> values(2 * 3 * 4 * 5);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<std::int64_t>(i);
  auto source = source_of(Extents{2, 3, 4, 5}, values);
  const Raster raster = reduce(source, plane_of(source.shape(), {1, 2}), 4, 5, false, std::nullopt);
  for (std::size_t i = 0; i < 20; ++i) CHECK(raster.mean[i] == 100.0 + static_cast<double>(i));
  auto line = source_of(Extents{120}, values);
  const Plane row = plane_of(line.shape(), {});
  CHECK(row.rows == 1);
  CHECK(reduce(line, row, 1, 60, false, std::nullopt).mean[59] == 118.5);
}

TEST_CASE("Bits of bytes are elements, wherever a box begins") {
  constexpr std::int64_t rows = 21;
  std::vector<std::uint8_t> bytes(rows * 3), bits(rows * rows);
  std::mt19937 draw(3);
  for (auto& byte : bytes) byte = static_cast<std::uint8_t>(draw());
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < rows; ++j) bits[i * rows + j] = bytes[i * 3 + j / 8] >> (j % 8) & 1;
  }
  const auto source = unpacked(std::make_shared<io::MemorySource>(source_of(Extents{rows, 3}, bytes)), rows);
  CHECK(source->shape() == Extents{rows, rows});
  for (const std::int64_t piece : {1, 50, 1 << 20}) {
    check_cells(bits, rows, rows, reduce(*source, plane_of(source->shape(), {}), 7, 5, false, std::nullopt, piece),
                9.0);
  }
}

TEST_CASE("A range is around zero where both signs count") {
  const auto around = [](double least, double most) { return is_around_zero(ValueRange{least, most}); };
  CHECK(around(-1, 1));
  CHECK(around(-20, 1000));
  CHECK_FALSE(around(-1, 1000));
  CHECK_FALSE(around(0, 1));
  CHECK_FALSE(around(-3, -1));
  CHECK_FALSE(is_around_zero(ValueRange{}));
}

TEST_CASE("A stage is bound by what lasts nearly as long as it") {
  CHECK(bound_by({0.95, 0.1, 0, 1}, 1) == "computing and writing");
  CHECK(bound_by({0.6, 0.1, 0, 0.2}, 1) == "computing");
  CHECK(bound_by({0.1, 0.2, 0.3, 0.1}, 1).starts_with("none of these"));
}

TEST_CASE("A rate is told of stages that computed for a while") {
  const StageRate stage{0.5, 2e6, 1e9, "cell", "operations"};
  CHECK(rate_in_words(stage) == "2.00 Mcell/s while computing, 0.2% of the limit of 1.00 Gcell/s (operations)");
  CHECK(rate_in_words({0.5, 2e6, 0, "cell", ""}) == "2.00 Mcell/s while computing");
  CHECK(rate_in_words({0.05, 2e6, 1e9, "cell", "operations"}).empty());
  CHECK(rate_in_words({0.5, 0, 1e9, "cell", "operations"}).empty());
}

ProfileRows made_up(std::vector<double> begin, std::vector<double> end, std::vector<double> device) {
  ProfileRows profile;
  profile.stages = {"s"};
  BlockRows& rows = profile.blocks;
  const std::vector<double> zero(begin.size()), one(begin.size(), 1);
  rows = {zero, zero, zero, one, std::move(device), one, one, one, std::move(begin), std::move(end)};
  return profile;
}

TEST_CASE("Blocks of a lane do not overlap, and as many lanes are made as blocks overlap") {
  const auto queues = queues_of(made_up({0, 1, 2, 3, 0.5}, {2, 3, 4, 5, 0.6}, {0, 0, 0, 0, 1}));
  REQUIRE(queues.size() == 2);
  CHECK(queues[0].lanes == 2);
  std::vector<int> lanes;
  for (const Happening& happening : queues[0].happenings) lanes.push_back(happening.lane);
  CHECK(lanes == std::vector{0, 1, 0, 1});
  CHECK(queues[1].place == 2);
  CHECK(queues[1].lanes == 1);
}

TEST_CASE("Copies of disk and host are of one place, others of their device") {
  ProfileRows profile = made_up({0}, {1}, {0});
  profile.devices = {"GPU"};
  CopyRows& copies = profile.copies;
  copies.movement = {"copy up", "read", "write"};
  copies.array = {"a", "a", "a"};
  copies.stage = copies.tile = copies.generation = copies.bytes = copies.begin = {0, 0, 0};
  copies.end = {1, 1, 1};
  copies.device = {0, -1, -1};
  std::vector<std::pair<int, std::string>> names;
  for (const Queue& queue : queues_of(profile)) names.emplace_back(queue.place, queue.name);
  CHECK(names == std::vector<std::pair<int, std::string>>{{0, "read"}, {0, "write"}, {1, "blocks"}, {1, "copy up"}});
  CHECK(name_of_place(profile, 0) == "host and disk");
  CHECK(name_of_place(profile, 1) == "device 0: GPU");
  CHECK(name_of_place(profile, 2) == "device 1");
}

TEST_CASE("Ticks are round numbers between the ends") {
  CHECK(linear_ticks(0, 1, 5) == std::vector<double>{0, 0.2, 0.4, 0.2 * 3, 0.8, 1});
  CHECK(linear_ticks(0, 0, 5) == std::vector<double>{0});
  for (const double most : {1e-7, 3.3e-4, 0.7, 12.0, 86400.0, 3e9}) {
    const auto ticks = linear_ticks(0, most, 8);
    CHECK(ticks.size() >= 3);
    CHECK(ticks.size() <= 10);
    CHECK(ticks.back() <= most);
  }
}

TEST_CASE("Texts cannot leave their quotes") {
  CHECK(gnuplot_text("it's `ls`\n\\x\x01") == "'it\u2019s \u2019ls\u2019 /x?'");
  CHECK(gnuplot_text("") == "''");
  CHECK(escape_markup("<a href=\"'&\x1b\">") == "&lt;a href=&quot;&#39;&amp;?&quot;&gt;");
}

}  // namespace
}  // namespace terrace::app
