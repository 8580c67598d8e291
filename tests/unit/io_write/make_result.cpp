// Writes the sample result to the file that the first argument names, for tests in other languages.
#include <exception>
#include <iostream>

#include "tests/unit/io_write/sample_result.hpp"

int main(int count, char** arguments) {
  try {
    if (count != 2) throw terrace::Error("usage: io_make_result FILE");
    terrace::io::make_sample(arguments[1]);
    terrace::io::finish_result(arguments[1], terrace::io::sample_finish());
  } catch (const std::exception& error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
  return 0;
}
