// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// A film, a piece of music, a stream: its static facts, independent of any playback.
///
/// Making an asset does no work and cannot fail. Values are loaded when they are asked for, all of
/// them by opening the container once, on a thread of its own; callers at the same time share that
/// one opening, and later ones get the values at once.
///
///     let asset = URLAsset(url: url)
///     let (duration, tracks) = try await asset.load(.duration, .tracks)
///
/// - Concurrency: any thread.
/// - Errors: loading throws `MediaError`, the same one to all who ask.
/// - Corresponds to: `AVAsset`.
open class Asset: @unchecked Sendable {
    // Unchecked: non-final classes cannot be checked; all state is in `loading`, a Mutex, and
    // `opener` is constant.

    private let opener: any AssetOpener
    private let loading = Mutex(Loading.unknown)

    private typealias Waiter = @Sendable (Result<AssetDescription, MediaError>) -> Void

    private enum Loading {
        case unknown
        case loading([Waiter])
        case ended(Result<AssetDescription, MediaError>)
    }

    /// How far loading has come.
    ///
    /// - Corresponds to: `AVKeyValueStatus`.
    public enum Status: Sendable, Hashable {
        case unknown, loading, loaded
        case failed(MediaError)
    }

    public init(opener: any AssetOpener) {
        self.opener = opener
    }

    /// What people call the asset: the file's name for one at a URL.
    open var displayName: String { "untitled" }

    /// What errors call it: the path or URL, as the user gave it.
    open var subject: String { displayName }

    /// Where loading stands. All properties are loaded together, so they share one status.
    public var status: Status {
        loading.withLock {
            switch $0 {
            case .unknown: .unknown
            case .loading: .loading
            case .ended(.success): .loaded
            case .ended(.failure(let error)): .failed(error)
            }
        }
    }

    /// Loads properties, waiting without blocking a thread.
    public func load<each Value: Sendable>(
        _ properties: repeat AssetProperty<each Value>
    ) async throws(MediaError) -> (repeat each Value) {
        let result = await withCheckedContinuation { continuation in
            loadDescription { continuation.resume(returning: $0) }
        }
        let description = try result.get()
        return (repeat (each properties).read(description))
    }

    /// Loads the asset's description and calls `completion` once: on the caller's thread, before
    /// returning, if it has been loaded already; else later, on the loading thread.
    public func loadDescription(
        completion: @escaping @Sendable (Result<AssetDescription, MediaError>) -> Void
    ) {
        let ended: Result<AssetDescription, MediaError>? = loading.withLock { loading in
            switch loading {
            case .ended(let result):
                return result
            case .loading(let waiters):
                loading = .loading(waiters + [completion])
            case .unknown:
                loading = .loading([completion])
                _ = WorkerThread(name: "ph-load") { self.loadNow() }
            }
            return nil
        }
        if let ended { completion(ended) }
    }

    private func loadNow() {
        let result: Result<AssetDescription, MediaError>
        do {
            result = .success(try opener.openDemuxer(cancellation: Cancellation()).description)
        } catch {
            result = .failure(error)
        }
        finishLoading(with: result)
    }

    private func finishLoading(with result: Result<AssetDescription, MediaError>) {
        let waiters: [Waiter] = loading.withLock {
            guard case .loading(let waiters) = $0 else {
                $0 = .ended(result)
                return []
            }
            $0 = .ended(result)
            return waiters
        }
        for waiter in waiters { waiter(result) }
    }

    /// Opens a demuxer of its own for whoever plays or reads the asset, and keeps what it found.
    /// Blocks until the container has been probed.
    public func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        let demuxer = try opener.openDemuxer(cancellation: cancellation)
        if status == .unknown { finishLoading(with: .success(demuxer.description)) }
        return demuxer
    }
}
