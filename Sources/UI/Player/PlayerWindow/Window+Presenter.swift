// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadPresentation
import PlayheadWindow

extension Window {
    /// Opens a window and creates a presenter for it. If the presenter cannot be created, the
    /// window is closed.
    static func open(
        _ configuration: WindowConfiguration
    ) throws(WindowError) -> (window: Window, presenter: Presenter) {
        let window = try Window(configuration)
        do {
            let presenter = try Presenter(
                surface: WindowSurface(window.context), vsyncs: window.makeVsyncSource())
            return (window, presenter)
        } catch {
            window.close()
            throw .noOpenGL(reason: error.description)
        }
    }
}
