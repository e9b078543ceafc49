// SPDX-License-Identifier: Apache-2.0

/// What becomes of pictures that are two fields, taken one after the other.
///
/// Only pictures flagged so by their stream are touched. Either kind shows one field after the other,
/// so motion is as smooth as it was filmed.
///
/// - Corresponds to: mpv's `--deinterlace`, FFmpeg's `bwdif`.
public enum Deinterlacing: String, Sendable, Hashable, CaseIterable {
    /// Both fields at once, as stored: what moves has combs.
    case none
    /// Each field alone, the rows between made of their neighbours: what stands still loses half of
    /// its rows, and trembles.
    case bob
    /// As `bob` where something moves; where nothing does, the rows of the other field.
    case adaptive
}
