// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadBuffers
import PlayheadLayers
import PlayheadTime
import PlayheadWindow
import Testing

@testable import PlayheadPlayerUI

/// The layout and the waveform of the trim view.
@Suite("Trim view")
struct TrimViewTests {
    @Test(arguments: [(120, 80), (160, 90), (320, 180), (480, 640), (960, 540), (3840, 2160)])
    func `nothing overlaps or is cut off`(width: Int, height: Int) {
        for scale in [1.0, 1.5, 2] {
            let layout = TrimLayout(width: width, height: height, scale: scale)
            let panel = layout.panel
            #expect(panel.x >= 0 && panel.y >= 0)
            #expect(panel.x + panel.width <= Double(width))
            #expect(panel.y + panel.height <= Double(height))
            let rows = [layout.header, layout.strip, layout.wave, layout.footer]
                .filter { $0.height > 0 }
            for row in rows {
                #expect(row.x >= panel.x && row.x + row.width <= panel.x + panel.width)
                #expect(row.y >= panel.y && row.y + row.height <= panel.y + panel.height)
            }
            for (upper, lower) in zip(rows, rows.dropFirst()) {
                #expect(upper.y + upper.height <= lower.y)
            }
            let whole = MediaTimeRange(start: .zero, duration: MediaTime(value: 1, timescale: 1))
            for handle in [TrimSession.Handle.start, .end] {
                let x = layout.x(of: handle == .start ? whole.start : whole.end, in: whole)
                let rect = layout.rect(of: handle, at: x)
                #expect(rect.x >= panel.x && rect.x + rect.width <= panel.x + panel.width)
                // A point of the handle belongs to it.
                let middle = SIMD2(rect.x + rect.width / 2, rect.y + rect.height / 2)
                let ends = (layout.strip.x, layout.strip.x + layout.strip.width)
                #expect(layout.handle(at: middle, start: ends.0, end: ends.1) == handle)
            }
        }
    }

    @Test func `x coordinates and times are inverse to each other`() {
        let layout = TrimLayout(width: 960, height: 540, scale: 1)
        let visible = MediaTimeRange(
            start: MediaTime(value: 3, timescale: 1), duration: MediaTime(value: 7, timescale: 1))
        for x in stride(from: layout.strip.x, through: layout.strip.x + layout.strip.width, by: 13)
        {
            let back = layout.x(of: layout.time(at: x, in: visible), in: visible)
            #expect(abs(back - x) < 0.001)
        }
    }

    @Test(arguments: 1...6)
    func `the waveform of a column is the peak of its samples`(channels: Int) {
        var random = SplitMix64(seed: UInt64(channels))
        let rate = 8000
        let count = rate * 2
        let samples = (0..<count * channels).map { _ in Float.random(in: -1...1, using: &random) }
        var waveform = TrimWaveform(
            sampleRate: rate, duration: MediaTime(value: 2, timescale: 1))
        // Buffers arrive in pieces of any length.
        var first = 0
        while first < count {
            let length = min(Int.random(in: 1...5000, using: &random), count - first)
            let piece = Array(samples[first * channels..<(first + length) * channels])
            piece.withUnsafeBufferPointer {
                waveform.add($0, channelCount: channels, at: first)
            }
            first += length
        }
        for columns in [1, 7, 100, 400] {
            for column in 0..<columns {
                let from = 2.0 * Double(column) / Double(columns)
                let to = 2.0 * Double(column + 1) / Double(columns)
                // The column shows the intervals that it touches.
                let intervals = count / waveform.interval
                let start = column * intervals / columns * waveform.interval
                let end =
                    ((column + 1) * intervals + columns - 1) / columns * waveform.interval
                let part = samples[start * channels..<end * channels]
                let peak = waveform.peak(from: from, to: to)
                #expect(peak?.lowerBound == part.min() && peak?.upperBound == part.max())
            }
        }
        #expect(waveform.peak(from: 2.5, to: 3) == nil)
    }

    @Test @MainActor
    func `frames, keyframes and the waveform are those that the reader delivers`() async {
        let length = MediaTime(value: 2, timescale: 1)
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: length),
            sounds: [SyntheticSound(.sampleNumbers, duration: length)])
        media.keyframeInterval = 10
        let (reports, continuation) = AsyncStream.makeStream(of: TrimScan.Report.self)
        let scan = TrimScan(asset: SyntheticAsset(media)) { continuation.yield($0) }
        defer { scan.cancel() }
        var timeline = TrimTimeline(
            end: length, frameDuration: MediaTime(value: 1, timescale: 30))
        var waveform: TrimWaveform?
        for await report in reports {
            switch report {
            case .frames(let frames): timeline.add(frames)
            case .complete: timeline.complete()
            case .waveform(let known, let isComplete):
                waveform = known
                if isComplete { continuation.finish() }
            case .failed(let error):
                Issue.record("\(error)")
                continuation.finish()
            }
        }
        #expect(timeline.isComplete)
        #expect(timeline.cuts == (0...60).map { MediaTime(value: $0, timescale: 30) })
        #expect(
            timeline.keyframes
                == stride(from: 0, to: 60, by: 10).map { MediaTime(value: $0, timescale: 30) })
        // The sample of each audio frame is its number, as a fraction of 2²².
        let count = 96000 / 400
        for column in 0..<400 {
            let peak = waveform?.peak(
                from: Double(column) / 200, to: Double(column + 1) / 200)
            let first = Float(column * count) / 4_194_304
            let last = Float((column + 1) * count - 1) / 4_194_304
            #expect(peak == first...last, "column \(column)")
        }
    }

    @MainActor private final class Counter {
        var value = 0
    }

    /// Returns a view with a file of 2 s whose first frame is cut off.
    @MainActor @discardableResult private func openView(
        _ folder: TemporaryFolder, _ former: TrimView? = nil
    ) throws -> TrimView {
        let path = folder.appending("film.mp4")
        if former == nil { try Data([1]).write(to: path) }
        let length = MediaTime(value: 2, timescale: 1)
        let view = former ?? TrimView()
        view.open(
            SyntheticAsset(
                SyntheticMedia(
                    frameTimes: SyntheticFrameTimes(framesPerSecond: 30, duration: length),
                    sounds: [])),
            source: try #require(TrimSource(path: path.path)), end: length,
            frameDuration: MediaTime(value: 1, timescale: 30), aspectRatio: 2)
        view.perform(.step(1))
        return view
    }

    @Test(arguments: [TrimSession.Precision.exact, .keyframes]) @MainActor
    func `the progress of a save is shown, however it is saved`(
        precision: TrimSession.Precision
    ) async throws {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        let (steps, reports) = AsyncStream.makeStream(of: Void.self)
        let (begun, began) = AsyncStream.makeStream(of: Bool.self)
        view.saveHandler = { request, progress in
            began.yield(request.isExact)
            for await _ in steps { progress(0.25) }
            return "film-trim.mp4"
        }
        let (changes, changed) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        view.changeHandler = { changed.yield() }
        view.perform(.save(precision))
        #expect(view.session?.saving == .running(nil))
        for await isExact in begun {
            #expect(isExact == (precision == .exact))
            break
        }
        reports.yield()
        for await _ in changes where view.session?.saving == .running(0.25) { break }
        let bars = view.layers(width: 960, height: 540, scale: 1).count
        reports.finish()
        for await _ in changes where view.session?.isSaving == false { break }
        #expect(view.session?.saving == .saved(path: "film-trim.mp4"))
        // The bar and its ground.
        #expect(view.layers(width: 960, height: 540, scale: 1).count == bars - 2)
        view.close()
    }

    @Test @MainActor func `the file is left after the part is saved, and not if that fails`()
        async throws
    {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        #expect(view.keepsFile)
        let (changes, changed) = AsyncStream.makeStream(
            of: Void.self, bufferingPolicy: .bufferingNewest(1))
        view.changeHandler = { changed.yield() }
        let left = Counter()
        view.saveHandler = { _, _ in throw TrimError("/film-trim.mp4: the disk is full; free it") }
        view.hide()
        #expect(view.keepsFile)
        #expect(!view.mayLeave(.otherFile) { left.value += 1 })
        #expect(view.isVisible)
        view.perform(.confirm)
        for await _ in changes where view.session?.isSaving == false { break }
        #expect(view.session?.saving == .failed("/film-trim.mp4: the disk is full; free it"))
        #expect(left.value == 0 && view.hasUnsavedMarks)

        view.saveHandler = { _, _ in "/film-trim.mp4" }
        #expect(!view.mayLeave(.otherFile) { left.value += 10 })
        view.perform(.confirm)
        for await _ in changes where view.session?.isSaving != true { break }
        #expect(left.value == 10)
        #expect(view.session == nil && !view.keepsFile)
        #expect(view.mayLeave(.otherFile) { left.value += 100 })
        #expect(left.value == 10)
    }

    @Test @MainActor
    func `a file that is left once it has replaced its source is not opened again`() async throws {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        let (steps, go) = AsyncStream.makeStream(of: Void.self)
        view.saveHandler = { _, _ in
            for await _ in steps { break }
            return "film.mp4"
        }
        let (replaced, left) = (Counter(), Counter())
        view.replaceHandler = { _ in replaced.value += 1 }
        view.perform(.replaceSource)
        view.perform(.confirm)
        #expect(!view.mayLeave(.otherFile) { left.value += 1 })
        view.perform(.confirm)
        go.yield()
        let isLeft = await eventually { left.value == 1 }
        #expect(isLeft && view.session == nil)
        #expect(replaced.value == 0)

        // Without the request, it is.
        let other = try openView(folder)
        other.saveHandler = { _, _ in "film.mp4" }
        other.replaceHandler = { _ in replaced.value += 1 }
        other.perform(.replaceSource)
        other.perform(.confirm)
        let isReplaced = await eventually { replaced.value == 1 }
        #expect(isReplaced)
        other.close()
    }

    @MainActor private final class Saves {
        var waiting: [CheckedContinuation<Void, Never>] = []
        var endCount = 0
    }

    @Test @MainActor func `a save that continues after its file was left changes nothing`()
        async throws
    {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        let saves = Saves()
        view.saveHandler = { _, progress in
            await withCheckedContinuation { saves.waiting.append($0) }
            progress(0.75)
            saves.endCount += 1
            return "film-trim-\(saves.endCount).mp4"
        }
        // The same file is opened again, as another asset.
        for count in 1...2 {
            view.perform(.save(.exact))
            let isWaiting = await eventually { saves.waiting.count == count }
            try #require(isWaiting)
            if count == 1 { try openView(folder, view) }
        }
        saves.waiting[0].resume()
        let hasEnded = await eventually { saves.endCount == 1 }
        #expect(hasEnded && view.session?.saving == .running(nil) && view.hasUnsavedMarks)
        saves.waiting[1].resume()
        let isSaved = await eventually {
            view.session?.saving == .saved(path: "film-trim-2.mp4")
        }
        #expect(isSaved && !view.hasUnsavedMarks && !view.isWriting)
        view.close()
    }

    @Test @MainActor func `a part is being written until a cancelled save has ended`()
        async throws
    {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        let saves = Saves()
        view.saveHandler = { _, _ in
            await withCheckedContinuation { saves.waiting.append($0) }
            throw CancellationError()
        }
        #expect(!view.isWriting)
        view.perform(.save(.exact))
        let isWaiting = await eventually { !saves.waiting.isEmpty }
        try #require(isWaiting)
        view.close()
        #expect(view.isWriting)
        saves.waiting[0].resume()
        let hasEnded = await eventually { !view.isWriting }
        #expect(hasEnded)
    }

    @Test @MainActor func `Delete answers a question, and is not taken without one`() throws {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        let delete = WindowEvent.key(KeyEvent(key: .delete, action: .press, modifiers: []))
        #expect(!view.handle(delete, pixelRatio: 1))
        let left = Counter()
        #expect(!view.mayLeave(.folder) { left.value += 1 })
        #expect(view.handle(delete, pixelRatio: 1))
        #expect(left.value == 1 && view.session == nil && !view.isVisible)
    }

    @Test @MainActor func `a file that is being written counts as unsaved`() throws {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        view.perform(.undo)
        #expect(!view.hasUnsavedWork)
        view.saveHandler = { _, _ in
            try await Task.sleep(for: .seconds(3600))
            return ""
        }
        view.perform(.save(.exact))
        #expect(view.hasUnsavedWork && !view.hasUnsavedMarks)
        view.close()
        #expect(!view.hasUnsavedWork)
    }

    @Test @MainActor func `a strip of many frames is filled`() async {
        let count = 300
        var media = SyntheticMedia(
            frameTimes: SyntheticFrameTimes(
                framesPerSecond: 30, duration: MediaTime(value: 10, timescale: 1)), sounds: [])
        (media.width, media.height, media.keyframeInterval) = (32, 32, 10)
        let thumbnails = TrimThumbnails(asset: SyntheticAsset(media), size: (8, 8))
        func missing(from first: Int) -> Int {
            let times = (first..<first + count).map { MediaTime(value: Int64($0), timescale: 60) }
            let pictures = thumbnails.pictures(
                at: times, interval: MediaTime(value: 1, timescale: 60))
            return pictures.count { $0 == nil }
        }
        // Half of the second strip is new.
        for first in [0, count / 2] {
            let isFilled = await eventually { missing(from: first) == 0 }
            #expect(isFilled, "\(missing(from: first)) of \(count) frames are missing")
        }
    }

    @Test @MainActor func `hiding the view ends the question`() throws {
        let folder = TemporaryFolder()
        let view = try openView(folder)
        #expect(!view.mayLeave(.otherFile) {})
        view.hide()
        #expect(view.session?.question == nil && view.hasUnsavedMarks)
        #expect(!view.mayLeave(.otherFile) {})
        #expect(view.mayLeave(.otherFile) {})
        view.close()
    }

    @Test func `an error that is too long leaves out the path first, and the problem last`() {
        #expect(
            TrimPainter.versions(of: "/a/film-trim.mp4: the disk is full; free some space") == [
                "/a/film-trim.mp4: the disk is full; free some space",
                "film-trim.mp4: the disk is full; free some space",
                "the disk is full; free some space", "the disk is full",
            ])
        #expect(TrimPainter.versions(of: "no path") == ["no path"])
    }

    @Test func `samples that are not numbers do not disturb the waveform`() {
        var waveform = TrimWaveform(sampleRate: 8000, duration: .indefinite)
        let samples: [Float] = [.nan, 0.5, -.infinity, -0.25]
        samples.withUnsafeBufferPointer { waveform.add($0, channelCount: 1, at: 0) }
        #expect(waveform.peak(from: 0, to: 0.001) == -0.25...0.5)
    }

    @Test func `a peak covers the rows of its samples`() {
        #expect(TrimPainter.rows(of: nil, in: 4..<44).isEmpty)
        #expect(TrimPainter.rows(of: -1...1, in: 4..<44) == 4..<44)
        #expect(TrimPainter.rows(of: 0...0, in: 4..<44) == 24..<25)
        #expect(TrimPainter.rows(of: -9...0.5, in: 4..<44) == 14..<44)
    }
}
