// SPDX-License-Identifier: Apache-2.0

/// Feeds a decoder with packets until something comes out, and counts what cannot be decoded.
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

    private enum State {
        case reading
        /// All packets have gone to the decoder, which gives up what it holds.
        case draining
        case ended
    }

    /// The result of asking the decoder for more.
    private enum Outcome {
        case decoded(Decoded)
        case needsMore
        case failed
    }

    /// A decoder that reports errors for ever at the end of its stream is left alone after as many.
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

    /// Starts again after a seek; the decoder has been flushed.
    func restart() { state = .reading }

    /// The next picture or run of sound; nil after the last.
    ///
    /// - Throws: what reading throws; a `decodingFailed` only at the end, when nothing at all could
    ///   be decoded.
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
        let packet = try nextPacket()
        if packet == nil { state = .draining }
        do {
            try send(packet)
        } catch {
            try note(error)
        }
    }

    private func note(_ error: MediaError) throws(MediaError) {
        guard error.code == .decodingFailed else { throw error }
        errorCount += 1
        lastError = error
    }
}
