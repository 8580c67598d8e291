// The times of launches of graphs on a device: measured once by `terrace measure`, and kept in the user's cache
// folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "kernels/device/context.hpp"
#include "kernels/graph/times.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::stages {

nlohmann::json times_json(const graph::TimeTable& times);
/// @throws nlohmann::json::exception, std::invalid_argument for other values than times_json() makes
graph::TimeTable times_from(const nlohmann::json& json);

/// The file of a device's times, by its name, below XDG_CACHE_HOME or ~/.cache; empty if there is no such folder.
std::filesystem::path file_of_times(const std::string& device);

/// The times of a device; null: they have not been measured. @throws DamagedRecord
std::shared_ptr<const graph::TimeTable> times_of_device(const std::string& device);

/// Measures the times of a CUDA device and writes its file. @throws DeviceError, IoError
void measure_device(device::Context& context);

}  // namespace terrace::stages
