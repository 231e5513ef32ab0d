// TLS of the HTTP listener: certificate and key from files, TLS 1.2 and 1.3.
#pragma once

#include <boost/asio/ssl/context.hpp>
#include <memory>

#include "base/result.hpp"
#include "http/server.hpp"

namespace weir::http {

/// Reads the files once. Error: what is wrong with which of them (missing, no PEM, encrypted, the key of another
/// certificate), naming the configuration key.
[[nodiscard]] result<std::shared_ptr<boost::asio::ssl::context>> make_tls(const tls_files& files);

}  // namespace weir::http
