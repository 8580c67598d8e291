// The updates of tiles of one device.
#pragma once

#include <memory>

#include "kernels/recursive/updates.hpp"
#include "stages/device_memory.hpp"

namespace terrace::stages {

/// Updates of tiles of at most `side` rows and columns on a device, with the memory that they work in.
class OpenedTiles {
 public:
  OpenedTiles(const recursive::TileSpec& spec, std::int64_t side, device::Context& context) {
    if (context.shares_host_memory()) {
      updates_ = recursive::make_tiles_cpu(spec, context);
    } else {
      workspace_ = std::make_unique<DeviceMemory>(context, recursive::tiles_cuda_bytes(spec, side));
      updates_ = recursive::make_tiles_cuda(spec, side, context, workspace_->data());
    }
  }
  void run(const device::Port& port) { updates_->run(port); }

 private:
  std::unique_ptr<DeviceMemory> workspace_;
  std::unique_ptr<recursive::Updates> updates_;
};

}  // namespace terrace::stages
