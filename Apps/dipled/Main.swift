import DaemonProgram

@main
enum Main {
  static func main() { DaemonProgram.main() }
}
