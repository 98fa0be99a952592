/// Verifies objects without reading them completely.
package enum ObjectCheck {
  /// The number of bytes that `check` needs from each end of the object.
  package static let endSize = max(SignedFile.Header.size, SignedFile.trailerSize)

  /// Verifies whether the header of an object matches its name, and whether the device signed the
  /// hash at its end. It does not detect changes to the body.
  ///
  /// - Parameter signer: The public keys of the replica in the name.
  /// - Throws: `SegmentError.tooShort` if an end has too few bytes, `.notOurs`, `.otherVault`,
  ///   `.nameMismatch` or `.newerReader` if the header is unacceptable, `.badSignature` if `signer`
  ///   didn't sign the hash.
  package static func check(
    _ ends: ObjectEnds, of name: ObjectName, signer: DevicePublicKeys
  ) throws(SegmentError) {
    try SignedFile.check(ends, of: name, signer)
  }
}
