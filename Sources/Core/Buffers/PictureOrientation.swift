// SPDX-License-Identifier: Apache-2.0

/// The mirroring and rotation that turn a stored frame upright for display.
///
/// A phone stores frames as the sensor captured them and records how the phone was held.
///
/// - Corresponds to: `CGImagePropertyOrientation`, and the matrix of an MP4 track header.
public struct PictureOrientation: Sendable, Hashable {
    /// The number of clockwise quarter turns, 0 to 3, applied after mirroring.
    public var quarterTurns: Int
    /// A Boolean value that indicates whether the frame is mirrored left to right before the
    /// rotation.
    public var isMirrored: Bool

    /// Creates an orientation from any number of clockwise quarter turns.
    public init(quarterTurns: Int, isMirrored: Bool = false) {
        self.quarterTurns = ((quarterTurns % 4) + 4) % 4
        self.isMirrored = isMirrored
    }

    /// The orientation of a frame that is stored upright.
    public static let up = PictureOrientation(quarterTurns: 0)

    /// A Boolean value that indicates whether the orientation exchanges width and height.
    package var swapsAxes: Bool { quarterTurns % 2 == 1 }
    /// The rotation in degrees clockwise: 0, 90, 180 or 270.
    package var degrees: Int { quarterTurns * 90 }
}
