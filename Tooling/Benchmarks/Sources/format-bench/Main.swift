/// Measures the speed of formatting, and of reading and writing RTF.
/// usage: format-bench [SEED]
@main
enum Main {
  static func main() throws {
    try FormatBenchmark(Array(CommandLine.arguments.dropFirst())).run()
  }
}
