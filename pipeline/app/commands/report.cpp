// `terrace report`: a result as a page for people.
#include "pipeline/app/pictures/report.hpp"

#include "io/child_check.hpp"
#include "pipeline/app/commands.hpp"
#include "pipeline/app/earlier/made_result.hpp"
#include "pipeline/app/pictures/page.hpp"

namespace terrace::app {

int report(Session& session, const PictureArguments& arguments) {
  const std::filesystem::path path = arguments.path;
  check_is_there(path);
  PictureFile file(arguments.output, report_kind);
  io::try_in_child(path.string(), "HDF5", io::limits_for(path), [&] {
    write_report(io::ResultReader(path), path.string(), file.out());
    file.flush();
  });
  file.finish();
  session.note("wrote " + arguments.output);
  return exit_done;
}

}  // namespace terrace::app
