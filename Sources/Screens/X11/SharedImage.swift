// SPDX-License-Identifier: Apache-2.0

import CPlayheadScreens
import PlayheadCapturing

/// Memory into which pixels of the server are copied. It is shared with the server, or filled
/// through the connection if the server is on another machine.
///
/// - Concurrency: one thread.
/// - Ownership: the memory and the server's use of it end with the object.
final class SharedImage {
    private let connection: XConnection
    private let pixelCount: Int
    private let segment: UInt32
    private let address: UnsafeMutableRawPointer?

    /// Creates memory for areas of up to the given number of pixels.
    init(_ connection: XConnection, pixelCount: Int) {
        self.connection = connection
        self.pixelCount = pixelCount
        segment = xcb_generate_id(connection.handle)
        var mapped: UnsafeMutableRawPointer?
        if ph_shm_exists(connection.handle) {
            let identifier = ph_shm_create(pixelCount * 4)
            if identifier >= 0 {
                mapped = ph_shm_map(identifier)
                if let address = mapped,
                    !ph_shm_attach(connection.handle, segment, identifier)
                {
                    ph_shm_unmap(address)
                    mapped = nil
                }
                // It is freed when both this process and the server have unmapped it.
                ph_shm_remove(identifier)
            }
        }
        address = mapped
    }

    deinit {
        guard let address else { return }
        if !connection.isBroken { _ = ph_shm_detach(connection.handle, segment) }
        ph_shm_unmap(address)
    }

    /// Returns whether there is room for an area.
    func fits(_ area: ScreenArea) -> Bool { area.width * area.height <= pixelCount }

    /// Copies an area of a drawable, and passes its pixels to a closure, which may change them.
    /// Returns false if the drawable does not contain the area.
    ///
    /// - Precondition: The area fits.
    func copy(
        _ area: ScreenArea, of drawable: xcb_drawable_t,
        _ body: (UnsafeMutableRawBufferPointer) -> Void
    ) -> Bool {
        let (x, y) = (Int16(clamping: area.x), Int16(clamping: area.y))
        let (width, height) = (UInt16(clamping: area.width), UInt16(clamping: area.height))
        if let address {
            guard
                ph_shm_get_image(connection.handle, drawable, x, y, width, height, segment)
            else { return false }
            body(UnsafeMutableRawBufferPointer(start: address, count: area.width * area.height * 4))
            return true
        }
        let cookie = xcb_get_image(
            connection.handle, UInt8(XCB_IMAGE_FORMAT_Z_PIXMAP.rawValue), drawable, x, y, width,
            height, ~0)
        guard let reply = xcb_get_image_reply(connection.handle, cookie, nil) else { return false }
        defer { free(reply) }
        let count = Int(xcb_get_image_data_length(reply))
        guard count >= area.width * area.height * 4, let data = xcb_get_image_data(reply) else {
            return false
        }
        body(UnsafeMutableRawBufferPointer(start: data, count: area.width * area.height * 4))
        return true
    }
}
