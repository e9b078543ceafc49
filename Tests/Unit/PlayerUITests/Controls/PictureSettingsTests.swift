// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadPlayerUI
import Testing

@Suite struct PictureSettingsTests {
    private func frame(_ change: (inout PictureSettings) -> Void) -> LayerRect? {
        var settings = PictureSettings()
        change(&settings)
        return settings.frame(of: (1600, 900), inWidth: 800, height: 800)
    }

    @Test func `without settings the view's own gravity counts`() {
        #expect(frame { _ in } == nil)
        #expect(frame { $0.contrast = 50 } == nil)
        #expect(PictureSettings().hasPlainColors)
    }

    @Test func `zoom keeps the centre, pan moves by the size of the frame`() {
        #expect(frame { $0.zoom = 1 } == LayerRect(x: -400, y: -50, width: 1600, height: 900))
        #expect(frame { $0.zoom = -1 } == LayerRect(x: 200, y: 287.5, width: 400, height: 225))
        #expect(frame { $0.pan.x = 0.5 } == LayerRect(x: 400, y: 175, width: 800, height: 450))
    }

    @Test func `a rotated frame fits with its rotated size, and rotates about its centre`() {
        var settings = PictureSettings()
        settings.rotation = 90
        #expect(settings.turned(width: 1600, height: 900) == (900, 1600))
        #expect(
            settings.frame(of: (1600, 900), inWidth: 800, height: 450)
                == LayerRect(x: 175, y: 98.4375, width: 450, height: 253.125))
        settings.rotation = 180
        #expect(
            settings.frame(of: (1600, 900), inWidth: 800, height: 800)
                == LayerRect(x: 0, y: 175, width: 800, height: 450))
        settings.rotation = 45
        let (width, height) = settings.turned(width: 2, height: 1)
        #expect(abs(width - 1.5 * 2.0.squareRoot()) < 1e-9 && abs(height - width) < 1e-9)
    }

    @Test func `the aspect ratio can be overridden, and the frame can fill the view`() {
        #expect(
            frame { $0.aspectRatio = 4.0 / 3 } == LayerRect(x: 0, y: 100, width: 800, height: 600))
        let filled = frame { $0.panScan = 1 }
        #expect(filled?.height == 800)
        #expect(filled.map { abs($0.width - 1600 * 800 / 900) < 1e-9 } == true)
        let half = frame { $0.panScan = 0.5 }
        #expect((half?.height ?? 0) > 450 && (half?.height ?? 0) < 800)
    }
}
