// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
public import PlayheadPlayback
public import PlayheadTime
import Synchronization

/// An output that delivers the timed metadata of an item when it is due.
///
///     let output = PlayerItemMetadataOutput(identifiers: ["org.id3/TIT2", "icy/StreamTitle"])
///     item.add(output)
///     for await group in output.groups { print(group.items) }
///
/// Each group is delivered once, when playback reaches its time. If it is read later than that, it
/// is delivered at once. After a seek, the groups that apply at the new time are delivered, and
/// those that follow. Nothing is delivered in reverse. While playback is paused, only the groups
/// that apply at the target of a seek are delivered.
///
/// The sources are ID3 in MPEG transport streams, also within HLS, and at the beginning of HLS
/// segments with only audio; `emsg` boxes in the MP4 segments of HLS and DASH; titles of internet
/// radio (`StreamTitle`); and messages of SCTE 35 and samples of other data tracks, which are
/// delivered as data. Metadata is read only while an output of this kind belongs to the item. Add
/// it before the item is given to a player: media that was read before the output was added is not
/// read again.
///
/// - Concurrency: any thread.
/// - Ownership: an item retains its outputs.
/// - Corresponds to: `AVPlayerItemMetadataOutput`.
public final class PlayerItemMetadataOutput: Sendable {
    private struct State {
        weak var delegate: (any PlayerItemMetadataOutputPushDelegate)?
        var queue = ObservationQueue.background
        weak var item: PlayerItem?
        var streams: [Int: AsyncStream<TimedMetadataGroup>.Continuation] = [:]
        var lastStream = 0
        var tap: MetadataTap?
    }

    private let state = Mutex(State())
    private let identifiers: [String]?
    /// The maximum number of groups that wait in a stream; older ones are dropped.
    private static let streamLimit = 1024

    /// Creates an output that does not belong to an item yet.
    ///
    /// - Parameter identifiers: The identifiers of the items that are delivered
    ///   (`MetadataItem.identifier`); nil for all. The beginning of an identifier up to a slash
    ///   stands for all that begin with it, as `org.id3` does for all frames of ID3.
    /// - Corresponds to: `AVPlayerItemMetadataOutput(identifiers:)`.
    public init(identifiers: [String]? = nil) {
        self.identifiers = identifiers
        let tap = MetadataTap(
            .init(
                groups: { [weak self] in self?.deliver($0) },
                flush: { [weak self] in self?.flush() }
            ))
        state.withLock { $0.tap = tap }
    }

    deinit {
        let streams = state.withLock { $0.streams }
        for stream in streams.values { stream.finish() }
    }

    /// Sets the delegate that receives groups, and the queue on which it is called. The delegate is
    /// not retained.
    ///
    /// - Corresponds to: `AVPlayerItemMetadataOutput.setDelegate(_:queue:)`.
    public func setDelegate(
        _ delegate: (any PlayerItemMetadataOutputPushDelegate)?,
        queue: ObservationQueue = .background
    ) {
        let former = state.withLock { state in
            defer { (state.delegate, state.queue) = (delegate, queue) }
            return state.queue
        }
        // What the queue retains is released without the lock.
        withExtendedLifetime(former) {}
    }

    /// The interval between the delivery of a group and its time, in seconds of playback at the
    /// current rate. A group that is read later is delivered as soon as possible. The default is
    /// zero. A value that is negative or not numeric counts as zero.
    ///
    /// - Corresponds to: `AVPlayerItemMetadataOutput.advanceIntervalForDelegateInvocation`.
    public var advanceIntervalForDelegateInvocation: MediaTime {
        get { tap?.advance ?? .zero }
        set { tap?.advance = newValue }
    }

    /// A sequence of the groups that are delivered from now on, of all tracks. It ends when the
    /// output is deallocated. If they are not taken, only the newest 1,024 groups are kept.
    public var groups: AsyncStream<TimedMetadataGroup> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: TimedMetadataGroup.self, bufferingPolicy: .bufferingNewest(Self.streamLimit))
        let number = state.withLock { state in
            state.lastStream += 1
            state.streams[state.lastStream] = continuation
            return state.lastStream
        }
        continuation.onTermination = { [weak self] _ in
            let ended = self?.state.withLock { $0.streams.removeValue(forKey: number) }
            withExtendedLifetime(ended) {}
        }
        return stream
    }

    // MARK: - Interface of the item

    var tap: MetadataTap? { state.withLock { $0.tap } }

    func belong(to item: PlayerItem?) { state.withLock { $0.item = item } }

    private func deliver(_ metadata: [TimedMetadata]) {
        let (streams, delegate, queue, item) = state.withLock {
            (Array($0.streams.values), $0.delegate, $0.queue, $0.item)
        }
        guard delegate != nil || !streams.isEmpty else { return }
        var batches: [(track: Int?, groups: [TimedMetadataGroup])] = []
        for entry in metadata {
            guard let group = TimedMetadataGroup(entry, identifiers: identifiers) else { continue }
            for stream in streams { stream.yield(group) }
            if let last = batches.last, last.track == entry.trackID {
                batches[batches.count - 1].groups.append(group)
            } else {
                batches.append((entry.trackID, [group]))
            }
        }
        guard delegate != nil, !batches.isEmpty else { return }
        queue.async { [weak self, weak delegate, weak item, batches] in
            guard let self, let delegate else { return }
            let tracks = item?.tracks ?? []
            for batch in batches {
                delegate.metadataOutput(
                    self, didOutput: batch.groups,
                    from: tracks.first { $0.assetTrack.id == batch.track })
            }
        }
    }

    private func flush() {
        let (delegate, queue) = state.withLock { ($0.delegate, $0.queue) }
        guard delegate != nil else { return }
        queue.async { [weak self, weak delegate] in
            if let self { delegate?.outputSequenceWasFlushed(self) }
        }
    }
}
