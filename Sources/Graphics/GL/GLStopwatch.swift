// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A stopwatch for the GPU. It measures the time from one mark to the next without waiting for the
/// GPU.
///
/// A *lap* is the time from one mark to the next, such as the time of one pass. A *round* is a
/// sequence of laps, such as all passes of one frame.
///
/// The measurements are timestamps instead of spans, so that they may be nested, unlike those of
/// `GLTimer`. Several rounds may be in flight at a time. The times of a round are collected some
/// frames later, when they are available. If the GPU is so far behind that the maximum number of
/// rounds is in flight, a round is skipped.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Corresponds to: `glQueryCounter` with `GL_TIMESTAMP`.
package final class GLStopwatch {
    private static let ringSize = 4

    private let marksPerRound: Int
    private var queries: [UInt32]
    private var oldest = 0
    private var inFlight = 0
    /// The number of marks that were set in the current round; nil if no round is being measured.
    private var markCount: Int?
    /// The duration of each lap of the round that was collected last, in nanoseconds.
    package private(set) var laps: [Int64]
    private let deletionQueue: GLDeletionQueue

    /// Creates a stopwatch.
    ///
    /// - Parameter laps: the maximum number of laps in a round, at least one.
    package init(laps: Int, context: any GLContext) {
        precondition(laps > 0, "a round must have at least one lap")
        deletionQueue = context.deletionQueue
        deletionQueue.preconditionOnRenderThread()
        marksPerRound = laps + 1
        self.laps = [Int64](repeating: 0, count: laps)
        queries = [UInt32](repeating: 0, count: marksPerRound * Self.ringSize)
        ph_glGenQueries(Int32(queries.count), &queries)
        deletionQueue.didMake(.query, count: queries.count)
    }

    deinit { for query in queries { deletionQueue.enqueue(.query, query) } }

    /// Starts a round and its first lap.
    package func begin() {
        markCount = inFlight < Self.ringSize ? 0 : nil
        mark()
    }

    /// Ends a lap and starts the next one.
    package func mark() {
        guard let count = markCount, count < marksPerRound else { return }
        let slot = (oldest + inFlight) % Self.ringSize
        let query = queries[slot * marksPerRound + count]
        GLDriverLock.withLock { ph_glQueryCounter(query, UInt32(GL_TIMESTAMP)) }
        markCount = count + 1
    }

    /// Ends the round. Laps that were not marked get no duration.
    package func end() {
        while let count = markCount, count < marksPerRound { mark() }
        if markCount != nil { inFlight += 1 }
        markCount = nil
    }

    /// Collects the oldest round, if its times are available.
    ///
    /// - Returns: true if a round was collected. `laps` then has new values.
    package func collect() -> Bool {
        guard inFlight > 0 else { return false }
        let first = oldest * marksPerRound
        var isAvailable: UInt32 = 0
        GLDriverLock.withLock {
            ph_glGetQueryObjectuiv(
                queries[first + marksPerRound - 1], UInt32(GL_QUERY_RESULT_AVAILABLE), &isAvailable)
        }
        guard isAvailable != 0 else { return false }
        var last: UInt64 = 0
        for mark in 0..<marksPerRound {
            var moment: UInt64 = 0
            GLDriverLock.withLock {
                ph_glGetQueryObjectui64v(queries[first + mark], UInt32(GL_QUERY_RESULT), &moment)
            }
            if mark > 0 { laps[mark - 1] = Int64(bitPattern: moment &- last) }
            last = moment
        }
        oldest = (oldest + 1) % Self.ringSize
        inFlight -= 1
        return true
    }
}
