#pragma once

#include <string>
#include <string_view>

#include "lakestream/status.h"

namespace lakestream {

/// Where a server listens.
struct ListenAddress {
  std::string host = "127.0.0.1";  ///< an IPv4 address, or an IPv6 one without its brackets
  int port = 0;                    ///< 0: one that is free

  /// "127.0.0.1:9464", "[::1]:9464".
  std::string ToString() const;
};

/// Reads "HOST:PORT", "[IPv6]:PORT", ":PORT" and "PORT"; without a host it is this machine's own. A host is an address:
/// a name may stand for several. Errors: invalid_argument.
Result<ListenAddress> ParseListenAddress(std::string_view text);

}  // namespace lakestream
