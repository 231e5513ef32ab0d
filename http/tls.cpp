#include "http/tls.hpp"

#include <fmt/format.h>
#include <openssl/ssl.h>

namespace weir::http {

namespace ssl = boost::asio::ssl;

result<std::shared_ptr<ssl::context>> make_tls(const tls_files& files) {
  boost::system::error_code error;
  const auto failed = [&error](std::string_view key, const std::string& path) {
    return fail(fmt::format("'{}': cannot use '{}': {}", key, path, error.message()));
  };
  auto made = std::make_shared<ssl::context>(ssl::context::tls_server);
  SSL_CTX_set_min_proto_version(made->native_handle(), TLS1_2_VERSION);
  // Nobody is there to be asked for the passphrase of an encrypted key.
  made->set_password_callback([](std::size_t, ssl::context::password_purpose) { return std::string(); });
  made->use_certificate_chain_file(files.certificate, error);
  if (error) return failed("http.ssl.certificate.file", files.certificate);
  made->use_private_key_file(files.key, ssl::context::pem, error);
  if (error) return failed("http.ssl.key.file", files.key);
  if (SSL_CTX_check_private_key(made->native_handle()) != 1) {
    return fail(fmt::format("'http.ssl.key.file': '{}' is not the key of '{}'", files.key, files.certificate));
  }
  return made;
}

}  // namespace weir::http
