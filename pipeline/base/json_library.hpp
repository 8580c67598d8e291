// The library of JSON, and its class compiled once for all (json_library.cpp): sources that use JSON compile faster.
#pragma once

#include <nlohmann/json.hpp>

extern template class nlohmann::basic_json<>;
