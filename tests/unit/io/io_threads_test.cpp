// Threads of input and output.
#include <atomic>
#include <barrier>
#include <catch2/catch.hpp>
#include <vector>

#include "io/files/io_threads.hpp"

using namespace terrace;

TEST_CASE("Tasks that wait for one another run at the same time, as many as there are to be threads") {
  for (const int count : {1, 2, 7}) {
    std::barrier together(count);
    std::atomic<int> done = 0;
    {
      io::IoThreads threads(count);
      CHECK(threads.count() == count);
      for (int turn = 0; turn < 3 * count; ++turn) {
        threads.post([&] {
          together.arrive_and_wait();
          ++done;
        });
      }
    }
    CHECK(done == 3 * count);
  }
}

TEST_CASE("Tasks that tasks post are done before the threads end, urgent ones first") {
  std::vector<int> order;
  {
    io::IoThreads threads(1);
    threads.post([&] {
      threads.post([&] { order.push_back(2); });
      threads.post_urgent([&] { order.push_back(1); });
      order.push_back(0);
    });
  }
  CHECK(order == std::vector<int>{0, 1, 2});
}
