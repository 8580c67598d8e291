// What blocks are read from: every input is one n-dimensional array behind this interface.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "pipeline/base/box.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::io {

/// A read-only array. `read` may be called from several threads at once.
class Source {
 public:
  virtual ~Source() = default;

  virtual ElementType type() const = 0;
  virtual const Extents& shape() const = 0;
  /// Copies `box` (within the shape) into `buffer`, row-major, tightly packed. Blocks until it is there.
  /// @throws IoError naming file, dataset or record, and the place in it
  virtual void read(const Box& box, void* buffer) = 0;
  /// The files that the array comes from; empty for generated arrays and values.
  virtual std::vector<std::filesystem::path> files() const { return {}; }
  /// Whether the elements are letters of a sequence, which are no numbers.
  virtual bool letters() const { return false; }
  /// Bytes of host memory that it keeps while it is open, beside the buffers of its reads: a part of the job's
  /// budget.
  virtual std::size_t memory() const { return 0; }
};

/// What an input may need beside its own keys.
struct OpenContext {
  std::filesystem::path folder;                                      // relative paths start here
  std::function<std::shared_ptr<Source>(const std::string&)> input;  // another input of the job, by name
  std::size_t cache_bytes = std::size_t{64} << 20;  // the most that a source should keep of what it has decoded
};

/// A kind of input: the key that names it in a job (`fasta`), its parameters, and how it is opened.
/// The parameter called like the kind itself holds the key's own value (the file, the values, the generator).
struct InputKind {
  const char* name;
  const char* help;
  std::span<const Parameter> parameters;
  /// @throws JobError (settings that do not fit together), IoError (file missing, damaged, not of this format)
  std::shared_ptr<Source> (*open)(const Settings& settings, const OpenContext& context);
};

/// All kinds of input, in the order in which help lists them.
std::span<const InputKind> input_kinds();

/// A source whose u8 elements are replaced through a table of 256 entries; an entry of -1 is an error that names
/// the element's index and its letter.
/// @param what completes the message: "is no DNA letter (A, C, G, T)"
std::shared_ptr<Source> translate(std::shared_ptr<Source> source, const std::array<std::int16_t, 256>& table,
                                  std::string name, std::string what);

}  // namespace terrace::io
