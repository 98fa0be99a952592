import ReaderProgram

@main
enum Main {
  static func main() async { await ReaderProgram.main() }
}
