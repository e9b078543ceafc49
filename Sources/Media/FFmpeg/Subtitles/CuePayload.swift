// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets

/// Subtitles that a demuxer of this module has parsed itself. It is the payload of packets that
/// `CueDecoder` decodes.
///
/// - Concurrency: any thread; immutable.
final class CuePayload: Sendable {
    let cues: [SubtitleCue]
    /// The reason why subtitles could not be read; nil if there was no error.
    let error: MediaError?

    init(_ cues: [SubtitleCue], error: MediaError? = nil) {
        (self.cues, self.error) = (cues, error)
    }
}
