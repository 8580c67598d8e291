#include "pipeline/base/json_library.hpp"

template class nlohmann::basic_json<>;
