// SPDX-License-Identifier: Apache-2.0

public import PlayheadAssets
public import PlayheadTime

extension VideoComposition {
    /// The maximum width and height of a frame. Every supported OpenGL can draw this size.
    private static let largestSide = 16_384

    /// Returns a Boolean value that indicates whether the composition can be drawn.
    ///
    /// - Parameters:
    ///   - tracks: The tracks of the asset. All tracks of the composition must be among them.
    ///   - timeRange: The time that the instructions must cover.
    ///   - validationDelegate: The object that receives each error; nil to stop at the first error.
    /// - Corresponds to: `isValid(for:timeRange:validationDelegate:)`.
    public func isValid(
        tracks: [AssetTrack], timeRange: MediaTimeRange,
        validationDelegate: (any VideoCompositionValidationHandling)? = nil
    ) -> Bool {
        var isValid = true
        forEachFault(tracks: tracks, timeRange: timeRange) { fault in
            isValid = false
            return validationDelegate?.videoComposition(self, shouldContinueValidatingAfter: fault)
                ?? false
        }
        return isValid
    }

    /// Returns a Boolean value that indicates whether the composition can be drawn with an asset.
    ///
    /// - Parameters:
    ///   - timeRange: The time that the instructions must cover; nil for the duration of the asset.
    ///   - validationDelegate: The object that receives each error; nil to stop at the first error.
    /// - Throws: The error of opening the asset.
    public func isValid(
        for asset: Asset, timeRange: MediaTimeRange? = nil,
        validationDelegate: (any VideoCompositionValidationHandling)? = nil
    ) async throws(MediaError) -> Bool {
        let description = try await asset.load(.description)
        return isValid(
            tracks: description.tracks, timeRange: timeRange ?? description.shownRange,
            validationDelegate: validationDelegate)
    }

    /// Throws the first error in the composition, if there is one.
    package func validate(
        tracks: [AssetTrack], timeRange: MediaTimeRange
    ) throws(VideoCompositionError) {
        var first: VideoCompositionError?
        forEachFault(tracks: tracks, timeRange: timeRange) {
            first = $0
            return false
        }
        if let first { throw first }
    }

    /// Calls `body` with each error until `body` returns false.
    private func forEachFault(
        tracks: [AssetTrack], timeRange: MediaTimeRange, _ body: (VideoCompositionError) -> Bool
    ) {
        let ids = Set(tracks.filter { $0.mediaType == .video }.map(\.id))
        for fault in generalFaults(ids) where !body(fault) { return }
        var end = timeRange.start
        for (index, instruction) in instructions.enumerated() {
            if let fault = rangeFault(of: instruction.timeRange) {
                if !body(fault.at(index)) { return }
                continue
            }
            let range = instruction.timeRange
            if range.start > end, range.start > timeRange.start, end < timeRange.end {
                if !body(gap(from: end, to: min(range.start, timeRange.end)).at(index)) { return }
            } else if index > 0, range.start < end {
                let fault = VideoCompositionError(
                    .overlap, cause: "it begins before the previous instruction ends",
                    remedy: "begin it at \(end)", time: range.start)
                if !body(fault.at(index)) { return }
            }
            if range.end > end || index == 0 { end = range.end }
            for fault in faults(of: instruction, ids) where !body(fault.at(index)) { return }
        }
        let last = timeRange.end
        if last.isNumeric, end < last { _ = body(gap(from: end, to: last)) }
    }

    private func generalFaults(_ ids: Set<Int>) -> [VideoCompositionError] {
        var faults: [VideoCompositionError] = []
        let sides = 1...Self.largestSide
        if !sides.contains(renderSize.width) || !sides.contains(renderSize.height) {
            faults.append(
                VideoCompositionError(
                    .invalidRenderSize,
                    cause: "the render size is \(renderSize.width) x \(renderSize.height)",
                    remedy: "use a width and a height from 1 to \(Self.largestSide)"))
        } else if !renderScale.isFinite || renderScale <= 0
            || !sides.contains(pixelSize.width) || !sides.contains(pixelSize.height)
        {
            faults.append(
                VideoCompositionError(
                    .invalidRenderSize, cause: "the render scale is \(renderScale)",
                    remedy: "use a positive number that gives a width and a height from 1 to "
                        + "\(Self.largestSide)"))
        }
        if !frameDuration.isNumeric || frameDuration <= .zero {
            faults.append(
                VideoCompositionError(
                    .invalidFrameDuration, cause: "the frame duration is \(frameDuration)",
                    remedy: "use a positive number of seconds, such as 1/30"))
        }
        if let id = sourceTrackIDForFrameTiming, !ids.contains(id) {
            faults.append(unknownTrack(id, ids))
        }
        return faults
    }

    private func rangeFault(of range: MediaTimeRange) -> VideoCompositionError? {
        guard range.isValid, range.start.isNumeric,
            range.duration.isNumeric || range.duration.isPositiveInfinity
        else {
            return VideoCompositionError(
                .invalidTimeRange, cause: "its time range is \(range)",
                remedy: "use a start and a duration that are numbers", time: range.start)
        }
        guard range.isEmpty else { return nil }
        return VideoCompositionError(
            .emptyTimeRange, cause: "its time range is empty", remedy: "remove it",
            time: range.start)
    }

    private func gap(from start: MediaTime, to end: MediaTime) -> VideoCompositionError {
        VideoCompositionError(
            .gap, cause: "no instruction covers the time from \(start) to \(end)",
            remedy: VideoCompositionError.gapRemedy, time: start)
    }

    private func unknownTrack(_ id: Int, _ ids: Set<Int>) -> VideoCompositionError {
        VideoCompositionError(
            .unknownTrack, cause: "the asset has no such video track",
            remedy: ids.isEmpty
                ? "use an asset with video"
                : "use one of \(ids.sorted().map(String.init).joined(separator: ", "))",
            trackID: id)
    }

    private func faults(
        of instruction: VideoCompositionInstruction, _ ids: Set<Int>
    ) -> [VideoCompositionError] {
        var faults: [VideoCompositionError] = []
        var seen: Set<Int> = []
        for layer in instruction.layerInstructions where !seen.insert(layer.trackID).inserted {
            faults.append(
                VideoCompositionError(
                    .repeatedTrack, cause: "the instruction has two layers for this track",
                    remedy: "insert the track's media into a second track, and use that track for "
                        + "one of the layers",
                    trackID: layer.trackID, time: instruction.timeRange.start))
        }
        for id in instruction.requiredSourceTrackIDs where !ids.contains(id) {
            faults.append(unknownTrack(id, ids))
        }
        if let transition = instruction.transition {
            for id in [transition.fromTrackID, transition.toTrackID] where !seen.contains(id) {
                faults.append(
                    VideoCompositionError(
                        .transitionWithoutLayer,
                        cause: "its transition needs a layer for this track", remedy: "add one",
                        trackID: id, time: instruction.timeRange.start))
            }
        }
        let color = instruction.backgroundColor
        if !(0..<4).allSatisfy({ color[$0].isFinite }) {
            faults.append(
                VideoCompositionError(
                    .invalidColor, cause: "its background colour is not finite",
                    remedy: "use numbers from 0 to 1"))
        }
        return faults + instruction.layerInstructions.flatMap(self.faults)
    }

    private func faults(of layer: VideoCompositionLayerInstruction) -> [VideoCompositionError] {
        let ramps = layer.ramps
        var faults: [VideoCompositionError] = []
        func add(
            _ code: VideoCompositionError.Code, _ cause: String, _ remedy: String, _ time: MediaTime
        ) {
            faults.append(
                VideoCompositionError(
                    code, cause: cause, remedy: remedy, trackID: layer.trackID, time: time))
        }
        func check<Value>(
            _ ramp: VideoCompositionRamp<Value>, _ property: String
        ) -> Bool {
            let range = ramp.timeRange
            guard range.isValid, range.start.isNumeric, range.duration.isNumeric else {
                add(
                    .invalidTimeRange, "the time range of its \(property) is \(range)",
                    "use numbers", range.start)
                return false
            }
            return true
        }
        for ramp in ramps.opacity where check(ramp, "opacity") {
            for value in [ramp.startValue, ramp.endValue] where !(0...1).contains(value) {
                add(
                    .invalidOpacity, "its opacity is \(value)", "use a number from 0 to 1",
                    ramp.timeRange.start)
                break
            }
        }
        for ramp in ramps.transform where check(ramp, "transform") {
            if !ramp.startValue.isFinite || !ramp.endValue.isFinite {
                add(
                    .invalidTransform, "its transform is not finite", "use numbers",
                    ramp.timeRange.start)
            } else if ramp.startValue.determinant == 0, ramp.endValue.determinant == 0 {
                // The start or the end of a ramp may be singular: this animates a layer from or to
                // nothing.
                add(
                    .singularTransform, "its transform maps frames to a line or a point",
                    "set the opacity to 0 to hide the layer", ramp.timeRange.start)
            }
        }
        for ramp in ramps.crop where check(ramp, "crop rectangle") {
            if !ramp.startValue.isValid || !ramp.endValue.isValid {
                add(
                    .invalidCropRectangle, "its crop rectangle is not finite, or is negative",
                    "use numbers, and a size that is not negative", ramp.timeRange.start)
            }
        }
        return faults
    }
}

extension VideoCompositionError {
    /// The remedy for a time that no instruction covers.
    static let gapRemedy =
        "begin each instruction where the one before it ends, and end the last one with the "
        + "composition"

    /// Returns the error with the index of its instruction.
    fileprivate func at(_ index: Int) -> VideoCompositionError {
        var error = self
        error.instructionIndex = index
        return error
    }
}

extension AssetDescription {
    /// The range from the start of the asset to its end.
    package var shownRange: MediaTimeRange {
        let start = startTime.isNumeric ? startTime : .zero
        return MediaTimeRange(
            start: start, end: end.isNumeric ? max(end, start) : .positiveInfinity)
    }
}
