// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadBuffers
import PlayheadPlayback
import PlayheadText
import PlayheadTime

/// Makes pictures of the subtitles that an output has read, and tells for how long each is right.
///
/// - Concurrency: one thread at a time.
final class SubtitleComposer {
    /// What is seen during a stretch of time, in the subtitles' own times.
    struct Entry: Sendable {
        var range: MediaTimeRange
        /// Nil for nothing.
        var drawing: SubtitleRasterizer.Drawing?
    }

    /// How long a moment of a line is shown that moves: fifty pictures a second.
    static let animationStep = MediaTime(value: 1, timescale: 50)
    /// What makes a line move or change by itself.
    private static let animatingTags = ["\\t(", "\\move(", "\\fad", "\\k", "\\K"]
    /// A moment that takes the processor longer to draw than this, in nanoseconds, is the last of its
    /// track: whoever made it means harm, or more than this machine can do.
    private static let longestDrawing: Int64 = 5_000_000_000

    private let rasterizer: SubtitleRasterizer
    private var track: ObjectIdentifier?
    private var generation = 0
    private var hasGivenUp = false
    /// The first drawing looks for fonts, which on a machine that has never done so takes long.
    private var hasDrawn = false

    init() throws(TextError) { rasterizer = try SubtitleRasterizer() }

    /// What is seen at a time, and for how long.
    func entry(
        at time: MediaTime, of output: PlayerItemLegibleOutput, layout: SubtitleRasterizer.Layout
    ) -> Entry {
        let look = output.withStore { store, track -> Look in
            let isOther = track != self.track || store.generation != generation
            if isOther { (self.track, generation, hasGivenUp) = (track, store.generation, false) }
            return Look(
                script: isOther ? store.script : nil,
                lines: Array(store.lines.dropFirst(isOther ? 0 : taken)),
                shown: store.cues(at: time),
                begin: store.change(after: time + VideoFrame.timeTolerance, isForward: false),
                end: store.change(after: time))
        }
        guard let look else {
            track = nil
            taken = 0
            return Entry(range: .all)
        }
        if let script = look.script {
            rasterizer.begin(script)
            taken = 0
        }
        rasterizer.append(look.lines)
        taken += look.lines.count
        let begin = look.begin ?? .negativeInfinity
        let end = look.end ?? .positiveInfinity
        var range =
            begin.isNumeric
            ? MediaTimeRange(start: begin, duration: end.isNumeric ? end - begin : end)
            : end.isNumeric
                ? MediaTimeRange(start: end - Self.longAgo, duration: Self.longAgo) : .all
        guard !look.shown.isEmpty, !hasGivenUp else { return Entry(range: range) }
        if look.shown.contains(where: Self.isAnimated) {
            let step = end.isNumeric ? min(Self.animationStep, end - time) : Self.animationStep
            range = MediaTimeRange(start: time, duration: step)
        }
        let bitmaps = look.shown.flatMap { cue -> [SubtitleBitmap] in
            if case .bitmaps(let bitmaps) = cue.content { bitmaps } else { [] }
        }
        let start = Self.threadNanoseconds
        let drawing = rasterizer.draw(at: time, layout: layout, bitmaps: bitmaps)
        hasGivenUp = hasDrawn && Self.threadNanoseconds - start > Self.longestDrawing
        hasDrawn = true
        return Entry(range: range, drawing: drawing)
    }

    /// What the processor has done for this thread: a machine that is busy with others does not count.
    private static var threadNanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Lines that the rasterizer has been given, whether or not it could use them.
    private var taken = 0
    /// Longer than any film: ranges need a beginning that is a number, or none.
    private static let longAgo = MediaTime(value: 1 << 32, timescale: 1)

    private struct Look {
        var script: SubtitleScript?
        var lines: [SubtitleCue]
        var shown: [SubtitleCue]
        var begin: MediaTime?
        var end: MediaTime?
    }

    private static func isAnimated(_ cue: SubtitleCue) -> Bool {
        guard case .line(let line) = cue.content else { return false }
        if animatingTags.contains(where: line.contains(text:)) { return true }
        // The effects that move lines by themselves: Banner, Scroll up and Scroll down.
        let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
        return fields.count == 9 && !fields[7].isEmpty
    }
}
