// The end of the program where memory is exhausted in a thread that cannot hand its error on to another one.
#pragma once

namespace terrace::app {

/// Said when memory is exhausted.
inline constexpr const char* out_of_memory = "out of memory; give the job a smaller memory.host, or free some";

/// Makes an uncaught std::bad_alloc of any thread end the process as a kill would, but with `out_of_memory` on
/// standard error and exit code 1: what a run recorded stays, and the next run goes on from there. Handing on an
/// error takes memory itself, so that a thread may be unable to.
void end_where_memory_is_exhausted();

}  // namespace terrace::app
