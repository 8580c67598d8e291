// Polygons that are convex, and those that are not.
#include <catch2/catch.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "stages/recursive/triangles/convex.hpp"

namespace terrace::stages {
namespace {

using Points = std::vector<std::pair<double, double>>;

/// The vertex at fault; -1 if there is none.
std::int64_t fault(const Points& points, long double roundoff = 0x1p-53L) {
  std::vector<long double> x, y;
  for (const auto& [a, b] : points) x.push_back(a), y.push_back(b);
  const auto found = polygon_fault(x, y, roundoff);
  return found ? found->vertex : -1;
}

Points circle(int vertices, double turns = 1, double start = 0) {
  Points points;
  for (int k = 0; k < vertices; ++k) {
    const double angle = start + turns * 2 * std::numbers::pi * k / vertices;
    points.push_back({1000 + std::cos(angle), std::sin(angle) - 50});
  }
  return points;
}

TEST_CASE("convex polygons have no fault, in either direction, from any vertex on") {
  CHECK(fault({}) == -1);
  CHECK(fault({{1, 2}}) == -1);
  CHECK(fault({{1, 2}, {3, 4}}) == -1);
  CHECK(fault({{1, 2}, {3, 4}, {0, 0}}) == -1);
  for (Points points :
       {Points{{0, 0}, {4, 0}, {4, 3}, {0, 3}}, Points{{0, 0}, {1, 0}, {2, 0}, {4, 0}, {4, 3}, {0, 3}},
        Points{{0, 0}, {1, 0}, {2, 0}, {3, 0}}, circle(40), circle(10000, 1, 0.3)}) {
    for (int direction = 0; direction < 2; ++direction) {
      CHECK(fault(points) == -1);
      std::rotate(points.begin(), points.begin() + 1, points.end());
      CHECK(fault(points) == -1);
      std::reverse(points.begin(), points.end());
    }
  }
}

TEST_CASE("rounded coordinates of a convex polygon have no fault") {
  Points points = circle(100000);
  for (auto& [x, y] : points) x = static_cast<float>(x), y = static_cast<float>(y);
  points.erase(std::unique(points.begin(), points.end()), points.end());
  CHECK(fault(points, 0x1p-24L) == -1);
  CHECK(fault(points) != -1);
  // Vertices on the sides of a square that is turned.
  Points turned;
  for (int side = 0; side < 4; ++side) {
    for (int k = 0; k < 100; ++k) {
      const double along = k / 100.0 - 0.5, angle = 0.1 + side * std::numbers::pi / 2;
      turned.push_back(
          {std::cos(angle) * along + std::sin(angle) / 2, std::sin(angle) * along - std::cos(angle) / 2});
    }
  }
  CHECK(fault(turned) == -1);
}

TEST_CASE("a vertex that turns inwards is named") {
  CHECK(fault({{0, 0}, {4, 0}, {1, 1}, {0, 4}}) == 2);
  CHECK(fault({{0, 4}, {1, 1}, {4, 0}, {0, 0}}) == 1);
  Points points = circle(50);
  points[17].first = 1000 + 0.9 * (points[17].first - 1000);
  points[17].second = -50 + 0.9 * (points[17].second + 50);
  CHECK(fault(points) == 17);
}

TEST_CASE("polygons that cross themselves have a fault") {
  CHECK(fault({{0, 0}, {4, 3}, {4, 0}, {0, 3}}) != -1);
  CHECK(fault({{0, 0}, {5, 3}, {4, 0}, {0, 3}}) != -1);
  CHECK(fault(circle(5, 2)) != -1);
  CHECK(fault(circle(7, 3)) != -1);
  CHECK(fault({{0, 0}, {3, 0}, {1, 0}, {1, 1}}) != -1);
  std::mt19937 random(3);
  for (int round = 0; round < 100; ++round) {
    Points points = circle(9);
    const auto one = random() % 9, other = (one + 2 + random() % 6) % 9;
    std::swap(points[one], points[other]);
    CHECK(fault(points) != -1);
  }
}

TEST_CASE("a point that stands twice is named") {
  CHECK(fault({{0, 0}, {4, 0}, {4, 0}, {4, 3}}) == 2);
  CHECK(fault({{0, 0}, {4, 0}, {4, 3}, {0, 0}}) == 3);
  CHECK(fault({{1, 1}, {1, 1}}) == 1);
}

}  // namespace
}  // namespace terrace::stages
