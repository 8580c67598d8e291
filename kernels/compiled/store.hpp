// Compiled kernels in a folder, so that a run that is resumed compiles nothing again.
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
};

/// Gives modules: those that it gave before, else from files of the folder, else from the compiler, which need not be
/// there if the files are. Files count by their content's checksum: one that is damaged is made again. They are named
/// by a checksum of the source, the device headers that it includes, the options and the architecture, but not of the
/// compiler's version: a run goes on with the kernels that it began with.
///
/// Several threads may ask at once: different sources are compiled beside one another, and of one source one thread
/// compiles while the others wait.
class Store {
 public:
  /// @param folder made when the first file is written; only one process at a time may use it
  explicit Store(io::Entry folder) : folder_(std::move(folder)) {}

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
  using Compile = std::function<Binary()>;
  class Turn;

  /// The module or object of a name, made once: other threads wait. @param made modules_ or objects_
  template <class Made, class Make>
  std::shared_ptr<const Made> once(std::map<std::string, std::shared_ptr<const Made>>& made, const std::string& name,
                                   const Make& make);
  /// The binary of that name, whose turn the thread has.
  Binary find(const std::string& name, const Compile& compile);

  io::Entry folder_;
  mutable std::mutex mutex_;  // guards all that follows
  std::condition_variable turn_ended_;
  std::set<std::string> taken_;  // names whose turn a thread has: it alone reads and writes their files
  std::map<std::string, std::shared_ptr<const Module>> modules_;  // by names of files
  std::map<std::string, std::shared_ptr<const SharedObject>> objects_;
  Compilations compilations_;
};

}  // namespace terrace::compiled
