// SPDX-License-Identifier: Apache-2.0

import GraphicsTestSupport
import PlayheadDisplay
import PlayheadGL
import PlayheadLayers
import PlayheadPresentation
import PlayheadTime
import Testing

/// The count of vsyncs that pass while a window that changes is being drawn.
@Suite(
    "Missed vsyncs", .serialized,
    .enabled(if: GraphicsTest.isAvailable, "\(GraphicsTest.absence)"))
struct MissedVsyncTests {
    @Test func `vsyncs between frames that differ are counted, and those of a rest are not`()
        throws
    {
        let surface = try OffscreenSurface(width: 16, height: 9)
        try surface.context.makeCurrent()
        defer { surface.context.clearCurrent() }
        let ledger = FrameLedger()
        let presenter = FramePresenter(surface: surface, ledger: ledger)
        let period: Int64 = 16_000_000
        func present(_ color: Int, at vsync: Int64) throws {
            let tick = DisplayTick(
                timestamp: MediaTime(nanoseconds: vsync * period),
                targetTimestamp: MediaTime(nanoseconds: (vsync + 1) * period),
                duration: MediaTime(nanoseconds: period), sequence: vsync, source: .manual)
            let scene = Scene(layers: [Layer(.color([Float(color) / 8, 0, 0, 1]))])
            _ = try presenter.present(scene, of: nil, through: nil, at: tick)
        }
        for vsync in 0..<4 { try present(vsync, at: Int64(vsync)) }
        #expect(ledger.drawnCount == 3 && ledger.missedVsyncCount == 0)
        // Vsyncs 4 and 5 pass.
        try present(4, at: 6)
        #expect(ledger.drawnCount == 4 && ledger.missedVsyncCount == 2)
        // Nothing changes for a while; then drawing continues, late for a frame that was not due.
        try present(4, at: 7)
        try present(5, at: 20)
        #expect(ledger.drawnCount == 4 && ledger.missedVsyncCount == 2)
        try present(6, at: 21)
        #expect(ledger.drawnCount == 5 && ledger.missedVsyncCount == 2)
    }
}
