// swift-tools-version: 6.2
import PackageDescription

// The table of targets, in the order of layers, lowest first. A target may only use targets of a
// lower layer. The loop below rejects the manifest otherwise, and `Tooling/check-imports` compares
// the table with the imports.

struct Row {
  enum Kind { case library, executable, test }
  var kind: Kind
  var layer: Int
  var name: String
  var path: String
  var uses: [String] = []
  var libraries: [Target.Dependency] = []
  var exclude: [String] = []
  /// A folder whose files are embedded in the program.
  var embedded: String?
  /// Whether the target is compiled like a third-party plugin, which can only use public
  /// declarations.
  var seesPublicOnly = false

  /// The targets that are optimised for speed in a release build, because they parse, search,
  /// anchor and write for every command. The others are optimised for size, which makes a program a
  /// third smaller. Console is in this list because the compiler (6.3.1) crashes on it with
  /// `-Osize`.
  static let hot: Set = [
    "Model", "SystemSupport", "MarkdownParse", "Anchoring", "Search", "Storage", "Interchange",
    "Rendering", "RichText", "RichTextFormats", "Strategies", "Actions", "Console",
  ]
}

func module(_ layer: Int, _ name: String, uses: [String] = [], libraries: [Target.Dependency] = [])
  -> Row
{
  Row(
    kind: .library, layer: layer, name: name, path: "Modules/\(name)", uses: uses,
    libraries: libraries)
}

func strategies(_ name: String, uses: [String]) -> Row {
  Row(
    kind: .library, layer: 3, name: name, path: "Plugins/\(name)", uses: uses,
    seesPublicOnly: true)
}

func tests(
  _ subject: String, uses: [String] = [], libraries: [Target.Dependency] = [],
  exclude: [String] = [], hasSupport: Bool = true
) -> Row {
  Row(
    kind: .test, layer: 8, name: "\(subject)Tests", path: "Tests/\(subject)Tests",
    uses: uses + (hasSupport ? ["TestSupport"] : []), libraries: libraries, exclude: exclude)
}

let logging = Target.Dependency.product(name: "Logging", package: "swift-log")
let subprocess = Target.Dependency.product(name: "Subprocess", package: "swift-subprocess")
let arguments = Target.Dependency.product(name: "ArgumentParser", package: "swift-argument-parser")
let networking: [Target.Dependency] = ["NIOCore", "NIOPosix", "NIOHTTP1"].map {
  .product(name: $0, package: "swift-nio")
}

let rows: [Row] = [
  module(0, "Model"),
  module(
    0, "SystemSupport", libraries: [subprocess, .target(name: "CSys"), .target(name: "CXattr")]),

  module(1, "MarkdownParse", uses: ["Model"]),
  module(1, "Anchoring", uses: ["Model"]),
  module(1, "RichText", uses: ["Model"]),
  module(1, "Search", uses: ["Model"], libraries: [.target(name: "CPCRE2")]),
  module(1, "Interchange", uses: ["Model"]),
  module(
    1, "Sync", uses: ["Model"],
    libraries: [.target(name: "CSodium"), .target(name: "CZstd")]),
  module(1, "Configuration", uses: ["Model", "SystemSupport"]),
  module(
    1, "Storage", uses: ["Model", "SystemSupport"],
    libraries: [.target(name: "CSQLite"), .target(name: "CZstd")]),
  module(
    1, "Files", uses: ["Model", "SystemSupport"],
    libraries: [.target(name: "CSodium"), .target(name: "CSys")]),

  module(
    2, "Editing", uses: ["Model", "MarkdownParse", "Search"],
    libraries: [.target(name: "CICU"), .target(name: "CMalloc")]),
  module(
    2, "Rendering", uses: ["Model", "MarkdownParse", "Interchange", "RichText"],
    libraries: [.target(name: "CICU"), .target(name: "CSodium")]),
  module(2, "RichTextFormats", uses: ["Model", "RichText"]),
  module(2, "RichMarkdown", uses: ["Model", "MarkdownParse", "RichText"]),
  module(2, "CardDrawing", uses: ["Model", "Interchange"], libraries: [.target(name: "CPango")]),
  module(2, "Articles", uses: ["Model", "MarkdownParse"]),
  module(
    2, "TextRecognition", uses: ["Interchange"], libraries: [.target(name: "CTesseract")]),
  module(
    2, "PDFReading", uses: ["Model", "Interchange"],
    libraries: [.target(name: "CPoppler"), .target(name: "CQPDF")]),
  module(2, "Converting", uses: ["Model", "SystemSupport"]),
  module(2, "Watching", uses: ["Model", "SystemSupport", "Files"]),

  module(
    3, "PageFetching", uses: ["Model", "SystemSupport", "Interchange", "Articles"],
    libraries: [.target(name: "CCurl"), .target(name: "CGumbo"), .target(name: "CZip")]),
  module(
    3, "Scrivener",
    uses: [
      "Model", "SystemSupport", "RichText", "RichTextFormats", "RichMarkdown", "Articles",
    ]),
  module(
    3, "NetworkTransports", uses: ["Model", "SystemSupport", "Sync", "Articles"],
    libraries: [.target(name: "CCurl"), .target(name: "CPQ")]),
  module(
    3, "Reader", uses: ["Model", "MarkdownParse", "RichText", "Search", "Editing", "Rendering"]),

  strategies(
    "Strategies",
    uses: ["Model", "MarkdownParse", "Anchoring", "Search", "Editing", "Rendering"]),
  strategies("CodeLexers", uses: ["Rendering"]),
  strategies("Formats", uses: ["Model", "MarkdownParse", "Interchange", "Rendering"]),
  Row(
    kind: .library, layer: 3, name: "CardStrategies", path: "Plugins/CardStrategies",
    uses: ["Model", "SystemSupport", "Interchange"]),
  Row(
    kind: .library, layer: 3, name: "Transports", path: "Plugins/Transports",
    uses: ["Model", "SystemSupport", "Sync", "Articles"]),
  module(
    3, "Workspace",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Anchoring", "Search", "Interchange", "Sync",
      "Storage", "Files", "Editing", "Rendering", "Watching", "RichText", "RichMarkdown",
    ],
    libraries: [logging, .target(name: "CYaml")]),

  Row(
    kind: .library, layer: 4, name: "BuiltIn", path: "Plugins/BuiltIn",
    uses: [
      "Model", "Anchoring", "Search", "Interchange", "Sync", "Editing", "Rendering",
      "Strategies", "CodeLexers", "Formats", "CardStrategies", "Transports", "Workspace",
    ]),

  module(
    4, "LibrarySync",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "RichText", "RichMarkdown", "Sync", "Storage",
      "Files", "Workspace",
    ]),
  module(
    4, "LibraryExchange",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Anchoring", "RichText", "Interchange", "Storage",
      "Files", "Rendering", "RichTextFormats", "RichMarkdown", "Converting", "Workspace",
    ]),
  module(
    4, "LibraryFormatting",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Anchoring", "RichText", "Storage", "Editing",
      "RichMarkdown", "Workspace",
    ]),
  Row(
    kind: .library, layer: 4, name: "ProcessPlugins", path: "Plugins/Process",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Anchoring", "Search", "Interchange", "Editing",
      "Workspace",
    ], libraries: [.target(name: "CSys")]),
  module(
    5, "DaemonKit",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Sync", "Configuration", "Files", "Rendering",
      "Watching", "Workspace", "LibrarySync",
    ],
    libraries: [logging, .target(name: "CSys")]),

  module(
    5, "Actions",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "RichText", "RichMarkdown", "Search",
      "Interchange", "Sync", "Configuration", "Storage", "Files", "Editing", "Rendering",
      "Scrivener", "Workspace", "LibrarySync", "LibraryExchange", "LibraryFormatting",
      "Pairing",
    ]),
  module(4, "Pairing", uses: ["Model", "SystemSupport", "Files", "Workspace"]),

  module(
    6, "WebReader",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Interchange", "Storage", "Files",
      "Editing", "Rendering", "Workspace", "DaemonKit", "Pairing", "Actions",
    ]),
  Row(
    kind: .library, layer: 6, name: "Console", path: "Apps/Console",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Search", "Configuration", "Files", "Editing",
      "Rendering", "Workspace", "Actions", "DaemonKit", "BuiltIn", "LibraryExchange",
      "ProcessPlugins",
    ], libraries: [arguments]),
  Row(
    kind: .library, layer: 7, name: "Commands", path: "Apps/Commands",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "RichText", "Search", "Interchange", "Sync",
      "Configuration", "Storage", "Files", "Editing", "Rendering", "Reader", "Workspace", "Actions",
      "DaemonKit", "Pairing", "BuiltIn", "LibrarySync", "LibraryExchange", "LibraryFormatting",
      "ProcessPlugins", "Console",
    ], libraries: [arguments]),
  Row(
    kind: .library, layer: 7, name: "DaemonProgram", path: "Apps/DaemonProgram",
    uses: ["SystemSupport", "BuiltIn", "DaemonKit", "Console"],
    libraries: [arguments, logging, .target(name: "CMalloc"), .target(name: "CSys")]),
  Row(
    kind: .library, layer: 8, name: "ReaderProgram", path: "Apps/ReaderProgram",
    uses: ["SystemSupport", "Rendering", "Reader", "Console", "Commands"],
    libraries: [arguments, .target(name: "CMalloc")]),
  // A separate program, because only this one links Pango.
  Row(
    kind: .executable, layer: 7, name: "diple-card", path: "Apps/diple-card",
    uses: ["SystemSupport", "Interchange", "CardDrawing"]),
  // A separate program, because only this one parses untrusted content with third-party libraries.
  Row(
    kind: .executable, layer: 7, name: "diple-fetch", path: "Apps/diple-fetch",
    uses: ["SystemSupport", "Interchange", "PageFetching"]),
  // A separate program, because only this one links Tesseract.
  Row(
    kind: .executable, layer: 7, name: "diple-ocr", path: "Apps/diple-ocr",
    uses: ["SystemSupport", "Interchange", "TextRecognition"]),
  // A separate program, because only this one links Poppler.
  Row(
    kind: .executable, layer: 7, name: "diple-pdf", path: "Apps/diple-pdf",
    uses: ["SystemSupport", "Interchange", "PDFReading"]),
  // A separate program, because only this one connects to servers and links the libraries for this.
  Row(
    kind: .executable, layer: 7, name: "diple-transport", path: "Apps/diple-transport",
    uses: ["SystemSupport", "NetworkTransports"]),
  // A separate program, because only this one accepts connections of browsers and links the
  // libraries for this.
  Row(
    kind: .executable, layer: 9, name: "diple-serve", path: "Apps/diple-serve",
    uses: [
      "Model", "SystemSupport", "Rendering", "Console", "Workspace", "Actions", "Pairing",
      "WebReader",
    ],
    libraries: [arguments, .target(name: "CQREncode")] + networking,
    embedded: "Web"),
  // `diple` contains all of these programs except the REPL. `dipled` and `diple-read` are for
  // builds that create no links.
  Row(
    kind: .executable, layer: 9, name: "diple", path: "Apps/diple",
    uses: ["Commands", "Console", "DaemonProgram", "ReaderProgram"],
    libraries: [.target(name: "CMalloc")]),
  Row(
    kind: .executable, layer: 9, name: "dipled", path: "Apps/dipled", uses: ["DaemonProgram"]),
  Row(
    kind: .executable, layer: 9, name: "diple-read", path: "Apps/diple-read",
    uses: ["ReaderProgram"]),
  Row(
    kind: .executable, layer: 9, name: "diple-repl", path: "Apps/diple-repl",
    uses: ["SystemSupport", "Rendering", "Console", "Commands"],
    libraries: [arguments, .target(name: "CReadline")]),

  Row(
    kind: .library, layer: 4, name: "TestSupport", path: "Tests/TestSupport",
    uses: ["Model", "SystemSupport"]),
  // Also a product: `Tooling/Benchmarks` runs the same checks with more input.
  Row(
    kind: .library, layer: 5, name: "MarkdownChecks", path: "Tests/MarkdownChecks",
    uses: ["Model", "MarkdownParse", "TestSupport"]),
  // Also a product: `Tooling/Benchmarks` creates formats with it.
  Row(
    kind: .library, layer: 5, name: "RichTextChecks", path: "Tests/RichTextChecks",
    uses: ["RichText", "RichTextFormats", "TestSupport"]),
  // Also a product: `Tooling/Benchmarks` runs the same checks with more input.
  Row(
    kind: .library, layer: 5, name: "SyncChecks", path: "Tests/SyncChecks",
    uses: ["Model", "Storage", "TestSupport"]),
  Row(
    kind: .library, layer: 5, name: "SyncHistories", path: "Tests/SyncHistories",
    uses: [
      "Model", "Storage", "Sync", "Workspace", "BuiltIn", "Files", "LibrarySync", "TestSupport",
    ]),
  Row(
    kind: .library, layer: 5, name: "LibrarySupport", path: "Tests/LibrarySupport",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Editing", "Workspace", "BuiltIn", "TestSupport",
    ]),
  tests("Model", uses: ["Model"]),
  tests("SystemSupport", uses: ["SystemSupport"]),
  tests("MarkdownParse", uses: ["Model", "MarkdownParse", "MarkdownChecks"]),
  tests("Anchoring", uses: ["Model", "MarkdownParse", "Anchoring", "Strategies"]),
  tests("Interchange", uses: ["Model", "Interchange"]),
  tests("Sync", uses: ["Model", "Sync"]),
  tests("Configuration", uses: ["SystemSupport", "Configuration"]),
  tests("RichText", uses: ["Model", "RichText", "RichTextChecks"]),
  tests("RichTextFormats", uses: ["Model", "RichText", "RichTextFormats", "RichTextChecks"]),
  tests(
    "RichMarkdown",
    uses: ["Model", "MarkdownParse", "RichText", "RichMarkdown", "RichTextChecks"]),
  tests("Search", uses: ["Model", "Search", "Strategies"]),
  tests(
    "Storage", uses: ["Model", "Storage", "SyncChecks"], libraries: [.target(name: "CSQLite")]),
  tests("Files", uses: ["Model", "SystemSupport", "Files"]),
  tests("Editing", uses: ["Model", "MarkdownParse", "Editing"]),
  tests(
    "Rendering",
    uses: ["Model", "MarkdownParse", "RichText", "RichTextChecks", "Rendering", "CodeLexers"]),
  tests("Watching", uses: ["Model", "SystemSupport", "Watching"], hasSupport: false),
  tests(
    "Reader", uses: ["Model", "MarkdownParse", "RichText", "Editing", "Rendering", "Reader"]),
  tests(
    "Workspace",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Search", "Interchange", "Storage", "Files",
      "Editing", "Rendering", "Workspace", "BuiltIn", "LibraryExchange", "LibraryFormatting",
      "LibrarySupport",
    ],
    libraries: [.target(name: "CXattr")], exclude: ["Reanchoring/RenderVersion1"]),
  tests(
    "LibrarySync",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "RichText", "Sync", "Storage", "RichMarkdown",
      "Workspace", "BuiltIn", "LibrarySync", "LibraryFormatting", "LibrarySupport", "SyncHistories",
    ]),
  tests(
    "LibraryExchange",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Interchange", "Storage", "Editing", "RichText",
      "RichTextFormats", "Workspace", "LibraryExchange", "BuiltIn", "LibraryFormatting",
      "LibrarySupport",
    ]),
  tests(
    "LibraryFormatting",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Editing", "Rendering", "RichText", "Workspace",
      "LibraryFormatting", "LibrarySupport",
    ]),
  tests(
    "Strategies",
    uses: [
      "Model", "MarkdownParse", "Anchoring", "Search", "RichText", "RichTextChecks", "Editing",
      "Rendering", "Strategies", "CodeLexers", "MarkdownChecks",
    ]),
  tests("CodeLexers", uses: ["Rendering", "CodeLexers"]),
  tests(
    "Formats",
    uses: [
      "Model", "MarkdownParse", "RichText", "Interchange", "Files", "Rendering", "Formats",
    ]),
  tests(
    "CardStrategies", uses: ["Model", "SystemSupport", "Interchange", "CardStrategies"],
    hasSupport: false),
  tests(
    "CardDrawing", uses: ["Model", "Interchange", "CardStrategies", "CardDrawing"],
    libraries: [.target(name: "CPango")], exclude: ["golden-cards.txt"], hasSupport: false),
  tests("Articles", uses: ["Model", "MarkdownParse", "Articles"]),
  tests("PageFetching", uses: ["Interchange", "PageFetching"]),
  tests("TextRecognition", uses: ["Interchange", "TextRecognition"]),
  tests("PDFReading", uses: ["Interchange", "PDFReading"]),
  tests("Converting", uses: ["Model", "SystemSupport", "Converting"]),
  tests(
    "Scrivener",
    uses: ["Model", "SystemSupport", "MarkdownParse", "RichText", "RichMarkdown", "Scrivener"]),
  tests(
    "ProcessPlugins",
    uses: [
      "Model", "MarkdownParse", "Anchoring", "Search", "Interchange", "Editing", "Workspace",
      "BuiltIn", "LibraryExchange", "ProcessPlugins",
    ]),
  tests(
    "DaemonKit", uses: ["SystemSupport", "Workspace", "LibrarySync", "DaemonKit"],
    libraries: [logging]),
  tests(
    "Actions",
    uses: [
      "Model", "SystemSupport", "RichText", "Interchange", "Configuration", "Editing",
      "MarkdownParse", "Workspace", "BuiltIn", "LibrarySync", "LibraryExchange", "Actions",
    ]),
  tests(
    "Console",
    uses: ["Model", "SystemSupport", "MarkdownParse", "Rendering", "Actions", "Console"],
    libraries: [arguments]),
  tests(
    "Commands",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Interchange", "Editing", "Rendering", "Reader",
      "Workspace", "Actions", "BuiltIn", "LibrarySync", "DaemonKit", "Console", "Commands",
      "LibrarySupport",
    ], libraries: [arguments]),
  tests("Pairing", uses: ["Model", "SystemSupport", "Workspace", "Pairing"]),
  tests(
    "WebReader",
    uses: ["Model", "MarkdownParse", "Rendering", "Actions", "Pairing", "WebReader"],
    hasSupport: false),
  Row(
    kind: .test, layer: 8, name: "PluginAuthorTests", path: "Tests/PluginAuthorTests",
    uses: [
      "Model", "MarkdownParse", "Anchoring", "Search", "Interchange", "Sync", "Editing",
      "Rendering", "TestSupport",
    ], seesPublicOnly: true),
  // Uses a program that some of the tests start.
  Row(
    kind: .test, layer: 10, name: "TransportsTests", path: "Tests/TransportsTests",
    uses: [
      "Model", "SystemSupport", "Sync", "Transports", "NetworkTransports", "SyncHistories",
      "TestSupport", "diple", "diple-transport",
    ]),
  Row(
    kind: .test, layer: 10, name: "EndToEndTests", path: "Tests/EndToEnd",
    uses: [
      "Model", "Workspace", "Actions", "BuiltIn", "DaemonKit", "TestSupport", "diple",
      "diple-repl", "diple-read", "dipled", "diple-card", "diple-fetch", "diple-ocr",
      "diple-pdf", "diple-transport", "diple-serve",
    ],
    exclude: ["Transcripts"]),
  Row(
    kind: .test, layer: 10, name: "ServeTests", path: "Tests/ServeTests",
    uses: ["SystemSupport", "TestSupport", "diple", "diple-serve"]),
  // Uses the programs that the scenarios in `Browser` start.
  Row(
    kind: .test, layer: 10, name: "ServeBrowserTests", path: "Tests/ServeBrowserTests",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Rendering", "CodeLexers", "MarkdownChecks",
      "TestSupport", "diple", "diple-serve", "diple-card",
    ],
    exclude: ["Browser"]),
  Row(
    kind: .test, layer: 10, name: "HostileTests", path: "Tests/Hostile",
    uses: [
      "Model", "SystemSupport", "MarkdownParse", "Configuration", "Files", "Editing", "Workspace",
      "BuiltIn", "DaemonKit", "ProcessPlugins", "TestSupport", "diple", "dipled",
    ]),
]

let layers = Dictionary(uniqueKeysWithValues: rows.map { ($0.name, $0.layer) })
for row in rows {
  for used in row.uses {
    guard let layer = layers[used] else { fatalError("\(row.name) uses unknown target \(used)") }
    precondition(
      layer < row.layer,
      "\(row.name) (layer \(row.layer)) may not use \(used) (layer \(layer)): arrows point down only"
    )
  }
}

let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  .enableUpcomingFeature("InferIsolatedConformances"),
  .treatAllWarnings(as: .error),
]

/// Returns the compiler settings of a target.
func compiling(_ row: Row) -> [SwiftSetting] {
  let isSmall = row.kind != .test && !Row.hot.contains(row.name)
  return settings
    + (isSmall ? [.unsafeFlags(["-Osize"], .when(configuration: .release))] : [])
}

/// Returns the linker settings of a program. `Tooling/release` sets the variables. `diple` is a
/// single static file, because loading libraries would take a third of a short command's time. The
/// other programs share the dynamic libraries of the Swift runtime in their folder.
func linking(_ row: Row) -> [LinkerSetting] {
  let variable = "DIPLE_RELEASE_" + (row.name == "diple" ? "STATIC" : "DYNAMIC")
  guard row.kind == .executable, let flags = Context.environment[variable] else { return [] }
  let map = "-Map=\(Context.packageDirectory)/.build-release/maps/\(row.name).map"
  return [.unsafeFlags(flags.split(separator: "\n").map(String.init) + ["-Xlinker", map])]
}

/// Describes a C library of the system, which has a module map in `Modules/CLibraries`.
///
/// - Parameters:
///   - debian: the name of Debian's package; nil for a part of the C library.
///   - pkgConfig: the name of the pkg-config file; nil if no options are needed.
func system(_ name: String, debian: String? = nil, pkgConfig: String? = nil) -> Target {
  .systemLibrary(
    name: name, path: "Modules/CLibraries/\(name)", pkgConfig: pkgConfig,
    providers: debian.map { [.apt([$0])] })
}

let package = Package(
  name: "diple",
  products: rows.compactMap { row in
    switch row.kind {
    case .library
    where row.path.hasPrefix("Modules") || row.path.hasPrefix("Plugins")
      || ["MarkdownChecks", "RichTextChecks", "SyncChecks"].contains(row.name):
      .library(name: row.name, targets: [row.name])
    case .executable: .executable(name: row.name, targets: [row.name])
    default: nil
    }
  },
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
    .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    .package(
      url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2", traits: []),
    .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
  ],
  targets: rows.map { row in
    let dependencies = row.uses.map { Target.Dependency.target(name: $0) } + row.libraries
    return switch row.kind {
    case .library:
      .target(
        name: row.name, dependencies: dependencies, path: row.path,
        packageAccess: !row.seesPublicOnly, swiftSettings: compiling(row))
    case .executable:
      .executableTarget(
        name: row.name, dependencies: dependencies, path: row.path,
        resources: row.embedded.map { [.embedInCode($0)] } ?? [], swiftSettings: compiling(row),
        linkerSettings: linking(row))
    case .test:
      .testTarget(
        name: row.name, dependencies: dependencies, path: row.path, exclude: row.exclude,
        packageAccess: !row.seesPublicOnly, swiftSettings: settings)
    }
  } + [
    .target(name: "CSys", path: "Modules/CLibraries/CSys"),
    .target(
      name: "CICU", path: "Modules/CLibraries/CICU",
      linkerSettings: [
        .linkedLibrary("icuuc"), .linkedLibrary("icudata"), .linkedLibrary("stdc++"),
      ]),
    system("CMalloc"),
    system("CXattr"),
    system("CCurl", debian: "libcurl4-openssl-dev"),
    system("CGumbo", debian: "libgumbo-dev"),
    system("CPango", debian: "libpango1.0-dev", pkgConfig: "pangocairo"),
    system("CPCRE2", debian: "libpcre2-dev"),
    system("CPoppler", debian: "libpoppler-glib-dev", pkgConfig: "poppler-glib"),
    system("CPQ", debian: "libpq-dev", pkgConfig: "libpq"),
    system("CQPDF", debian: "libqpdf-dev", pkgConfig: "libqpdf"),
    system("CQREncode", debian: "libqrencode-dev"),
    system("CReadline", debian: "libreadline-dev"),
    system("CSodium", debian: "libsodium-dev"),
    system("CSQLite", debian: "libsqlite3-dev"),
    system("CTesseract", debian: "libtesseract-dev"),
    system("CYaml", debian: "libyaml-dev"),
    system("CZip", debian: "libzip-dev"),
    system("CZstd", debian: "libzstd-dev"),
  ]
)
