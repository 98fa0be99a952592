import Actions
import Model
import Pairing
import SystemSupport

extension WebService {
  // MARK: - Pairing

  private struct PairRequest: Decodable {
    var code: String
    var name: String
  }

  /// Pairs a device if its code is valid. Throws ``UserError`` with the code `usage` for a
  /// malformed code, `conflict` if the list of devices is full or can't be written.
  func pair(_ input: WebInput, from client: String) throws -> WebAnswer {
    let asked = try input.decode(PairRequest.self)
    switch try devices.pair(asked.code, as: asked.name, from: client) {
    case .paired(let device, let token):
      notify(
        """
        paired \(device.name), which may only read; \
        \(action: "device.allow", ["device": .text(device.id)]) lets it mark, \
        \(action: "device.revoke", ["device": .text(device.name)]) ends it
        """)
      var answer = WebAnswer.json(PairedDeviceRecord(device), status: 201)
      answer.fields = [
        (
          "Set-Cookie",
          "\(gate.cookieName(.network))=\(token); HttpOnly; SameSite=Strict; Path=/; "
            + "Max-Age=\(PairedDevice.time)"
        )
      ]
      return answer
    case .refused(.malformed):
      throw UserError(.usage, "a code has \(PairingCode.length) letters")
    case .refused(.wrong(left: 0)):
      notify(
        """
        \(client) gave a wrong code \(PairingCode.tries) times, and has no more tries; \
        Enter shows a new code
        """)
      return .unpaired("wrong code; no tries are left", hint: Self.newCodeHint)
    case .refused(.expired):
      notify(
        """
        a wrong code was given \(PairingCode.allTries) times, and the code is no longer valid; \
        Enter shows a new one
        """)
      return .unpaired("wrong code; no tries are left", hint: Self.newCodeHint)
    case .refused(.blocked):
      return .unpaired("no tries are left", hint: Self.newCodeHint)
    case .refused(.wrong(let left)):
      return .unpaired("wrong code", hint: "\(left.counted("try")) left")
    case .refused:
      return .unpaired("the code was used already, or is too old", hint: Self.newCodeHint)
    }
  }

  private static let newCodeHint = "press Enter in the terminal of `diple serve` for a new one"

  // MARK: - Managing devices, for the owner

  private struct DevicesAnswer: Encodable {
    var devices: [PairedDeviceRecord]
    /// The address for devices to open; omitted if the server isn't reachable over a network.
    var address: String?
  }

  /// Returns the number of devices to show on the library page, or nil to show none.
  func deviceCount(for caller: Principal) -> Int? {
    guard caller == .owner else { return nil }
    let count = (try? devices.devices().count) ?? 0
    return network == nil && count == 0 && devices.problem == nil ? nil : count
  }

  func devicesAnswer() throws -> WebAnswer {
    .json(
      DevicesAnswer(
        devices: try devices.devices().map { PairedDeviceRecord($0) },
        address: network.map { "http://\($0):\(port)/" }))
  }

  private struct AccessRequest: Decodable {
    var mayWrite: Bool
  }

  /// Sets whether a device may make changes. Throws ``UserError`` with the code `notFound` for an
  /// unknown device.
  func changeDevice(_ id: String, _ input: WebInput) throws -> WebAnswer {
    let mayWrite = try input.decode(AccessRequest.self).mayWrite
    return .json(PairedDeviceRecord(try devices.allow(id, writing: mayWrite)))
  }

  /// Removes a device, whose token is then invalid. Throws ``UserError`` with the code `notFound`
  /// for an unknown device.
  func removeDevice(_ id: String) throws -> WebAnswer {
    .json(PairedDeviceRecord(try devices.revoke(id)))
  }
}
