#include "pipeline/app/batch/places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "pipeline/app/batch/program_process.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::app {
namespace {

using Json = nlohmann::json;

constexpr double host_share = 0.7;  // of the free memory, for all tasks together

/// The answer of `terrace devices --json`, from a process of its own: this one takes no memory of a GPU.
Json devices_here(Session& session) {
  std::string said;
  ProgramProcess process({"devices", "--json"}, [&](const std::string& line) { said += line; });
  while (process.poll()) ProgramProcess::wait({&process});
  Json answer = Json::parse(process.output(), nullptr, false);
  if (process.code() == exit_done && answer.is_object()) return answer.at("devices");
  session.warn("the GPUs of this machine are not known, so tasks run one after another: " + said);
  return Json::array();
}

}  // namespace

std::vector<std::vector<std::string>> places_of(Session& session, const job::Batch& batch, std::int64_t tasks) {
  if (batch.names.backend == "cpu" || batch.names.devices || tasks < 2) return {{}};
  const Json devices = devices_here(session);
  const std::int64_t gpus = std::min<std::int64_t>(
      tasks, std::count_if(devices.begin(), devices.end(), [](const Json& d) { return !d.at("index").is_null(); }));
  if (gpus < 2) return {{}};
  const Json& cpu =
      *std::find_if(devices.begin(), devices.end(), [](const Json& d) { return d.at("index").is_null(); });
  std::vector<std::vector<std::string>> places;
  for (std::int64_t index = 0; index < gpus; ++index) {
    std::vector<std::string> settings{fmt::format("devices=[{}]", index)};
    const double memory = host_share * cpu.at("free_bytes").get<double>() / static_cast<double>(gpus);
    const auto threads = std::max<std::int64_t>(1, cpu.at("processors").get<std::int64_t>() / gpus);
    if (!batch.names.host_memory) settings.push_back(fmt::format("memory.host={:.0f}", memory));
    if (!batch.names.threads) settings.push_back(fmt::format("threads={}", threads));
    places.push_back(std::move(settings));
  }
  return places;
}

}  // namespace terrace::app
