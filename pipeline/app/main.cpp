// The main function: signals, standard streams and the C library's memory before anything else.
#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <csignal>
#include <iostream>

#include "pipeline/app/out_of_memory.hpp"
#include "pipeline/app/own_program.hpp"
#include "pipeline/app/program.hpp"
#include "pipeline/app/progress/stop_signals.hpp"
#include "pipeline/app/progress/terminal.hpp"
#include "pipeline/app/stage_table.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/base/fault.hpp"

namespace {

/// Opens standard streams that the caller closed, as streams that cannot be read or written: otherwise files of a run
/// would take their numbers, and printed text would end up in them.
void keep_standard_streams() {
  for (int number = 0; number < 3; ++number) {
    if (::fcntl(number, F_GETFD) == -1) static_cast<void>(::open("/dev/null", number == 0 ? O_WRONLY : O_RDONLY));
  }
}

/// A closed pipe and a file over its size limit become errors of the writes, which report them.
void ignore_write_signals() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
}

}  // namespace

int main(int count, char** arguments) {
  terrace::app::keep_stop_signals();
  terrace::app::end_where_memory_is_exhausted();
  terrace::app::name_process();
  keep_standard_streams();
  ignore_write_signals();
  // Large freed pieces go back to the system: by default the C library raises this bound, and would keep tens of
  // megabytes that no budget counts.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  try {
    const terrace::app::Stages stages = terrace::app::program_stages();
    terrace::app::Session session(std::cout, std::cerr, stages, terrace::io::input_kinds());
    session.columns = terrace::app::terminal_columns(STDOUT_FILENO);
    return terrace::app::run_program({arguments + 1, arguments + count}, session);
  } catch (const terrace::Error& error) {
    std::cerr << "terrace: " << error.what() << "\n";
  } catch (const std::exception&) {
    std::cerr << terrace::describe_fault("terrace") << "\n";
  }
  return terrace::app::exit_failed;
}
