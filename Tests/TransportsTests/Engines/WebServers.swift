import Foundation
import Model
import NetworkTransports
import Sync
import SystemSupport
import TestSupport
import Transports

/// A WebDAV server for a test. Only its running state changes.
struct WebDAVFixture: ServedFixture, @unchecked Sendable {
  let folder: WorkFolder
  let title: String
  let address: String
  let engine: Engine
  let transport: any SyncTransport
  var cacheFolder: String { folder.path + "/caches" }
  let knowsChanges = false
  var certificates: String?

  /// - Parameters:
  ///   - name: `apache2` or `nginx`.
  ///   - transport: Nil for a separate transport process.
  ///   - isSecure: Whether the server uses TLS, with a certificate in `cert.pem` that only the
  ///     transport process trusts: by `SSL_CERT_FILE`, unless `transport` is set.
  init(_ name: String, transport: (any SyncTransport)? = nil, isSecure: Bool = false) throws {
    folder = try WorkFolder()
    title = "WebDAV of \(name)"
    let port = try Engine.freePort()
    address = "http\(isSecure ? "s" : "")://127.0.0.1:\(port)/dav/files"
    if isSecure {
      try folder.shell(
        """
        openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 \
          -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 2>&1
        """)
      let carrier = SiblingExecutable.path("diple-transport") ?? "diple-transport"
      let words = ["SSL_CERT_FILE=\(folder.path)/cert.pem", carrier, "--serve"]
      self.transport = transport ?? Carried("webdav", program: { Program("env", words) })
    } else {
      self.transport = transport ?? Carried("webdav")
    }
    for part in ["root/dav/files", "locks", "temporary"] {
      try FileManager.default.createDirectory(
        atPath: folder.path + "/" + part, withIntermediateDirectories: true)
    }
    let words: [String]
    let program = Engine.program(name) ?? name
    if name == "nginx" {
      try folder.write("nginx.conf", Self.nginx(folder.path, port, isSecure))
      words = [program, "-p", folder.path, "-c", folder.path + "/nginx.conf", "-e", "stderr"]
    } else {
      try folder.write("apache.conf", Self.apache(folder.path, port, isSecure))
      words = [program, "-d", folder.path, "-f", folder.path + "/apache.conf", "-D", "FOREGROUND"]
    }
    // Servers that root starts switch to another user, who needs access to this folder.
    try folder.shell("chmod -R 777 root locks temporary; chmod 755 .")
    engine = try Engine(
      words, log: folder.path + "/server.log", leftovers: [folder.path + "/apache.pid"]
    ) { Engine.answers(port) }
  }

  private static func apache(_ path: String, _ port: Int, _ isSecure: Bool) -> String {
    let names = ["mpm_event", "authz_core", "authn_core", "dav", "dav_fs"]
    let modules = (isSecure ? names + ["ssl"] : names).map {
      "LoadModule \($0)_module /usr/lib/apache2/modules/mod_\($0).so\n"
    }
    let user = geteuid() == 0 ? "User www-data\nGroup www-data\n" : ""
    return modules.joined() + user + """
      ServerName 127.0.0.1
      Listen 127.0.0.1:\(port)
      PidFile \(path)/apache.pid
      ErrorLog \(path)/apache.log
      Mutex file:\(path)/locks default
      \(isSecure ? "SSLEngine on\nSSLCertificateFile \(path)/cert.pem\nSSLCertificateKeyFile \(path)/key.pem" : "")
      DocumentRoot \(path)/root
      DAVLockDB \(path)/locks/DAVLock
      LimitXMLRequestBody 1048576
      <Directory \(path)/root>
        Require all granted
        Dav On
      </Directory>

      """
  }

  private static func nginx(_ path: String, _ port: Int, _ isSecure: Bool) -> String {
    """
    load_module /usr/lib/nginx/modules/ngx_http_dav_ext_module.so;
    \(geteuid() == 0 ? "user www-data;" : "")
    daemon off;
    pid \(path)/nginx.pid;
    error_log stderr;
    events { worker_connections 256; }
    http {
      access_log off;
      client_body_temp_path \(path)/temporary/body;
      proxy_temp_path \(path)/temporary/proxy;
      fastcgi_temp_path \(path)/temporary/fastcgi;
      uwsgi_temp_path \(path)/temporary/uwsgi;
      scgi_temp_path \(path)/temporary/scgi;
      client_max_body_size 64m;
      server {
        listen 127.0.0.1:\(port)\(isSecure ? " ssl" : "");
        \(isSecure ? "ssl_certificate \(path)/cert.pem; ssl_certificate_key \(path)/key.pem;" : "")
        root \(path)/root;
        location / {
          dav_methods PUT DELETE MKCOL COPY MOVE;
          dav_ext_methods PROPFIND OPTIONS;
        }
      }
    }

    """
  }
}
