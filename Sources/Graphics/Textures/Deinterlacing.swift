// SPDX-License-Identifier: Apache-2.0

/// The treatment of frames that consist of two fields, taken one after the other.
///
/// Only frames that the stream flags as interlaced are affected. Both methods show one field after
/// the other, so motion is as smooth as it was recorded.
///
/// - Corresponds to: mpv's `--deinterlace`, FFmpeg's `bwdif`.
public enum Deinterlacing: String, Sendable, Hashable, CaseIterable {
    /// Both fields at once, as stored: moving edges show combing.
    case none
    /// Each field alone, with the rows between interpolated: still areas lose half of their rows,
    /// and flicker.
    case bob
    /// As `bob` where there is motion; elsewhere with the rows of the other field.
    case adaptive
}
