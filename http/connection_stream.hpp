// The bytes of one HTTP connection, plain or inside TLS: one kind of stream for Beast, whichever it is.
#pragma once

#include <openssl/ssl.h>
#include <poll.h>

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace weir::http {

/// Time limits are those of the TCP stream below, so they hold for handshakes, too.
class connection_stream {
 public:
  using executor_type = boost::beast::tcp_stream::executor_type;

  /// tls: null = plain. Kept, since the connection uses it to its end.
  connection_stream(boost::asio::ip::tcp::socket socket, std::shared_ptr<boost::asio::ssl::context> tls)
      : plain_(std::move(socket)), context_(std::move(tls)) {
    if (context_) tls_.emplace(plain_, *context_);
  }

  [[nodiscard]] executor_type get_executor() noexcept { return plain_.get_executor(); }

  /// Before anything is read. Calls `then` with an error code; at once if there is no TLS.
  template <class Then>
  void handshake(Then then) {
    if (!tls_) return then(boost::system::error_code());
    tls_->async_handshake(boost::asio::ssl::stream_base::server, std::move(then));
  }
  /// The same as a client, who wants the certificate to be that of `host`, a name or an address.
  template <class Then>
  void handshake_with(const std::string& host, Then then) {
    if (!tls_) return then(boost::system::error_code());
    boost::system::error_code no_address;
    boost::asio::ip::make_address(host, no_address);
    SSL* const session = tls_->native_handle();
    if (no_address) {
      SSL_set_tlsext_host_name(session, host.c_str());
      SSL_set1_host(session, host.c_str());
    } else {
      X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(session), host.c_str());
    }
    tls_->async_handshake(boost::asio::ssl::stream_base::client, std::move(then));
  }
  /// X509_V_OK unless the other side's certificate was refused.
  [[nodiscard]] long verify_result() {
    return tls_ ? SSL_get_verify_result(tls_->native_handle()) : static_cast<long>(X509_V_OK);
  }
  /// After the last answer: tells a TLS client that nothing was cut off, then calls `then` with an error code.
  template <class Then>
  void finish(Then then) {
    if (!tls_) return then(boost::system::error_code());
    tls_->async_shutdown(std::move(then));
  }

  // What boost::asio calls an AsyncReadStream and an AsyncWriteStream.
  template <class Buffers, class Then>
  void async_read_some(const Buffers& into, Then&& then) {
    if (tls_) return tls_->async_read_some(into, std::forward<Then>(then));
    plain_.async_read_some(into, std::forward<Then>(then));
  }
  template <class Buffers, class Then>
  void async_write_some(const Buffers& from, Then&& then) {
    if (tls_) return tls_->async_write_some(from, std::forward<Then>(then));
    plain_.async_write_some(from, std::forward<Then>(then));
  }

  template <class Duration>
  void expires_after(Duration time) {
    plain_.expires_after(time);
  }
  void expires_never() { plain_.expires_never(); }
  [[nodiscard]] boost::asio::ip::tcp::socket& socket() noexcept { return plain_.socket(); }
  /// Whether the other side has closed its end or the connection is broken, also while bytes of it are unread.
  [[nodiscard]] bool is_hung_up() {
    pollfd socket_state{plain_.socket().native_handle(), POLLRDHUP, 0};
    return ::poll(&socket_state, 1, 0) > 0;
  }
  [[nodiscard]] boost::beast::tcp_stream& transport() noexcept { return plain_; }
  void close() { plain_.close(); }

 private:
  boost::beast::tcp_stream plain_;
  std::shared_ptr<boost::asio::ssl::context> context_;
  std::optional<boost::asio::ssl::stream<boost::beast::tcp_stream&>> tls_;  // after what it refers to
};

}  // namespace weir::http
