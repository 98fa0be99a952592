import Foundation
import Model
import Sync
import TestSupport
import Transports

/// Two Syncthing processes that synchronize a folder.
final class SyncthingPair: @unchecked Sendable {
  /// One of the two processes.
  struct Side {
    var home: String
    var folder: String
    var device: String
    var port: Int
    var interface: Int

    /// The folder as a transport's address, with the address of Syncthing's API.
    var address: String { "\(folder)?syncthing=http://127.0.0.1:\(interface)&folder=shared" }
  }

  static let key = "a-key-of-a-test"
  private let work: WorkFolder
  let sides: [Side]
  private var engines: [Engine] = []

  init() throws {
    let work = try WorkFolder()
    self.work = work
    var sides: [Side] = []
    for name in ["one", "two"] {
      let home = "\(work.path)/\(name)"
      try work.shell(
        "mkdir -p '\(home)/files/.stfolder'; STNOUPGRADE=1 syncthing generate --home '\(home)' --no-default-folder >/dev/null"
      )
      let device = try work.shell("syncthing --home '\(home)' --device-id")
      sides.append(
        Side(
          home: home, folder: home + "/files",
          device: String(device.split(separator: "\n").last ?? ""),
          port: try Engine.freePort(), interface: try Engine.freePort()))
    }
    self.sides = sides
    for (side, peer) in [(sides[0], sides[1]), (sides[1], sides[0])] {
      try Data(Self.configuration(side, peer).utf8).write(
        to: URL(filePath: side.home + "/config.xml"))
      engines.append(
        try Engine(
          [
            Engine.program("syncthing") ?? "syncthing", "serve", "--home", side.home,
            "--no-browser",
            "--no-restart", "--no-upgrade",
          ], environment: ["STNOUPGRADE": "1", "HOME": side.home], log: side.home + "/log"
        ) { Engine.answers(side.interface) })
    }
    try eventually("the two to know each other", within: 60, every: 0.2) {
      try work.shell(
        "python3 -c 'import urllib.request as r; print(r.urlopen(r.Request(\"http://127.0.0.1:\(sides[0].interface)/rest/system/connections\", headers={\"X-API-Key\": \"\(Self.key)\"})).read().decode())'"
      ).contains("\"connected\": true")
    }
  }

  func stop() { for engine in engines { engine.stop() } }

  private static func configuration(_ side: Side, _ peer: Side) -> String {
    """
    <configuration version="35">
      <folder id="shared" label="" path="\(side.folder)" type="sendreceive" rescanIntervalS="3600" \
    fsWatcherEnabled="true" fsWatcherDelayS="10" ignorePerms="true" autoNormalize="true">
        <filesystemType>basic</filesystemType>
        <device id="\(side.device)"></device><device id="\(peer.device)"></device>
        <minDiskFree unit="%">0</minDiskFree>
      </folder>
      <device id="\(side.device)" name="a"><address>dynamic</address></device>
      <device id="\(peer.device)" name="b"><address>tcp://127.0.0.1:\(peer.port)</address></device>
      <gui enabled="true" tls="false"><address>127.0.0.1:\(side.interface)</address><apikey>\(key)</apikey></gui>
      <options>
        <listenAddress>tcp://127.0.0.1:\(side.port)</listenAddress>
        <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
        <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled>
        <startBrowser>false</startBrowser><crashReportingEnabled>false</crashReportingEnabled>
        <urAccepted>-1</urAccepted><autoUpgradeIntervalH>0</autoUpgradeIntervalH>
        <reconnectionIntervalS>1</reconnectionIntervalS>
      </options>
    </configuration>
    """
  }
}
