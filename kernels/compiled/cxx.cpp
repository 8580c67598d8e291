#include "kernels/compiled/cxx.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

#include "io/files/durable.hpp"
#include "kernels/compiled/file_build.hpp"
#include "kernels/compiled/scratch_folder.hpp"

namespace terrace::compiled {
namespace {

namespace fs = std::filesystem;

/// The file of a program that can be run: a path, or a name in PATH; empty if there is none.
fs::path file_of(const std::string& program) {
  if (program.find('/') != program.npos) return access(program.c_str(), X_OK) == 0 ? program : "";
  const char* path = std::getenv("PATH");
  std::istringstream folders(path != nullptr ? path : "");
  for (std::string folder; std::getline(folders, folder, ':');) {
    fs::path file = fs::path(folder.empty() ? "." : folder) / program;
    std::error_code ignored;
    if (fs::is_regular_file(file, ignored) && access(file.c_str(), X_OK) == 0) return file;
  }
  return "";
}

bool is_there(const std::string& program) { return !file_of(program).empty(); }

constexpr std::chrono::seconds most_time_of_version{10};

/// A program in a group of processes of its own.
class Child {
 public:
  /// @param log the file that takes what it prints; `failure` if it cannot be run
  Child(std::vector<std::string> command, const std::string& log) {
    std::vector<char*> arguments;
    arguments.reserve(command.size() + 1);
    for (std::string& argument : command) arguments.push_back(argument.data());
    arguments.push_back(nullptr);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT, 0600);
    posix_spawn_file_actions_adddup2(&files, STDOUT_FILENO, STDERR_FILENO);
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    failure_ = posix_spawnp(&child_, arguments[0], &files, &attributes, arguments.data(), environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
  }

  /// Why it did not succeed; empty: it did. "failed" is said in its log.
  std::string wait(std::chrono::milliseconds most) {
    if (failure_ != 0) return io::system_words(failure_);
    const auto end = std::chrono::steady_clock::now() + most;
    int status = 0;
    for (bool killed = false;;) {
      const pid_t ended = waitpid(child_, &status, killed ? 0 : WNOHANG);
      if (ended == child_ && killed) return "it did not end within " + std::to_string(most.count()) + " ms";
      if (ended == child_) break;
      if (ended < 0 && errno != EINTR) return io::system_words(errno);
      if (killed) continue;
      if (std::chrono::steady_clock::now() >= end) {
        ::kill(-child_, SIGKILL);
        killed = true;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
      }
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? "" : "it failed";
  }

 private:
  pid_t child_ = 0;
  int failure_ = 0;
};

std::string text_of(const fs::path& file) {
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return "";
  const std::vector<std::byte> bytes = io::read_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void write_text(const fs::path& file, std::string_view text) {
  std::error_code ignored;  // writing says what is wrong
  fs::create_directories(file.parent_path(), ignored);
  std::ofstream stream(file);
  if (!(stream << text << std::flush)) throw IoError(file.string(), "cannot be written");
}

/// The version that a compiler prints; empty if it fails.
std::string version_of(std::vector<std::string> command) {
  command.emplace_back("--version");
  try {
    const ScratchFolder folder;
    return Child(std::move(command), folder / "log").wait(most_time_of_version).empty() ? text_of(folder / "log")
                                                                                        : "";
  } catch (const IoError&) {
    return "";
  }
}

}  // namespace

std::vector<std::string> words_of(const std::string& command) {
  std::istringstream stream(command);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

CxxCompiler find_cxx() {
  const char* variable = std::getenv("CXX");
  const std::string named = variable != nullptr ? variable : "";
  if (const std::vector<std::string> words = words_of(named); !words.empty()) {
    if (!is_there(words[0])) return {"", "CXX names " + words[0] + ", which is not there"};
    return {named, ""};
  }
  for (const char* program : {"c++", "g++", "clang++"}) {
    if (is_there(program)) return {program, ""};
  }
  return {"", "there is no compiler of C++: no c++, g++ or clang++ is in PATH, and CXX is not set"};
}

WithVariables with_variables(const Source& source) {
  WithVariables all{source.text + "\n", {}};
  for (const std::string& kernel : source.kernels) {
    all.symbols.push_back("terrace_kernel_" + std::to_string(all.symbols.size()));
    all.text += "extern \"C\" __attribute__((visibility(\"default\"))) const void* const " + all.symbols.back() +
                " = reinterpret_cast<const void*>(&" + kernel + ");\n";
  }
  return all;
}

BuiltObject build_shared_object(std::vector<std::string> command, const std::string& text,
                                std::span<const DeviceHeader> headers, std::chrono::milliseconds most) {
  const ScratchFolder folder;
  for (const DeviceHeader& header : headers) write_text(folder / std::string(header.name), header.text);
  write_text(folder / "terrace.cpp", text);
  command.insert(command.end(), {"-shared", folder / "terrace.cpp", "-o", folder / "terrace.so"});
  if (!headers.empty()) command.insert(command.end(), {"-iquote", folder / ""});
  const std::string program = command[0];
  const std::string fault = Child(std::move(command), folder / "log").wait(most);
  BuiltObject built;
  if (fault.empty()) built.bytes = text_of(folder / "terrace.so");
  if (!built.bytes.empty()) return built;
  built.log = text_of(folder / "log");
  if (built.log.empty() || fault != "it failed") {
    built.log = program + ": " + (fault.empty() ? "it made no file" : fault) + "\n" + built.log;
  }
  return built;
}

std::string cxx_build(const std::string& command) {
  const std::vector<std::string> words = words_of(command);
  const std::string file = words.empty() ? "" : file_build(file_of(words[0]));
  const std::string version = file.empty() ? "" : version_of(words);
  if (version.empty()) return "";
  return command + "\n" + version + file + "\n" + device::cpu_model_name() +
         variables_text({"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH", "GCC_EXEC_PREFIX",
                         "CCC_OVERRIDE_OPTIONS"});
}

// Vectors of 256 bits: those of 512 cross a cache line with every load that is not aligned. EPYC, 2026-11-29, the
// stencil heat2d, 2048 x 2048, f32 and f64, of the rate of the operator of the list in turns: 95 and 97%, with 512
// bits 83 and 94%.
std::string cell_options(device::InstructionSet set) {
  const std::string common =
      "-std=c++20 -w -Wno-invalid-constexpr -O3 -ffp-contract=off -fwrapv -fno-math-errno -fno-trapping-math -fPIC "
      "-fvisibility=hidden";
  if (set == device::InstructionSet::avx512)
    return common + " -mavx512f -mavx512bw -mavx512vl -mavx512dq -mfma -mprefer-vector-width=256";
  return set == device::InstructionSet::avx2 ? common + " -mavx2 -mfma" : common;
}

}  // namespace terrace::compiled
