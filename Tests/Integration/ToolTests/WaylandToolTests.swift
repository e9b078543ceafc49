// SPDX-License-Identifier: Apache-2.0

import Foundation
import MediaTestSupport
import PlayheadAssets
import PlayheadScreens
import ScreenTestSupport
import Testing

/// The program in a private session of Wayland, with a portal that answers as its user would.
@Suite(
    "Screens of Wayland",
    .enabled(
        if: PrivateDesktop.isAvailable && PipeWireLibrary.shared != nil,
        "\(PrivateDesktop.absence)"))
struct WaylandToolTests {
    private let folder = TemporaryFolder()

    @Test func `the desktop is asked which screen or window to show`() throws {
        let desktop = try PrivateDesktop()
        let portal = try #require(
            PortalDouble(desktop.bus.address, .wait) { desktop.connect() })
        let list = try Tool.run(["devices"], environment: desktop.environment)
        #expect(
            list.text.contains(
                "screen:0  Screen selected in a dialog\n    wayland:portal\n    BGR0, 60 fps\n"))
        #expect(list.text.contains("window:0  Window selected in a dialog\n"))
        #expect(portal.record.calls.isEmpty)
        for device in ["screen:", "window:portal", "screen:portal+0,0,320x180?cursor=0"] {
            // A compositor has a node for each session.
            let producer = try NumberProducer(desktop)
            portal.set(.grant(producer.node))
            producer.send(Array(repeating: 77, count: 100_000), waitsForConsumer: false)
            let (shot, movie) = (folder.appending("a.png"), folder.appending("a.mkv"))
            try? FileManager.default.removeItem(at: movie)
            let result = try Tool.run(
                [
                    "play", device, "--headless", "--duration", "0.5", "--screenshot", shot.path,
                    "--record", movie.path,
                ], environment: desktop.environment)
            result.expectSuccess()
            let image = try TestImage(contentsOf: shot)
            #expect(image.width == (device.contains("+") ? 320 : 640))
            if image.width == 640 { #expect(image.frameNumber() == 77) }
            try Tool.run("frames", movie.path).expectSuccess()
            producer.end()
        }
        portal.set(.decline)
        let declined = try Tool.run(
            ["play", "screen:", "--headless"], environment: desktop.environment)
        #expect(declined.status == 2)
        #expect(declined.standardError.contains("screen: sharing was declined; start again"))
        // A signal ends the program while the user is asked.
        portal.set(.wait)
        let asked = try ChildProcess(
            [Tool.path, "play", "screen:", "--headless"], environment: desktop.environment)
        try eventually("the dialog") { portal.record.calls.last == "Start" }
        try eventually("the note") { asked.standardError.contains("waiting for a selection") }
        asked.signal(SIGINT)
        #expect(asked.wait() == 0)
        portal.end()
        let absent = try Tool.run(
            ["play", "screen:", "--headless"], environment: desktop.environment)
        #expect(absent.status == 2)
        #expect(absent.standardError.contains("needs a desktop portal, and none is installed"))
    }
}
