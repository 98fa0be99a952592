import Glibc
import NetworkTransports
import SystemSupport

// Connects to servers for `diple sync`. It is a separate program, so that no other process loads
// the network libraries or parses the responses of servers.

guard CommandLine.arguments.dropFirst() == ["--serve"] else {
  _ = Descriptor.write(
    "diple-transport: this program is for `diple sync`; see `diple sync --help`\n".utf8, to: 2)
  exit(2)
}
var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
let server = CarrierServer(
  input: 0, output: 1, transports: [WebDAV.id: WebDAV(), PostgreSQL.id: PostgreSQL()])
exit(await server.run() ? 0 : 1)
