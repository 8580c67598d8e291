// The places of a nest: the iterations in which statements, dependences and inputs have what a formula reads.
//
// `y` is an iteration of a statement: a number each loop that has a coordinate of its own; of loops that are counted
// as one their number.
#pragma once

#include <optional>
#include <vector>

#include "kernels/nest/print/text.hpp"
#include "kernels/nest/sweep.hpp"

namespace terrace::nest {

/// Cells of a box.
double cells_of(const Ranges& box);

class Places {
 public:
  /// @param spec outlives it
  explicit Places(const NestSpec& spec) : spec_(spec), nest_(*spec.nest), sweep_(spec) {}

  const NestSpec& spec() const { return spec_; }
  const Sweep& sweep() const { return sweep_; }

  const Array& array_of(const Statement& statement) const;
  bool has_joined_loops() const;
  /// The number among `y` of a loop.
  std::size_t y_of(std::size_t loop) const;
  bool is_joined(std::size_t loop) const;
  i64 joined_count() const;
  /// The ranges of `y` in a statement's box.
  Ranges y_box(const Statement& statement) const;
  Ranges any_y() const;
  /// The `y` for which the iteration on which another one depends is there.
  Ranges y_of_dependence(const Dependence& one) const;
  /// The `y` for which an access of an input lies inside it; nullopt: that is not known of `y`.
  std::optional<Ranges> y_of_input(const Access& access) const;
  /// The dependences of an access by statement `target`.
  std::vector<std::size_t> sources_of(std::size_t target, int access) const;
  /// The dependence of an access that holds for most iterations; -1: there is none.
  int usual_source(std::size_t target, int access) const;
  /// The iterations in which each read of a statement has its usual dependence, or lies inside its input.
  Ranges usual_box(std::size_t target, bool has_ghosts) const;
  /// True if each read of a written array has one dependence, and where its source is not in its box, the first value
  /// of the element that the source would write there.
  bool can_have_ghosts(const std::vector<bool>& first_fails) const;
  /// The least box of the iterations of a statement, ghosts included, whose values are read.
  Ranges ghost_box(std::size_t source) const;
  /// `y` of a statement by its coordinates.
  Linear y_by_coordinates(std::size_t statement, std::size_t n) const;
  /// True if a dependence is on the cell before in the row.
  bool is_on_cell_before(std::size_t dependence) const;
  /// True if a usual cell reads what a statement has made at the cell before.
  bool is_carried(std::size_t statement) const;

 private:
  bool has_ghost(std::size_t target, int access, const std::vector<bool>& first_fails) const;

  const NestSpec& spec_;
  const Nest& nest_;
  Sweep sweep_;
};

}  // namespace terrace::nest
