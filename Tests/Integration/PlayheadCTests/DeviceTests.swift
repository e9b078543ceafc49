// SPDX-License-Identifier: Apache-2.0

import CPlayhead
import FoundationEssentials
import GraphicsTestSupport
import MediaTestSupport
import PlayheadC
import Testing

/// A host in C that opens cameras, whose driver is played by a preloaded library.
@Suite(
    .enabled(if: FakeCamera.isAvailable, "\(FakeCamera.absence)"),
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct DeviceTests {
    private func start(_ camera: FakeCamera, _ address: String) throws -> ChildProcess {
        try ChildProcess(
            ["\(Built.folder)/DeviceHost", address], environment: camera.environment)
    }

    private func output(_ host: ChildProcess) -> [String] {
        String(decoding: host.standardOutput, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func `a host draws a camera, which goes on after it was unplugged`() throws {
        let camera = try FakeCamera("format=YUYV 640x480 30 15", "format=NV12 320x240 30")
        let host = try start(camera, "camera:0?size=640x480&rate=30")
        try eventually("ten frames") { output(host).contains { $0.hasPrefix("play ") } }
        try camera.unplug()
        try eventually("a warning") { output(host).contains { $0.contains("was unplugged") } }
        try camera.plug()
        #expect(host.wait(patience) == 0, "\(host.standardError)")
        let lines = output(host)
        #expect(lines.contains("ready 640x480 30 YUYV phase 2"))
        #expect(lines.contains("size 640x480"))
        // fake_frames.c: luma is 16 + (x + y) % 220, at 50, 100.
        #expect(lines.contains("frame 640x480 yuv422p luma 166"))
        #expect(lines.contains("seek PLAYHEAD_UNSUPPORTED"))
        #expect(lines.contains("swap PLAYHEAD_OK") && lines.contains("play PLAYHEAD_OK"))
        #expect(lines.contains { $0.hasPrefix("warning PLAYHEAD_CANNOT_OPEN: ") })
        #expect(lines.suffix(2) == ["again", "closed phase 0"])
    }

    @Test func `addresses and devices that cannot be opened are named`() throws {
        let camera = try FakeCamera("format=YUYV 640x480 30")
        try camera.set(["format=YUYV 640x480 30", "denied=1"], node: 1)
        for (address, line) in [
            ("/dev/video0", "refused PLAYHEAD_INVALID_ARGUMENT: /dev/video0: expected "),
            ("camera:0?size=big", "refused PLAYHEAD_INVALID_ARGUMENT: camera:0?size=big: expected"),
            ("camera:7", "error PLAYHEAD_NOT_FOUND: camera:7: there is no such camera"),
            ("camera:1", "error PLAYHEAD_NOT_ALLOWED: video1: you may not use "),
            ("camera:0?format=nv12", "error PLAYHEAD_UNSUPPORTED: "),
        ] {
            let host = try start(camera, address)
            #expect(host.wait(patience) == 0, "\(host.standardError)")
            let lines = output(host)
            #expect(lines.first?.hasPrefix(line) == true, "\(lines)")
            #expect(lines.last == "closed phase 0")
        }
    }

    @Test func `a file replaces a camera, and the other way round`() throws {
        // There is no camera here, so that opening one fails.
        let rig = try HostRig()
        try check(playhead_open_device(rig.player, "camera:no such camera"))
        #expect(
            try Int(#require(try rig.event(PLAYHEAD_EVENT_ERROR)).status) == PLAYHEAD_NOT_FOUND)
        #expect(Int(try rig.state.phase) == PLAYHEAD_PHASE_FAILED)
        #expect(playhead_wait_for_frame(rig.player, 0, nil) == playhead_status(PLAYHEAD_NOT_FOUND))
        try rig.open(try HostRig.film())
        #expect(try rig.picture()?.frameNumber() == 0)
        try check(playhead_open_device(rig.player, "camera:no such camera"))
        #expect(try rig.picture() == nil)
        #expect(
            playhead_step(rig.player, 1) == playhead_status(PLAYHEAD_UNSUPPORTED))
        try check(playhead_close(rig.player))
        #expect(Int(try rig.state.phase) == PLAYHEAD_PHASE_EMPTY)
    }
}
