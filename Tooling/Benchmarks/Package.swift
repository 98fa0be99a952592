// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that Diple's own package stays small.

func own(_ names: String...) -> [Target.Dependency] {
  names.map { .product(name: $0, package: "diple") }
}

// Some programs use `package` declarations of Diple, so they are compiled with the name of Diple's
// package. For a package in a folder, the package manager uses the folder's name.
let folder = Context.packageDirectory.split(separator: "/").dropLast(2).last ?? "diple"
let inside: [SwiftSetting] = [.unsafeFlags(["-package-name", folder.lowercased()])]

let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "diple", path: "../..")],
  targets: [
    .executableTarget(
      name: "diple-bench",
      dependencies: own(
        "Model", "MarkdownParse", "Anchoring", "Search", "Strategies",
        "Editing", "Rendering", "Reader", "Storage", "Sync", "RichText", "Workspace",
        "LibrarySync", "LibraryFormatting", "BuiltIn", "SystemSupport", "Files")
        + ["CAllocator"],
      packageAccess: false, swiftSettings: inside),
    .executableTarget(
      name: "parse-bench",
      dependencies: own("Model", "MarkdownParse", "MarkdownChecks") + [
        "CAllocator", "CMarkGFM", "CMd4c",
      ],
      packageAccess: false, swiftSettings: inside),
    .executableTarget(
      name: "parse-check", dependencies: own("MarkdownParse", "MarkdownChecks"),
      packageAccess: false, swiftSettings: inside),
    .executableTarget(
      name: "format-bench",
      dependencies: own("Model", "RichText", "RichTextFormats", "RichTextChecks"),
      packageAccess: false, swiftSettings: inside),
    .executableTarget(
      name: "format-check", dependencies: own("RichText", "RichTextFormats", "RichTextChecks"),
      packageAccess: false, swiftSettings: inside),
    .executableTarget(
      name: "sync-check", dependencies: own("Model", "Sync", "SyncChecks"),
      packageAccess: false, swiftSettings: inside),
    // Can only be linked with `-sanitize=fuzzer`.
    .executableTarget(name: "parse-fuzz", dependencies: own("MarkdownChecks") + ["CFuzzer"]),
    .systemLibrary(name: "CFuzzer"),
    .systemLibrary(name: "CAllocator"),
    .systemLibrary(
      name: "CMarkGFM",
      providers: [.apt(["libcmark-gfm-dev", "libcmark-gfm-extensions-dev"])]),
    .systemLibrary(name: "CMd4c", providers: [.apt(["libmd4c-dev"])]),
  ]
)
