// Preparation of STXXL before its first use in a process.
#pragma once

namespace terrace::io {

/// Keeps STXXL's log files out of the current folder: STXXLLOGFILE and STXXLERRLOGFILE become /dev/null unless the
/// user has set them. Call before anything else of STXXL; safe from several threads, costs nothing after the first
/// call.
void prepare_stxxl();

}  // namespace terrace::io
