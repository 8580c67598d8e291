// Reading the text of a job.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace terrace::job {

/// Jobs are texts written by people; more is refused before anything is parsed.
inline constexpr std::size_t largest_job_bytes = std::size_t{4} << 20;

/// The whole file, without a byte order mark. @throws JobError when it is missing, a folder, a pipe or a device,
/// unreadable or larger than `largest_job_bytes`; IoError when its disk fails
std::string read_job_text(const std::filesystem::path& path);

}  // namespace terrace::job
