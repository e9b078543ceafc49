// SPDX-License-Identifier: Apache-2.0

/// How a stored picture has to be turned to stand upright: a mirroring, then a rotation.
///
/// Phones store what the sensor saw and note how the phone was held.
///
/// - Corresponds to: `CGImagePropertyOrientation`, and the matrix of an MP4 track header.
public struct PictureOrientation: Sendable, Hashable {
    /// Quarter turns clockwise, 0 to 3, applied after mirroring.
    public var quarterTurns: Int
    /// Whether left and right are exchanged first.
    public var isMirrored: Bool

    public init(quarterTurns: Int, isMirrored: Bool = false) {
        self.quarterTurns = ((quarterTurns % 4) + 4) % 4
        self.isMirrored = isMirrored
    }

    /// As it is stored.
    public static let up = PictureOrientation(quarterTurns: 0)

    /// Whether width and height change places.
    package var swapsAxes: Bool { quarterTurns % 2 == 1 }
    /// Degrees clockwise: 0, 90, 180 or 270.
    package var degrees: Int { quarterTurns * 90 }
}
