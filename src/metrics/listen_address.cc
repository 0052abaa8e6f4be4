#include "metrics/listen_address.h"

#include <charconv>

namespace lakestream {
namespace {

bool AllOf(std::string_view text, std::string_view allowed) {
  return !text.empty() && text.find_first_not_of(allowed) == std::string_view::npos;
}

}  // namespace

std::string ListenAddress::ToString() const {
  const bool v6 = host.find(':') != std::string::npos;
  return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ListenAddress> ParseListenAddress(std::string_view text) {
  const auto refuse = [text] {
    return InvalidArgument("not an address to listen on; write HOST:PORT, where HOST is an IP address, or PORT")
        .With("got", text);
  };
  ListenAddress address;
  std::string_view port = text;
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    std::string_view host = text.substr(0, colon);
    port = text.substr(colon + 1);
    const bool v6 = host.starts_with('[') && host.ends_with(']');
    if (v6) host = host.substr(1, host.size() - 2);
    if (!host.empty() || v6) {
      if (!AllOf(host, v6 ? "0123456789abcdefABCDEF:." : "0123456789.")) return refuse();
      address.host = host;
    }
  }
  const char* const end = port.data() + port.size();
  const auto [rest, error] = std::from_chars(port.data(), end, address.port);
  if (error != std::errc() || rest != end || address.port < 0 || address.port > 65535) return refuse();
  return address;
}

}  // namespace lakestream
