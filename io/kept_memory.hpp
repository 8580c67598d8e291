// Memory that inputs keep, checked before it is taken.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/source.hpp"

namespace terrace::io {

/// Takes the bytes that an input is about to keep. @throws JobError if they are too many
using CheckKept = std::function<void(std::int64_t bytes)>;

/// A check against memory.host if the job gives it, else against the memory of the machine.
/// @param key the setting at whose place the error stands @param remedy is added to the error
CheckKept kept_check(const Settings& settings, const std::string& key, const OpenContext& context,
                     const std::string& remedy = "");

}  // namespace terrace::io
