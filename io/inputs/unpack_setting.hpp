// The key `unpack` of inputs whose files state what their elements stand for.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/packing.hpp"
#include "io/source.hpp"

namespace terrace::io {

/// The packing of an array as the job asks for it by `unpack`, and as Source::packing() gives it: null with
/// `unpack: false`, and, where `unpack` is left out, if no attribute could change a value.
/// @param key of the input, the place of errors @param what names the array in errors @param faults attributes that
/// cannot be understood: an error with `unpack: true`, else warnings
/// @throws JobError if `unpack` is left out, and the values are scaled
std::shared_ptr<const Packing> packing_as_asked(const Settings& settings, const std::string& key,
                                                const std::string& what, const Extents& shape, Packing packing,
                                                const std::vector<std::string>& faults, const OpenContext& context);

/// True unless the job says `unpack: false`.
bool asks_attributes(const Settings& settings);

/// Source::results() and Source::changed_default() of an array: a packed one was read as it is stored by earlier
/// versions.
int results_of_packed(const std::shared_ptr<const Packing>& packing);
std::optional<ChangedDefault> changed_default_of_packed(const std::shared_ptr<const Packing>& packing);

/// The default of `unpack` in earlier versions.
inline constexpr const char* earlier_unpack = "false";

}  // namespace terrace::io
