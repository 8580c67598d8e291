#include "kernels/wavefront/schedule.hpp"

namespace terrace::wavefront {
namespace {

using S = Schedule;

struct NamedSchedule {
  const char* name;
  const char* help;
  Schedule schedule;
};

/// Tile heights and widths are in kernels/wavefront/rules/tiles.hpp.
constexpr NamedSchedule named[] = {
    {"auto",
     "the fastest, without the cells that cannot change a score",
     {S::Shape::hyperplane, S::Synchronisation::peer, S::Storage::registers, S::Sizes::modelled, S::Work::needed}},
    {"registers",
     "cells in registers, borders from neighbour to neighbour",
     {S::Shape::hyperplane, S::Synchronisation::peer, S::Storage::registers, S::Sizes::modelled}},
    {"square_barrier",
     "square tiles, a barrier between their anti-diagonals",
     {S::Shape::square, S::Synchronisation::barrier, S::Storage::cache, S::Sizes::fixed}},
    {"hyperplane_barrier",
     "tiles along the anti-diagonals, as wide as high, a barrier",
     {S::Shape::hyperplane, S::Synchronisation::barrier, S::Storage::cache, S::Sizes::fixed}},
    {"peer_square",
     "square tiles, a row of tiles to a processor, flags to the row below (PeerWave)",
     {S::Shape::square, S::Synchronisation::peer, S::Storage::cache, S::Sizes::fixed}},
    {"peer_hyperplane",
     "the same with tiles along the anti-diagonals",
     {S::Shape::hyperplane, S::Synchronisation::peer, S::Storage::cache, S::Sizes::fixed}},
    {"peer_flexible",
     "the same, as wide as PeerWave's model says",
     {S::Shape::hyperplane, S::Synchronisation::peer, S::Storage::cache, S::Sizes::modelled}},
    {"shared_hyperplane",
     "tiles along the anti-diagonals in shared memory, a counter a row of tiles (Li)",
     {S::Shape::hyperplane, S::Synchronisation::counter, S::Storage::shared, S::Sizes::modelled}},
};

}  // namespace

std::string schedule_names() {
  std::string names;
  for (const NamedSchedule& entry : named) names += std::string(names.empty() ? "" : ", ") + entry.name;
  return names;
}

std::string schedule_help() {
  std::string text;
  for (const NamedSchedule& entry : named) {
    text += std::string(text.empty() ? "" : "; ") + entry.name + ": " + entry.help;
  }
  return text;
}

std::optional<Schedule> schedule_from(std::string_view name) {
  for (const NamedSchedule& entry : named) {
    if (name == entry.name) return entry.schedule;
  }
  return std::nullopt;
}

std::string name_of(const Schedule& schedule) {
  for (const NamedSchedule& entry : named) {
    if (schedule == entry.schedule) return entry.name;
  }
  std::string text = schedule.shape == S::Shape::square ? "square" : "hyperplane";
  text += schedule.synchronisation == S::Synchronisation::barrier ? ", barrier"
          : schedule.synchronisation == S::Synchronisation::peer  ? ", peer"
                                                                  : ", counter";
  text += schedule.storage == S::Storage::cache    ? ", cache"
          : schedule.storage == S::Storage::shared ? ", shared"
                                                   : ", registers";
  text += schedule.sizes == S::Sizes::fixed ? ", fixed" : ", modelled";
  return text + (schedule.work == S::Work::all ? "" : ", needed");
}

}  // namespace terrace::wavefront
