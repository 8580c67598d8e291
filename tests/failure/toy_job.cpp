// A job of made-up stages on real files, with tiny budgets and a checkpoint whenever one can be made: the subject of
// tests with kills, failing disks and lost caches.
//
//   toy_job SEED SECONDS FOLDER...
//
// In each folder in turn: begins or resumes the run of `out.h5`, and compares the result with the expected one.
// SECONDS between checkpoints. Prints a line a folder: "FOLDER: right, checksum", "FOLDER: stopped", "FOLDER: error:
// ..." or "FOLDER: WRONG ...". Ends with 0 when all were right, 3 when one was wrong, 75 when the last was stopped by
// SIGTERM, else 1. The seed chooses sizes, budgets, kinds of memory and delays; the number of devices is drawn again
// in every attempt.
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <iostream>

#include "io/files/checksum.hpp"
#include "io/hdf5/dataset.hpp"
#include "pipeline/base/error.hpp"
#include "pipeline/run/run.hpp"
#include "tests/support/dealt_programs.hpp"
#include "tests/support/simulated_context.hpp"
#include "tests/support/update_chain.hpp"

using namespace terrace;
using test::u64;

namespace {

namespace fs = std::filesystem;

std::atomic<int> stop_requests{0};

extern "C" void on_stop(int) { ++stop_requests; }

/// A stage around a made-up program; its folded results are a dataset.
class ToyStage : public run::Stage {
 public:
  ToyStage(std::string name, std::unique_ptr<test::ToyProgram> program)
      : name_(std::move(name)), program_(std::move(program)) {}
  const run::Plan& plan() const override { return *program_; }
  run::Tally& tally() override { return *program_; }
  io::DatasetSpec dataset(int array) const override {
    io::DatasetSpec spec;
    spec.path = "/" + name_ + "/" + program_->arrays()[static_cast<std::size_t>(array)].name;
    spec.dimensions = {"x"};
    if (program_->arrays()[static_cast<std::size_t>(array)].shape.rank() == 2) spec.dimensions = {"y", "x"};
    return spec;
  }
  std::vector<io::SmallDataset> small() const override {
    return {io::small_scalar<u64>("/" + name_ + "/folded", program_->folded)};
  }
  std::vector<io::Attribute> attributes() const override { return {}; }
  run::Prediction prediction() const override { return {}; }
  nlohmann::json choices() const override { return nlohmann::json::object(); }

 private:
  std::string name_;
  std::unique_ptr<test::ToyProgram> program_;
};

/// The choices of a seed.
struct Scene {
  std::uint32_t seed;
  std::mt19937 random;
  run::RunPlan plan;
  std::map<std::string, std::vector<u64>> expected;  // by dataset
  std::size_t host_bytes, device_bytes;
  bool shares;
  int pause;

  explicit Scene(std::uint32_t number) : seed(number), random(number) {
    shares = pick(0, 1) == 0;
    pause = static_cast<int>(pick(0, 2)) * 100;
    const std::int64_t page_numbers = 512;
    add<test::Dealt<test::PeriodicPasses>>("passes", "ring", page_numbers * pick(3, 5) + pick(1, 511), page_numbers,
                                           pick(150, 700), pick(2, 3));
    add<test::Dealt<test::InPlaceUpdates>>("updates", "matrix", pick(3, 5), page_numbers, pick(1, 512));
    const std::int64_t fails_at = pick(0, 5);
    add<test::Dealt<test::PrefixChain>>("prefix", "sums", page_numbers * 6 + pick(1, 511), page_numbers, pick(1, 3),
                                        fails_at);
    add<test::Dealt<test::HaloSteps>>("halos", "plane", pick(40, 60), pick(60, 90), Extents{16, 32},
                                      Extents{pick(9, 20), pick(15, 50)}, pick(2, 3));
    add<test::Dealt<test::UpdateChain>>("sweeps", "row", pick(3, 6), page_numbers, pick(1, 512), pick(1, 3));
    plan.stages.push_back({"probes", false, std::make_unique<ToyStage>("probes", probes()), {}});
    plan.stages[1].temporary = pick(0, 3) == 0;
    if (plan.stages[1].temporary) expected.erase("/updates/matrix");
    host_bytes = static_cast<std::size_t>(pick(24, 40)) * 4096;
    device_bytes = static_cast<std::size_t>(pick(24, 40)) * 4096;
    plan.identity = {{"seed", seed}};
    plan.fixed = plan.inputs = nlohmann::json::object();
    plan.job_text = plan.job_name = "toy";
  }
  std::int64_t pick(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most - least + 1));
  }
  std::unique_ptr<test::ToyProgram> probes() { return std::make_unique<test::Probes>(pick(20, 60)); }

  template <class P, class... Arguments>
  void add(const std::string& name, const std::string& array, Arguments... arguments) {
    auto program = std::make_unique<P>(arguments...);
    program->deal = static_cast<test::Deal>(pick(0, 2));
    if constexpr (std::is_same_v<P, test::Dealt<test::InPlaceUpdates>>) {
      program->order = pick(0, 1) == 0 ? run::Order::any : run::Order::in_turn;
    }
    expected["/" + name + "/" + array] = program->expected();
    plan.stages.push_back({name, false, std::make_unique<ToyStage>(name, std::move(program)), {}});
  }
};

/// Runs to the end, or resumes.
void run_in(const fs::path& output, Scene& scene, double seconds) {
  run::RunFolder folder(output);
  if (fs::exists(output)) {
    folder.clear();
    return;
  }
  if (!folder.plan()) folder.clear();
  // Every attempt has its own number of devices.
  std::vector<std::unique_ptr<test::SimulatedContext>> devices;
  run::RunSettings settings;
  const std::uint32_t count = 1 + std::random_device()() % 3;
  for (std::uint32_t number = 0; number < count; ++number) {
    devices.push_back(std::make_unique<test::SimulatedContext>(scene.shares, scene.seed + 10 * number, scene.pause));
    devices.back()->peers = scene.seed % 2 == 0;
    settings.devices.push_back(devices.back().get());
  }
  settings.host_budget = scene.host_bytes;
  settings.window_bytes = run::window_share(scene.host_bytes);
  settings.device_budget = scene.device_bytes;
  settings.checkpoint_seconds = seconds;
  settings.stop = &stop_requests;
  run::execute(scene.plan, folder, settings);
}

/// The checksum of the result. @throws ComputeError if it is wrong
std::uint64_t check(const fs::path& output, const Scene& scene) {
  std::uint64_t sum = 0;
  for (const auto& [name, values] : scene.expected) {
    const io::Hdf5Dataset dataset(output.string(), name, 1 << 20);
    std::vector<u64> found(static_cast<std::size_t>(volume(dataset.shape())));
    dataset.read(Box::whole(dataset.shape()), found.data());
    if (found != values) throw ComputeError(name + " is wrong");
    sum = sum * 31 + io::checksum(std::as_bytes(std::span(found)));
  }
  for (const char* name : {"passes", "updates", "prefix", "halos", "sweeps", "probes"}) {
    if (name == std::string("updates") && scene.plan.stages[1].temporary) continue;
    const io::Hdf5Dataset dataset(output.string(), std::string("/") + name + "/folded", 1 << 20);
    u64 folded = 0;
    dataset.read(Box::whole(dataset.shape()), &folded);
    sum = sum * 31 + folded;
  }
  return sum;
}

int run_folder(const fs::path& folder, std::uint32_t seed, double seconds) {
  const std::string name = folder.string() + ": ";
  try {
    fs::current_path(folder);
    Scene scene(seed);
    run_in("out.h5", scene, seconds);
    try {
      const std::uint64_t sum = check("out.h5", scene);
      if (fs::exists("out.h5.run")) throw ComputeError("the run's folder is still there");
      std::cout << name << "right, " << std::hex << sum << std::dec << std::endl;
      return 0;
    } catch (const std::exception& error) {
      std::cout << name << "WRONG: " << error.what() << std::endl;
      return 3;
    }
  } catch (const Stopped&) {
    std::cout << name << "stopped" << std::endl;
    return 75;
  } catch (const std::exception& error) {
    std::cout << name << "error: " << error.what() << std::endl;
    return 1;
  }
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 4) {
    std::cerr << "usage: toy_job SEED SECONDS FOLDER...\n";
    return 2;
  }
  std::signal(SIGTERM, on_stop);
  const auto seed = static_cast<std::uint32_t>(std::stoul(arguments[1]));
  const double seconds = std::stod(arguments[2]);
  std::vector<fs::path> folders;
  for (int i = 3; i < count; ++i) folders.push_back(fs::absolute(arguments[i]));
  int worst = 0;
  for (const fs::path& folder : folders) {
    const int ended = run_folder(folder, seed, seconds);
    if (worst != 3 && ended != 0) worst = ended;
  }
  return worst;
}
