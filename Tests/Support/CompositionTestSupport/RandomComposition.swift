// SPDX-License-Identifier: Apache-2.0

package import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
package import PlayheadCompositions
package import PlayheadTime
package import PlayheadVideoCompositions

/// A random composition of several video tracks, and instructions for it.
package struct RandomComposition {
    /// The frames of one track: what is on display from a time on, nil for nothing.
    private typealias Display = [(start: MediaTime, number: Int?)]

    private static let size = (width: 256, height: 32)

    package let composition = MutableComposition()
    package var videoComposition: VideoComposition
    /// The content of each track, by its ID.
    private var displays: [Int: Display] = [:]

    /// Media with numbered frames at several rates.
    private static let films: [(asset: SyntheticAsset, track: AssetTrack)] = [
        (MediaTime(value: 1, timescale: 25), 12, 2),
        (MediaTime(value: 1001, timescale: 30000), 5, 0),
        (MediaTime(value: 1, timescale: 60), 30, 4),
    ].compactMap { duration, interval, bidirectional in
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(frameDuration: duration, count: 120), sounds: [])
        (media.width, media.height) = size
        media.keyframeInterval = interval
        media.bidirectionalFrames = bidirectional
        let asset = SyntheticAsset(media)
        return (try? AssetReader(asset: asset).description.tracks.first).map { (asset, $0) }
    }

    /// Makes tracks of cuts of the media, some at another speed, some with nothing between them.
    ///
    /// - Parameter rate: The frames a second of the pictures.
    package init(
        _ random: inout SplitMix64, trackCount: Int, seconds: Double, rate: Int32
    ) throws {
        videoComposition = VideoComposition(
            renderSize: (512, 32 * ((trackCount + 1) / 2)),
            frameDuration: MediaTime(value: 1, timescale: rate))
        for _ in 0..<trackCount {
            let track = try composition.addMutableTrack(withMediaType: .video)
            while track.timeRange.end.seconds < seconds {
                let film = Self.films[Int.random(in: 0..<Self.films.count, using: &random)]
                let start = Int64.random(in: 0..<700, using: &random)
                let range = MediaTimeRange(
                    start: MediaTime(value: start, timescale: 600),
                    duration: MediaTime(
                        value: Int64.random(in: 30...400, using: &random), timescale: 600))
                let place = track.timeRange.end
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try track.insert([.empty(duration: range.duration)], at: .invalid)
                    try track.insertTimeRange(
                        range, of: film.track, in: film.asset, at: place + range.duration)
                    continue
                }
                try track.insertTimeRange(range, of: film.track, in: film.asset, at: .invalid)
                if Int.random(in: 0..<4, using: &random) == 0 {
                    try track.scaleTimeRange(
                        MediaTimeRange(start: place, duration: range.duration),
                        toDuration: MediaTime(
                            value: Int64.random(in: 30...600, using: &random), timescale: 600))
                }
            }
            displays[track.trackID] = Self.display(of: track)
        }
    }

    package var trackIDs: [Int] { composition.tracks.map(\.trackID) }

    /// Returns the number of the frame that a track shows at a time.
    package func number(of track: Int, at time: MediaTime) -> Int? {
        displays[track]?.last { $0.start <= time + VideoFrame.timeTolerance }?.number
    }

    /// The frames of segments, by the definition of a segment.
    private static func display(of track: CompositionTrack) -> Display {
        var display: Display = []
        for segment in track.segments {
            let (source, target) = (segment.timeMapping.source, segment.timeMapping.target)
            guard let film = films.first(where: { $0.asset === segment.asset }),
                let times = film.asset.media.frameTimes
            else {
                display.append((target.start, nil))
                continue
            }
            let first = times.index(at: source.start + VideoFrame.timeTolerance) ?? 0
            for index in first..<times.count {
                let time = max(times.time(of: index), source.start)
                guard time < source.end - VideoFrame.timeTolerance else { break }
                display.append(
                    (index == first ? target.start : time.mapped(from: source, to: target), index))
            }
        }
        display.append((track.timeRange.end, nil))
        return display
    }

    // MARK: - Instructions

    /// Adds an instruction that shows each track in a tile of its own.
    package mutating func addTiles() {
        let layers = trackIDs.enumerated().map { index, id in
            var layer = VideoCompositionLayerInstruction(trackID: id)
            layer.setTransform(
                .translation(x: Double(index % 2 * 256), y: Double(index / 2 * 32)), at: .zero)
            return layer
        }
        videoComposition.instructions = [
            VideoCompositionInstruction(
                timeRange: MediaTimeRange(start: .zero, end: composition.duration),
                layerInstructions: layers, backgroundColor: SIMD4(0.5, 0.5, 0.5, 1))
        ]
    }

    /// Adds instructions with random layers, ramps and transitions, some of which need no
    /// compositing.
    ///
    /// - Parameter effects: The paths of transitions to use besides those without a file.
    package mutating func addRandomInstructions(
        _ random: inout SplitMix64, effects: [String] = []
    ) {
        videoComposition.renderSize = Self.size
        var start = MediaTime.zero
        while start < composition.duration {
            let length = MediaTime(
                value: Int64.random(in: 10...45, using: &random), timescale: 30)
            let end = min(start + length, composition.duration)
            let range = MediaTimeRange(start: start, end: end)
            let ids = trackIDs.shuffled(using: &random)
            var instruction = VideoCompositionInstruction(timeRange: range)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                instruction.layerInstructions = [VideoCompositionLayerInstruction(trackID: ids[0])]
            case 1 where ids.count > 1:
                instruction.layerInstructions = ids.prefix(2).map {
                    VideoCompositionLayerInstruction(trackID: $0)
                }
                let kinds: [VideoCompositionTransition.Kind] =
                    [.dissolve, .push(from: .left), .wipe(from: .bottom)]
                    + effects.map { .effect($0) }
                instruction.transition = VideoCompositionTransition(
                    kinds[Int.random(in: 0..<kinds.count, using: &random)], from: ids[0],
                    to: ids[1])
            default:
                let count = Int.random(in: 0...ids.count, using: &random)
                instruction.layerInstructions = ids.prefix(count).map {
                    Self.layer($0, range, &random)
                }
            }
            videoComposition.instructions.append(instruction)
            start = end
        }
    }

    private static func layer(
        _ id: Int, _ range: MediaTimeRange, _ random: inout SplitMix64
    ) -> VideoCompositionLayerInstruction {
        var layer = VideoCompositionLayerInstruction(trackID: id)
        func number(_ range: ClosedRange<Double>) -> Double {
            Double.random(in: range, using: &random)
        }
        func transform() -> Transform2D {
            Transform2D.scale(x: number(0.3...1.4), y: number(0.3...1.4))
                .concatenating(.rotation(angle: number(-0.6...0.6)))
                .concatenating(.translation(x: number(-60...120), y: number(-10...20)))
        }
        func crop() -> CropRectangle {
            CropRectangle(
                x: number(0...100), y: number(0...10), width: number(20...200),
                height: number(5...30))
        }
        layer.setOpacityRamp(from: number(0...1), to: number(0...1), timeRange: range)
        layer.setTransformRamp(from: transform(), to: transform(), timeRange: range)
        if Bool.random(using: &random) {
            layer.setCropRectangleRamp(from: crop(), to: crop(), timeRange: range)
        }
        return layer
    }
}
