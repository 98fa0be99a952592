/// What can be seen of an object before all of it is read.
package enum ObjectCheck {
  /// How many bytes of each end `check` needs.
  package static let endSize = max(SignedFile.Header.size, SignedFile.trailerSize)

  /// Checks whether an object is what its name says, and whether the device signed it, by its ends.
  ///
  /// - Parameter signer: the keys of the replica that the name says.
  package static func check(
    _ ends: ObjectEnds, of name: ObjectName, signer: DevicePublicKeys
  ) throws(SegmentError) {
    try SignedFile.check(ends, of: name, signer)
  }
}
