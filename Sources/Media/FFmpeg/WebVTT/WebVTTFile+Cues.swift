// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime

extension WebVTTFile {
    /// Returns the subtitles of the file. A cue whose end is not after its start is shown until the
    /// next one begins.
    func subtitles(limits: SubtitleLimits) -> [SubtitleCue] {
        var lines = WebVTTLines()
        lines.take(self)
        return cues.compactMap { cue in
            guard let line = lines.line(of: cue.cue, limit: limits.lineBytes) else { return nil }
            let start = MediaTime(value: cue.start, timescale: 1000)
            let end = MediaTime(value: cue.end, timescale: 1000)
            var shown = SubtitleCue(
                timeRange: MediaTimeRange(
                    start: start,
                    end: end > start ? end : start + WebVTTLines.usualDuration),
                content: .line(line))
            shown.isOpenEnded = end <= start
            return shown
        }
    }
}
