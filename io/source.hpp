// The interface of inputs: every input is one n-dimensional array behind it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/known_range.hpp"
#include "io/node_names.hpp"
#include "pipeline/base/box.hpp"
#include "pipeline/base/earlier_default.hpp"
#include "pipeline/base/element_type.hpp"
#include "pipeline/base/parameter.hpp"
#include "pipeline/base/settings.hpp"

namespace terrace::io {

struct Packing;
class ItemSet;

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
  /// The origin of an element, for errors: "a.fa:3:2", "b.npy"; empty for computed values.
  virtual std::string place_of(const Extents&) const {
    const auto all = files();
    return all.empty() ? std::string() : all.front().string();
  }
  /// True if the elements are letters of a sequence, which are no numbers.
  virtual bool letters() const { return false; }
  /// True if the elements are truth values: 0 is false, anything else is true.
  virtual bool truths() const { return false; }
  /// Version of the reader: raised if it makes another array of the same files than an earlier version did. A result
  /// with another number does not count as a result of this version.
  virtual int results() const { return 1; }
  /// The default that makes results() differ from an earlier version's, if there is one.
  virtual std::optional<ChangedDefault> changed_default() const { return std::nullopt; }
  /// Bytes of host memory that it keeps while it is open, in addition to buffers of its reads: a part of the job's
  /// budget.
  virtual std::size_t memory() const { return 0; }
  /// The names of the nodes whose matrix it is, by row, or by column if it has sources(); null if it is no matrix of
  /// a graph.
  virtual std::shared_ptr<const NodeNames> nodes() const { return nullptr; }
  /// The node of each row of a table of some nodes alone, by its row in nodes(); null: its rows are those of
  /// nodes().
  virtual std::shared_ptr<const std::vector<std::int64_t>> sources() const { return nullptr; }
  /// The items that lie one after another in it, if it is a set: it then has one dimension; null: it is none.
  virtual std::shared_ptr<const ItemSet> items() const { return nullptr; }
  /// The names that its elements stand for, if it is a table of names: an element is a row of these; null: elements
  /// are numbers.
  virtual std::shared_ptr<const NodeNames> element_names() const { return nullptr; }
  /// The letters of its rows and columns, in order, if it is a substitution matrix; else empty.
  virtual std::string matrix_letters() const { return {}; }
  /// The range of its values, or nullopt if it cannot tell without reading files. Takes at most a pass over what it
  /// holds in memory.
  virtual std::optional<KnownRange> known_range() const { return std::nullopt; }
  /// The meaning of its elements by attributes of its file, by which unpacked() makes what stages read; null: the
  /// elements are their values.
  virtual std::shared_ptr<const Packing> packing() const { return nullptr; }
};

/// The places in the job of the elements of a list, row-major: "job.yaml:3:14".
using ElementPlaces = std::function<std::string(std::size_t element)>;

/// Data that an input may need in addition to its own keys.
struct OpenContext {
  std::filesystem::path folder;                                      // relative paths start here
  std::function<std::shared_ptr<Source>(const std::string&)> input;  // another input of the job, by name
  std::size_t cache_bytes = std::size_t{64} << 20;  // the most that a source should keep of what it has decoded
  std::function<void(const std::string&)> warn = nullptr;  // takes what is right but hardly meant; null: nobody does
  std::optional<std::int64_t> host_memory = std::nullopt;  // memory.host of the job, in bytes, where it gives that
  /// Finds the places of a setting's elements by its name; null, or gives null, if they are not known.
  std::function<ElementPlaces(const std::string& key)> element_places = nullptr;
  bool to_run = true;  // else the job is only checked: a length that takes long to find may be an estimate
};

/// A kind of input: the key that names it in a job (`fasta`), its parameters, and how it is opened.
/// The parameter called like the kind itself holds the key's own value (the file, the values, the generator).
struct InputKind {
  const char* name;
  const char* help;
  std::span<const Parameter> parameters;
  /// The array alone: open_source() makes of it what keys of all kinds ask for.
  /// @throws JobError (settings that do not fit together), IoError (file missing, damaged, not of this format)
  std::shared_ptr<Source> (*open)(const Settings& settings, const OpenContext& context);
  /// Such inputs as a job writes them, one a line; a line without braces has keys that are laid over the first
  /// line's.
  const char* example;
  std::vector<EarlierDefault> earlier_defaults = {};
};

/// All kinds of input, in the order in which help lists them.
std::span<const InputKind> input_kinds();

/// The input that the settings give. @throws as InputKind::open
std::shared_ptr<Source> open_source(const InputKind& kind, const Settings& settings, const OpenContext& context);

}  // namespace terrace::io
