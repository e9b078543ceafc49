// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// A decoder of a video track of a composition. It sends each packet to the decoder of the packet's
/// source, drops the frames outside of the `CompositionRun`, and converts the times of the others
/// to those of the composition.
///
/// - Concurrency: one thread at a time; `method` on any thread.
final class CompositionVideoDecoder: VideoDecoder, @unchecked Sendable {
    // Unchecked: used by one thread at a time, as the protocol requires; `current` has a lock.

    var skipsNonReferenceFrames = false
    private let decoders: SourceDecoders<any VideoDecoder>
    private let current = Mutex<(any VideoDecoder)?>(nil)
    private var playing: (run: CompositionRun, pass: Int, decoder: any VideoDecoder)?
    private var output = DecodedOutput<VideoFrame>()
    /// The last decoded frame. It is returned once the next frame has been decoded. Only then is it
    /// known when the frame ends, and whether it is the one shown at the start of the run.
    private var held: (frame: VideoFrame, isFromBefore: Bool)?

    init(trackID: Int, sources: SourcePool, pool: (any PixelBufferPool)?) {
        decoders = SourceDecoders(sources: sources, user: trackID) {
            (demuxer, track) throws(MediaError) in
            try demuxer.makeVideoDecoder(for: track, pool: pool)
        }
    }

    var method: VideoDecodingMethod { current.withLock { $0?.method } ?? .processor }

    func send(_ packet: MediaPacket?) throws(MediaError) {
        guard let packet, let payload = packet.payload as? CompositionPayload else {
            try finishRun(isAtEnd: false)
            return
        }
        if playing?.pass != payload.pass {
            // The frames of the previous run are complete even if the next run fails.
            try finishRun(isAtEnd: true)
            let decoder = try decoders.decoder(for: payload.run.source)
            decoder.flush()
            current.withLock { $0 = decoder }
            playing = (payload.run, payload.pass, decoder)
        }
        guard let playing else { return }
        var failure: MediaError?
        for packet in payload.packets {
            playing.decoder.skipsNonReferenceFrames = skipsNonReferenceFrames
            do {
                try playing.decoder.send(packet)
            } catch {
                guard error.code == .decodingFailed else { throw error }
                failure = error
            }
            try collect(from: playing.decoder, playing.run, &failure)
        }
        if payload.isLast { try finishRun(isAtEnd: true) }
        if let failure { throw failure }
    }

    func receive() throws(MediaError) -> VideoFrame? { output.takeFirst() }

    func flush() {
        output.removeAll()
        (playing, held) = (nil, nil)
    }

    // MARK: - Frames

    /// The maximum number of errors that are read from a decoder before it counts as empty.
    private static let maximumErrors = 1000

    private func collect(
        from decoder: any VideoDecoder, _ run: CompositionRun, _ failure: inout MediaError?
    ) throws(MediaError) {
        for _ in 0..<Self.maximumErrors {
            do {
                while let frame = try decoder.receive() { take(frame, run) }
                return
            } catch {
                guard error.code == .decodingFailed else { throw error }
                failure = error
            }
        }
    }

    /// - Parameter isAtEnd: A Boolean value that indicates whether the run was read to its end. It
    ///   is false if the stream of packets ended first.
    private func finishRun(isAtEnd: Bool) throws(MediaError) {
        guard let (run, _, decoder) = playing else { return }
        playing = nil
        var failure: MediaError?
        do {
            try decoder.send(nil)
        } catch {
            guard error.code == .decodingFailed else { throw error }
        }
        try collect(from: decoder, run, &failure)
        if let held { emit(held.frame, until: isAtEnd ? run.targetRange.end : nil, run) }
        held = nil
    }

    private func take(_ frame: VideoFrame, _ run: CompositionRun) {
        let time = frame.presentationTime
        guard time.isNumeric else {
            output.append(frame)
            return
        }
        guard time < run.endLimit else { return }
        let isFromBefore = time <= run.startLimit
        if let (last, wasFromBefore) = held, !(isFromBefore && wasFromBefore) {
            emit(last, until: wasFromBefore ? run.targetTime(ofSourceTime: time) : nil, run)
        }
        held = (frame, isFromBefore)
    }

    /// Outputs a frame with the time and duration that it has in the composition.
    ///
    /// - Parameter end: The time at which the next frame is shown; nil for the end of the frame's
    ///   own duration.
    private func emit(_ frame: VideoFrame, until end: MediaTime?, _ run: CompositionRun) {
        var frame = frame
        let start = run.targetTime(ofSourceTime: frame.presentationTime)
        var end = end
        if end == nil, frame.duration.isNumeric {
            end = run.targetTime(ofSourceTime: frame.presentationTime + frame.duration)
        }
        frame.presentationTime = start
        frame.duration = end.map { $0 - start } ?? .invalid
        output.append(frame)
    }
}
