// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport

/// The way on which a stream reaches the player.
enum StreamRoute: String, CaseIterable {
    /// A transport stream in datagrams.
    case udp = "UDP"
    case rtp = "RTP"
    /// A transport stream in datagrams to `srt-live-transmit`, which sends it by SRT.
    case srt = "SRT by srt-live-transmit"
    /// H.264 from a server of the tests.
    case rtsp = "RTSP"
    /// A transport stream in datagrams to gst-rtsp-server, which sends it by RTSP.
    case gstreamer = "RTSP by gst-rtsp-server"

    /// The packages that the route needs and that are not installed.
    var missing: [String] {
        switch self {
        case .udp, .rtp, .rtsp: return []
        case .srt: return ProcessRunner.has("srt-live-transmit") ? [] : ["srt-tools"]
        case .gstreamer:
            let look = try? ChildProcess(StreamSource.gstreamer(["--check"]))
            return look?.wait() == 0
                ? [] : ["python3-gi", "gir1.2-gst-rtsp-server-1.0", "gstreamer1.0-plugins-good"]
        }
    }

    /// The delay that the route adds by its nature, in milliseconds: the latency of SRT, and the
    /// frame that `rtpmp2tpay` waits for to fill its last packet of the frame before.
    func delay(framesPerSecond: Int) -> Double {
        switch self {
        case .udp, .rtp, .rtsp: 0
        case .srt: Double(Self.latency)
        case .gstreamer: 1000 / Double(framesPerSecond)
        }
    }

    /// The latency of SRT, in milliseconds.
    static let latency = 20
}
