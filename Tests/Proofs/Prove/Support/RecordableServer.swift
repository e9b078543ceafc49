// SPDX-License-Identifier: Apache-2.0

import PulseTestSupport

/// A private audio server with a null sink named `null`, whose monitor a proof records.
///
/// - Concurrency: one thread at a time.
/// - Ownership: the server ends with the object.
protocol RecordableServer: AnyObject {
    /// The server's address for clients: `PULSE_SERVER`.
    var address: String { get }

    /// Restarts it after `stop`, at the same address.
    func start() throws

    /// Kills it, like a crash.
    func stop()

    /// Adds a null sink at 48 kHz.
    func addSink(named name: String) throws
}

extension PulseServer: RecordableServer {
    func addSink(named name: String) throws {
        try load(
            module: "module-null-sink",
            arguments: "sink_name=\(name) rate=48000 format=float32le channels=2")
    }
}
