// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadCapturing
import PlayheadThreads
import PlayheadTime
import Synchronization

/// A queue that decodes the compressed frames of a device on a separate thread.
///
/// If the decoder is slower than the device, older frames are dropped in favour of newer ones and
/// reported as late. A frame of H.264 depends on those before it: all waiting frames are dropped
/// together, and decoding continues with the next keyframe.
///
/// - Concurrency: `add` on one thread, `stop` on any.
final class CompressedFrames: Sendable {
    struct Frame: Sendable {
        var data: [UInt8]
        var hostTime: MediaTime
        var arrivalTime: MediaTime
        var sequence: Int
    }

    private struct State {
        var waiting: [Frame] = []
        var gate = KeyframeGate()
        var isStopped = false

        /// Adds a frame, which replaces the oldest one if the queue is full. Returns an event that
        /// reports the replaced frame; nil if no frame was replaced.
        mutating func add(_ frame: Frame, _ limit: Int) -> CaptureStreamEvent? {
            defer { waiting.append(frame) }
            guard waiting.count >= limit else { return nil }
            return .lost(count: 1, time: waiting.removeFirst().hostTime, reason: .lateData)
        }

        /// Adds a frame that may depend on earlier frames, or skips the frame. Returns an event
        /// that reports the frames that are not decoded; nil if there are none.
        mutating func addDependent(_ frame: Frame, _ limit: Int) -> CaptureStreamEvent? {
            var lost = 0
            if waiting.count >= limit {
                lost = waiting.count
                waiting.removeAll()
                gate.close(at: frame.hostTime)
            }
            let passes = gate.passes(frame.data, sequence: frame.sequence, time: frame.hostTime)
            if passes { waiting.append(frame) } else { lost += 1 }
            return lost == 0
                ? nil : .lost(count: lost, time: frame.hostTime, reason: .lateData)
        }
    }

    /// The maximum number of waiting frames. For most formats it is 2, so that jitter of arrivals
    /// does not count as lateness. For H.264 it is higher, because single frames of H.264 cannot be
    /// skipped.
    private let limit: Int
    private let isInterdependent: Bool
    private let configuration: CaptureConfiguration
    private let decoder: any SampleDecoder
    private let receiver: @Sendable (CaptureStreamEvent) -> Void
    private let state = Monitor(State())
    private let thread = Mutex<WorkerThread?>(nil)

    /// Creates a queue.
    ///
    /// - Parameter configuration: The settings to which the device has agreed.
    init(
        of configuration: CaptureConfiguration, decoding: any SampleDecoding, subject: String,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) {
        self.configuration = configuration
        let format = configuration.format
        isInterdependent = format.mediaSubType == "H264"
        limit = isInterdependent ? 8 : 2
        self.receiver = receiver
        do throws(MediaError) {
            decoder = try decoding.makeDecoder(
                codec: isInterdependent ? "h264" : "mjpeg", width: format.width,
                height: format.height, attachments: PixelBufferAttachments(color: format.color),
                subject: subject)
        } catch {
            throw CaptureError(
                .decodingFailed, subject: subject, cause: error.cause, remedy: error.remedy)
        }
    }

    /// Starts the thread.
    func start() {
        let thread = WorkerThread(name: "ph-camera-decode") { [self] in run() }
        self.thread.withLock { $0 = thread }
    }

    func add(_ frame: Frame) {
        let lost = state.change {
            isInterdependent ? $0.addDependent(frame, limit) : $0.add(frame, limit)
        }
        if let lost { receiver(lost) }
    }

    private func run() {
        var configuration = configuration
        while let frame = next() {
            let result = frame.data.withUnsafeBytes { bytes -> Result<[VideoFrame], MediaError> in
                do throws(MediaError) {
                    return .success(try decoder.decode(bytes, at: frame.hostTime))
                } catch {
                    return .failure(error)
                }
            }
            guard case .success(let decoded) = result else {
                receiver(.damaged(count: 1, time: frame.hostTime))
                continue
            }
            for picture in decoded {
                // Images state their size, which may differ from the one that was agreed, and
                // change.
                let (width, height) = (picture.pixelBuffer.width, picture.pixelBuffer.height)
                if (width, height) != (configuration.format.width, configuration.format.height) {
                    (configuration.format.width, configuration.format.height) = (width, height)
                    receiver(.configured(configuration))
                }
                receiver(
                    .frame(
                        CaptureFrame(
                            pixelBuffer: picture.pixelBuffer, hostTime: picture.presentationTime,
                            arrivalTime: frame.arrivalTime, sequence: frame.sequence)))
            }
        }
    }

    private func next() -> Frame? {
        state.wait { state -> Frame?? in
            if state.isStopped { return .some(nil) }
            if state.waiting.isEmpty { return .none }
            return .some(state.waiting.removeFirst())
        }
    }

    /// Ends the thread after the frame that is being decoded.
    func stop() {
        state.change { $0.isStopped = true }
        let thread = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let thread, !thread.isCurrent { thread.join() }
    }
}
