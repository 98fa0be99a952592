/// Times formatting and RTF.
/// usage: format-bench [SEED]
@main
enum Main {
  static func main() throws {
    try FormatBenchmark(Array(CommandLine.arguments.dropFirst())).run()
  }
}
