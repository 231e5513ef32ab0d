#include "protocol/framing.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weir::protocol {
namespace {

bytes framed(const std::string& content) {
  bytes out = {0, 0, static_cast<std::uint8_t>(content.size() >> 8), static_cast<std::uint8_t>(content.size())};
  out.insert(out.end(), content.begin(), content.end());
  return out;
}

std::string next_frame(frame_cutter& cutter) {
  const auto frame = cutter.next();
  if (!frame) return "error: " + frame.error().message;
  if (!*frame) return "none";
  return std::string((*frame)->begin(), (*frame)->end());
}

TEST(framing_test, cuts_whatever_the_pieces) {
  bytes stream;
  for (const auto* content : {"first", "", "the third one"}) {
    const auto frame = framed(content);
    stream.insert(stream.end(), frame.begin(), frame.end());
  }
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    frame_cutter cutter;
    std::vector<std::string> frames;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
      cutter.append(byte_view(stream).subspan(at, std::min(piece, stream.size() - at)));
      for (auto frame = next_frame(cutter); frame != "none"; frame = next_frame(cutter)) frames.push_back(frame);
    }
    EXPECT_EQ(frames, (std::vector<std::string>{"first", "", "the third one"})) << "pieces of " << piece;
    EXPECT_EQ(cutter.pending(), 0U);
  }
}

TEST(framing_test, a_begun_frame_is_pending) {
  frame_cutter cutter;
  cutter.append(bytes{0, 0, 0, 5, 'a'});
  EXPECT_EQ(next_frame(cutter), "none");
  EXPECT_EQ(cutter.pending(), 5U);
}

TEST(framing_test, the_limit_holds_as_soon_as_the_length_is_there) {
  frame_cutter cutter(100);
  cutter.append(bytes{0, 0, 0, 101});
  EXPECT_EQ(next_frame(cutter), "error: frame of 101 bytes, the limit is 100");
  EXPECT_EQ(next_frame(cutter), "error: frame of 101 bytes, the limit is 100");
  frame_cutter just_fits(100);
  just_fits.append(framed(std::string(100, 'x')));
  EXPECT_EQ(next_frame(just_fits), std::string(100, 'x'));
}

TEST(framing_test, a_negative_length_is_an_error) {
  frame_cutter cutter;
  cutter.append(bytes{0xFF, 0xFF, 0xFF, 0xFF});
  EXPECT_EQ(next_frame(cutter), "error: frame of negative length -1");
}

TEST(framing_test, memory_grows_with_what_arrived_not_with_what_is_announced) {
  frame_cutter cutter;
  cutter.append(bytes{0x06, 0, 0, 0});  // 100,663,296 bytes, below the limit
  EXPECT_EQ(next_frame(cutter), "none");
  EXPECT_LE(cutter.prepare(4096).size(), 16U * 1024);
}

TEST(framing_test, a_kept_frame_outlives_the_buffer) {
  shared_frame kept;
  {
    frame_cutter cutter;
    cutter.append(framed("stays"));
    kept = keep(**cutter.next());
    cutter.append(framed("other"));
  }
  EXPECT_EQ(std::string(kept->begin(), kept->end()), "stays");
}

TEST(framing_test, bytes_may_be_read_straight_into_the_buffer) {
  frame_cutter cutter;
  const auto frame = framed("direct");
  const auto room = cutter.prepare(frame.size() + 50);
  ASSERT_GE(room.size(), frame.size() + 50);
  std::copy(frame.begin(), frame.end(), room.begin());
  cutter.commit(frame.size());
  EXPECT_EQ(next_frame(cutter), "direct");
}

}  // namespace
}  // namespace weir::protocol
