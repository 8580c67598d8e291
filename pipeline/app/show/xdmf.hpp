// Grids of results for ParaView and VisIt.
#pragma once

#include <filesystem>
#include <string>

namespace terrace::app {

/// The grids of a stage as XDMF 2: text that names the datasets of the result, which it does not copy. Datasets of
/// two or three dimensions of numbers are grids; those beneath whose first dimension is `time` are series in time.
/// @param stage empty: of all stages
/// @throws IoError if the file is no result, or there is no grid
std::string xdmf_of(const std::filesystem::path& file, const std::string& stage);

}  // namespace terrace::app
