// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadThreads
import PlayheadTime

/// A race of connections to the addresses of one host, by TCP (RFC 8305, *happy eyeballs*).
///
/// An address that does not answer, such as an IPv6 address in a network without a working IPv6,
/// must not use up the whole timeout. The next address is therefore tried as soon as one fails, or
/// after a moment without an answer, and the first connection is kept. FFmpeg does this too, but
/// only for the addresses of a name that it resolves itself, and addresses are resolved and checked
/// here.
///
/// - Concurrency: the caller waits; each attempt has a thread of its own.
struct ConnectionRace {
    let port: Int
    /// The name of the source, for errors.
    let subject: String
    let interrupt: Interrupt

    private struct State {
        var winner: (connection: TCPConnection, index: Int)?
        var failed: Set<Int> = []
        var failure: MediaError?
        var isOver = false
    }

    /// The time without an answer after which the next address is tried, in nanoseconds: the
    /// *connection attempt delay* that RFC 8305, section 5, recommends.
    private static let delay: Int64 = 250_000_000
    private static let pollNanoseconds: Int64 = 20_000_000

    /// Returns the first connection, and the address to which it leads.
    ///
    /// - Parameter addresses: The addresses, the preferred one first; at least one.
    /// - Throws: The error of the attempt that failed last.
    func connect(
        to addresses: [HostResolver.Address]
    ) throws(MediaError) -> (connection: TCPConnection, address: HostResolver.Address) {
        let order = Self.alternating(addresses)
        if order.count == 1 {
            return (try open(order[0], ConnectionAttempt(interrupt)), order[0])
        }
        let state = Monitor(State())
        var attempts: [ConnectionAttempt] = []
        for (index, address) in order.enumerated() {
            let attempt = ConnectionAttempt(interrupt)
            attempts.append(attempt)
            begin(attempt, address, index, state)
            let isLast = index == order.count - 1
            let isDecided = wait(for: state, nanoseconds: isLast ? nil : Self.delay) { state in
                isLast ? state.failed.count == order.count : state.failed.contains(index)
            }
            if isDecided { break }
        }
        let (winner, failure) = state.change { state in
            state.isOver = true
            return (state.winner, state.failure)
        }
        for (index, attempt) in attempts.enumerated() where index != winner?.index {
            attempt.end()
        }
        if let winner { return (winner.connection, order[winner.index]) }
        guard let failure, !interrupt.isTriggered else {
            throw FFmpegError.interrupted.whileReading(subject, interrupt: interrupt)
        }
        throw failure
    }

    /// Returns addresses in an order in which the families alternate, so that a family that does
    /// not work delays the other one only once (RFC 8305, section 4).
    static func alternating(_ addresses: [HostResolver.Address]) -> [HostResolver.Address] {
        let first = addresses.filter { $0.isIPv6 == addresses[0].isIPv6 }
        let other = addresses.filter { $0.isIPv6 != addresses[0].isIPv6 }
        return (0..<max(first.count, other.count)).flatMap { index in
            [first, other].compactMap { $0.indices.contains(index) ? $0[index] : nil }
        }
    }

    private func open(
        _ address: HostResolver.Address, _ attempt: ConnectionAttempt
    ) throws(MediaError) -> TCPConnection {
        try TCPConnection(
            to: address.text, port: port, subject: subject, interrupt: interrupt, attempt: attempt)
    }

    private func begin(
        _ attempt: ConnectionAttempt, _ address: HostResolver.Address, _ index: Int,
        _ state: Monitor<State>
    ) {
        let race = self
        _ = WorkerThread(name: "ph-connect") {
            do throws(MediaError) {
                // A connection that is not kept is closed here.
                let connection = try race.open(address, attempt)
                state.change { state in
                    if state.winner == nil, !state.isOver { state.winner = (connection, index) }
                }
            } catch {
                state.change { state in
                    state.failed.insert(index)
                    state.failure = error
                }
            }
        }
    }

    /// Waits until there is a connection, a condition holds, or the time is over.
    ///
    /// - Parameter nanoseconds: The time; nil for no limit.
    /// - Returns: A Boolean value that indicates whether no further address must be tried, because
    ///   there is a connection or blocking calls must end.
    private func wait(
        for state: Monitor<State>, nanoseconds: Int64?, until condition: (State) -> Bool
    ) -> Bool {
        let end = nanoseconds.map { HostClock.nanoseconds + $0 } ?? .max
        while !interrupt.isTriggered {
            let rest = end - HostClock.nanoseconds
            guard rest > 0 else { return false }
            let isDecided = state.wait(nanoseconds: min(rest, Self.pollNanoseconds)) {
                state -> Bool? in
                if state.winner != nil { return true }
                return condition(state) ? false : nil
            }
            if let isDecided { return isDecided }
        }
        return true
    }
}
