// Executes commands from its standard input on files of the current folder, as input for the recorder's tests. A
// command that fails prints its name and the error's number.
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace {

using Words = std::istringstream;

int number(Words& words) {
  int value = 0;
  words >> value;
  return value;
}

std::string word(Words& words) {
  std::string value;
  words >> value;
  return value;
}

/// `letter` as often as said: "x*600".
std::string text(Words& words) {
  const std::string value = word(words);
  return std::string(static_cast<std::size_t>(std::stol(value.substr(2))), value[0]);
}

/// A vectored write of a text in two parts.
long write_parts(int fd, std::string content, int offset) {
  const std::size_t half = content.size() / 2;
  const iovec parts[] = {{content.data(), half}, {content.data() + half, content.size() - half}};
  return offset < 0 ? ::writev(fd, parts, 2) : ::pwritev(fd, parts, 2, offset);
}

std::atomic<int> threads_to_come{0};

void* write_nothing(void*) {
  --threads_to_come;
  while (threads_to_come > 0) {
  }
  return ::pwrite(-1, nullptr, 0, 0) < 0 ? nullptr : &threads_to_come;
}

/// Threads with small stacks that call the recorder at the same moment; as the first command, they are its first
/// callers.
long call_at_once(int count) {
  constexpr std::size_t stack_bytes = 64 << 10;
  threads_to_come = count;
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0 || pthread_attr_setstacksize(&attributes, stack_bytes) != 0) return -1;
  std::vector<pthread_t> threads(static_cast<std::size_t>(count));
  for (pthread_t& thread : threads) {
    if (pthread_create(&thread, &attributes, write_nothing, nullptr) != 0) return -1;
  }
  for (const pthread_t thread : threads) pthread_join(thread, nullptr);
  return 0;
}

/// One asynchronous write; waits for its end unless told not to.
long write_async(int fd, const std::string& content, int offset, bool wait) {
  aio_context_t context = 0;
  if (::syscall(SYS_io_setup, 4, &context) < 0) return -1;
  iocb block{};
  block.aio_fildes = static_cast<unsigned>(fd);
  block.aio_lio_opcode = IOCB_CMD_PWRITE;
  block.aio_buf = reinterpret_cast<std::uint64_t>(content.data());
  block.aio_nbytes = content.size();
  block.aio_offset = offset;
  iocb* blocks[] = {&block};
  if (::syscall(SYS_io_submit, context, 1, blocks) != 1) return -1;
  if (!wait) return 0;
  io_event event{};
  if (::syscall(SYS_io_getevents, context, 1, 1, &event, nullptr) != 1) return -1;
  if (event.res < 0) errno = static_cast<int>(-event.res);
  return event.res < 0 ? -1 : 0;
}

/// Makes the change in a child process; the parent continues after the child's end.
long in_child(const std::string& name) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(::mkdir(name.c_str(), 0755));
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

/// Opens, reads and closes the file in a child process; the parent continues after the child's end.
long read_in_child(const std::string& name) {
  const pid_t child = ::fork();
  if (child == 0) {
    char byte = 0;
    const int file = ::open(name.c_str(), O_RDONLY);
    const bool right = ::read(file, &byte, 1) == 1 && ::close(file) == 0;
    ::_exit(right ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status == 0 ? 0 : -1;
}

long copy_file(const std::string& from, const std::string& to) {
  return std::filesystem::copy_file(from, to) ? 0 : -1;
}

long stream(const std::string& name, const std::string& content) {
  std::ofstream file(name);
  return file << content << std::flush ? 0 : -1;
}

long unseen(const std::string& name, const std::string& content) {
  FILE* file = std::fopen(name.c_str(), "w");
  std::fputs(content.c_str(), file);
  return std::fclose(file);
}

using Command = std::function<long(Words&)>;

/// Open files have numbers of one's own choice: "open 1 name", "write 1 0 x*512", "dup 1 2".
std::map<std::string, Command> commands(std::map<int, int>& files) {
  const auto open = [&files](int flags) {
    return [&files, flags](Words& w) {
      const int name = number(w);
      return files[name] = ::open(word(w).c_str(), flags, 0644);
    };
  };
  const auto file = [&files](Words& w) { return files[number(w)]; };
  return {
      {"create", open(O_RDWR | O_CREAT | O_TRUNC)},
      {"open", open(O_RDWR)},
      {"append_to", open(O_WRONLY | O_APPEND)},
      {"create_synced", open(O_WRONLY | O_CREAT | O_DSYNC)},
      {"folder", open(O_RDONLY | O_DIRECTORY)},
      {"dup",
       [=, &files](Words& w) {
         const int copy = ::dup(file(w));
         return files[number(w)] = copy;
       }},
      {"close", [=](Words& w) { return ::close(file(w)); }},
      {"append",
       [=](Words& w) {
         const int fd = file(w);
         const auto t = text(w);
         return ::write(fd, t.data(), t.size());
       }},
      {"write",
       [=](Words& w) {
         const int fd = file(w), offset = number(w);
         const auto content = text(w);
         return ::pwrite(fd, content.data(), content.size(), offset);
       }},
      {"writev",
       [=](Words& w) {
         const int fd = file(w);
         return write_parts(fd, text(w), -1);
       }},
      {"pwritev",
       [=](Words& w) {
         const int fd = file(w), at = number(w);
         return write_parts(fd, text(w), at);
       }},
      {"async",
       [=](Words& w) {
         const int fd = file(w), at = number(w);
         return write_async(fd, text(w), at, true);
       }},
      {"submit",
       [=](Words& w) {
         const int fd = file(w), at = number(w);
         return write_async(fd, text(w), at, false);
       }},
      {"resize",
       [=](Words& w) {
         const int fd = file(w);
         return ::ftruncate(fd, number(w));
       }},
      {"reserve",
       [=](Words& w) {
         const int fd = file(w);
         return ::fallocate(fd, 0, 0, number(w));
       }},
      {"reserve_posix",
       [=](Words& w) {
         const int fd = file(w);
         errno = ::posix_fallocate(fd, 0, number(w));
         return errno ? -1 : 0;
       }},
      {"sync", [=](Words& w) { return ::fsync(file(w)); }},
      {"datasync", [=](Words& w) { return ::fdatasync(file(w)); }},
      {"sync_all", [](Words&) { return ::sync(), 0; }},
      {"map",
       [=](Words& w) { return ::mmap(nullptr, 1, PROT_WRITE, MAP_SHARED, file(w), 0) == MAP_FAILED ? -1 : 0; }},
      {"mkdir", [](Words& w) { return ::mkdir(word(w).c_str(), 0755); }},
      {"rename",
       [](Words& w) {
         const auto from = word(w);
         return ::rename(from.c_str(), word(w).c_str());
       }},
      {"link",
       [](Words& w) {
         const auto from = word(w);
         return ::link(from.c_str(), word(w).c_str());
       }},
      {"unlink", [](Words& w) { return ::unlink(word(w).c_str()); }},
      {"remove_all", [](Words& w) { return std::filesystem::remove_all(word(w)) > 0 ? 0 : -1; }},
      {"copy",
       [](Words& w) {
         const auto from = word(w);
         return copy_file(from, word(w));
       }},
      {"stream",
       [](Words& w) {
         const auto name = word(w);
         return stream(name, text(w));
       }},
      {"unseen",
       [](Words& w) {
         const auto name = word(w);
         return unseen(name, text(w));
       }},
      {"at_once", [](Words& w) { return call_at_once(number(w)); }},
      {"in_child", [](Words& w) { return in_child(word(w)); }},
      {"read_in_child", [](Words& w) { return read_in_child(word(w)); }},
  };
}

}  // namespace

int main() {
  std::map<int, int> files;
  const auto table = commands(files);
  for (std::string line; std::getline(std::cin, line);) {
    Words words(line);
    const std::string name = word(words);
    const auto command = table.find(name);
    if (command == table.end()) {
      std::cout << "no command " << name << std::endl;
      return 2;
    }
    if (command->second(words) < 0) std::cout << name << " " << errno << std::endl;
  }
}
