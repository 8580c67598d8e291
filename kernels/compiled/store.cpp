#include "kernels/compiled/store.hpp"

#include <chrono>
#include <optional>
#include <sstream>

#include "kernels/compiled/binary_file.hpp"
#include "kernels/compiled/cxx.hpp"
#include "kernels/compiled/device_headers.hpp"
#include "kernels/compiled/key.hpp"
#include "pipeline/base/printable.hpp"

namespace terrace::compiled {
namespace {

/// That a compiler of C++ may take.
constexpr std::chrono::seconds most_time{60};

/// "sm_90" of a device whose kind is "cuda sm_90".
std::string architecture_of(const device::Context& device) {
  const std::string& kind = device.limits().kind;
  return kind.substr(kind.rfind(' ') + 1);
}

Binary compile_for(const Source& source, const std::string& architecture) {
  return Compiler().compile(source, architecture);
}

/// The line of a compiler's log that says what is wrong: the first with an error, else the first.
std::string telling_line(const std::string& log) {
  std::istringstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != line.npos) return line;
    if (first.empty()) first = line;
  }
  return first;
}

std::shared_ptr<const SharedObject> load(const Binary& binary) {
  try {
    return std::make_shared<const SharedObject>(binary);
  } catch (const Error& error) {
    throw NotCompiled(binary.compiler, error.what());
  }
}

Binary compile_for_host(const Source& source, const HostCompiler& compiler) {
  if (compiler.command.empty()) throw NotCompiled("the compiler of C++", "there is none");
  WithVariables variables = with_variables(source);
  std::vector<std::string> command = words_of(compiler.command);
  for (std::string& option : words_of(compiler.options)) command.push_back(std::move(option));
  BuiltObject built;
  try {
    built = build_shared_object(std::move(command), variables.text, headers_of(source.text), most_time);
  } catch (const IoError& error) {
    built.log = error.what();
  }
  if (built.bytes.empty()) throw NotCompiled(compiler.command, printable(telling_line(built.log)));
  return {compiler.command, std::move(built.bytes), std::move(variables.symbols)};
}

}  // namespace

/// The turn of a thread to make what has a name, from its construction on, which waits for another thread's turn.
class Store::Turn {
 public:
  Turn(Store& store, std::string name) : store_(store), name_(std::move(name)) {
    std::unique_lock lock(store_.mutex_);
    store_.turn_ended_.wait(lock, [&] { return !store_.taken_.contains(name_); });
    store_.taken_.insert(name_);
  }
  ~Turn() {
    {
      const std::lock_guard lock(store_.mutex_);
      store_.taken_.erase(name_);
    }
    store_.turn_ended_.notify_all();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

 private:
  Store& store_;
  std::string name_;
};

template <class Made, class Make>
std::shared_ptr<const Made> Store::once(std::map<std::string, std::shared_ptr<const Made>>& made,
                                        const std::string& name, const Make& make) {
  const Turn turn(*this, name);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = made.find(name); found != made.end()) return found->second;
  }
  std::shared_ptr<const Made> now = make();
  const std::lock_guard lock(mutex_);
  return made[name] = std::move(now);
}

Binary Store::timed(const Maker& maker) {
  const auto begin = std::chrono::steady_clock::now();
  Binary binary = maker.compile();
  const std::lock_guard lock(mutex_);
  compilations_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++compilations_.count;
  return binary;
}

template <class Load>
auto Store::find(const std::string& key, const Maker& maker, const Load& load) {
  const std::string name = name_of(key);
  if (io::status_of(folder_)) {
    if (const auto kept = read_binary(io::Folder::open(folder_) / name, key)) return load(*kept);
  }
  const std::string build = cache_.is_used() ? maker.build() : "", shared = key_with(key, build);
  if (const auto cached = build.empty() ? std::nullopt : cache_.find(shared)) {
    try {
      auto loaded = load(*cached);
      write_binary(io::make_folder(folder_) / name, key, *cached);
      const std::lock_guard lock(mutex_);
      ++compilations_.from_cache;
      return loaded;
    } catch (const DeviceError&) {  // that of a machine whose loader takes more than the one here
    }
  }
  const Binary binary = timed(maker);
  auto loaded = load(binary);
  write_binary(io::make_folder(folder_) / name, key, binary);
  if (!build.empty()) cache_.keep(shared, binary);
  return loaded;
}

std::shared_ptr<const Module> Store::module(const Source& source, const device::Context& device) {
  const std::string architecture = architecture_of(device);
  const std::string key = key_of(source, Compiler::options(), architecture);
  return once(modules_, name_of(key), [&] {
    return find(key, {Compiler::build, [&] { return compile_for(source, architecture); }},
                [](const Binary& binary) { return std::make_shared<const Module>(binary); });
  });
}

std::shared_ptr<const SharedObject> Store::object(const Source& source, const HostCompiler& compiler) {
  const std::string key = key_of(source, compiler.options, "cpu");
  return once(objects_, name_of(key), [&] {
    return find(
        key, {[&] { return cxx_build(compiler.command); }, [&] { return compile_for_host(source, compiler); }}, load);
  });
}

Binary Store::binary(const Source& source, const std::string& architecture) {
  const std::string key = key_of(source, Compiler::options(), architecture);
  const Turn turn(*this, name_of(key));
  return find(key, {Compiler::build, [&] { return compile_for(source, architecture); }},
              [](const Binary& binary) { return binary; });
}

Compilations Store::compilations() const {
  const std::lock_guard lock(mutex_);
  return compilations_;
}

}  // namespace terrace::compiled
