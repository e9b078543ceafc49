// SPDX-License-Identifier: Apache-2.0

import CPlayheadScreens
import PlayheadBuffers
import PlayheadCapturing
import PlayheadTime
import Synchronization

/// A screen, a part of one, or a window, as a device.
///
/// - Concurrency: any thread.
final class ScreenSource: CaptureDeviceBackend {
    /// The source of the pixels.
    enum Place: Hashable {
        /// The monitor with the given name, or a part of it.
        case monitor(String, part: ScreenArea?)
        case window(xcb_window_t)
    }

    let uniqueID: String
    let localizedName: String
    let place: Place
    let showsCursor: Bool
    /// The name of the X server; nil for the one in `DISPLAY`.
    let display: String?
    private let isThere = Atomic(true)

    init(_ place: Place, name: String, showsCursor: Bool, display: String?) {
        self.place = place
        self.showsCursor = showsCursor
        self.display = display
        localizedName = name
        switch place {
        case .monitor(let output, nil): uniqueID = "x11:\(output)"
        case .monitor(let output, let part?):
            uniqueID = "x11:\(output)+\(part.x),\(part.y),\(part.width)x\(part.height)"
        case .window(let identifier):
            uniqueID = "x11-window:0x\(String(identifier, radix: 16))"
        }
    }

    var isPresent: Bool { isThere.load(ordering: .relaxed) }

    /// The pixel format of X servers with a depth of 24 bits, under FFmpeg's name.
    static let pixelFormat = PixelFormat(
        name: "bgr0", model: .rgb,
        components: [2, 1, 0].map {
            PixelFormat.Component(plane: 0, step: 4, offset: $0, depth: 8)
        })

    private static let rates = CaptureFrameRateRange(
        minFrameDuration: MediaTime(value: 1, timescale: 60),
        maxFrameDuration: MediaTime(value: 10, timescale: 1))

    func loadFormats() throws(CaptureError) -> [CaptureFormat] {
        let area = try area(XConnection(display: display))
        return [
            CaptureFormat(
                mediaSubType: "BGR0", width: area.width, height: area.height,
                frameRateRanges: [Self.rates], color: ColorAttachments(range: .full))
        ]
    }

    /// Returns the area of the monitor on the root window or, for a window, its own area, which
    /// begins at 0, 0.
    func area(_ connection: XConnection) throws(CaptureError) -> ScreenArea {
        switch place {
        case .monitor(let name, let part):
            guard let monitor = XMonitor.all(connection).first(where: { $0.name == name }) else {
                throw CaptureError(
                    .deviceDisconnected, subject: localizedName, cause: "the monitor is gone",
                    remedy: "plug it in, or use another screen")
            }
            guard let part else { return monitor.area }
            let moved = ScreenArea(
                x: monitor.area.x + part.x, y: monitor.area.y + part.y, width: part.width,
                height: part.height)
            guard moved.intersection(monitor.area) == moved else {
                throw CaptureError(
                    .unsupportedFormat, subject: localizedName,
                    cause: "the part is not within its \(monitor.area.width) x "
                        + "\(monitor.area.height) pixels", remedy: "choose a smaller part")
            }
            return moved
        case .window(let identifier):
            guard let geometry = connection.geometry(of: identifier) else {
                throw CaptureError(
                    .deviceDisconnected, subject: localizedName, cause: "the window is gone",
                    remedy: "open it again; 'playhead devices' lists windows")
            }
            return ScreenArea(x: 0, y: 0, width: geometry.width, height: geometry.height)
        }
    }

    func start(
        _ configuration: CaptureConfiguration,
        receiver: @escaping @Sendable (CaptureStreamEvent) -> Void
    ) throws(CaptureError) -> any CaptureStream {
        let stream = try ScreenStream(self, configuration) { [weak self] event in
            if case .disconnected = event { self?.isThere.store(false, ordering: .relaxed) }
            receiver(event)
        }
        isThere.store(true, ordering: .relaxed)
        return stream
    }

    /// Called when a list has found the screen or the window again.
    func noteReturn() { isThere.store(true, ordering: .relaxed) }
}
