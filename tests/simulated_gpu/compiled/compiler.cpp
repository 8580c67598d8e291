// Compilation at run time for the simulated GPU: by the compiler of C++ that the program was built with, against the
// headers of the source tree, to a shared object.
#include "kernels/compiled/compiler.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <sstream>

#include "io/files/durable.hpp"
#include "kernels/compiled/compile_error.hpp"
#include "tests/simulated_gpu/compiled/scratch_folder.hpp"

namespace terrace::compiled {
namespace {

/// The compiler that the program was built with, or another file that a test names in its place.
std::string compiler() {
  const char* named = std::getenv("TERRACE_SIMULATED_COMPILER");
  return named != nullptr ? named : TERRACE_CXX_COMPILER;
}

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream, word, '|');) words.push_back(word);
  return words;
}

/// Runs a program; what it prints goes into the file `log`. @return true if it succeeds
bool run(std::vector<std::string> command, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  for (std::string& argument : command) arguments.push_back(argument.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
  posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int failure = posix_spawn(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failure != 0) throw DeviceError(command[0], io::system_words(failure));
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

std::string text_of(const std::filesystem::path& file) {
  const std::vector<std::byte> bytes = io::read_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

std::string Compiler::why_missing() {
  return access(compiler().c_str(), X_OK) == 0 ? "" : compiler() + " is not there";
}

std::string Compiler::options() { return "-shared|" TERRACE_CXX_OPTIONS; }

Compiler::Compiler() : identity_(compiler()) {
  if (const std::string why = why_missing(); !why.empty()) throw DeviceError("the simulated GPU's compiler", why);
}

Binary Compiler::compile(const Source& source, const std::string&) const {
  Binary binary{identity_, {}, {}};
  // A variable for each kernel, as names of templates' instances are long to find out.
  std::string text = source.text + "\n";
  for (const std::string& kernel : source.kernels) {
    binary.symbols.push_back("terrace_kernel_" + std::to_string(binary.symbols.size()));
    text += "extern \"C\" const void* const " + binary.symbols.back() + " = reinterpret_cast<const void*>(&" +
            kernel + ");\n";
  }
  const simulated_gpu::ScratchFolder folder;
  io::write_file_durably(folder / "terrace.cpp", text);
  std::vector<std::string> command{identity_, folder / "terrace.cpp", "-o", folder / "terrace.so"};
  for (const std::string& option : words_of(options())) command.push_back(option);
  if (!run(command, folder / "log")) throw compile_error(identity_, text_of(folder / "log"));
  binary.bytes = text_of(folder / "terrace.so");
  return binary;
}

}  // namespace terrace::compiled
