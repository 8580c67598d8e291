// Runs one made-up stage on real files, without a job.
#pragma once

#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <vector>

#include "pipeline/run/executor/executor.hpp"
#include "tests/support/simulated_context.hpp"

namespace terrace::test {

struct RunnerOptions {
  bool shares_host_memory = true;
  int devices = 1;
  bool peers = true;  // true if they copy from each other directly
  std::size_t host_bytes = 64 << 20;
  std::size_t device_bytes = 64 << 20;
  int longest_pause = 0;  // microseconds
  std::uint32_t seed = 1;
  double checkpoint_seconds = 0;
  std::atomic<int>* stop = nullptr;
  std::size_t window_bytes = 16 << 20;
  bool reserve = true;                                // space in the files, beforehand
  std::function<void(std::size_t)> on_allocate_host;  // called with the bytes of every host buffer, if set
};

/// Runs a plan that is its own tally. Files of one stage in a folder: `<array>.home`, `<array>.slots`, `ledger/`. A
/// second run resumes from the ledger.
template <class P>
class StageRunner {
 public:
  StageRunner(std::filesystem::path folder, P& program, RunnerOptions options)
      : folder_(std::move(folder)), program_(program), options_(options) {}

  void run() {
    run::Progress progress = run::Ledger::read(folder_ / "ledger");
    if (!progress.completed.empty()) {
      program_.load(progress.completed[0].folded);
      return;
    }
    run::Ledger ledger(folder_ / "ledger", progress);
    std::vector<std::unique_ptr<device::Context>> contexts;
    std::vector<std::unique_ptr<run::Pool>> pools;
    for (int d = 0; d < options_.devices; ++d) {
      auto context = std::make_unique<SimulatedContext>(options_.shares_host_memory, options_.seed + 10 * d,
                                                        options_.longest_pause);
      context->peers = options_.peers;
      context->on_allocate_host = options_.on_allocate_host;
      contexts.push_back(std::move(context));
    }
    device::Context* first = contexts[0].get();
    pools.push_back(std::make_unique<run::Pool>(
        options_.host_bytes, [=](std::size_t bytes) { return first->allocate_host(bytes); },
        [=](void* memory, std::size_t bytes) { first->release_host(memory, bytes); }));
    run::Environment environment;
    environment.pools.push_back(pools[0].get());
    for (auto& context : contexts) {
      environment.devices.push_back(context.get());
      if (options_.shares_host_memory) {
        environment.pools.push_back(nullptr);
        continue;
      }
      device::Context* device = context.get();
      pools.push_back(std::make_unique<run::Pool>(
          options_.device_bytes, [=](std::size_t bytes) { return device->allocate(bytes); },
          [=](void* memory, std::size_t bytes) { device->release(memory, bytes); }));
      environment.pools.push_back(pools.back().get());
    }
    SimulatedContext host(true, options_.seed + 5, options_.longest_pause);
    environment.host = &host;
    environment.host_number = options_.devices;
    profile = run::Profile();
    profile.begin_stage({"toy"});
    environment.profile = &profile;
    environment.ledger = &ledger;
    environment.stop = options_.stop;
    environment.checkpoint_seconds = options_.checkpoint_seconds;
    environment.window_bytes = options_.window_bytes;
    {
      run::Executor executor(0, program_, program_, storage(), environment, progress.current);
      executor.run();
    }
    peak_host = pools[0]->peak();
    peak_device = pools.size() > 1 ? pools[1]->peak() : 0;
  }

  /// The contents of the result array's file.
  template <class T>
  std::vector<T> result(int array) const {
    const run::ArraySpec& spec = program_.arrays()[static_cast<std::size_t>(array)];
    std::vector<T> values(static_cast<std::size_t>(volume(spec.shape)));
    std::ifstream file(folder_ / (spec.name + ".home"), std::ios::binary);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * sizeof(T)));
    return values;
  }

  run::Profile profile;
  std::size_t peak_host = 0, peak_device = 0;

 private:
  std::vector<run::ArrayStorage> storage() {
    std::vector<run::ArrayStorage> all;
    for (const run::ArraySpec& spec : program_.arrays()) {
      run::ArrayStorage storage;
      if (spec.role == run::Role::result) {
        storage.home = run::Home{open(spec.name + ".home"), 0};
        reserve(*storage.home->file, volume(spec.shape) * static_cast<std::int64_t>(size_of(spec.type)));
      }
      all.push_back(std::move(storage));
    }
    for (const run::SlotFileSpec& spec : run::slot_files(program_.arrays())) {
      if (spec.slots == 0) continue;
      run::SlotFile slots{open(spec.name + ".slots"), spec.slots, spec.slot_bytes};
      reserve(*slots.file, slots.offset(slots.slots));
      for (const std::size_t array : spec.arrays) all[array].slots = slots;
    }
    return all;
  }
  void reserve(io::BlockFile& file, std::int64_t bytes) const {
    if (options_.reserve) file.reserve(bytes);
  }
  std::shared_ptr<io::BlockFile> open(const std::string& name) {
    return std::make_shared<io::BlockFile>(folder_ / name, io::BlockFile::Mode::create);
  }

  std::filesystem::path folder_;
  P& program_;
  RunnerOptions options_;
};

}  // namespace terrace::test
