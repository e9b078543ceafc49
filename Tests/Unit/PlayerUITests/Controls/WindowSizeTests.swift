// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import PlayheadWindow

/// The size of a window for a video of another aspect ratio.
@Suite struct WindowSizeTests {
    private static let limit = WindowSize(width: 1024, height: 640)

    private static func shaped(
        _ width: Int, _ height: Int, as ratio: (Int, Int), area: Double? = nil
    ) -> WindowSize {
        WindowSize(width: width, height: height).shaped(
            as: WindowSize(width: ratio.0, height: ratio.1),
            area: area ?? Double(width * height), within: limit)
    }

    @Test func `a window that has the ratio stays as it is, however large`() {
        for (width, height) in [(960, 540), (1600, 900), (1599, 900), (853, 480), (3, 2)] {
            let size = WindowSize(width: width, height: height)
            #expect(Self.shaped(width, height, as: (1920, 1080)) == size)
        }
    }

    @Test func `another shape has the same area, as far as the monitor allows`() {
        #expect(Self.shaped(800, 200, as: (1, 1)) == WindowSize(width: 400, height: 400))
        #expect(Self.shaped(960, 540, as: (1080, 1920)) == WindowSize(width: 360, height: 640))
        #expect(Self.shaped(960, 540, as: (4000, 100)) == WindowSize(width: 1024, height: 26))
        #expect(Self.shaped(960, 540, as: (60_000, 1)) == WindowSize(width: 1024, height: 1))
        #expect(Self.shaped(1, 1, as: (0, 5)) == WindowSize(width: 1, height: 1))
    }

    @Test func `no side is too short to take hold of`() {
        #expect(WindowSize(width: 1024, height: 26).grown(to: .least).height == 90)
        #expect(WindowSize(width: 1, height: 1).grown(to: .least) == .least)
        let size = WindowSize(width: 960, height: 540)
        #expect(size.grown(to: .least) == size)
    }

    @Test func `after a very wide video the next one has the previous height`() {
        let flat = Self.shaped(640, 480, as: (4000, 100))
        #expect(
            Self.shaped(flat.width, flat.height, as: (4, 3), area: 640 * 480)
                == WindowSize(width: 640, height: 480))
    }
}
