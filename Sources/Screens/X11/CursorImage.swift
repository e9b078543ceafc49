// SPDX-License-Identifier: Apache-2.0

import CPlayheadScreens

/// The position and the image of the cursor of an X server.
struct CursorImage {
    /// The position of the hot spot on the root window.
    var x: Int
    var y: Int
    private let left: Int
    private let top: Int
    private let width: Int
    private let height: Int
    /// The premultiplied pixels: A, R, G and B, from the highest byte to the lowest.
    private let pixels: [UInt32]

    /// Queries the server for the cursor. Returns nil if the server does not support XFixes.
    init?(_ connection: XConnection) {
        guard
            let reply = xcb_xfixes_get_cursor_image_reply(
                connection.handle, xcb_xfixes_get_cursor_image(connection.handle), nil)
        else { return nil }
        defer { free(reply) }
        let values = reply.pointee
        (x, y) = (Int(values.x), Int(values.y))
        (left, top) = (x - Int(values.xhot), y - Int(values.yhot))
        (width, height) = (Int(values.width), Int(values.height))
        guard let first = xcb_xfixes_get_cursor_image_cursor_image(reply) else { return nil }
        pixels = Array(UnsafeBufferPointer(start: first, count: width * height))
    }

    /// Draws the cursor over pixels in the format `bgr0`.
    ///
    /// - Parameter origin: The position of the pixels on the root window.
    func draw(
        over bytes: UnsafeMutableRawBufferPointer, bytesPerRow: Int, width: Int, height: Int,
        origin: (x: Int, y: Int)
    ) {
        for row in 0..<self.height {
            let y = top + row - origin.y
            guard (0..<height).contains(y) else { continue }
            for column in 0..<self.width {
                let x = left + column - origin.x
                guard (0..<width).contains(x) else { continue }
                let pixel = pixels[row * self.width + column]
                let alpha = pixel >> 24
                guard alpha > 0 else { continue }
                for component in 0..<3 {
                    let place = y * bytesPerRow + x * 4 + component
                    let above = (pixel >> (8 * UInt32(component))) & 0xff
                    let below = UInt32(bytes[place]) * (255 - alpha)
                    bytes[place] = UInt8(min(255, above + (below + 127) / 255))
                }
            }
        }
    }
}
