import Glibc
import NetworkTransports
import SystemSupport

// Reaches servers for `diple sync`. It is a program of its own, so that the libraries for that are
// loaded by nothing else, and what servers say is read apart.

if CommandLine.arguments.dropFirst() == ["--install-postgres"] {
  // The address comes as a line of the input: others see the arguments of a program.
  let line = readLine() ?? ""
  do { try PostgresSchema.install(at: line) } catch {
    _ = Descriptor.write("diple-carry: \(error)\n".utf8, to: 2)
    exit(1)
  }
  exit(0)
}
guard CommandLine.arguments.dropFirst() == ["--serve"] else {
  _ = Descriptor.write(
    "diple-carry: this program is for `diple sync`; see `diple sync --help`\n".utf8, to: 2)
  exit(2)
}
var noCore = rlimit(rlim_cur: 0, rlim_max: 0)
setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &noCore)
let server = CarrierServer(
  input: 0, output: 1, transports: [WebDAV.id: WebDAV(), PostgreSQL.id: PostgreSQL()])
exit(await server.run() ? 0 : 1)
