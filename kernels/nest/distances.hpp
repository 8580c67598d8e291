// Dependences of a nest: which iteration's value a read has, as distances in iterations.
#pragma once

#include <string>
#include <vector>

#include "kernels/nest/nest.hpp"

namespace terrace::nest {

/// Iteration x of statement `target` depends on iteration x - distance of statement `source`, for all x for which
/// both are there.
struct Dependence {
  enum Kind : std::uint8_t {
    flow,   // the target reads the value that the source makes
    anti,   // the target replaces the value that the source reads, in an array that keeps one value an element
    output  // the target replaces the value that the source makes, likewise
  } kind = flow;
  int source = 0, target = 0;
  Point distance{};
  int access = -1;  // of the read; -1: output

  friend bool operator==(const Dependence&, const Dependence&) = default;
};

/// A read for which there are no constant distances.
struct DistanceFault {
  int statement, access;
  std::string what;
};

/// The flow of values, each dependence once. Reads in place have the last value that was written before.
/// @throws DistanceFault
std::vector<Dependence> flow_of(const Nest& nest);

/// The same, and what arrays in place need in addition if they keep one value an element (`storage: given`).
std::vector<Dependence> with_false_dependences(const Nest& nest, const std::vector<Dependence>& flow);

/// True if a value that is read may be one from before the nest: of an array in place, in its first iterations.
bool reads_first_values(const Nest& nest, const std::vector<Dependence>& flow, int array);

/// "(1, -1)".
std::string to_string(const Point& distance, std::size_t depth);

}  // namespace terrace::nest
