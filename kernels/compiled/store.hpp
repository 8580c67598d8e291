// Compiled kernels in a folder, so that a run that is resumed compiles nothing again, and in the user's cache, so
// that later runs do not.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "io/files/entry.hpp"
#include "kernels/compiled/cache.hpp"
#include "kernels/compiled/module.hpp"
#include "kernels/compiled/shared_object.hpp"
#include "kernels/device/context.hpp"
#include "pipeline/base/error.hpp"

namespace terrace::compiled {

/// A compiler of C++ for code of the CPU.
struct HostCompiler {
  std::string command;  // of find_cxx(); empty: nothing is compiled
  std::string options;  // that fix the machine code, separated by blanks
};

/// Code is needed that is not in the folder, and there is no compiler, or it does not compile it.
class NotCompiled : public DeviceError {
 public:
  using DeviceError::DeviceError;
};

/// The compilations of a store.
struct Compilations {
  int count = 0;
  double seconds = 0;
  int from_cache = 0;  // binaries that another run has compiled
};

/// Gives modules: those that it gave before, else from files of the folder, else from the cache, else from the
/// compiler, which need not be there if the files are. Files count by their content's checksum: one that is damaged
/// is made again. In the folder a binary is found by a key of the source, the device headers that it includes, the
/// options and the architecture, but not of the compiler's version: a run goes on with the kernels that it began
/// with. In the cache it is found only for the same build of the compiler. What was taken from the cache is also in
/// the folder.
///
/// Several threads may ask at once: different sources are compiled beside one another, and of one source one thread
/// compiles while the others wait.
class Store {
 public:
  /// @param folder made when the first file is written; only one process at a time may use it
  explicit Store(io::Entry folder, Cache cache = Cache()) : folder_(std::move(folder)), cache_(std::move(cache)) {}

  /// The kernels of a source on a device.
  /// @throws DeviceError if there is no compiler, the source does not compile, or the driver does not take the
  /// binary; IoError naming the file if it cannot be read or written
  std::shared_ptr<const Module> module(const Source& source, const device::Context& device);

  /// Functions of a source for the CPU.
  /// @throws NotCompiled with the first line of what a compiler said that did not compile the source, did not end in
  /// time, or whose code cannot be loaded; IoError naming the file if it cannot be read or written
  std::shared_ptr<const SharedObject> object(const Source& source, const HostCompiler& compiler);

  /// The same for an architecture ("sm_90"), not loaded.
  Binary binary(const Source& source, const std::string& architecture);

  Compilations compilations() const;

 private:
  /// A compiler: Compiler::build() or cxx_build(), and what it makes of a source.
  struct Maker {
    std::function<std::string()> build;
    std::function<Binary()> compile;
  };
  class Turn;

  /// The module or object of a name, made once: other threads wait. @param made modules_ or objects_
  template <class Made, class Make>
  std::shared_ptr<const Made> once(std::map<std::string, std::shared_ptr<const Made>>& made, const std::string& name,
                                   const Make& make);
  /// What `load` makes of the binary of a key, whose turn the thread has. A binary that it does not take
  /// (DeviceError) is not kept.
  template <class Load>
  auto find(const std::string& key, const Maker& maker, const Load& load);
  Binary timed(const Maker& maker);

  io::Entry folder_;
  Cache cache_;
  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable turn_ended_;
  std::set<std::string> taken_;  // names of files whose turn a thread has: it alone reads and writes them
  std::map<std::string, std::shared_ptr<const Module>> modules_;  // by names of files
  std::map<std::string, std::shared_ptr<const SharedObject>> objects_;
  Compilations compilations_;
};

}  // namespace terrace::compiled
