// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadGL

/// Why a picture cannot be shown.
public enum TextureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The samples do not lie in whole bytes, or OpenGL has no texture that holds them.
    case unsupportedFormat(PixelFormat)
    /// OpenGL refused.
    case gl(GLError)

    public var description: String {
        switch self {
        case .unsupportedFormat(let format):
            "pictures of format \(format) cannot be drawn; convert the film to yuv420p"
        case .gl(let error):
            error.description
        }
    }
}
