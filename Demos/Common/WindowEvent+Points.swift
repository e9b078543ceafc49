// SPDX-License-Identifier: Apache-2.0

public import PlayheadUI

extension WindowEvent {
    /// Returns the event with its position in points, which canvases use, instead of screen
    /// coordinates.
    @MainActor public func inPoints(of window: Window) -> WindowEvent {
        let factor =
            Double(window.framebufferSize.width) / max(0.1, window.contentScale)
            / Double(max(1, window.size.width))
        func points(_ point: WindowPoint) -> WindowPoint {
            WindowPoint(x: point.x * factor, y: point.y * factor)
        }
        switch self {
        case .pointerMoved(let point): return .pointerMoved(points(point))
        case .button(var button):
            button.position = points(button.position)
            return .button(button)
        case .scrolled(var scroll):
            scroll.position = points(scroll.position)
            return .scrolled(scroll)
        default: return self
        }
    }
}
