// SPDX-License-Identifier: Apache-2.0

import CPlayheadGLFW

extension Window {
    /// The text that programs exchange by copying and pasting; empty where there is none, or none that
    /// is text.
    ///
    /// - Corresponds to: `NSPasteboard.general`'s string; X11's CLIPBOARD selection.
    public var clipboard: String {
        get { glfwGetClipboardString(handle).map { String(cString: $0) } ?? "" }
        set { glfwSetClipboardString(handle, newValue) }
    }
}
