// A fixture whose connections live on an io_context that the test itself runs.
#pragma once

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <chrono>

namespace weir::gateway {

class driven_test : public ::testing::Test {
 protected:
  boost::asio::io_context context;

  template <class Condition>
  void run_until(Condition met) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (!met() && std::chrono::steady_clock::now() < end) {
      if (context.stopped()) context.restart();
      context.run_one_for(std::chrono::milliseconds(100));
    }
    ASSERT_TRUE(met());
  }
};

}  // namespace weir::gateway
