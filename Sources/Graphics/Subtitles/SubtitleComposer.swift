// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadBuffers
import PlayheadPlayback
import PlayheadText
import PlayheadTime

/// Composes images of the subtitles that an output has read, and returns the time range of each.
///
/// - Concurrency: one thread at a time.
final class SubtitleComposer {
    /// The subtitles displayed during a time range, in the subtitles' own times.
    struct Entry: Sendable {
        var range: MediaTimeRange
        /// The image; nil if no subtitle is displayed.
        var drawing: SubtitleRasterizer.Drawing?
    }

    /// The duration of one step of an animated line: fifty images a second.
    static let animationStep = MediaTime(value: 1, timescale: 50)
    /// The tags that animate a line.
    private static let animatingTags = ["\\t(", "\\move(", "\\fad", "\\k", "\\K"]
    /// The longest time to draw an image, in nanoseconds. After an image that takes longer, nothing
    /// more of its track is drawn, because the track is malicious or too demanding for this
    /// machine.
    private static let longestDrawing: Int64 = 5_000_000_000

    private let rasterizer: SubtitleRasterizer
    private var track: ObjectIdentifier?
    private var generation = 0
    private var hasGivenUp = false
    /// True after the first drawing, which looks up fonts and can take long on a machine that has
    /// never done so.
    private var hasDrawn = false

    init() throws(TextError) { rasterizer = try SubtitleRasterizer() }

    /// Returns the subtitles displayed at a time, and their time range.
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

    /// The CPU time of this thread, so that other load on the machine does not count.
    private static var threadNanoseconds: Int64 {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// The number of lines that the rasterizer was given, whether or not it could use them.
    private var taken = 0
    /// A time before the start of any video: ranges need a numeric start.
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
        // The effects that move lines: Banner, Scroll up and Scroll down.
        let fields = line.split(separator: ",", maxSplits: 8, omittingEmptySubsequences: false)
        return fields.count == 9 && !fields[7].isEmpty
    }
}
