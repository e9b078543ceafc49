// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadThreads
import PlayheadTime
import Synchronization

/// The state and the queues of a writer, which its inputs and threads share.
///
/// Samples wait in the bounded queue of their input for the thread that encodes them. Packets wait
/// in another bounded queue for the thread that writes the file.
///
/// - Concurrency: any thread. Handlers are called without the lock.
final class WriterCore: Sendable {
    /// The queues of one input.
    struct Lane {
        /// The samples that are waiting to be encoded.
        var samples: SampleQueue<InputSample>
        /// The packets and cues that are waiting to be written, with the times that determine their
        /// order.
        var packets: SampleQueue<(sample: InputSample, time: MediaTime)>
        let isEncoded: Bool
        /// A Boolean value that indicates whether the writer waits for the packets of this input in
        /// order to interleave them. It does not wait for subtitles, which are too sparse.
        let isInterleaved: Bool
        /// A Boolean value that indicates whether all packets are in the queue and no more will
        /// follow.
        var hasEnded = false
        /// The handlers to call when a sample can be appended, or when none can be appended any
        /// more.
        var waiters: [@Sendable () -> Void] = []
        /// The packets so far: their number, their bytes, and the bytes of the largest.
        var encoded = (count: 0, byteCount: Int64(0), largest: Int64(0))
        /// The end of the input's samples that are in the file, in file time.
        var writtenTime = MediaTime.zero
        /// The end of the samples that the encoder has received, in file time.
        var encodedTime = MediaTime.zero

        /// The part of the input that has been processed, in seconds. An encoder that looks ahead
        /// holds many frames: it returns none of them at the beginning, and all of them at the end.
        /// A sample therefore counts a fifth when the encoder has received it, and the rest when it
        /// is written: analysis is about a fifth of the work of x264.
        var processedSeconds: Double {
            let written = writtenTime.seconds
            return written + max(0, encodedTime.seconds - written) / 5
        }

        /// A Boolean value that indicates whether the input accepts no sample at the moment.
        var isFull: Bool { isEncoded ? samples.isFull : packets.isFull }
    }

    struct State {
        var writing: WritingState
        var lanes: [Lane] = []

        /// The time up to which the file contains the samples of all inputs that still have
        /// samples.
        var writtenTime: MediaTime { leastOfOpen(\.writtenTime) ?? .zero }

        /// The part of all inputs that has been processed, in seconds.
        var processedSeconds: Double { leastOfOpen(\.processedSeconds) ?? 0 }

        private func leastOfOpen<Value: Comparable>(_ property: (Lane) -> Value) -> Value? {
            let open = lanes.filter { $0.isInterleaved && !($0.hasEnded && $0.packets.isEmpty) }
            return open.map(property).min() ?? lanes.map(property).max()
        }

        /// The next step of the writing thread: the earliest sample of all inputs, or the end.
        struct Turn {
            /// The sample, and the index of the sample's input; nil at the end of the file.
            var packet: (sample: InputSample, lane: Int)?
        }

        /// Takes the next sample to write. Returns nil if the writing thread has to wait.
        ///
        /// After the last sample, the end is returned only if the file is being finished. Before
        /// that, `endSession` may still be called, even if all inputs are marked as finished.
        mutating func takeTurn() -> Turn? {
            guard writing.isActive else { return Turn() }
            var earliest: (index: Int, time: MediaTime)?
            var isMissing = false
            var isPressing = false
            var isOpen = writing.phase == .writing
            for (index, lane) in lanes.enumerated() {
                let isEnded = lane.hasEnded || (!lane.isEncoded && writing.inputs[index].isFinished)
                isOpen = isOpen || !isEnded
                if let first = lane.packets.first {
                    if earliest.map({ first.time < $0.time }) ?? true {
                        earliest = (index, first.time)
                    }
                } else if !isEnded, lane.isInterleaved {
                    isMissing = true
                }
                isPressing = isPressing || lane.packets.isFull
            }
            guard let earliest else { return isOpen ? nil : Turn() }
            if isMissing && !isPressing { return nil }
            return lanes[earliest.index].packets.take().map {
                Turn(packet: ($0.sample, earliest.index))
            }
        }

        /// Removes and returns the handlers of the inputs with free space or, if samples are no
        /// longer accepted, of all inputs.
        mutating func takeWaiters() -> [@Sendable () -> Void] {
            var taken: [@Sendable () -> Void] = []
            let isOver = writing.phase != .writing
            for index in lanes.indices where isOver || !lanes[index].isFull {
                taken += lanes[index].waiters
                lanes[index].waiters.removeAll()
            }
            return taken
        }
    }

    let monitor: Monitor<State>
    /// A handler that the writing thread calls after each sample, with the time up to which the
    /// file contains the samples of all inputs.
    let writtenHandler = Mutex<(@Sendable (MediaTime) -> Void)?>(nil)
    /// A handler that the encoding threads and the writing thread call after each sample, with the
    /// part of all inputs that has been processed, in seconds.
    let processedHandler = Mutex<(@Sendable (Double) -> Void)?>(nil)

    /// The maximum number of frames that wait for an encoder, and their maximum total size in
    /// bytes.
    static let maximumFrames = 6
    static let maximumFrameBytes = 256 << 20
    /// The maximum number of bytes of waiting audio, which suffices for some seconds.
    private static let maximumAudioBytes = 4 << 20
    /// The maximum number of compressed bytes that wait for the samples of other inputs. If an
    /// input has more, its packets are written without waiting for the others, so that an input
    /// that receives samples late does not stop the rest.
    private static let maximumPacketBytes = 16 << 20

    /// The duration of the segments that are written; nil for a file.
    let segmentInterval: MediaTime?

    init(subject: String, segmentInterval: MediaTime? = nil) {
        self.segmentInterval = segmentInterval
        monitor = Monitor(State(writing: WritingState(subject: subject)))
    }

    /// Changes the state, then calls the handlers that wait for the change.
    func update<Result>(_ body: (inout State) -> Result) -> Result {
        let (result, waiters) = monitor.change { state in
            let result = body(&state)
            return (result, state.takeWaiters())
        }
        for waiter in waiters { waiter() }
        return result
    }

    /// Changes the state. If `body` throws an error, the state is unchanged.
    func attempt<Value>(
        _ body: (inout State) throws(MediaWritingError) -> Value
    ) throws(MediaWritingError) -> Value {
        let result = update { state -> Result<Value, MediaWritingError> in
            do throws(MediaWritingError) {
                return .success(try body(&state))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    /// Adds an input, and returns its index.
    func addLane(
        _ input: WritingState.Input
    ) throws(MediaWritingError) -> Int {
        try attempt { state throws(MediaWritingError) in
            try state.writing.add(input)
            let isVideo = input.mediaType == .video
            state.lanes.append(
                Lane(
                    samples: SampleQueue(
                        maximumCount: isVideo ? Self.maximumFrames : .max,
                        maximumBytes: isVideo ? Self.maximumFrameBytes : Self.maximumAudioBytes),
                    packets: SampleQueue(
                        maximumCount: .max, maximumBytes: Self.maximumPacketBytes),
                    isEncoded: !input.isPassthrough && input.mediaType != .subtitle,
                    isInterleaved: input.mediaType != .subtitle))
            return state.lanes.count - 1
        }
    }

    func fail(_ error: MediaWritingError) { update { $0.writing.fail(error) } }

    // MARK: - Encoding threads

    /// Waits for the next sample of an input. Returns nil after the last sample, or if the file is
    /// abandoned.
    func nextSample(of lane: Int) -> InputSample? {
        let (sample, waiters) = monitor.wait { state -> (InputSample?, [@Sendable () -> Void])? in
            guard state.writing.isActive else { return (nil, state.takeWaiters()) }
            if let sample = state.lanes[lane].samples.take() {
                return (sample, state.takeWaiters())
            }
            return state.writing.inputs[lane].isFinished ? (nil, []) : nil
        }
        for waiter in waiters { waiter() }
        return sample
    }

    /// A Boolean value that indicates whether the file is still being written.
    var isActive: Bool { monitor.withLock { $0.writing.isActive } }

    var session: (start: MediaTime, end: MediaTime) {
        monitor.withLock {
            ($0.writing.sessionStart ?? .zero, $0.writing.sessionEnd ?? .positiveInfinity)
        }
    }

    /// Passes packets of an encoder to the writing thread. Waits while too many packets are
    /// waiting.
    func enqueue(_ packets: [MediaPacket], of lane: Int) {
        guard !packets.isEmpty else { return }
        monitor.wait { state -> Void? in
            guard state.writing.isActive else { return () }
            guard !state.lanes[lane].packets.isFull else { return nil }
            for packet in packets {
                let size = Int64(packet.byteCount)
                let (count, bytes, largest) = state.lanes[lane].encoded
                state.lanes[lane].encoded = (count + 1, bytes + size, max(largest, size))
                state.lanes[lane].packets.append(
                    (.packet(packet), packet.orderTime), byteCount: packet.memoryByteCount)
            }
            return ()
        }
    }

    /// Records that the encoder of an input has received its samples up to a time of the file.
    func noteEncoded(_ end: MediaTime, of lane: Int) {
        let seconds = monitor.withLock { state in
            state.lanes[lane].encodedTime = end
            return state.processedSeconds
        }
        processedHandler.withLock { $0 }?(seconds)
    }

    /// Declares that an input has no further packets.
    func end(_ lane: Int) { update { $0.lanes[lane].hasEnded = true } }

    // MARK: - The writing thread

    /// Waits for the next sample to write, which is the earliest of all inputs. Returns nil after
    /// the last sample, or if the file is abandoned.
    func nextPacket() -> (sample: InputSample, lane: Int)? {
        let (packet, waiters) = monitor.wait {
            state -> ((InputSample, Int)?, [@Sendable () -> Void])? in
            guard let turn = state.takeTurn() else { return nil }
            return (turn.packet, state.takeWaiters())
        }
        for waiter in waiters { waiter() }
        return packet
    }

    /// Records that a sample has been written to the file.
    func noteWritten(_ end: MediaTime, of lane: Int) {
        let (time, seconds) = update { state in
            if end.isNumeric {
                state.lanes[lane].writtenTime = max(state.lanes[lane].writtenTime, end)
            }
            return (state.writtenTime, state.processedSeconds)
        }
        writtenHandler.withLock { $0 }?(time)
        processedHandler.withLock { $0 }?(seconds)
    }
}

extension MediaPacket {
    /// The time that determines the position of a packet among the packets of other tracks.
    var orderTime: MediaTime { decodeTime.isNumeric ? decodeTime : presentationTime }
}
