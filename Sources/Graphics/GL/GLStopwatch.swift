// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A measurement of the GPU's time from one mark to the next, without ever waiting for it.
///
/// Unlike those of `GLTimer`, its measurements may be nested: they are timestamps, not spans. A few
/// rounds are in flight; the times of a round are collected some frames later, when they are
/// available. If the GPU is so far behind that all are in flight, a round is skipped.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Corresponds to: `glQueryCounter` with `GL_TIMESTAMP`.
package final class GLStopwatch {
    private static let ringSize = 4

    private let marksPerRound: Int
    private var queries: [UInt32]
    private var oldest = 0
    private var inFlight = 0
    /// The number of marks set in the current round; nil outside of a measured round.
    private var markCount: Int?
    /// The duration of each lap of the last collected round, in nanoseconds.
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

    /// Begins a round and its first lap.
    package func begin() {
        markCount = inFlight < Self.ringSize ? 0 : nil
        mark()
    }

    /// Ends a lap and begins the next one.
    package func mark() {
        guard let count = markCount, count < marksPerRound else { return }
        let slot = (oldest + inFlight) % Self.ringSize
        let query = queries[slot * marksPerRound + count]
        GLDriverLock.withLock { ph_glQueryCounter(query, UInt32(GL_TIMESTAMP)) }
        markCount = count + 1
    }

    /// Ends the round. Laps that were not marked have no duration.
    package func end() {
        while let count = markCount, count < marksPerRound { mark() }
        if markCount != nil { inFlight += 1 }
        markCount = nil
    }

    /// Collects the oldest round, if its times are available.
    ///
    /// - Returns: true if `laps` are new.
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
