// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadTime
import Synchronization

/// A batch of requests to one worker. A few images are made ahead of the consumer.
///
/// - Concurrency: `next` from one task at a time; `cancel` from any thread.
final class ImageBatch: Sendable {
    typealias Element = ImageGenerator.Images.Element

    private struct State {
        var requestedCount = 0
        var ready: [Element] = []
        var underWay = 0
        var taker: CheckedContinuation<Element?, Never>?
        var isCancelled = false
    }

    private let worker: ImageWorker
    private let times: [MediaTime]
    private let state = Mutex(State())
    private let token = ImageWorker.Token()
    /// The generation of the worker when the batch was created. All requests of the batch belong to
    /// this generation.
    private let generation: Int

    /// The maximum number of images that are made ahead of the consumer.
    private static let lead = 3

    init(worker: ImageWorker, times: [MediaTime]) {
        self.worker = worker
        self.times = times
        generation = worker.generation
    }

    /// Returns the next image; nil after the last one, and after cancellation.
    func next() async -> Element? {
        request()
        return await withCheckedContinuation { continuation in
            let element: Element?? = state.withLock { state in
                if state.isCancelled { return .some(nil) }
                if !state.ready.isEmpty { return state.ready.removeFirst() }
                if state.underWay == 0 { return .some(nil) }
                state.taker = continuation
                return nil
            }
            if let element { continuation.resume(returning: element) }
        }
    }

    func cancel() {
        token.cancel()
        let taker = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            state.isCancelled = true
            state.ready.removeAll()
            defer { state.taker = nil }
            return state.taker
        }
        taker?.resume(returning: nil)
    }

    private func request() {
        let range = state.withLock { state -> Range<Int> in
            let room = Self.lead - state.underWay - state.ready.count
            let count =
                state.isCancelled ? 0 : min(max(0, room), times.count - state.requestedCount)
            defer {
                state.requestedCount += count
                state.underWay += count
            }
            return state.requestedCount..<state.requestedCount + count
        }
        for time in times[range] {
            worker.add(
                ImageWorker.Request(time: time, token: token, generation: generation) {
                    [weak self] result in
                    self?.deliver(Element(requestedTime: time, result: result))
                })
        }
    }

    private func deliver(_ element: Element) {
        let taker = state.withLock { state -> CheckedContinuation<Element?, Never>? in
            state.underWay -= 1
            if let taker = state.taker {
                state.taker = nil
                return taker
            }
            if !state.isCancelled { state.ready.append(element) }
            return nil
        }
        taker?.resume(returning: element)
    }
}
