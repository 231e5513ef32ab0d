#include <boost/asio/ssl/impl/src.hpp>
