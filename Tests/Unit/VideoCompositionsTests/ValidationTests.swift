// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Testing

@testable import PlayheadVideoCompositions

@Suite struct ValidationTests {
    /// Hears faults up to a number.
    private final class Listener: VideoCompositionValidationHandling {
        var faults: [VideoCompositionError] = []
        let limit: Int

        init(limit: Int = .max) { self.limit = limit }

        func videoComposition(
            _ composition: VideoComposition,
            shouldContinueValidatingAfter fault: VideoCompositionError
        ) -> Bool {
            faults.append(fault)
            return faults.count < limit
        }
    }

    private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(
            start: MediaTime(value: start, timescale: 1), end: MediaTime(value: end, timescale: 1))
    }

    private let tracks = [1, 2].map { id in
        AssetTrack(
            id: id, mediaType: .video,
            formatDescription: FormatDescription(
                codec: "x", video: .init(width: 64, height: 36, pixelFormat: "yuv420p")),
            timeRange: MediaTimeRange(
                start: .zero, duration: MediaTime(value: 10, timescale: 1)))
    }

    private func composition(
        _ instructions: [VideoCompositionInstruction]
    ) -> VideoComposition {
        var composition = VideoComposition(
            renderSize: (64, 36), frameDuration: MediaTime(value: 1, timescale: 30))
        composition.instructions = instructions
        return composition
    }

    private func instruction(
        _ start: Int64, _ end: Int64, _ layers: [VideoCompositionLayerInstruction] = []
    ) -> VideoCompositionInstruction {
        VideoCompositionInstruction(timeRange: range(start, end), layerInstructions: layers)
    }

    private func faults(
        _ composition: VideoComposition, in time: MediaTimeRange? = nil
    ) -> [VideoCompositionError.Code] {
        let listener = Listener()
        let isValid = composition.isValid(
            tracks: tracks, timeRange: time ?? range(0, 10), validationDelegate: listener)
        #expect(isValid == listener.faults.isEmpty)
        return listener.faults.map(\.code)
    }

    @Test func `contiguous instructions that cover the time are valid`() {
        let layer = VideoCompositionLayerInstruction(trackID: 1)
        #expect(faults(composition([instruction(0, 4, [layer]), instruction(4, 10)])) == [])
        // More than the time is fine, too.
        #expect(faults(composition([instruction(-5, 4), instruction(4, 99)])) == [])
        #expect(
            faults(composition([instruction(0, 2), instruction(2, 4)]), in: range(1, 3)) == [])
    }

    @Test func `gaps and overlaps are heard with their instruction and time`() {
        let listener = Listener()
        let composition = composition([
            instruction(1, 3), instruction(4, 6), instruction(5, 8),
        ])
        #expect(
            !composition.isValid(
                tracks: tracks, timeRange: range(0, 10), validationDelegate: listener))
        #expect(listener.faults.map(\.code) == [.gap, .gap, .overlap, .gap])
        #expect(listener.faults.map(\.instructionIndex) == [0, 1, 2, nil])
        #expect(listener.faults.map(\.time.seconds) == [0, 3, 5, 8])
        #expect(
            listener.faults.last?.remedy.hasSuffix("end the last one with the composition") == true)
    }

    @Test func `without instructions all of the time is a gap`() {
        #expect(faults(composition([])) == [.gap])
        #expect(faults(composition([]), in: range(3, 3)) == [])
    }

    @Test(arguments: [
        MediaTime.zero, .invalid, .positiveInfinity, MediaTime(value: -1, timescale: 30),
    ])
    func `the frame duration is a positive number`(duration: MediaTime) {
        var composition = composition([instruction(0, 10)])
        composition.frameDuration = duration
        #expect(faults(composition) == [.invalidFrameDuration])
    }

    @Test(arguments: [(0, 36), (64, 0), (20_000, 36), (64, 20_000), (-1, 5)])
    func `render sizes of 0 and 20,000 are refused`(width: Int, height: Int) {
        var composition = composition([instruction(0, 10)])
        composition.renderSize = (width, height)
        #expect(faults(composition) == [.invalidRenderSize])
    }

    @Test(arguments: [0, -1, .nan, .infinity, 1000] as [Double])
    func `the render scale is a positive number within the limit`(scale: Double) {
        var composition = composition([instruction(0, 10)])
        composition.renderScale = scale
        #expect(faults(composition) == [.invalidRenderSize])
    }

    @Test func `unknown tracks are heard wherever they are named`() {
        var first = instruction(0, 10, [VideoCompositionLayerInstruction(trackID: 3)])
        first.additionalSourceTrackIDs = [4]
        var composition = composition([first])
        composition.sourceTrackIDForFrameTiming = 5
        let listener = Listener()
        _ = composition.isValid(
            tracks: tracks, timeRange: range(0, 10), validationDelegate: listener)
        #expect(listener.faults.map(\.code) == [.unknownTrack, .unknownTrack, .unknownTrack])
        #expect(listener.faults.map(\.trackID) == [5, 3, 4])
        #expect(
            listener.faults[1].description
                == "video composition, instruction 0, track 3: the asset has no such video track; "
                + "use one of 1, 2")
    }

    @Test func `numbers that cannot be drawn are heard`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setOpacity(1.5, at: .zero)
        layer.setTransform(Transform2D(a: .nan, b: 0, c: 0, d: 1, tx: 0, ty: 0), at: .zero)
        layer.setTransform(.scale(x: 1, y: 0), at: MediaTime(value: 1, timescale: 1))
        layer.setCropRectangle(CropRectangle(x: 0, y: 0, width: -1, height: 5), at: .zero)
        var first = instruction(0, 10, [layer])
        first.backgroundColor = SIMD4(0, .infinity, 0, 1)
        #expect(
            faults(composition([first])) == [
                .invalidColor, .invalidOpacity, .invalidTransform, .singularTransform,
                .invalidCropRectangle,
            ])
    }

    @Test func `a layer may grow from nothing`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setTransformRamp(
            from: .scale(x: 0, y: 0), to: .identity, timeRange: range(0, 1))
        #expect(faults(composition([instruction(0, 10, [layer])])) == [])
    }

    @Test func `time ranges are numbers and not empty`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setOpacityRamp(
            from: 0, to: 1, timeRange: MediaTimeRange(start: .zero, duration: .positiveInfinity))
        let composition = composition([
            VideoCompositionInstruction(timeRange: .invalid), instruction(0, 0),
            instruction(0, 10, [layer]),
        ])
        #expect(faults(composition) == [.invalidTimeRange, .emptyTimeRange, .invalidTimeRange])
    }

    @Test func `a track has one layer, and those of a transition have one`() {
        let layer = VideoCompositionLayerInstruction(trackID: 1)
        var first = instruction(0, 10, [layer, layer])
        first.transition = VideoCompositionTransition(.dissolve, from: 1, to: 2)
        #expect(faults(composition([first])) == [.repeatedTrack, .transitionWithoutLayer])
    }

    @Test func `validation stops when the delegate wants it to`() {
        let listener = Listener(limit: 2)
        var composition = composition([])
        (composition.renderSize, composition.frameDuration) = ((0, 0), .zero)
        #expect(
            !composition.isValid(
                tracks: tracks, timeRange: range(0, 10), validationDelegate: listener))
        #expect(listener.faults.count == 2)
    }

    @Test func `the properties of an asset give a valid composition`() async throws {
        var media = SyntheticMedia()
        (media.width, media.height) = (320, 176)
        let asset = SyntheticAsset(media)
        let composition = try await VideoComposition(propertiesOf: asset)
        #expect(composition.renderSize == (320, 176))
        #expect(composition.sourceTrackIDForFrameTiming != nil)
        #expect(composition.instructions.count == 1)
        #expect(try await composition.isValid(for: asset))
    }

    @Test func `an asset without video gives no instructions`() {
        let composition = VideoComposition(
            propertiesOf: AssetDescription(container: "x", duration: .zero))
        #expect(composition.instructions.isEmpty)
    }

    @Test func `the instruction at a time is found`() {
        let composition = composition([
            instruction(0, 4), instruction(4, 6), instruction(8, 10),
        ])
        func index(_ half: Int64) -> Int? {
            composition.instructionIndex(at: MediaTime(value: half, timescale: 2))
        }
        #expect(
            [-1, 0, 7, 8, 11, 12, 15, 16, 19, 20].map(index)
                == [nil, 0, 0, 1, 1, nil, nil, 2, 2, nil])
    }
}
