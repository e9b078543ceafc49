// SPDX-License-Identifier: Apache-2.0

import Glibc

/// How pictures get from the processor's memory into textures.
///
/// Which way is quickest depends on the driver, and on the size of pictures: it is found out while the
/// first pictures are uploaded (`UploadTrial`). The environment variable `PLAYHEAD_UPLOAD` with one of
/// the names overrides that.
package enum PictureUpload: String, Sendable, Hashable, CaseIterable {
    /// Straight from where the decoder left it: the driver copies before it goes on.
    case direct
    /// By way of OpenGL's own memory, which the driver reads later: a ring of pixel unpack buffers.
    case ring
    /// From OpenGL's memory that the decoder worked in: the processor copies nothing. Pictures that a
    /// decoder left elsewhere go the other ways.
    case mapped

    /// Name of the environment variable that overrides the choice.
    package static let variable = "PLAYHEAD_UPLOAD"

    /// What the environment asks for.
    package static var forced: PictureUpload? {
        getenv(variable).flatMap { PictureUpload(rawValue: String(cString: $0)) }
    }
}
