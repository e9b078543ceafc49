// SPDX-License-Identifier: Apache-2.0

import PlayheadWindow

/// The few OpenGL functions that the host calls, loaded through the context.
struct ClearFunctions {
    typealias ClearColor = @convention(c) (Float, Float, Float, Float) -> Void
    typealias Clear = @convention(c) (UInt32) -> Void
    typealias GetString = @convention(c) (UInt32) -> UnsafePointer<CChar>
    typealias ReadPixels =
        @convention(c) (
            Int32, Int32, Int32, Int32, UInt32, UInt32, UnsafeMutableRawPointer
        ) -> Void

    let clearColor: ClearColor
    let clear: Clear
    let getString: GetString
    let readPixels: ReadPixels

    init(_ context: WindowContext) {
        clearColor = unsafeBitCast(context.procAddress("glClearColor"), to: ClearColor.self)
        clear = unsafeBitCast(context.procAddress("glClear"), to: Clear.self)
        getString = unsafeBitCast(context.procAddress("glGetString"), to: GetString.self)
        readPixels = unsafeBitCast(context.procAddress("glReadPixels"), to: ReadPixels.self)
    }
}
