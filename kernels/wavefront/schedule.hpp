// How the kernel tiles of a block are swept: the variants that the papers compare, as values of one type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terrace::wavefront {

/// A schedule names what happens inside a block; results never depend on it.
///
/// Li 2020, ch. 6, and Belviranli et al. 2015 ("PeerWave") compare: kernel tiles that are squares or parallelograms
/// along the anti-diagonals (hyperplane); a barrier between anti-diagonals of tiles, a flag a tile between neighbours
/// (peer), or a counter a row of tiles; cells in global memory behind the cache, in shared memory or in registers; a
/// fixed tile or one from a model.
struct Schedule {
  enum class Shape : std::uint8_t { square, hyperplane };
  enum class Synchronisation : std::uint8_t { barrier, peer, counter };
  enum class Storage : std::uint8_t { cache, shared, registers };
  enum class Sizes : std::uint8_t { fixed, modelled };

  Shape shape = Shape::hyperplane;
  Synchronisation synchronisation = Synchronisation::peer;
  Storage storage = Storage::registers;
  Sizes sizes = Sizes::modelled;

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The schedules that a job may name, first `auto`: "auto, registers, square_barrier, ...".
std::string schedule_names();

/// What the names mean, in words: "auto: the fastest; registers: ...".
std::string schedule_help();

/// The schedule of that name; `auto` is the fastest. Nothing where the name is none.
std::optional<Schedule> schedule_from(std::string_view name);

/// "registers"; for a schedule without a name its four properties.
std::string name_of(const Schedule& schedule);

}  // namespace terrace::wavefront
