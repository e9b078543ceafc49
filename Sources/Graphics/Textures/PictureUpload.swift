// SPDX-License-Identifier: Apache-2.0

import Glibc

/// A way in which frames get from the CPU's memory into textures.
///
/// The fastest one depends on the driver, and on the size of frames: it is measured while the first
/// frames are uploaded (`UploadTrial`). The environment variable `PLAYHEAD_UPLOAD` with one of the
/// names overrides that.
package enum PictureUpload: String, Sendable, Hashable, CaseIterable {
    /// Directly from the decoder's memory: the driver copies before the call returns.
    case direct
    /// Through memory of OpenGL, which the driver reads later: a ring of pixel unpack buffers.
    case ring
    /// From memory of OpenGL into which the decoder writes, so the CPU copies nothing. Frames in
    /// other memory are uploaded in another way.
    case mapped

    /// The name of the environment variable that overrides the choice.
    package static let variable = "PLAYHEAD_UPLOAD"

    /// The way that the environment asks for.
    package static var forced: PictureUpload? {
        getenv(variable).flatMap { PictureUpload(rawValue: String(cString: $0)) }
    }
}
