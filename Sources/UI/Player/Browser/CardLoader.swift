// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadBuffers
import PlayheadImages
import PlayheadText
import PlayheadThreads
import PlayheadTime

/// Draws the cards of the folder browser on threads of low priority. A new list of requests
/// replaces the old one, and cancels what is no longer in it.
///
/// - Concurrency: any thread; cards arrive on the main thread.
/// - Ownership: the threads keep the loader until `end()`.
final class CardLoader: Sendable {
    typealias Request = BrowserCard.Request
    /// A function that returns the asset of a file.
    typealias AssetMaker = @Sendable (String) -> Asset
    typealias Handler = @MainActor @Sendable (BrowserCard) -> Void

    private struct State {
        var pending: [Request] = []
        /// The requests that threads are working on, or whose cards are on their way.
        var active: [Request: Cancellation] = [:]
        var hasThreads = false
        var isEnding = false
    }

    private let makeAsset: AssetMaker
    private let handler: Handler
    private let state = Monitor(State())
    private let texts = TextPictures()

    /// The priority of the threads: they run when the threads that draw need nothing.
    private static let niceness: Int32 = 15

    /// Creates a loader. Its threads start with the first request.
    init(makeAsset: @escaping AssetMaker, handler: @escaping Handler) {
        self.makeAsset = makeAsset
        self.handler = handler
    }

    /// The number of requests that have not been answered.
    var count: Int { state.withLock { $0.pending.count + $0.active.count } }

    /// Replaces the list of requests, the most urgent first.
    func request(_ requests: [Request]) {
        let starts = state.change { state in
            let wanted = Set(requests)
            for (request, cancellation) in state.active where !wanted.contains(request) {
                cancellation.cancel()
            }
            state.pending = requests.filter { state.active[$0]?.isCancelled ?? true }
            defer { state.hasThreads = state.hasThreads || !requests.isEmpty }
            return !state.hasThreads && !requests.isEmpty && !state.isEnding
        }
        guard starts else { return }
        // With two threads, a file on a slow drive does not delay all others.
        for _ in 0..<min(max(2, sysconf(Int32(_SC_NPROCESSORS_ONLN)) - 1), 4) {
            _ = WorkerThread(name: "ph-browse") { self.work() }
        }
    }

    /// Ends the threads soon.
    func end() {
        state.change { state in
            state.isEnding = true
            state.pending = []
            for cancellation in state.active.values { cancellation.cancel() }
        }
    }

    private func work() {
        WorkerThread.yieldToOthers(niceness: Self.niceness)
        while true {
            let next = state.wait { state -> (Request, Cancellation)?? in
                if state.isEnding { return .some(nil) }
                // A request that is cancelled may be made again before its thread has noticed.
                guard
                    let index = state.pending.firstIndex(where: { state.active[$0] == nil })
                else { return nil }
                let request = state.pending.remove(at: index)
                let cancellation = Cancellation()
                state.active[request] = cancellation
                return (request, cancellation)
            }
            guard let (request, cancellation) = next else { return }
            let card = card(for: request, cancellation)
            Task { @MainActor [self] in
                state.change { $0.active[request] = nil }
                if let card, !state.withLock({ $0.isEnding }) { handler(card) }
            }
        }
    }

    // MARK: Cards

    /// Returns the card of a request; nil if it was cancelled.
    private func card(for request: Request, _ cancellation: Cancellation) -> BrowserCard? {
        let painter = CardPainter(metrics: request.metrics, texts: texts)
        let entry = request.entry
        func card(
            _ subject: CardPainter.Subject, duration: String? = nil, problem: String? = nil,
            isComplete: Bool = true
        ) -> BrowserCard {
            let hasFailed = if case .problem = subject { true } else { false }
            return BrowserCard(
                request: request,
                picture: painter.picture(name: entry.name, subject, duration: duration),
                problem: problem, isComplete: isComplete, hasFailed: hasFailed)
        }
        if let problem = entry.problem { return card(.problem(problem), problem: problem) }
        guard entry.kind == .file else { return card(.folder) }
        guard request.stage == .complete else { return card(.unknown, isComplete: false) }
        do throws(MediaError) {
            let (subject, duration) = try contents(of: entry.path, request.metrics, cancellation)
            return card(subject, duration: duration)
        } catch {
            if cancellation.isCancelled || error.code == .cancelled { return nil }
            let problem = error.cause.sentence
            return card(.problem(problem), problem: problem)
        }
    }

    /// Returns the picture of a file, and its duration.
    ///
    /// - Throws: if the file cannot be played. If only its frame cannot be decoded, it may be
    ///   playable.
    private func contents(
        of path: String, _ metrics: CardMetrics, _ cancellation: Cancellation
    ) throws(MediaError) -> (subject: CardPainter.Subject, duration: String?) {
        let asset = makeAsset(path)
        let options = ImageGenerator.Options(
            maximumSize: (metrics.width, metrics.pictureHeight))
        let generator = ImageGenerator(asset: asset, options: options) {
            () throws(MediaError) in
            try PictureFinder(asset: asset, cancellation: cancellation)
        }
        let description: AssetDescription
        do throws(MediaError) {
            description = try generator.open()
        } catch {
            guard !cancellation.isCancelled else { throw error }
            // There is no video, or no decoder for it. The audio can be played.
            let sound = try asset.openDemuxer(cancellation: cancellation).description
            guard !sound.tracks(of: .audio).isEmpty else { throw error }
            return (.sound, Self.duration(of: sound))
        }
        let time = Self.time(in: description)
        let duration = Self.duration(of: description)
        // A file that was cut off may have no frame at that time.
        let times = time > description.startTime ? [time, description.startTime] : [time]
        var problem = ""
        for time in times {
            do throws(MediaError) {
                return (.still(try generator.copyImage(at: time).image), duration)
            } catch {
                guard !cancellation.isCancelled else { throw error }
                problem = error.cause.sentence
            }
        }
        return (.problem(problem), duration)
    }

    /// Returns the time of the frame that represents a video: the first frame is often black.
    private static func time(in description: AssetDescription) -> MediaTime {
        let (start, duration) = (description.startTime, description.duration)
        let isMoving = description.preferredTrack(of: .video)?.isAttachedPicture == false
        guard isMoving, start.isNumeric, duration.isNumeric, duration > .zero else {
            return start.isNumeric ? start : .zero
        }
        return start + min(duration * 0.1, MediaTime(value: 60, timescale: 1))
    }

    private static func duration(of description: AssetDescription) -> String? {
        let duration = description.duration
        guard !description.isStill, duration.isNumeric, duration > .zero else { return nil }
        let text = duration.clockDescription
        return text.split(separator: ".").first.map(String.init) ?? text
    }
}
