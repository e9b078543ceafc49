// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The thread of an image generator, its decoder, and its queue of requests.
///
/// - Concurrency: any thread.
/// - Ownership: the thread keeps the worker alive until `end`.
final class ImageWorker: Sendable {
    /// A token that the requests of a batch share, and with which they are cancelled together.
    final class Token: Sendable {
        private let flag = Atomic(false)
        var isCancelled: Bool { flag.load(ordering: .relaxed) }
        func cancel() { flag.store(true, ordering: .relaxed) }
    }

    struct Request: Sendable {
        var time: MediaTime
        var token: Token
        /// The generation to which the request belongs; nil for the current one.
        var generation: Int?
        var completion: @Sendable (Result<GeneratedImage, MediaError>) -> Void
    }

    private struct State {
        var requests: [Request] = []
        var hasThread = false
        var isEnding = false
        /// The current generation, which `cancelAll` increments. Requests of earlier generations
        /// are dropped.
        var generation = 0
    }

    /// The decoder, which one thread uses at a time.
    private final class Decoder: @unchecked Sendable {
        // Unchecked: only used with the lock `decoding` held.
        var finder: (any VideoFrameFinder)?
    }

    /// A closure that opens the media.
    typealias FinderMaker = @Sendable () throws(MediaError) -> any VideoFrameFinder

    private let asset: Asset
    private let makeFinder: FinderMaker
    private let toleranceBefore: MediaTime
    private let yieldsToOthers: Bool
    private let convert: @Sendable (PixelBuffer) -> RGBAImage
    private let state = Monitor(State())
    private let decoding = Mutex(Decoder())

    /// Creates a worker. Its thread starts with the first request.
    ///
    /// - Parameters:
    ///   - makeFinder: opens the media. Called on the worker's thread.
    ///   - toleranceBefore: the tolerance before a requested time.
    ///   - yieldsToOthers: true for threads of the lowest priority.
    ///   - convert: makes the image of a frame. Called on the worker's thread.
    init(
        asset: Asset, makeFinder: @escaping FinderMaker, toleranceBefore: MediaTime,
        yieldsToOthers: Bool,
        convert: @escaping @Sendable (PixelBuffer) -> RGBAImage
    ) {
        self.asset = asset
        self.makeFinder = makeFinder
        self.toleranceBefore = toleranceBefore
        self.yieldsToOthers = yieldsToOthers
        self.convert = convert
    }

    var cancellationError: MediaError {
        MediaError(.cancelled, subject: asset.subject, cause: "image generation was cancelled")
    }

    func add(_ request: Request) {
        let isRefused = state.change { state in
            if state.isEnding || request.generation ?? state.generation != state.generation {
                return true
            }
            state.requests.append(request)
            if !state.hasThread {
                state.hasThread = true
                _ = WorkerThread(name: "ph-images") { self.work() }
            }
            return false
        }
        if isRefused { request.completion(.failure(cancellationError)) }
    }

    /// The current generation. The next `cancelAll` drops all requests that belong to it.
    var generation: Int { state.withLock { $0.generation } }

    func cancelAll() {
        let dropped = state.change { state in
            state.generation += 1
            defer { state.requests.removeAll() }
            return state.requests
        }
        for request in dropped { request.completion(.failure(cancellationError)) }
    }

    func end() {
        state.change { $0.isEnding = true }
        cancelAll()
    }

    private func work() {
        // On Linux, niceness belongs to a thread, and the threads that a decoder starts here
        // inherit it. If the system does not permit the change, the priority stays.
        if yieldsToOthers {
            _ = setpriority(
                __priority_which_t(bitPattern: PRIO_PROCESS.rawValue), 0, 10)
        }
        while true {
            let next = state.wait { state -> (Request, generation: Int)?? in
                if state.isEnding { return .some(nil) }
                guard !state.requests.isEmpty else { return nil }
                return (state.requests.removeFirst(), state.generation)
            }
            guard let (request, generation) = next else { return }
            request.completion(fulfil(request, generation))
        }
    }

    private func fulfil(_ request: Request, _ generation: Int) -> Result<GeneratedImage, MediaError>
    {
        do throws(MediaError) {
            let frame = try frame(at: request.time) { [state] in
                request.token.isCancelled || state.withLock { $0.generation } != generation
            }
            return .success(
                GeneratedImage(
                    image: convert(frame.pixelBuffer), requestedTime: request.time,
                    actualTime: frame.presentationTime))
        } catch {
            return .failure(error)
        }
    }

    /// Finds a frame on the calling thread.
    func frame(
        at time: MediaTime, isCancelled: () -> Bool = { false }
    ) throws(MediaError) -> VideoFrame {
        guard time.isNumeric else {
            throw MediaError(
                .noSuchFrame, subject: asset.subject, cause: "there is no frame at \(time)")
        }
        return try decoding.withLock { decoder throws(MediaError) in
            guard !isCancelled() else { throw cancellationError }
            return try finder(of: decoder).picture(
                at: time, toleranceBefore: toleranceBefore,
                isCancelled: isCancelled)
        }
    }

    func open() throws(MediaError) -> AssetDescription {
        try decoding.withLock { decoder throws(MediaError) in try finder(of: decoder).description }
    }

    private func finder(of decoder: Decoder) throws(MediaError) -> any VideoFrameFinder {
        if let finder = decoder.finder { return finder }
        let finder = try makeFinder()
        decoder.finder = finder
        return finder
    }
}
