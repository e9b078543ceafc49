// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// Sets the names of Playhead's objects in debuggers and in the driver's messages.
///
/// The names are set in debug contexts only.
///
/// - Corresponds to: `glObjectLabel`.
enum GLLabel {
    static func set(
        _ label: String, of kind: GLDeletionQueue.Kind, _ name: UInt32, in context: any GLContext
    ) {
        guard context.capabilities.isDebug, !label.isEmpty else { return }
        let identifier =
            switch kind {
            case .texture: GL_TEXTURE
            case .sampler: GL_SAMPLER
            case .buffer: GL_BUFFER
            case .vertexArray: GL_VERTEX_ARRAY
            case .framebuffer: GL_FRAMEBUFFER
            case .program: GL_PROGRAM
            case .query: GL_QUERY
            case .fence: GL_NONE
            }
        label.withCString {
            ph_glObjectLabel(UInt32(identifier), name, Int32(label.utf8.count), $0)
        }
    }

    /// Returns the label of a texture. For tests.
    static func label(ofTexture name: UInt32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            var length: Int32 = 0
            ph_glGetObjectLabel(
                UInt32(GL_TEXTURE), name, Int32(buffer.count), &length, buffer.baseAddress)
            return String(
                decoding: buffer[..<Int(length)].map(UInt8.init(bitPattern:)), as: UTF8.self)
        }
    }
}
