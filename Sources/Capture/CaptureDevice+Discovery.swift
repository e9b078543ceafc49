// SPDX-License-Identifier: Apache-2.0

import PlayheadCameras
public import PlayheadCapturing
import PlayheadFFmpeg
import PlayheadMicrophones

extension CaptureDiscoverySession {
    /// The cameras of this machine, found through Video for Linux.
    public static let cameras = cameras(decoding: FFmpegSampleDecoding())

    /// The microphones, line inputs and monitors of outputs that PulseAudio or PipeWire lists. The
    /// default device is first, and monitors are last.
    public static let microphones = CaptureDiscoverySession(
        MicrophoneProvider(), of: "microphone")
}

extension CaptureDevice {
    /// Returns the first camera.
    ///
    /// - Throws: `noSuchDevice` if there is no camera.
    /// - Corresponds to: `AVCaptureDevice.default(for:)`.
    public static func defaultCamera() throws(CaptureError) -> CaptureDevice {
        try CaptureDiscoverySession.cameras.device("0")
    }

    /// Returns the default microphone.
    ///
    /// - Throws: `noSuchDevice` if there is no audio server, or the server has no recording device.
    public static func defaultMicrophone() throws(CaptureError) -> CaptureDevice {
        try CaptureDiscoverySession.microphones.device("0")
    }

    /// The programs, other than this one, that have the device open, such as `mpv (1234)`.
    package var holders: [String] { nodePath.map(V4L2Holders.programs(using:)) ?? [] }
}
