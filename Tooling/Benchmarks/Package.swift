// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the product's stays small.
let package = Package(
  name: "benchmarks",
  dependencies: [.package(name: "diple", path: "../..")],
  targets: [
    .executableTarget(
      name: "diple-bench",
      dependencies: [
        .product(name: "Model", package: "diple"),
        .product(name: "MarkdownParse", package: "diple"),
        .product(name: "Anchoring", package: "diple"),
        .product(name: "AnchorStrategies", package: "diple"),
      ])
  ]
)
