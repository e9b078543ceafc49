// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW

extension Window {
    /// The text on the clipboard, or an empty string.
    ///
    /// - Corresponds to: `NSPasteboard.general`'s string; X11's CLIPBOARD selection.
    public var clipboard: String {
        get { glfwGetClipboardString(handle).map { String(cString: $0) } ?? "" }
        set { glfwSetClipboardString(handle, newValue) }
    }
}
