// The schedule for the kernel tiles of a block: the variants that the papers compare, as values of one type.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace terrace::wavefront {

/// A schedule defines the order and storage inside a block; results never depend on it.
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
  enum class Work : std::uint8_t {
    all,    // every cell is computed
    needed  // cells that cannot change the score and its end may be left out
  };

  Shape shape = Shape::hyperplane;
  Synchronisation synchronisation = Synchronisation::peer;
  Storage storage = Storage::registers;
  Sizes sizes = Sizes::modelled;
  Work work = Work::all;

  friend bool operator==(const Schedule&, const Schedule&) = default;
};

/// The same, computing every cell.
constexpr Schedule with_all_work(Schedule schedule) {
  schedule.work = Schedule::Work::all;
  return schedule;
}

/// The schedules that a job may name, first `auto`, the only one that leaves out work: "auto, registers,
/// square_barrier, ...".
std::string schedule_names();

/// The meaning of the names, in words: "auto: the fastest; registers: ...".
std::string schedule_help();

/// The schedule of that name; nullopt if there is none.
std::optional<Schedule> schedule_from(std::string_view name);

/// "registers"; for a schedule without a name its properties.
std::string name_of(const Schedule& schedule);

}  // namespace terrace::wavefront
