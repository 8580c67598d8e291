// Datasets of a result in the records of a run's folder.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "io/results/file.hpp"
#include "pipeline/base/json_library.hpp"

namespace terrace::run {

// The functions that read throw nlohmann::json::exception or std::invalid_argument if the record is damaged.

/// Path, type, shape and names of dimensions; without units and descriptions.
nlohmann::json spec_json(const io::DatasetSpec& spec);
io::DatasetSpec spec_from(const nlohmann::json& json);

/// The same with the values.
nlohmann::json small_json(const io::SmallDataset& dataset);
io::SmallDataset small_from(const nlohmann::json& json);

/// Bytes as hexadecimal digits.
std::string hex_of(const std::vector<std::byte>& bytes);
/// Bytes of a text of hexadecimal digits.
std::vector<std::byte> bytes_from(const nlohmann::json& json);

}  // namespace terrace::run
