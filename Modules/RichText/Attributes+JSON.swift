package import Model

extension JSONValue {
  /// A short form of an invalid value for an error, on one line.
  fileprivate var shown: String {
    switch self {
    case .text(let text): "'\(text.oneLine.prefix(40))'"
    case .number, .decimal, .flag: flagOrNumber
    case .null: "null"
    case .list: "a list"
    case .object: "an object"
    }
  }
  private var flagOrNumber: String { if case .flag(let flag) = self { "\(flag)" } else { text } }

  fileprivate func whole(_ what: String) throws(FormatValueError) -> Int {
    if case .number(let number) = self, let whole = Int(exactly: number), abs(whole) < 1 << 31 {
      return whole
    }
    throw FormatValueError("\(what): expected a whole number, got \(shown)")
  }
  fileprivate func bool(_ what: String) throws(FormatValueError) -> Bool {
    if case .flag(let flag) = self { return flag }
    throw FormatValueError("\(what): expected true or false, got \(shown)")
  }
  fileprivate func string(_ what: String) throws(FormatValueError) -> String {
    if case .text(let text) = self { return text }
    throw FormatValueError("\(what): expected a text, got \(shown)")
  }
  fileprivate func word<Word: CaseIterable & RawRepresentable<String>>(
    _ what: String, as type: Word.Type
  ) throws(FormatValueError) -> Word {
    if case .text(let text) = self, let word = Word(rawValue: text) { return word }
    let words = Word.allCases.map(\.rawValue).joined(separator: ", ")
    throw FormatValueError("\(what): expected one of \(words), got \(shown)")
  }
}

extension CharacterAttribute {
  /// The value as JSON: a Boolean, a keyword, a number of half points, a colour or an address.
  package var json: JSONValue {
    switch self {
    case .bold(let flag), .italic(let flag): .flag(flag)
    case .underline(let style): .text(style.rawValue)
    case .strikethrough(let style): .text(style.rawValue)
    case .family(let name), .link(let name): .text(name)
    case .size(let size): .number(Double(size))
    case .capitals(let capitals): .text(capitals.rawValue)
    case .position(let position): .text(position.rawValue)
    case .color(let color), .background(let color): .text(color.description)
    }
  }

  /// Decodes the JSON form. Throws ``FormatValueError`` if the value isn't valid for the kind.
  package init(_ kind: Kind, json: JSONValue) throws(FormatValueError) {
    let what = kind.rawValue
    switch kind {
    case .bold: self = .bold(try json.bool(what))
    case .italic: self = .italic(try json.bool(what))
    case .underline: self = .underline(try json.word(what, as: UnderlineStyle.self))
    case .strikethrough: self = .strikethrough(try json.word(what, as: StrikethroughStyle.self))
    case .family: self = .family(try json.string(what))
    case .size: self = .size(try json.whole(what))
    case .capitals: self = .capitals(try json.word(what, as: Capitals.self))
    case .position: self = .position(try json.word(what, as: BaselinePosition.self))
    case .color, .background:
      guard case .text(let text) = json, let color = TextColor(text) else {
        throw FormatValueError("\(what): expected #RRGGBB or automatic, got \(json.shown)")
      }
      self = kind == .color ? .color(color) : .background(color)
    case .link: self = .link(try json.string(what))
    }
  }
}

extension ParagraphAttribute {
  /// The value as JSON: a keyword, a number of twips, an object or a list of objects.
  package var json: JSONValue {
    func number(_ count: Int) -> JSONValue { .number(Double(count)) }
    switch self {
    case .alignment(let alignment): return .text(alignment.rawValue)
    case .firstLineIndent(let length), .headIndent(let length), .tailIndent(let length),
      .lineSpacing(let length), .spaceBefore(let length), .spaceAfter(let length):
      return number(length.count)
    case .lineHeight(.multiple(let count)): return .object(["multiple": number(count)])
    case .lineHeight(.atLeast(let length)): return .object(["atLeast": number(length.count)])
    case .lineHeight(.exactly(let length)): return .object(["exactly": number(length.count)])
    case .tabStops(let stops):
      return .list(
        stops.map { stop in
          var object: [String: JSONValue] = ["position": number(stop.position.count)]
          if stop.kind != .left { object["kind"] = .text(stop.kind.rawValue) }
          if stop.leader != .none { object["leader"] = .text(stop.leader.rawValue) }
          return .object(object)
        })
    case .list(let item):
      return .object([
        "list": number(item.list), "level": number(item.level),
        "marker": .text(item.marker.rawValue),
      ])
    case .style(let id): return .text(id.name)
    }
  }

  /// Decodes the JSON form. Throws ``FormatValueError`` if the value isn't valid for the kind.
  package init(_ kind: Kind, json: JSONValue) throws(FormatValueError) {
    let what = kind.rawValue
    switch kind {
    case .alignment: self = .alignment(try json.word(what, as: TextAlignment.self))
    case .firstLineIndent: self = .firstLineIndent(Twips(try json.whole(what)))
    case .headIndent: self = .headIndent(Twips(try json.whole(what)))
    case .tailIndent: self = .tailIndent(Twips(try json.whole(what)))
    case .lineSpacing: self = .lineSpacing(Twips(try json.whole(what)))
    case .spaceBefore: self = .spaceBefore(Twips(try json.whole(what)))
    case .spaceAfter: self = .spaceAfter(Twips(try json.whole(what)))
    case .lineHeight:
      switch (json["multiple"], json["atLeast"], json["exactly"]) {
      case (let value, .null, .null): self = .lineHeight(.multiple(try value.whole(what)))
      case (.null, let value, .null): self = .lineHeight(.atLeast(Twips(try value.whole(what))))
      case (.null, .null, let value): self = .lineHeight(.exactly(Twips(try value.whole(what))))
      default: throw FormatValueError("\(what): expected one of multiple, atLeast, exactly")
      }
    case .tabStops:
      guard case .list(let values) = json, values.count <= Self.tabStopLimit else {
        throw FormatValueError("\(what): expected a list of at most \(Self.tabStopLimit) stops")
      }
      var stops: [TabStop] = []
      for value in values { stops.append(try Self.stop(value)) }
      self = .tabStops(stops)
    case .list:
      self = .list(
        ListItem(
          list: try json["list"].whole("list"), level: try json["level"].whole("level"),
          marker: try json["marker"].word("marker", as: ListItem.Marker.self)))
    case .style: self = .style(StyleID(try json.string(what)))
    }
  }

  private static func stop(_ json: JSONValue) throws(FormatValueError) -> TabStop {
    var stop = TabStop(position: Twips(try json["position"].whole("tabStops.position")))
    if json["kind"] != .null {
      stop.kind = try json["kind"].word("tabStops.kind", as: TabStop.Kind.self)
    }
    if json["leader"] != .null {
      stop.leader = try json["leader"].word("tabStops.leader", as: TabStop.Leader.self)
    }
    return stop
  }
}

extension AttributeSet {
  /// The set as a JSON object, including unknown members.
  package var json: JSONValue {
    var object = other
    for attribute in values { object[attribute.kind.rawValue] = attribute.json }
    return .object(object)
  }

  /// Decodes a JSON object. Unknown members are kept. Throws ``FormatValueError`` if a value is
  /// invalid or exceeds the limits for files.
  package init(json: JSONValue) throws(FormatValueError) {
    guard case .object(let object) = json else {
      throw FormatValueError("expected an object of attributes, got \(json.shown)")
    }
    self.init()
    for (key, value) in object {
      guard let kind = Attribute.Kind(rawValue: key) else {
        other[key] = value
        continue
      }
      let attribute = try Attribute(kind, json: value)
      if let problem = attribute.problem(within: .files) { throw problem }
      set(attribute)
    }
  }
}
