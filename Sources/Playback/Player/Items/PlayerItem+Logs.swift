// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// The logs of an item.
extension PlayerItem {
    /// The log of the transfer so far; nil if nothing was requested from a server. The property
    /// cannot be observed: `Event.newAccessLogEntry` reports that an event has begun, and the
    /// numbers of the last event change continuously.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.accessLog()`.
    public var accessLog: PlayerItemAccessLog? { pipeline.accessLog }

    /// The log of the errors so far; nil if there were none. `Event.newErrorLogEntry` reports an
    /// error after which playback continues.
    ///
    /// - Concurrency: any thread.
    /// - Corresponds to: `AVPlayerItem.errorLog()`.
    public var errorLog: PlayerItemErrorLog? {
        let log = pipeline.control.withLock { $0.log }
        guard !log.errors.isEmpty else { return nil }
        return PlayerItemErrorLog(
            events: log.errors.map { PlayerItemErrorLogEvent($0, sessionID: log.sessionID) })
    }
}

extension ItemPipeline {
    fileprivate var accessLog: PlayerItemAccessLog? {
        control.withLock { control in
            guard let transfer = control.transfer?.log, !transfer.entries.isEmpty else {
                return nil
            }
            // An entry may have begun since the demuxing thread looked.
            let totals = totals(control)
            control.log.note(transfer, totals)
            let starts = control.log.beginnings.suffix(transfer.entries.count)
            let ends = starts.dropFirst() + [totals]
            let type =
                control.description.map { $0.duration.isNumeric ? $0.playbackType : "LIVE" }
            return PlayerItemAccessLog(
                events: zip(transfer.entries, zip(starts, ends)).map { entry, totals in
                    PlayerItemAccessLogEvent(
                        entry, from: totals.0, to: totals.1, sessionID: control.log.sessionID,
                        type: type ?? "", startupSeconds: control.log.startupSeconds)
                })
        }
    }

    /// Returns the totals of playback. The lock is held.
    private func totals(_ control: Control) -> PlaybackLog.Totals {
        let time = timebase.time
        return PlaybackLog.Totals(
            stallCount: control.buffering.stallCount, droppedFrameCount: frames.counts.dropped,
            watched: control.log.watchedDuration(by: time), time: time)
    }

    /// Takes what is new in the log of the transfer.
    func noteTransfer(_ transfer: TransferLog) {
        control.change { control in
            let totals = totals(control)
            control.log.note(transfer, totals)
        }
        // Each error is a change of its own, so that observers are notified of all.
        while control.change({ control -> Bool in
            guard let failure = control.log.nextFailure(of: transfer) else { return false }
            control.log.append(failure)
            return true
        }) {}
    }
}

extension ItemPipeline.Control {
    /// Adds an error that is not in the log of the transfer.
    mutating func logError(_ error: MediaError) {
        let server = transfer?.log.entries.last
        log.append(
            TransferLog.Failure(
                uri: server?.uri ?? error.subject, date: TransferMonitor.date,
                serverAddress: server?.serverAddress, error: error))
    }
}

extension AssetDescription {
    /// The kind of media with an end, as access logs name it.
    fileprivate var playbackType: String {
        ["hls", "dash"].contains(container) ? "VOD" : "FILE"
    }
}
