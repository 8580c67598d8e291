// From text to a tree with places, strictly.
#pragma once

#include <optional>
#include <string>

#include "pipeline/job/yaml/errors.hpp"
#include "pipeline/job/yaml/node.hpp"

namespace terrace::job {

/// Deepest nesting of lists and maps, aliases followed.
inline constexpr int deepest_nesting = 64;
/// Most nodes that anchors and aliases may repeat in a document.
inline constexpr std::size_t most_alias_nodes = 100'000;

/// Parses one document. Wrong syntax, a second document, tags, keys that are no words, bytes that are no text and
/// nesting beyond `deepest_nesting` are complaints, and nothing is returned; a duplicate key is a complaint and its
/// first value stands. An empty text is a null node.
/// @param source the source that positions in the tree name
std::optional<Node> parse_yaml(const std::string& text, int source, Complaints& complaints);

}  // namespace terrace::job
