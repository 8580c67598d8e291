// Sets of time series with known errors of the nearest neighbour under dynamic time warping (the UCR archive).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <limits>
#include <sstream>

#include "kernels/wavefront/sweep.hpp"
#include "tests/differential/wavefront/values.hpp"

namespace terrace::wavefront {
namespace {

struct LabelledSeries {
  double label = 0;
  std::vector<double> values;
};

std::filesystem::path data_folder() {
  const char* given = std::getenv("TERRACE_TEST_DATA");
  return (given != nullptr ? std::filesystem::path(given)
                           : std::filesystem::path(TERRACE_SOURCE_DIR).parent_path() / "shared" / "data") /
         "timeseries";
}

/// A series a line, its label first.
std::vector<LabelledSeries> read_series(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::vector<LabelledSeries> all;
  for (std::string line; std::getline(file, line);) {
    std::istringstream numbers(line);
    LabelledSeries series;
    if (!(numbers >> series.label)) continue;
    for (double value; numbers >> value;) series.values.push_back(value);
    all.push_back(std::move(series));
  }
  return all;
}

/// Distances of pairs of series of one length: one sweep for all of them.
class Distances {
 public:
  Distances(device::Context& context, std::int64_t length)
      : length_(length),
        sweep_(make_cpu_sweep(
            test::warping_spec<double>(test::warping("squared", "symmetric1"), length, length, length, length, false),
            context)) {}

  double operator()(const std::vector<double>& rows, const std::vector<double>& columns) {
    BlockTask task{};
    task.row_end = task.column_end = length_;
    task.rows = rows.data();
    task.columns = columns.data();
    BlockResult result{};
    device::u64 ready = 1, stop = 0, abort = 0, done = 0, failed = 0, skipped = 0;
    sweep_->run(
        {&ready, &stop, &abort, &done, &failed, &skipped, &task, &result, 1, sizeof task, sizeof result, 0, 1});
    return reported_cost(result.score);
  }

 private:
  std::int64_t length_;
  std::unique_ptr<device::BlockKernel> sweep_;
};

struct KnownSet {
  const char* name;
  double first_distance;  // of the first series of the test set to the first of the training set
  int errors;             // of the test set
  std::size_t tests;
};

constexpr KnownSet known_sets[] = {{"Beef", 54.507092, 11, 30},
                                   {"Coffee", 1.34249922, 0, 28},
                                   {"ECG200", 13.7910669, 23, 100},
                                   {"GunPoint", 20.0570772, 14, 150},
                                   {"Lightning7", 105.024782, 20, 73},
                                   {"Plane", 4.14659529, 0, 105},
                                   {"SyntheticControl", 25.9561081, 2, 300}};

/// Test series whose nearest training series has another label.
int errors_of(Distances& distance, const std::vector<LabelledSeries>& train,
              const std::vector<LabelledSeries>& test) {
  int errors = 0;
  for (const LabelledSeries& series : test) {
    double nearest = std::numeric_limits<double>::infinity(), label = 0;
    for (const LabelledSeries& other : train) {
      const double found = distance(series.values, other.values);
      if (found < nearest) nearest = found, label = other.label;
    }
    errors += label != series.label;
  }
  return errors;
}

TEST_CASE("distances and nearest neighbours of seven sets of time series are those that others found") {
  if (!std::filesystem::exists(data_folder())) {
    std::cout << "SKIPPED: no time series in " << data_folder().string() << std::endl;
    return;
  }
  const auto context = device::make_cpu_context(1);
  for (const KnownSet& set : known_sets) {
    INFO(set.name);
    const auto train = read_series(data_folder() / (std::string(set.name) + "_TRAIN.txt"));
    const auto test = read_series(data_folder() / (std::string(set.name) + "_TEST.txt"));
    REQUIRE(test.size() == set.tests);
    const std::size_t length = test[0].values.size();
    for (const auto* part : {&train, &test}) {
      REQUIRE(std::all_of(part->begin(), part->end(), [&](auto& series) { return series.values.size() == length; }));
    }
    Distances distance(*context, static_cast<std::int64_t>(length));
    // Given to nine digits.
    CHECK(distance(test[0].values, train[0].values) == Approx(set.first_distance).epsilon(5e-9));
    CHECK(errors_of(distance, train, test) == set.errors);
  }
}

}  // namespace
}  // namespace terrace::wavefront
