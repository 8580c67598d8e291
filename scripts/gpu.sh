# shellcheck shell=bash
# The GPUs of this machine, for the scripts beside this file: sourced, not run.

# gpu_architectures: prints those of this machine's GPUs that it can use, as CMAKE_CUDA_ARCHITECTURES takes them
# ("90-real"; "native": CMake is to ask). Prints nothing where there is none, or no driver.
gpu_architectures() {
  local capabilities
  if command -v nvidia-smi >/dev/null &&
    capabilities=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null) &&
    [[ $capabilities =~ ^[0-9]+\.[0-9]+($'\n'[0-9]+\.[0-9]+)*$ ]]; then
    tr -d . <<<"$capabilities" | sort -un | sed 's/$/-real/' | paste -sd';'
  elif compgen -G "${TERRACE_DEVICES:-/dev}/nvidia[0-9]*" >/dev/null &&
    ldconfig -p 2>/dev/null | grep 'libcuda\.so\.1' >/dev/null; then
    echo native
  fi
}
