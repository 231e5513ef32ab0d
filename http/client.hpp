// A small blocking HTTP client, plain or by TLS: for the command line and for web hooks.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.hpp"

namespace weir::http {

struct client_request {
  std::string method = "GET";
  std::string target;                  ///< `/v1/groups`
  std::string body;                    ///< JSON; empty = none
  std::optional<std::string> token;    ///< for `Authorization: Bearer`
  std::optional<std::string> if_match;
  std::vector<std::pair<std::string, std::string>> headers = {};  ///< further ones
};

struct client_answer {
  int status = 0;
  std::string body;
};

/// Whom a client trusts: the certificates of a PEM file, or those that the system trusts if it is empty. TLS 1.2 and
/// 1.3. Error: the file cannot be used.
[[nodiscard]] result<std::shared_ptr<boost::asio::ssl::context>> make_client_tls(const std::string& ca_file);

struct client_options {
  std::int64_t timeout_ms = 10'000;  ///< from the connection to the end of the answer
  std::uint64_t answer_bytes_max = std::uint64_t{256} * 1024 * 1024;  ///< of its body
  std::shared_ptr<boost::asio::ssl::context> tls;  ///< null: as of make_client_tls({})
  std::stop_token stop;  ///< ends the exchange with an error
};

/// One request on a connection of its own; redirects are not followed. url: `http[s]://host:port`, its path does not
/// count. The server's certificate must be trusted and for that host. Error: the URL, the connection, the certificate,
/// or nothing that is HTTP within the time.
[[nodiscard]] result<client_answer> send(std::string_view url, const client_request& asked,
                                         const client_options& options = {});
/// A GET.
[[nodiscard]] result<client_answer> get(std::string_view url, std::string_view target,
                                        const client_options& options = {});

}  // namespace weir::http
