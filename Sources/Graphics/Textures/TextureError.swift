// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL

/// The reason why a frame cannot be shown.
public enum TextureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The samples are not stored in whole bytes, or OpenGL has no texture for them.
    case unsupportedFormat(PixelFormat)
    /// An error of OpenGL.
    case gl(GLError)

    /// The subject, the problem and the remedy.
    public var description: String {
        switch self {
        case .unsupportedFormat(let format):
            "frames of format \(format) cannot be drawn; convert the video to yuv420p"
        case .gl(let error):
            error.description
        }
    }
}
