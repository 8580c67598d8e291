// `terrace trace`: the profile of a result for trace viewers.
#include "pipeline/app/pictures/trace.hpp"
#include "io/child_check.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/made_result.hpp"

namespace terrace::app {

int trace(Session& session, const PictureArguments& arguments) {
  const std::filesystem::path path = arguments.path;
  check_is_there(path);
  PictureFile file(arguments.output, trace_kind);
  io::try_in_child(path.string(), "HDF5", io::limits_for(path), [&] {
    const io::ResultReader result(path);
    const ProfileRows profile = read_profile(result, path.string()).of_this_run();
    write_trace(profile, result.attribute("title").value_or(""), file.out());
    file.flush();
  });
  file.finish();
  session.note("wrote " + arguments.output);
  return exit_done;
}

}  // namespace terrace::app
