import Model
package import SystemSupport

/// Converts between RTF, DOCX and ODT, and to PDF, with LibreOffice in headless mode.
///
/// It uses a temporary profile in which macros are disabled and links to other files and hosts
/// aren't followed.
///
/// ```swift
/// let pdf = try await LibreOffice().convert(bytes, from: .docx, to: .pdf, title: "")
/// ```
package struct LibreOffice: DocumentConverter {
  private let conversion: Conversion

  /// - Parameters:
  ///   - limits: the limits of a conversion.
  ///   - searchPath: the folders in which the program is searched for, as in `PATH`; nil for the
  ///     `PATH` of this process.
  package init(limits: ConversionLimits = ConversionLimits(), searchPath: String? = nil) {
    conversion = Conversion(
      name: "LibreOffice", program: "soffice", package: "libreoffice-writer-nogui", limits: limits,
      searchPath: searchPath)
  }

  package var conversions: [(from: OfficeFormat, to: OfficeFormat)] {
    let read: [OfficeFormat] = [.rtf, .docx, .odt]
    let written: [OfficeFormat] = [.rtf, .docx, .odt, .pdf]
    return read.flatMap { from in written.filter { $0 != from }.map { (from, $0) } }
  }

  package func version() async throws(UserError) -> String {
    guard conversion.isInstalled else { throw conversion.missing }
    let line = try await conversion.version()
    guard line.hasPrefix("LibreOffice ") else {
      throw UserError(.plugin, "the installed soffice is not LibreOffice: \(line)")
    }
    return line
  }

  package func convert(
    _ bytes: [UInt8], from: OfficeFormat, to: OfficeFormat, title: String
  ) async throws(UserError) -> [UInt8] {
    guard let reader = Self.reader(from), let writer = Self.writer(to), from != to else {
      throw UserError(
        .usage, "LibreOffice is not used to convert \(from.rawValue) to \(to.rawValue)")
    }
    guard conversion.isInstalled else { throw conversion.missing }
    try conversion.check(bytes, from)
    return try await conversion.run(
      bytes,
      { folder in
        [
          "-env:UserInstallation=file://\(Self.encoded(folder))/profile", "--headless",
          "--norestore", "--nolockcheck", "--nodefault", "--infilter=\(reader)", "--convert-to",
          "\(to.rawValue):\(writer)", "--outdir", folder + "/out",
          folder + "/input." + from.rawValue,
        ]
      }, input: "input." + from.rawValue, output: "out/input." + to.rawValue,
      files: ["profile/user/registrymodifications.xcu": Self.settings], as: to)
  }

  /// Returns a path with the characters escaped that aren't allowed in URLs.
  private static func encoded(_ path: String) -> String {
    PercentEncoding.encoded(path) {
      PercentEncoding.isUnreserved($0) && $0 != UInt8(ascii: "~") || $0 == UInt8(ascii: "/")
    }
  }

  /// Returns LibreOffice's import filter for a format, so that it tries no other; nil if the format
  /// isn't supported.
  private static func reader(_ format: OfficeFormat) -> String? {
    switch format {
    case .rtf: "Rich Text Format"
    case .docx: "MS Word 2007 XML"
    case .odt: "writer8"
    default: nil
    }
  }

  private static func writer(_ format: OfficeFormat) -> String? {
    format == .pdf ? "writer_pdf_Export" : reader(format)
  }

  private static let settings = """
    <?xml version="1.0" encoding="UTF-8"?>
    <oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
    <item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="DisableMacrosExecution" oor:op="fuse"><value>true</value></prop></item>
    <item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="MacroSecurityLevel" oor:op="fuse"><value>3</value></prop></item>
    <item oor:path="/org.openoffice.Office.Common/Security/Scripting"><prop oor:name="BlockUntrustedRefererLinks" oor:op="fuse"><value>true</value></prop></item>
    <item oor:path="/org.openoffice.Office.Writer/Content/Update"><prop oor:name="Link" oor:op="fuse"><value>0</value></prop></item>
    </oor:items>
    """
}
