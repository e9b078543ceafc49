// SPDX-License-Identifier: Apache-2.0

/// A loop that sends packets to a decoder until the decoder returns a sample. It counts packets
/// that cannot be decoded.
///
/// - Concurrency: one thread at a time.
final class DecodingLoop<Decoded> {
    private(set) var errorCount = 0
    private(set) var lastError: MediaError?
    var hasEnded: Bool { state == .ended }

    private let nextPacket: () throws(MediaError) -> MediaPacket?
    private let send: (MediaPacket?) throws(MediaError) -> Void
    private let receive: () throws(MediaError) -> Decoded?
    private var state = State.reading
    private var hasDecodedAny = false
    private var errorsAtEnd = 0
    /// The error that ended reading. It is thrown after the last sample before it.
    private var failure: MediaError?

    private enum State {
        case reading
        /// All packets were sent, and the decoder is returning the samples that it still holds.
        case draining
        case ended
    }

    /// The result of a request for the next sample from the decoder.
    private enum Outcome {
        case decoded(Decoded)
        case needsMore
        case failed
    }

    /// The number of errors at the end of a stream after which a decoder is considered to have
    /// ended.
    private static var maximumErrorsAtEnd: Int { 1000 }

    init(
        nextPacket: @escaping () throws(MediaError) -> MediaPacket?,
        send: @escaping (MediaPacket?) throws(MediaError) -> Void,
        receive: @escaping () throws(MediaError) -> Decoded?
    ) {
        self.nextPacket = nextPacket
        self.send = send
        self.receive = receive
    }

    /// Starts again after a seek. The decoder must already be flushed.
    func restart() {
        state = .reading
        failure = nil
    }

    /// Returns the next frame or audio buffer, or nil after the last one.
    ///
    /// - Throws: The errors of reading, after all samples that were read before the error, and
    ///   again with each call until the loop is restarted. `cancelled` is thrown at once.
    ///   `decodingFailed` is thrown only at the end, and only if nothing could be decoded.
    func next() throws(MediaError) -> Decoded? {
        while state != .ended {
            switch try ask() {
            case .decoded(let decoded):
                hasDecodedAny = true
                return decoded
            case .failed:
                if state == .draining {
                    errorsAtEnd += 1
                    if errorsAtEnd > Self.maximumErrorsAtEnd { state = .ended }
                }
            case .needsMore where state == .draining:
                state = .ended
            case .needsMore:
                try feed()
            }
        }
        if let failure { throw failure }
        if !hasDecodedAny, let lastError { throw lastError.withNothingDecoded }
        return nil
    }

    private func ask() throws(MediaError) -> Outcome {
        do {
            return try receive().map { .decoded($0) } ?? .needsMore
        } catch {
            try note(error)
            return .failed
        }
    }

    private func feed() throws(MediaError) {
        let packet: MediaPacket?
        do {
            packet = try nextPacket()
        } catch {
            return try end(with: error)
        }
        if packet == nil { state = .draining }
        do {
            try send(packet)
        } catch {
            if error.code == .decodingFailed { try note(error) } else { try end(with: error) }
        }
    }

    /// Ends reading with an error, which is thrown after the samples that the decoder still holds.
    private func end(with error: MediaError) throws(MediaError) {
        guard state == .reading, error.code != .cancelled else { throw error }
        failure = error
        state = .draining
        try? send(nil)
    }

    private func note(_ error: MediaError) throws(MediaError) {
        guard error.code == .decodingFailed else { throw error }
        errorCount += 1
        lastError = error
    }
}
