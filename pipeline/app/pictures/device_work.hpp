// The work of each device on a stage, from the rows of a result's profile.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "pipeline/app/pictures/profile_rows.hpp"

namespace terrace::app {

/// A device's part of a stage.
struct DeviceWork {
  int device = 0;
  double blocks = 0, seconds = 0;        // while it computed at least one
  std::map<int, double> sent, received;  // bytes, by the other device
};

/// Of each stage the devices that computed blocks of it, in their order, in the last attempt that computed any.
std::vector<std::vector<DeviceWork>> work_of_devices(const ProfileRows& profile);

/// "16 MiB to device 1, 4 MiB to device 2, 16 MiB from device 2"; empty: nothing.
std::string moved_between_devices(const DeviceWork& work);

}  // namespace terrace::app
