package import ArgumentParser

/// An enumeration whose raw values are the values of an option.
///
/// The parser reads the values of a command's options at each start. Its own implementations are
/// generic: for each option, the runtime would search the conformances of all types several times.
package protocol OptionChoice: ExpressibleByArgument, CaseIterable, RawRepresentable<String>
where AllCases == [Self] {}

extension OptionChoice {
  /// The raw values of all cases.
  public static var allValueStrings: [String] {
    // A loop over the collection's elements would search conformances, too.
    let cases = allCases
    var names: [String] = []
    while names.count < cases.count { names.append(cases[names.count].rawValue) }
    return names
  }

  /// The values have no descriptions besides their names.
  public static var allValueDescriptions: [String: String] { [:] }
}
