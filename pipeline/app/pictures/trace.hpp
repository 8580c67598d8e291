// The profile of a result in the format of trace viewers.
#pragma once

#include <iosfwd>

#include "pipeline/app/pictures/picture_file.hpp"
#include "pipeline/app/pictures/profile_rows.hpp"

namespace terrace::app {

inline constexpr PictureKind trace_kind{"a trace", "{\"traceEvents\":[", ".json", ".json"};

/// Writes the profile as Trace Event Format (Chromium's; Perfetto and chrome://tracing open it): a process for each
/// device and one for host and disk, a thread for each queue, or several if its work overlaps, a complete event ("X")
/// for each row of the profile. Times are microseconds since the start of the run's first attempt. Memory does not
/// grow with the length of the text. @param title of the job
void write_trace(const ProfileRows& profile, const std::string& title, std::ostream& out);

}  // namespace terrace::app
