// SPDX-License-Identifier: Apache-2.0

import FoundationEssentials
import MediaTestSupport
import Testing

@testable import PlayheadWindow

/// The properties of a compositor that are read before GLFW connects to it.
@Suite struct WaylandCompositorTests {
    @Test func `a compositor of a desktop has a seat and draws title bars`() throws {
        let server = try CompositorDouble()
        let compositor = try #require(WaylandCompositor(named: server.path))
        #expect(compositor.hasSeat && compositor.drawsTitleBars)
    }

    @Test(arguments: ["wl_seat", "zxdg_decoration_manager_v1"])
    func `what a compositor does not have is known`(missing: String) throws {
        let server = try CompositorDouble(CompositorDouble.desktop.filter { $0 != missing })
        let compositor = try #require(WaylandCompositor(named: server.path))
        #expect(compositor.hasSeat == (missing != "wl_seat"))
        #expect(compositor.drawsTitleBars == (missing == "wl_seat"))
    }

    @Test func `a socket that does not exist is no compositor`() {
        #expect(WaylandCompositor(named: TemporaryFolder().appending("wayland").path) == nil)
    }

    @Test func `plug-ins for title bars are looked for in every folder`() throws {
        let (empty, full) = (TemporaryFolder(), TemporaryFolder())
        try Data().write(to: full.appending("libdecor-cairo.so"))
        try Data().write(to: empty.appending("so"))
        func areInstalled(_ folders: String) -> Bool {
            TitleBarPlugins.areInstalled { $0 == "LIBDECOR_PLUGIN_DIR" ? folders : nil }
        }
        #expect(areInstalled("\(empty.url.path):\(full.url.path)"))
        #expect(!areInstalled(empty.url.path))
        #expect(!areInstalled("/nonexistent"))
    }
}
