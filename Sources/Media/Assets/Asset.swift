// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import Synchronization

/// A video, an audio file or a stream: its static properties, independent of playback.
///
/// Creating an asset does no work and cannot fail. The first request for a property opens the
/// container, once and on a thread of its own, and loads all properties. Concurrent callers share
/// that opening, and later callers get the values at once.
///
///     let asset = URLAsset(url: url)
///     let (duration, tracks) = try await asset.load(.duration, .tracks)
///
/// - Concurrency: any thread.
/// - Errors: loading throws `MediaError`; all callers get the same error. Only `cancelled` is not
///   kept: a call after a cancellation starts loading again.
/// - Corresponds to: `AVAsset`, `AVAsynchronousKeyValueLoading`.
open class Asset: @unchecked Sendable {
    // Unchecked: non-final classes cannot be checked; all state is in `loading`, a Mutex, and
    // `opener` is constant.

    private let opener: any AssetOpener
    private let loading = Mutex(AssetLoading())

    /// The state of loading an asset.
    ///
    /// - Corresponds to: `AVKeyValueStatus`.
    public enum Status: Sendable, Hashable {
        /// Loading has not begun.
        case unknown
        /// The asset is being opened.
        case loading
        /// The description of the asset is available.
        case loaded
        /// The asset could not be opened.
        case failed(MediaError)
        /// Loading was cancelled.
        case cancelled
    }

    /// The state of loading one property, with the value if it is loaded.
    ///
    /// - Corresponds to: `AVAsyncProperty.Status`.
    public enum PropertyStatus<Value: Sendable>: Sendable {
        /// Loading has not begun.
        case unknown
        /// The asset is being opened.
        case loading
        /// The property is loaded and has this value.
        case loaded(Value)
        /// The asset could not be opened.
        case failed(MediaError)
        /// Loading was cancelled.
        case cancelled
    }

    package init(opener: any AssetOpener) {
        self.opener = opener
    }

    /// The asset's name for display. For an asset at a URL, it is the name of the file.
    open var displayName: String { "untitled" }

    /// The asset's name for error messages: the path or URL, as the user gave it.
    open var subject: String { displayName }

    // MARK: - Status

    /// The progress of loading. All properties are loaded together, so they share one status.
    public var status: Status {
        switch status(of: .description) {
        case .unknown: .unknown
        case .loading: .loading
        case .loaded: .loaded
        case .failed(let error): .failed(error)
        case .cancelled: .cancelled
        }
    }

    /// Returns the progress of loading a property, with its value once it is loaded.
    ///
    /// - Corresponds to: `status(of:)`.
    public func status<Value>(of property: AssetProperty<Value>) -> PropertyStatus<Value> {
        switch loading.withLock({ $0.phase }) {
        case .unknown: .unknown
        case .loading: .loading
        case .ended(.success(let description)): .loaded(property.read(description))
        case .ended(.failure(let error)): .failed(error)
        case .cancelled: .cancelled
        }
    }

    // MARK: - Loading

    /// Loads properties and waits without blocking a thread. If the task is cancelled, the wait
    /// ends with the error `cancelled`. Loading is cancelled as well if no other caller waits for
    /// it.
    ///
    /// - Corresponds to: `load(_:)`.
    public func load<each Value: Sendable>(
        _ properties: repeat AssetProperty<each Value>
    ) async throws(MediaError) -> (repeat each Value) {
        let waiter = loading.withLock { $0.makeWaiter() }
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(as: waiter) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            withdraw(waiter)
        }
        let description = try result.get()
        return (repeat (each properties).read(description))
    }

    /// Loads all properties and calls `completion` once. If the asset has already been loaded,
    /// `completion` is called on the caller's thread before this method returns. Otherwise it is
    /// called later, on the loading thread or on the thread that cancels.
    ///
    /// After that, `status(of:)` returns the individual values.
    ///
    /// - Corresponds to: `loadValuesAsynchronously(forKeys:completionHandler:)`.
    package func loadDescription(
        completion: @escaping @Sendable (Result<AssetDescription, MediaError>) -> Void
    ) {
        wait(as: loading.withLock { $0.makeWaiter() }, completion)
    }

    /// Cancels loading. All waiting callers get the error `cancelled`. Does nothing if the asset is
    /// not being loaded.
    ///
    /// - Corresponds to: `cancelLoading()`.
    public func cancelLoading() {
        let waiters = loading.withLock { $0.cancel() }
        for waiter in waiters { waiter(.failure(cancellationError)) }
    }

    private func wait(as waiter: AssetLoading.WaiterID, _ call: @escaping AssetLoading.Waiter) {
        switch loading.withLock({ $0.add(waiter, call) }) {
        case .wait: break
        case .start(let cancellation):
            _ = WorkerThread(name: "ph-load") { self.loadNow(cancellation) }
        case .ended(let result): call(result)
        case .withdrawn: call(.failure(cancellationError))
        }
    }

    private func withdraw(_ waiter: AssetLoading.WaiterID) {
        let call = loading.withLock { $0.withdraw(waiter) }
        call?(.failure(cancellationError))
    }

    private var cancellationError: MediaError {
        MediaError(.cancelled, subject: subject, cause: "loading was cancelled")
    }

    private func loadNow(_ cancellation: Cancellation) {
        let result: Result<AssetDescription, MediaError>
        do {
            result = .success(try opener.openDemuxer(cancellation: cancellation).description)
        } catch {
            result = .failure(error)
        }
        let waiters = loading.withLock { $0.end(cancellation, result) }
        for waiter in waiters { waiter(result) }
    }

    /// Opens a separate demuxer for a caller that plays or reads the asset, and stores the
    /// description that the demuxer found. Blocks until the container has been probed.
    package func openDemuxer(cancellation: Cancellation) throws(MediaError) -> any Demuxer {
        let demuxer = try opener.openDemuxer(cancellation: cancellation)
        loading.withLock { $0.keep(demuxer.description) }
        return demuxer
    }
}
