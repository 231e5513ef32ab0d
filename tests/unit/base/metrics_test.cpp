// Metrics come out in Prometheus' text format: HELP and TYPE once a family, labels escaped, histograms cumulated.
#include "base/metrics.hpp"

#include <gmock/gmock.h>

#include <thread>

namespace weir::metrics {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(metrics, a_counter_is_printed_with_help_type_and_labels) {
  set metrics;
  metrics.requests.with({"Metadata", "0"}).add(3);
  metrics.requests.with({"Metadata", "42"}).add();
  EXPECT_EQ(render(metrics),
            "# HELP weir_requests_total Kafka requests answered, by API and error code.\n"
            "# TYPE weir_requests_total counter\n"
            "weir_requests_total{api=\"Metadata\",code=\"0\"} 3\n"
            "weir_requests_total{api=\"Metadata\",code=\"42\"} 1\n");
}

TEST(metrics, a_gauge_goes_up_and_down_and_may_have_no_label) {
  set metrics;
  metrics.members.get().add(5);
  metrics.members.get().add(-2);
  EXPECT_THAT(render(metrics), HasSubstr("\nweir_members 3\n"));
}

TEST(metrics, histogram_buckets_are_cumulated_in_seconds) {
  set metrics;
  auto& flush = metrics.log_flush.get();
  flush.observe(100);         // on a bound: belongs to it
  flush.observe(101);
  flush.observe(20'000'000);  // above the last bound
  const std::string text = render(metrics);
  EXPECT_THAT(text, HasSubstr("weir_log_flush_seconds_bucket{le=\"0.0001\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_flush_seconds_bucket{le=\"0.00025\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_flush_seconds_bucket{le=\"10\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_flush_seconds_bucket{le=\"+Inf\"} 3\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_flush_seconds_sum 20.000201\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_flush_seconds_count 3\n"));
}

TEST(metrics, amounts_are_printed_as_they_are) {
  set metrics;
  metrics.log_batch_appends.get().observe(1);
  metrics.log_batch_appends.get().observe(5);
  const std::string text = render(metrics);
  EXPECT_THAT(text, HasSubstr("weir_log_batch_appends_bucket{le=\"1\"} 1\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_batch_appends_bucket{le=\"16\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_batch_appends_bucket{le=\"1048576\"} 2\n"));
  EXPECT_THAT(text, HasSubstr("weir_log_batch_appends_sum 6\n"));
}

TEST(metrics, a_histogram_adds_up_what_its_threads_saw) {
  histogram shared;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 20; ++i) {
      threads.emplace_back([&] {
        for (int n = 0; n < 1'000; ++n) shared.observe(3);
      });
    }
  }
  EXPECT_EQ(shared.in_bucket(0), 20'000U);
  EXPECT_EQ(shared.sum(), 60'000U);
}

TEST(metrics, label_values_cannot_break_a_line) {
  set metrics;
  metrics.connections.with({"a\"b\\c\nd"}).set(1);
  EXPECT_THAT(render(metrics), HasSubstr("weir_connections{listener=\"a\\\"b\\\\c\\nd\"} 1\n"));
}

TEST(metrics, a_family_that_counted_nothing_is_left_out) {
  EXPECT_THAT(render(set{}), Not(HasSubstr("weir_requests_total")));
}

TEST(metrics, threads_count_without_losing_any) {
  family<counter> shared("shared_total", "Shared.");
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&] {
        counter& mine = shared.get();
        for (int n = 0; n < 10'000; ++n) mine.add();
      });
    }
  }
  EXPECT_EQ(shared.get().value(), 40'000U);
}

TEST(metrics, requests_are_counted_by_api_and_code) {
  set metrics;
  request_counts counts(metrics.requests);
  counts.count(88, "StreamsGroupHeartbeat", 0);
  counts.count(88, "StreamsGroupHeartbeat", 0);
  counts.count(88, "StreamsGroupHeartbeat", 25);
  EXPECT_THAT(render(metrics), HasSubstr("{api=\"StreamsGroupHeartbeat\",code=\"0\"} 2\n"));
  EXPECT_THAT(render(metrics), HasSubstr("{api=\"StreamsGroupHeartbeat\",code=\"25\"} 1\n"));
}

TEST(metrics, a_total_taken_over_never_falls) {
  counter total;
  total.raise_to(5);
  total.raise_to(3);
  EXPECT_EQ(total.value(), 5U);
}

TEST(metrics, the_process_reports_itself) {
  const std::string text = render_process();
  EXPECT_THAT(text, HasSubstr("# TYPE process_cpu_seconds_total counter\n"));
  EXPECT_THAT(text, HasSubstr("process_open_fds "));
  EXPECT_THAT(text, Not(HasSubstr("process_resident_memory_bytes 0\n")));
}

}  // namespace
}  // namespace weir::metrics
