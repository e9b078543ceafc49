// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadLayers
import PlayheadPlayback
import PlayheadText
package import PlayheadTime

/// The subtitles of single frames of a video: for stills, and for videos that are rendered to
/// files.
///
///     let subtitles = try SubtitleStills(asset: SubtitleFile.asset("film.srt"))
///     scene.layers += try [subtitles.layer(at: time, over: picture, width: 1920, height: 1080)]
///         .compactMap { $0 }
///
/// - Concurrency: one thread at a time; waits for reading and drawing.
/// - Errors: `MediaError` if they cannot be read, `TextError` without libass.
package final class SubtitleStills {
    private let reader: SubtitleReader
    private let rasterizer: SubtitleRasterizer
    private var store: SubtitleStore
    private let isFile: Bool
    /// The scale of the letters relative to the file.
    package var fontScale = 1.0
    /// The delay of subtitles relative to the file.
    package var delay = MediaTime.zero
    /// The range that has been read, `invalid` before the first read.
    private var run = (start: MediaTime.invalid, end: MediaTime.invalid)
    private var drawnCount = 0

    /// Creates the subtitles of a track.
    ///
    /// - Parameters:
    ///   - asset: the video, or a file of subtitles.
    ///   - trackID: the video's track; nil for the first track of a subtitle file, which is read as
    ///     a whole.
    ///   - frameRate: returns the frame rate of the video, for files that count frames.
    package init(
        asset: Asset, trackID: Int? = nil, frameRate: () throws -> Double = { 0 }
    ) throws {
        reader = try SubtitleReader(asset: asset, trackID: trackID)
        if reader.frameCount != nil { reader.frameRate = try frameRate() }
        rasterizer = try SubtitleRasterizer()
        rasterizer.begin(reader.script)
        store = SubtitleStore(limits: reader.limits)
        isFile = trackID == nil
    }

    /// Returns a layer with the subtitles that are displayed at a time; nil if there are none.
    ///
    /// - Parameters:
    ///   - film: the frame over which the subtitles are drawn, in a layer that covers the whole
    ///     target and keeps the frame's aspect ratio.
    ///   - width: the width of the target, in pixels.
    package func layer(
        at time: MediaTime, over film: PixelBuffer, width: Int, height: Int
    ) throws -> Layer? {
        let time = time - delay
        try read(to: time)
        rasterizer.append(store.lines.dropFirst(drawnCount))
        drawnCount = store.lines.count
        let shown = store.cues(at: time)
        guard !shown.isEmpty else { return nil }
        let (filmWidth, filmHeight) = film.displaySize
        let scale = min(Double(width) / filmWidth, Double(height) / filmHeight)
        let size = (Int((filmWidth * scale).rounded()), Int((filmHeight * scale).rounded()))
        let swaps = film.attachments.orientation.swapsAxes
        let layout = SubtitleRasterizer.Layout(
            width: size.0, height: size.1, storageWidth: swaps ? film.height : film.width,
            storageHeight: swaps ? film.width : film.height, fontScale: fontScale,
            filmColor: film.color)
        let bitmaps = shown.flatMap { cue -> [SubtitleBitmap] in
            if case .bitmaps(let bitmaps) = cue.content { bitmaps } else { [] }
        }
        guard let drawing = rasterizer.draw(at: time, layout: layout, bitmaps: bitmaps) else {
            return nil
        }
        let frame = LayerRect(
            x: Double((width - size.0) / 2 + drawing.x),
            y: Double((height - size.1) / 2 + drawing.y), width: Double(drawing.picture.width),
            height: Double(drawing.picture.height))
        return Layer(.image(drawing.picture), frame: .pixels(frame), gravity: .resize)
    }

    /// The duration that is read before a requested time, because lines are displayed for some
    /// seconds, and signs for longer.
    private static let preroll = MediaTime(value: 10, timescale: 1)

    /// The maximum time that other tracks may be ahead of the subtitles that are stored next to
    /// them in a file: the buffering of a transport stream (ISO/IEC 13818-1, 2.4.2.6).
    private static let interleaving = MediaTime(value: 1, timescale: 1)

    private func read(to time: MediaTime) throws {
        if isFile {
            guard !run.start.isValid else { return }
            while let step = try reader.read() { store.add(step.cues) }
            run.start = .zero
            return
        }
        if !run.start.isValid || time < run.start || time > run.end + Self.preroll {
            let start = time - Self.preroll
            try reader.seek(to: start)
            store.jump()
            run = (start, start)
        }
        while run.end <= time + Self.interleaving {
            guard let step = try reader.read() else {
                run.end = .positiveInfinity
                return
            }
            store.add(step.cues)
            if step.time.isNumeric { run.end = max(run.end, step.time) }
        }
    }
}
