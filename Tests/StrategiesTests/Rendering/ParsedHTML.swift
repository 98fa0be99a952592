import Foundation

/// HTML as parsed by a strict parser, which rejects unclosed and unusual markup.
struct ParsedHTML {
  /// A part of the text with its offset.
  struct Run: Equatable {
    var leaf: Int
    var offset: Int
    var count: Int
    var text: String
    /// The ids of the highlights around it.
    var marks: [String]
    /// The classes of the elements around it, from the leaf inwards.
    var classes: [[String]] = []
    /// The destination of the link around it.
    var address: String?
    var range: Range<Int> { leaf + offset..<leaf + offset + count }
  }

  struct Fault: Error, CustomStringConvertible { var description: String }

  private(set) var runs: [Run] = []
  private(set) var leaves: [Int] = []
  /// The elements with their attributes, in order.
  private(set) var elements: [(name: String, attributes: [String: String])] = []

  private static let empty: Set = ["hr", "input", "img", "meta", "br", "link"]

  init(_ html: String) throws {
    var rest = Array(html.utf8)[...]
    var stack: [(name: String, attributes: [String: String])] = []
    var (leaf, marks, hidden) = ([Int](), [[String]](), 0)
    while let first = rest.first {
      guard first == UInt8(ascii: "<") else {
        let end = rest.firstIndex(of: UInt8(ascii: "<")) ?? rest.endIndex
        let text = try Self.unescaped(rest[..<end])
        rest = rest[end...]
        if hidden > 0 { continue }
        if stack.last?.attributes["data-o"] != nil {
          runs[runs.count - 1].text += text
        } else if !text.allSatisfy(\.isWhitespace) {
          throw Fault(description: "text outside of a run: \(text.debugDescription)")
        }
        continue
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else {
        throw Fault(description: "an open tag")
      }
      let tag = rest[(rest.startIndex + 1)..<end]
      rest = rest[(end + 1)...]
      if tag.first == UInt8(ascii: "/") {
        let name = String(decoding: tag.dropFirst(), as: UTF8.self)
        guard let last = stack.popLast(), last.name == name else {
          throw Fault(description: "</\(name)> ends \(stack.map(\.name))")
        }
        if last.attributes["data-b"] != nil { leaf.removeLast() }
        if last.attributes["data-h"] != nil { marks.removeLast() }
        if last.attributes["data-x"] != nil { hidden -= 1 }
        continue
      }
      let (name, attributes) = try Self.attributes(tag)
      elements.append((name, attributes))
      if let place = attributes["data-b"].flatMap({ Int($0) }) {
        leaves.append(place)
        leaf.append(place)
      }
      if let ids = attributes["data-h"] { marks.append(ids.split(separator: " ").map(String.init)) }
      if let offset = attributes["data-o"].flatMap({ Int($0) }),
        let count = attributes["data-n"].flatMap({ Int($0) })
      {
        guard let leaf = leaf.last else { throw Fault(description: "a run outside of a leaf") }
        runs.append(
          Run(
            leaf: leaf, offset: offset, count: count, text: attributes["alt"] ?? "",
            marks: marks.last ?? [],
            classes: Self.classes(stack + [(name, attributes)]),
            address: stack.last { $0.name == "a" }?.attributes["href"]))
      }
      guard !Self.empty.contains(name) else { continue }
      stack.append((name, attributes))
      if attributes["data-x"] != nil { hidden += 1 }
    }
    guard stack.isEmpty else { throw Fault(description: "not closed: \(stack.map(\.name))") }
  }

  /// The classes from the innermost leaf inwards.
  private static func classes(_ stack: [(name: String, attributes: [String: String])])
    -> [[String]]
  {
    let leaf = stack.lastIndex { $0.attributes["data-b"] != nil } ?? 0
    return stack[leaf...].map {
      ($0.attributes["class"] ?? "").split(separator: " ").map(String.init)
    }
  }

  private static func attributes(_ tag: ArraySlice<UInt8>) throws -> (String, [String: String]) {
    func isName(_ byte: UInt8) -> Bool {
      (0x61...0x7A).contains(byte) || (0x30...0x39).contains(byte) || byte == 0x2D
    }
    let name = tag.prefix(while: isName)
    var rest = tag[name.endIndex...]
    var attributes: [String: String] = [:]
    while rest.first == 0x20 {
      let attribute = rest.dropFirst().prefix(while: isName)
      rest = rest[attribute.endIndex...]
      var value = ""
      if rest.starts(with: "=\"".utf8), let end = rest.dropFirst(2).firstIndex(of: 0x22) {
        value = try unescaped(rest[(rest.startIndex + 2)..<end])
        rest = rest[(end + 1)...]
      }
      let isNew =
        attributes.updateValue(value, forKey: String(decoding: attribute, as: UTF8.self)) == nil
      guard isNew, !attribute.isEmpty else {
        throw Fault(description: "bad attributes: <\(String(decoding: tag, as: UTF8.self))>")
      }
    }
    guard rest.isEmpty, !name.isEmpty else {
      throw Fault(description: "not a plain tag: <\(String(decoding: tag, as: UTF8.self))>")
    }
    return (String(decoding: name, as: UTF8.self), attributes)
  }

  private static func unescaped(_ text: ArraySlice<UInt8>) throws -> String {
    var result: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      let isRaw = byte == 0x3C || byte == 0x3E || byte < 0x20 && byte != 0x0A && byte != 0x09
      if isRaw {
        throw Fault(description: "a raw \(byte) in \(String(decoding: text, as: UTF8.self))")
      }
      guard byte == UInt8(ascii: "&") else {
        result.append(byte)
        continue
      }
      guard let end = rest.firstIndex(of: UInt8(ascii: ";")) else {
        throw Fault(description: "a raw &")
      }
      let name = String(decoding: rest[..<end], as: UTF8.self)
      rest = rest[(end + 1)...]
      switch name {
      case "amp": result += "&".utf8
      case "lt": result += "<".utf8
      case "gt": result += ">".utf8
      case "quot": result += "\"".utf8
      default:
        guard name.hasPrefix("#"), let value = UInt8(name.dropFirst()), value < 0x80 else {
          throw Fault(description: "&\(name);")
        }
        result.append(value)
      }
    }
    return String(decoding: result, as: UTF8.self)
  }
}
