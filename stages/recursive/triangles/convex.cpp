#include "stages/recursive/triangles/convex.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace terrace::stages {
namespace {

using Real = long double;

struct Side {
  Real x, y;
};

Real cross(const Side& a, const Side& b) { return a.x * b.y - a.y * b.x; }
Real dot(const Side& a, const Side& b) { return a.x * b.x + a.y * b.y; }

/// The sides of a polygon: side k leads from vertex k to the one after it.
class Sides {
 public:
  Sides(const std::vector<Real>& x, const std::vector<Real>& y, Real roundoff) : x_(x), y_(y) {
    Real extent = 0;
    for (std::size_t k = 0; k < x.size(); ++k) extent = std::max({extent, std::abs(x[k]), std::abs(y[k])});
    moved_ = 4 * roundoff * extent;
  }

  std::size_t count() const { return x_.size(); }
  std::size_t after(std::size_t vertex) const { return vertex + 1 == count() ? 0 : vertex + 1; }
  std::size_t before(std::size_t vertex) const { return (vertex == 0 ? count() : vertex) - 1; }
  Side side(std::size_t vertex) const {
    const std::size_t next = after(vertex);
    return {x_[next] - x_[vertex], y_[next] - y_[vertex]};
  }
  bool same(std::size_t a, std::size_t b) const { return x_[a] == x_[b] && y_[a] == y_[b]; }

  /// Twice the area, positive if the vertices go counterclockwise.
  Real area() const {
    Real sum = 0;
    for (std::size_t k = 0; k < count(); ++k) {
      sum += cross({x_[k] - x_[0], y_[k] - y_[0]}, {x_[after(k)] - x_[0], y_[after(k)] - y_[0]});
    }
    return sum;
  }

  /// The angle by which the polygon turns at a vertex, from -pi to pi, counterclockwise; 0 or pi if rounding may have
  /// moved the vertex off a straight line.
  Real turn(std::size_t vertex) const {
    const Side in = side(before(vertex)), out = side(vertex);
    const Real area = cross(in, out), along = dot(in, out);
    const bool straight = std::abs(area) <= moved_ * (std::hypot(in.x, in.y) + std::hypot(out.x, out.y));
    return straight ? (along < 0 ? std::numbers::pi_v<Real> : 0) : std::atan2(area, along);
  }

 private:
  const std::vector<Real>&x_, &y_;
  Real moved_;  // farther than rounding moves a vertex
};

PolygonFault fault_at(std::size_t vertex, const std::string& what) {
  return {static_cast<std::int64_t>(vertex),
          what + ": give a convex polygon, its vertices in order around it, each once"};
}

}  // namespace

std::optional<PolygonFault> polygon_fault(const std::vector<Real>& x, const std::vector<Real>& y, Real roundoff) {
  const Sides sides(x, y, roundoff);
  if (sides.count() < 2) return std::nullopt;
  for (std::size_t k = 1; k < sides.count(); ++k) {
    if (sides.same(k, k - 1)) return fault_at(k, "is the same point as the vertex before it");
  }
  if (sides.count() < 3) return std::nullopt;
  if (sides.same(0, sides.count() - 1)) return fault_at(sides.count() - 1, "is the first vertex again");
  const Real direction = sides.area() < 0 ? -1 : 1;
  Real turned = 0;
  for (std::size_t k = 0; k < sides.count(); ++k) {
    // A side that goes back turns by pi in either direction.
    const Real turn =
        std::abs(sides.turn(k)) == std::numbers::pi_v<Real> ? std::numbers::pi_v<Real> : direction * sides.turn(k);
    if (turn < 0) return fault_at(k, "turns inwards: the polygon is not convex there, or crosses itself");
    turned += turn;
    if (turned > 3 * std::numbers::pi_v<Real>) return fault_at(k, "begins a second turn: the polygon crosses itself");
  }
  return std::nullopt;
}

}  // namespace terrace::stages
