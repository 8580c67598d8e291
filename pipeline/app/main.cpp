#include <malloc.h>

#include <iostream>

#include "pipeline/app/program.hpp"
#include "pipeline/app/stage_table.hpp"

int main(int count, char** arguments) {
  // What is freed in large pieces goes back to the system: by default the C library raises this bound, and
  // would keep tens of megabytes that no budget knows of.
  mallopt(M_MMAP_THRESHOLD, 128 << 10);
  mallopt(M_TRIM_THRESHOLD, 128 << 10);
  try {
    const terrace::app::Stages stages = terrace::app::program_stages();
    terrace::app::Session session(std::cout, std::cerr, stages, terrace::io::input_kinds());
    const int code = terrace::app::run_program({arguments + 1, arguments + count}, session);
    if (std::cout.flush()) return code;
    std::cerr << "terrace: standard output cannot be written\n";
  } catch (const std::exception& error) {
    std::cerr << "terrace: " << error.what() << "\n";
  }
  return terrace::app::exit_failed;
}
