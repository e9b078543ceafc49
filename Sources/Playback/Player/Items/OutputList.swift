// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The outputs of an item. The pipeline notifies them of new frames.
///
/// - Concurrency: any thread. No lock is held while an output is called.
final class OutputList: Sendable {
    private struct Entry {
        weak var output: (any ItemOutput)?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ output: any ItemOutput) {
        entries.withLock { entries in
            entries.removeAll { $0.output == nil || $0.output === output }
            entries.append(Entry(output: output))
        }
    }

    func remove(_ output: any ItemOutput) {
        entries.withLock { $0.removeAll { $0.output == nil || $0.output === output } }
    }

    var all: [any ItemOutput] { entries.withLock { $0.compactMap(\.output) } }
}

/// An event that is sent to outputs.
enum OutputEvent: Sendable {
    /// A seek has begun, so frames ahead of the old position are no longer due.
    case flushed
    /// There is another frame, or the timeline was started, stopped or changed. The time at which
    /// the next frame is due may therefore have changed.
    case willChange
}

extension ItemPipeline {
    /// Notifies all outputs. Must not be called with the lock of `control` held.
    func tellOutputs(_ event: OutputEvent) {
        for output in outputs.all {
            switch event {
            case .flushed: output.sequenceWasFlushed()
            case .willChange: output.reconsider()
            }
        }
        guard metadata.inbox.isWanted else { return }
        for client in metadata.clients {
            switch event {
            case .flushed: client.sequenceWasFlushed()
            case .willChange: client.reconsider()
            }
        }
    }

    /// Records whether one of the outputs shows the item in place of the player.
    func noteSuppression() {
        control.change {
            $0.isRenderingSuppressed = outputs.all.contains(where: \.suppressesPlayerRendering)
        }
    }

    /// The host time of a future start; nil if the timeline already moves or is stopped.
    var startHostTime: MediaTime? {
        let (isRunning, start) = control.withLock { ($0.isRunning, $0.startMasterTime) }
        guard isRunning, timebase.master.time < start else { return nil }
        return timebase.ultimateMasterClock.hostTime(at: start)
    }
}
