// SPDX-License-Identifier: Apache-2.0

import PlayheadTime
import Testing

@testable import PlayheadVideoCompositions

@Suite struct LayerInstructionTests {
    private func seconds(_ value: Int64, _ scale: Int32 = 1) -> MediaTime {
        MediaTime(value: value, timescale: scale)
    }

    private func range(_ start: Int64, _ end: Int64) -> MediaTimeRange {
        MediaTimeRange(start: seconds(start), end: seconds(end))
    }

    @Test func `properties have their defaults before the first ramp`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setOpacityRamp(from: 0.2, to: 0.8, timeRange: range(2, 4))
        layer.setTransformRamp(
            from: .scale(x: 2, y: 2), to: .scale(x: 4, y: 4), timeRange: range(2, 4))
        layer.setCropRectangle(CropRectangle(x: 1, y: 2, width: 3, height: 4), at: seconds(2))
        let before = seconds(1999, 1000)
        #expect(layer.opacity(at: before) == 1)
        #expect(layer.transform(at: before) == .identity)
        #expect(layer.cropRectangle(at: before) == nil)
    }

    @Test func `a ramp jumps to its first value, is linear, and keeps the last one`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setOpacityRamp(from: 0.25, to: 0.75, timeRange: range(2, 4))
        layer.setOpacityRamp(from: 0, to: 1, timeRange: range(6, 10))
        #expect(layer.opacity(at: seconds(2)) == 0.25)
        #expect(layer.opacity(at: seconds(3)) == 0.5)
        #expect(layer.opacity(at: seconds(4)) == 0.75)
        #expect(layer.opacity(at: seconds(5)) == 0.75)
        #expect(layer.opacity(at: seconds(6)) == 0)
        #expect(layer.opacity(at: seconds(7)) == 0.25)
        #expect(layer.opacity(at: seconds(100)) == 1)
    }

    @Test func `each entry of a transform is interpolated`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        let start = Transform2D(a: 1, b: 2, c: 3, d: 4, tx: 5, ty: 6)
        let end = Transform2D(a: 9, b: 6, c: 7, d: 8, tx: 1, ty: -6)
        layer.setTransformRamp(from: start, to: end, timeRange: range(0, 4))
        #expect(
            layer.transform(at: seconds(1))
                == Transform2D(a: 3, b: 3, c: 4, d: 5, tx: 4, ty: 3))
    }

    @Test func `origin and size of a crop rectangle are interpolated, also to an empty one`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setCropRectangleRamp(
            from: CropRectangle(x: 0, y: 0, width: 100, height: 50),
            to: CropRectangle(x: 50, y: 20, width: 0, height: 0), timeRange: range(0, 2))
        #expect(
            layer.cropRectangle(at: seconds(1))
                == CropRectangle(x: 25, y: 10, width: 50, height: 25))
    }

    @Test func `the ramp at a time is given, else the next, else none`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setOpacityRamp(from: 1, to: 0, timeRange: range(2, 4))
        layer.setOpacity(0.5, at: seconds(6))
        #expect(layer.opacityRamp(at: seconds(0))?.timeRange == range(2, 4))
        #expect(layer.opacityRamp(at: seconds(3))?.timeRange == range(2, 4))
        #expect(layer.opacityRamp(at: seconds(4))?.startValue == 0.5)
        #expect(layer.opacityRamp(at: seconds(6))?.timeRange.duration == .zero)
        #expect(layer.opacityRamp(at: seconds(7)) == nil)
    }

    @Test func `a ramp replaces those that it overlaps, in any order of the calls`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setOpacityRamp(from: 0.5, to: 0.6, timeRange: range(6, 8))
        layer.setOpacityRamp(from: 0, to: 1, timeRange: range(0, 4))
        layer.setOpacityRamp(from: 1, to: 0.3, timeRange: range(3, 5))
        #expect(layer.opacity(at: seconds(1)) == 1)
        #expect(layer.opacity(at: seconds(5)) == 0.3)
        #expect(layer.opacity(at: seconds(8)) == 0.6)
        layer.setOpacity(0.1, at: seconds(3))
        #expect(layer.opacity(at: seconds(3)) == 0.1)
        #expect(layer.opacity(at: seconds(5)) == 0.1)
    }

    @Test func `an instruction knows whether its picture changes without a new frame`() {
        var layer = VideoCompositionLayerInstruction(trackID: 1)
        layer.setOpacity(0.5, at: .zero)
        var instruction = VideoCompositionInstruction(
            timeRange: range(0, 4), layerInstructions: [layer])
        #expect(!instruction.containsTweening)
        layer.setOpacity(0.7, at: seconds(2))
        instruction.layerInstructions = [layer]
        #expect(instruction.containsTweening)
        instruction.timeRange = range(2, 4)
        #expect(!instruction.containsTweening)
    }

    @Test func `only a single unchanged layer needs no compositing`() {
        let layer = VideoCompositionLayerInstruction(trackID: 7)
        var instruction = VideoCompositionInstruction(
            timeRange: range(0, 4), layerInstructions: [layer])
        #expect(instruction.plainTrackID == 7)
        var faded = layer
        faded.setOpacityRamp(from: 1, to: 0, timeRange: range(3, 4))
        instruction.layerInstructions = [faded]
        #expect(instruction.plainTrackID == nil)
        // The ramp begins after the instruction.
        instruction.timeRange = range(0, 3)
        #expect(instruction.plainTrackID == 7)
        instruction.layerInstructions = [layer, VideoCompositionLayerInstruction(trackID: 8)]
        #expect(instruction.plainTrackID == nil)
        instruction.layerInstructions = []
        #expect(instruction.plainTrackID == nil)
    }

    @Test func `a transition is at 0 in its first frame and at 1 in its last`() {
        let instruction = VideoCompositionInstruction(timeRange: range(1, 3))
        let step = seconds(1, 10)
        func progress(_ frame: Int64) -> Double {
            instruction.transitionProgress(at: seconds(10 + frame, 10), frameDuration: step)
        }
        #expect(progress(0) == 0)
        #expect(progress(19) == 1)
        #expect(abs(progress(5) - 5.0 / 19) < 1e-12)
    }

    @Test func `transforms are concatenated as in AVFoundation`() {
        // First scaled, then moved.
        let transform = Transform2D.scale(x: 2, y: 3)
            .concatenating(.translation(x: 10, y: 20))
        #expect(transform == Transform2D(a: 2, b: 0, c: 0, d: 3, tx: 10, ty: 20))
        let other = Transform2D.translation(x: 10, y: 20).concatenating(.scale(x: 2, y: 3))
        #expect(other == Transform2D(a: 2, b: 0, c: 0, d: 3, tx: 20, ty: 60))
        let turned = Transform2D.rotation(angle: .pi / 2)
        // A point to the right of the origin goes below it: y grows downwards.
        #expect(abs(turned.a) < 1e-12 && abs(turned.b - 1) < 1e-12)
    }
}
