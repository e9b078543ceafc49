// SPDX-License-Identifier: Apache-2.0

import PlayheadText
import PlayheadThreads
import PlayheadTime

/// The thread that draws subtitles ahead of time.
extension SubtitleOverlay {
    /// The maximum number of images that are kept: the displayed image, and those that follow.
    private static let drawnLimit = 8
    /// The number of steps of an animated line that are drawn ahead.
    private static let stepsAhead = 3

    func want(_ time: MediaTime, _ rate: Double) {
        let starts = shared.state.change { state in
            state.wanted = (time, rate)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        guard starts else { return }
        _ = WorkerThread(name: "ph-caption") { [shared] in
            // Without a font no text is drawn, and the video still plays.
            guard let composer = try? SubtitleComposer() else { return }
            Self.draw(shared, with: composer)
        }
    }

    private static func draw(_ shared: Shared, with composer: SubtitleComposer) {
        while true {
            let job = shared.state.wait { state -> Job?? in
                if state.isClosed { return .some(nil) }
                guard let wanted = state.wanted, let layout = state.layout else { return nil }
                state.wanted = nil
                return Job(
                    time: wanted.time, rate: wanted.rate, layout: layout, version: state.version)
            }
            guard let job else { return }
            var time = job.time
            for step in 0...stepsAhead {
                let entry = composer.entry(at: time, of: shared.legible, layout: job.layout)
                let isOutdated = keep(entry, job, isFirst: step == 0, shared)
                // After a static line, only one more image is drawn. An animated line has many
                // steps.
                let isLast = step > 0 && entry.range.duration > SubtitleComposer.animationStep
                if isOutdated || isLast || job.rate == 0 { break }
                time =
                    job.rate > 0
                    ? entry.range.end : entry.range.start - SubtitleComposer.animationStep
                guard time.isNumeric else { break }
            }
        }
    }

    private struct Job {
        var time: MediaTime
        var rate: Double
        var layout: SubtitleRasterizer.Layout
        var version: Int
    }

    /// Stores an image and wakes the waiting threads. Returns true if a different image is needed
    /// by now.
    private static func keep(
        _ entry: SubtitleComposer.Entry, _ job: Job, isFirst: Bool, _ shared: Shared
    ) -> Bool {
        let (requests, isOutdated) = shared.state.change {
            state -> ([@Sendable () -> Void], Bool) in
            state.drawn.removeAll { drawn in
                drawn.version != job.version && drawn.entry.range.contains(entry.range.start)
                    || drawn.entry.range == entry.range
            }
            if isFirst { state.drawn.removeAll { $0.version < job.version } }
            state.drawn.append((entry, job.version))
            if state.drawn.count > drawnLimit { state.drawn.removeFirst() }
            guard isFirst else { return ([], state.wanted != nil || state.isClosed) }
            defer { state.requests = [:] }
            return (Array(state.requests.values), state.wanted != nil || state.isClosed)
        }
        for request in requests { request() }
        return isOutdated
    }
}

extension SubtitleOverlay.State {
    var layout: SubtitleRasterizer.Layout? {
        size.map { size in
            SubtitleRasterizer.Layout(
                width: size.width, height: size.height, storageWidth: storage.width,
                storageHeight: storage.height, fontScale: fontScale,
                elevation: max(elevation, clearance), filmColor: filmColor)
        }
    }

    /// Returns whether the images after an entry have been drawn, too.
    func isPrepared(after entry: SubtitleComposer.Entry?, _ rate: Double) -> Bool {
        guard let entry, rate != 0 else { return true }
        let next = rate > 0 ? entry.range.end : entry.range.start - SubtitleComposer.animationStep
        guard next.isNumeric else { return true }
        return drawn.contains { $0.version == version && $0.entry.range.contains(next) }
    }
}
