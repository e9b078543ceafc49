// SPDX-License-Identifier: Apache-2.0

import MediaTestSupport

/// The source to which a player connects, and the relay behind it.
///
/// - Ownership: the relay is stopped on deallocation or by `stop`.
final class StreamSource {
    let url: String
    /// The port to which datagrams are sent.
    let port: Int
    /// The port to which the player connects, unless it receives the datagrams itself.
    let outerPort: Int
    /// The server; nil if datagrams are sent.
    let server: RTSPServer?
    private let relay: ChildProcess?

    /// - Parameter former: The source that has been stopped, whose ports are used again.
    init(_ route: StreamRoute, after former: StreamSource? = nil) throws {
        port = try former?.port ?? DatagramSender.freePort()
        let outer = try former?.outerPort ?? DatagramSender.freePort()
        outerPort = outer
        switch route {
        case .udp: (url, server, relay) = ("udp://127.0.0.1:\(port)", nil, nil)
        case .rtp: (url, server, relay) = ("rtp://127.0.0.1:\(port)", nil, nil)
        case .srt:
            url = "srt://127.0.0.1:\(outer)?latency=\(StreamRoute.latency * 1000)"
            server = nil
            relay = try ChildProcess([
                "srt-live-transmit", "-q", "udp://127.0.0.1:\(port)",
                "srt://127.0.0.1:\(outer)?mode=listener&latency=\(StreamRoute.latency)",
            ])
        case .rtsp:
            let own = try eventually("the port") {
                try? RTSPServer(port: outer, description: RTPVideo.description)
            }
            (url, server, relay) = (own.url(), own, nil)
        case .gstreamer:
            (url, server) = ("rtsp://127.0.0.1:\(outer)/live", nil)
            let started = try ChildProcess(Self.gstreamer([String(outer), String(port)]))
            relay = started
            try eventually("the server") { !started.standardOutput.isEmpty || started.hasEnded }
        }
    }

    deinit { stop() }

    func stop() {
        server?.stop()
        relay?.kill()
    }

    /// Returns the command of a server that sends the transport stream it receives at a port. With
    /// `--check`, it only loads its parts.
    static func gstreamer(_ arguments: [String]) -> [String] {
        ["/usr/bin/python3", "-c", program] + arguments
    }

    private static let program = """
        import sys, gi
        gi.require_version("Gst", "1.0")
        gi.require_version("GstRtspServer", "1.0")
        from gi.repository import Gst, GstRtspServer, GLib
        Gst.init(None)
        if not Gst.ElementFactory.find("rtpmp2tpay") or not Gst.ElementFactory.find("udpsrc"):
            sys.exit(1)
        if sys.argv[1] == "--check":
            sys.exit(0)
        server = GstRtspServer.RTSPServer()
        server.set_address("127.0.0.1")
        server.set_service(sys.argv[1])
        factory = GstRtspServer.RTSPMediaFactory()
        factory.set_launch(
            "( udpsrc address=127.0.0.1 port=" + sys.argv[2]
            + " caps=video/mpegts,systemstream=true,packetsize=188 ! rtpmp2tpay name=pay0 pt=33 )")
        factory.set_shared(True)
        server.get_mount_points().add_factory("/live", factory)
        server.attach(None)
        print("ready", flush=True)
        GLib.MainLoop().run()
        """
}
