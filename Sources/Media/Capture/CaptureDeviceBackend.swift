// SPDX-License-Identifier: Apache-2.0

package import PlayheadAssets
package import PlayheadBuffers
package import PlayheadTime

/// The driver's side of a device.
///
/// - Concurrency: any thread.
package protocol CaptureDeviceBackend: AnyObject, Sendable {
    /// The identifier. It does not change as long as the device is plugged into the same port.
    var uniqueID: String { get }
    /// The name for users.
    var localizedName: String { get }

    /// The type of media that the device delivers.
    var mediaType: MediaType { get }

    /// The clock of an audio device, which exists as long as the backend; nil for a video device,
    /// whose frames have host times.
    var clock: (any MediaClock)? { get }

    /// A Boolean value that indicates whether the device can be opened at the moment.
    var isPresent: Bool { get }

    /// A Boolean value that indicates whether opening the device asks the user in a dialog.
    var asksUser: Bool { get }

    /// The node of the device in the file system; nil if the device has no node.
    var nodePath: String? { get }

    /// Queries the driver for its controls and their values.
    func loadControls() throws(CaptureError) -> [CaptureControl]

    /// Sets one of the driver's controls to a value that the control can have.
    func setControl(_ name: String, to value: Int) throws(CaptureError)

    /// Queries the driver for its formats.
    func loadFormats() throws(CaptureError) -> [CaptureFormat]

    /// Opens the device and starts the delivery of frames.
    ///
    /// - Parameter receiver: A function that receives the stream's events, on a thread of the
    ///   stream, until `stop` returns. The function must not wait.
    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) -> any CaptureStream
}

extension CaptureDeviceBackend {
    package var mediaType: MediaType { .video }
    package var clock: (any MediaClock)? { nil }
    package var nodePath: String? { nil }
    package var asksUser: Bool { false }

    /// Returns an empty list: by default a device has no controls.
    package func loadControls() throws(CaptureError) -> [CaptureControl] { [] }

    /// Does nothing: by default a device has no controls.
    package func setControl(_ name: String, to value: Int) throws(CaptureError) {}
}

/// A device that delivers frames.
package protocol CaptureStream: AnyObject, Sendable {
    /// The settings that the device has accepted, which may differ from those requested. If the
    /// format has no size, they are not known yet, and the event `configured` follows.
    var configuration: CaptureConfiguration { get }

    /// Stops the delivery of frames and closes the device. The receiver is not called afterwards.
    func stop()
}

/// An event of a device that delivers frames.
package enum CaptureStreamEvent: Sendable {
    /// A frame.
    case frame(CaptureFrame)
    /// Audio, with its time on the clock of the device.
    case audio(AudioBuffer)
    /// Frames were lost. `time` is the time of the last lost frame, or the nearest known time.
    case lost(count: Int, time: MediaTime, reason: CaptureDropReason)
    /// Frames arrived damaged and are not shown.
    case damaged(count: Int, time: MediaTime)
    /// The settings that the device has accepted are known, or have changed.
    case configured(CaptureConfiguration)
    /// No frame has arrived for so long that the device counts as stalled.
    case stalled
    /// The device is gone. No event follows.
    case disconnected
    /// The device has failed. No event follows.
    case failed(CaptureError)
}

/// A frame of a device.
package struct CaptureFrame: Sendable {
    /// The samples, in memory that the driver does not use.
    package var pixelBuffer: PixelBuffer
    /// The driver's timestamp of the frame, converted to host time.
    package var hostTime: MediaTime
    /// The time at which the frame was received, in host time.
    package var arrivalTime: MediaTime
    /// The driver's number of the frame.
    package var sequence: Int

    package init(
        pixelBuffer: PixelBuffer, hostTime: MediaTime, arrivalTime: MediaTime, sequence: Int
    ) {
        self.pixelBuffer = pixelBuffer
        self.hostTime = hostTime
        self.arrivalTime = arrivalTime
        self.sequence = sequence
    }
}
