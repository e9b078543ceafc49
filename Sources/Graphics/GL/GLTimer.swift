// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A timer for the GPU that does not wait for the GPU.
///
/// Several queries are in flight. A result is collected some frames later, when it is available. A
/// measurement is skipped if the GPU is so far behind that all queries are in flight, or if the
/// host runs a query of the same kind.
///
/// - Concurrency: render thread; the last reference may be dropped on any thread.
/// - Corresponds to: query objects of target `GL_TIME_ELAPSED`. They do not nest, so only one timer
///   runs at a time.
package final class GLTimer {
    private static let ringSize = 4

    private var queries: [UInt32]
    private var oldest = 0
    private var inFlight = 0
    private var isRunning = false
    /// For each query, a Boolean value that indicates whether its result is used.
    private var counts: [Bool]
    private let belongsToHost: Bool
    private let deletionQueue: GLDeletionQueue

    /// The time that was collected last, in nanoseconds; nil before the first one.
    package private(set) var lastNanoseconds: UInt64?
    private var hasNew = false

    package init(context: any GLContext) {
        belongsToHost = context.belongsToHost
        deletionQueue = context.deletionQueue
        deletionQueue.preconditionOnRenderThread()
        queries = [UInt32](repeating: 0, count: Self.ringSize)
        counts = [Bool](repeating: true, count: Self.ringSize)
        ph_glGenQueries(Int32(Self.ringSize), &queries)
        deletionQueue.didMake(.query, count: Self.ringSize)
    }

    deinit { for query in queries { deletionQueue.enqueue(.query, query) } }

    /// Starts a measurement, and collects the available results.
    package func begin() {
        precondition(!isRunning, "a running timer must end before it begins again")
        collect()
        guard inFlight < Self.ringSize, !isHostMeasuring else { return }
        let query = queries[(oldest + inFlight) % Self.ringSize]
        GLDriverLock.withLock { ph_glBeginQuery(UInt32(GL_TIME_ELAPSED), query) }
        isRunning = true
    }

    private var isHostMeasuring: Bool {
        guard belongsToHost else { return false }
        var query: Int32 = 0
        ph_glGetQueryiv(UInt32(GL_TIME_ELAPSED), UInt32(GL_CURRENT_QUERY), &query)
        return query != 0
    }

    /// Stops the measurement.
    ///
    /// - Parameter counts: false if there was nothing to measure. The result is then discarded.
    package func end(counts isCounted: Bool = true) {
        guard isRunning else { return }
        counts[(oldest + inFlight) % Self.ringSize] = isCounted
        GLDriverLock.withLock { ph_glEndQuery(UInt32(GL_TIME_ELAPSED)) }
        isRunning = false
        inFlight += 1
    }

    /// Returns the last time, in nanoseconds, if it was collected since the last call; otherwise
    /// nil.
    package func takeNanoseconds() -> Int64? {
        collect()
        defer { hasNew = false }
        return hasNew ? lastNanoseconds.map { Int64(clamping: $0) } : nil
    }

    /// Collects the available results.
    package func collect() {
        while inFlight > 0 {
            var isAvailable: UInt32 = 0
            GLDriverLock.withLock {
                ph_glGetQueryObjectuiv(
                    queries[oldest], UInt32(GL_QUERY_RESULT_AVAILABLE), &isAvailable)
            }
            guard isAvailable != 0 else { return }
            var nanoseconds: UInt64 = 0
            GLDriverLock.withLock {
                ph_glGetQueryObjectui64v(queries[oldest], UInt32(GL_QUERY_RESULT), &nanoseconds)
            }
            if counts[oldest] { (lastNanoseconds, hasNew) = (nanoseconds, true) }
            oldest = (oldest + 1) % Self.ringSize
            inFlight -= 1
        }
    }
}
