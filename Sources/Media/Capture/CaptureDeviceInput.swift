// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadBuffers
import PlayheadTime
import Synchronization

/// The part of a session that receives the frames of a device.
///
/// - Concurrency: any thread.
/// - Corresponds to: `AVCaptureDeviceInput` with its port.
public final class CaptureDeviceInput: Sendable {
    /// The counts of a device's frames or audio since the session started.
    public struct Statistics: Sendable, Hashable {
        /// The number of complete frames that arrived.
        public var frameCount = 0
        /// The number of frames that are missing from the driver's numbering.
        public var lostFrameCount = 0
        /// The number of frames that arrived incomplete or marked as damaged. They are never shown.
        public var damagedFrameCount = 0
        /// The number of frames that were dropped because no decoder was free.
        public var lateFrameCount = 0
        /// The number of sample frames of audio that arrived.
        public var audioFrameCount = 0
        /// The rate at which frames arrive, in frames per second, measured from their timestamps;
        /// nil until enough frames have arrived.
        public var framesPerSecond: Double?
        /// The settings that the device has accepted; nil while the device is closed. While the
        /// user selects a screen or a window, the format has no size.
        public var configuration: CaptureConfiguration?
        /// A Boolean value that indicates whether the device is open but delivers no frames.
        public var isStalled = false
    }

    /// The device.
    public let device: CaptureDevice
    private struct State {
        var statistics = Statistics()
        var meter = FrameRateMeter()
    }
    private let state = Mutex(State())

    /// Creates an input for a device. The device is opened when a session runs.
    public init(device: CaptureDevice) { self.device = device }

    /// The counts of the device's frames or audio, and the measured frame rate.
    public var statistics: Statistics { state.withLock { $0.statistics } }

    // MARK: - Interface of the session

    func begin(_ stream: any CaptureStream) {
        state.withLock {
            // Read under the lock, so that a later event of the stream is not overwritten.
            $0.statistics.configuration = stream.configuration
            $0.statistics.isStalled = false
            $0.meter = FrameRateMeter()
        }
    }

    func end() {
        state.withLock {
            $0.statistics.configuration = nil
            $0.statistics.isStalled = false
            $0.statistics.framesPerSecond = nil
        }
    }

    func reset() { state.withLock { $0.statistics = Statistics() } }

    /// The type of media that the device delivers.
    var mediaType: MediaType { device.mediaType }

    /// Counts an event. Returns whether it ends a stall.
    func note(_ event: CaptureStreamEvent) -> Bool {
        state.withLock { state in
            switch event {
            case .frame(let frame):
                defer { state.statistics.isStalled = false }
                state.statistics.frameCount += 1
                state.meter.record(frame.hostTime)
                state.statistics.framesPerSecond = state.meter.framesPerSecond
                return state.statistics.isStalled
            case .audio(let buffer):
                defer { state.statistics.isStalled = false }
                state.statistics.audioFrameCount += buffer.frameCount
                return state.statistics.isStalled
            case .lost(let count, _, .lateData): state.statistics.lateFrameCount += count
            case .lost(let count, _, _): state.statistics.lostFrameCount += count
            case .damaged(let count, _): state.statistics.damagedFrameCount += count
            case .configured(let configuration): state.statistics.configuration = configuration
            case .stalled:
                state.statistics.isStalled = true
                state.statistics.framesPerSecond = nil
                state.meter = FrameRateMeter()
            case .disconnected, .failed: break
            }
            return false
        }
    }
}
