// Who gets compressed answers, and that they are the same text.
#include "http/gzip.hpp"

#include <gtest/gtest.h>
#include <zlib.h>

namespace weir::http {
namespace {

std::string inflated(std::string_view packed, std::size_t size) {
  std::string out(size + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  out.resize(stream.total_out);
  inflateEnd(&stream);
  return out;
}

TEST(gzip, rfc_9110_12_5_3_is_sent_to_whoever_accepts_it) {
  for (const auto* header : {"gzip", "deflate, gzip;q=0.5", "br;q=1.0, x-gzip", "*", "GZIP ; Q=0.001", "*;q=0, gzip"}) {
    EXPECT_TRUE(accepts_gzip(header)) << header;
  }
  for (const auto* header :
       {"", "br", "identity", "gzip;q=0", "gzip; q=0.000", "*;q=0", "*, gzip;q=0", "gzipped", ",;,"}) {
    EXPECT_FALSE(accepts_gzip(header)) << header;
  }
}

TEST(gzip, gives_the_same_text_back_and_is_smaller) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "member-" + std::to_string(i) + "\n";
  const auto packed = gzip(text);
  ASSERT_TRUE(packed);
  EXPECT_LT(packed->size(), text.size() / 2);
  EXPECT_EQ(inflated(*packed, text.size()), text);
}

TEST(gzip, takes_what_cannot_be_made_smaller) {
  std::string text;
  for (unsigned i = 0, x = 1; i < 3000; ++i) text.push_back(static_cast<char>((x = x * 1664525U + 1013904223U) >> 24U));
  const auto packed = gzip(text);
  ASSERT_TRUE(packed);
  EXPECT_EQ(inflated(*packed, text.size()), text);
}

}  // namespace
}  // namespace weir::http
