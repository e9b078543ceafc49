// SPDX-License-Identifier: Apache-2.0

import PlayheadThreads
import PlayheadTime
import Synchronization

/// The outputs of an item, for its pipeline to tell them that there will be something to pull.
///
/// - Concurrency: any thread. Calls no output with a lock held.
final class OutputList: Sendable {
    private struct Entry {
        weak var output: PlayerItemVideoOutput?
    }

    private let entries = Mutex<[Entry]>([])

    func add(_ output: PlayerItemVideoOutput) {
        entries.withLock { entries in
            entries.removeAll { $0.output == nil || $0.output === output }
            entries.append(Entry(output: output))
        }
    }

    func remove(_ output: PlayerItemVideoOutput) {
        entries.withLock { $0.removeAll { $0.output == nil || $0.output === output } }
    }

    var all: [PlayerItemVideoOutput] { entries.withLock { $0.compactMap(\.output) } }
}

/// What outputs are told.
enum OutputEvent: Sendable {
    /// A seek has begun: what was to come will not.
    case flushed
    /// There is another picture, or the timeline moves otherwise: when there will be something to
    /// pull has changed.
    case willChange
}

extension ItemPipeline {
    /// Tells all outputs. Never with the lock of `control` held.
    func tellOutputs(_ event: OutputEvent) {
        for output in outputs.all {
            switch event {
            case .flushed: output.sequenceWasFlushed()
            case .willChange: output.reconsider()
            }
        }
    }

    /// Notes whether one of the outputs shows the item in the player's place.
    func noteSuppression() {
        control.change {
            $0.isRenderingSuppressed = outputs.all.contains(where: \.suppressesPlayerRendering)
        }
    }

    /// Host time of a start that lies ahead; nil where the timeline moves already, or stands.
    var startHostTime: MediaTime? {
        let (isRunning, start) = control.withLock { ($0.isRunning, $0.startMasterTime) }
        guard isRunning, timebase.master.time < start else { return nil }
        return timebase.ultimateMasterClock.hostTime(at: start)
    }
}
