// The order in which items are combined, as text.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace terrace::stages {

/// The text of a result over intervals: of nussinov "((...))", of optimal_bst "((0) 1 (2))", of others "((0 1) 2)".
/// @param opens, closes numbers of brackets that open before and close after each item
std::string brackets_of(const std::string& problem, std::span<const std::int32_t> opens,
                        std::span<const std::int32_t> closes, std::int64_t items);

}  // namespace terrace::stages
