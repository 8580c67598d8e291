#include "kernels/wavefront/schedule.hpp"

namespace terrace::wavefront {

std::string schedule_names() { return "auto, registers"; }

std::optional<Schedule> schedule_from(std::string_view name) {
  if (name == "auto" || name == "registers") return Schedule{};
  return std::nullopt;
}

std::string name_of(const Schedule& schedule) {
  if (schedule == Schedule{}) return "registers";
  using S = Schedule;
  std::string text = schedule.shape == S::Shape::square ? "square" : "hyperplane";
  text += schedule.synchronisation == S::Synchronisation::barrier ? ", barrier" : ", peer";
  text += schedule.storage == S::Storage::cache    ? ", cache"
          : schedule.storage == S::Storage::shared ? ", shared"
                                                   : ", registers";
  return text + (schedule.sizes == S::Sizes::fixed ? ", fixed" : ", modelled");
}

}  // namespace terrace::wavefront
