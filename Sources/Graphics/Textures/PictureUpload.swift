// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A method of uploading frames from the CPU's memory into textures.
///
/// The fastest method depends on the driver and on the size of the frames. It is measured while the
/// first frames are uploaded (`UploadTrial`). If the environment variable `PLAYHEAD_UPLOAD`
/// contains the name of a method, that method is used instead.
package enum PictureUpload: String, Sendable, Hashable, CaseIterable {
    /// Uploads directly from the decoder's memory. The driver copies the frame before the call
    /// returns.
    case direct
    /// Uploads through a ring of pixel unpack buffers. The frame is copied to OpenGL memory, which
    /// the driver reads later.
    case ring
    /// Uploads from OpenGL memory into which the decoder writes, so that the CPU copies nothing.
    /// Frames in other memory are uploaded with another method.
    case mapped

    /// The name of the environment variable that overrides the choice.
    package static let variable = "PLAYHEAD_UPLOAD"

    /// The method that the environment variable names; nil if the variable names no method.
    package static var forced: PictureUpload? {
        getenv(variable).flatMap { PictureUpload(rawValue: String(cString: $0)) }
    }
}
