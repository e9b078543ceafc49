// SPDX-License-Identifier: Apache-2.0

/// The treatment of interlaced frames, which consist of two fields that were taken one after the
/// other.
///
/// Only frames that the stream flags as interlaced are affected. `bob` and `adaptive` show one
/// field after the other, so motion is as smooth as it was recorded.
///
/// - Corresponds to: mpv's `--deinterlace`, FFmpeg's `bwdif`.
public enum Deinterlacing: String, Sendable, Hashable, CaseIterable {
    /// Shows both fields at once, as stored. Moving edges show combing.
    case none
    /// Shows each field by itself, and interpolates the rows that the field does not have. Still
    /// areas lose half of their rows, and flicker.
    case bob
    /// Interpolates rows like `bob` where there is motion, and takes the rows of the other field
    /// elsewhere.
    case adaptive
}
