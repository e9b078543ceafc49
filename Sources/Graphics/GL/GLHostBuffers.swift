// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy

/// A host's bindings, except those of textures, and its pixel storage parameters.
///
/// - Concurrency: render thread.
final class GLHostBuffers {
    private static let storage = [
        GL_UNPACK_ROW_LENGTH, GL_UNPACK_SKIP_ROWS, GL_UNPACK_SKIP_PIXELS, GL_UNPACK_ALIGNMENT,
        GL_UNPACK_IMAGE_HEIGHT, GL_UNPACK_SKIP_IMAGES, GL_PACK_ROW_LENGTH, GL_PACK_SKIP_ROWS,
        GL_PACK_SKIP_PIXELS, GL_PACK_ALIGNMENT,
    ].map { UInt32($0) }
    /// The pixel storage parameters that OpenGL ES does not have.
    private static let desktopStorage = [
        GL_UNPACK_SWAP_BYTES, GL_UNPACK_LSB_FIRST, GL_PACK_SWAP_BYTES, GL_PACK_LSB_FIRST,
        GL_PACK_IMAGE_HEIGHT, GL_PACK_SKIP_IMAGES,
    ].map { UInt32($0) }
    /// The parameters of fixed-function pixel transfer, which affects uploads in the compatibility
    /// profile: names and defaults.
    private static let transfers: [(name: UInt32, normal: Float)] = [
        (GL_MAP_COLOR, 0), (GL_RED_SCALE, 1), (GL_RED_BIAS, 0), (GL_GREEN_SCALE, 1),
        (GL_GREEN_BIAS, 0), (GL_BLUE_SCALE, 1), (GL_BLUE_BIAS, 0), (GL_ALPHA_SCALE, 1),
        (GL_ALPHA_BIAS, 0),
    ].map { (UInt32($0.0), Float($0.1)) }

    private let profile: GLHostProfile
    private var drawFramebuffer: Int32 = 0
    private var readFramebuffer: Int32 = 0
    private var program: Int32 = 0
    private var vertexArray: Int32 = 0
    private var arrayBuffer: Int32 = 0
    private var unpackBuffer: Int32 = 0
    private var packBuffer: Int32 = 0
    private let storage: [UInt32]
    private var storageValues: [Int32]
    private var transferValues = [Float](repeating: 0, count: transfers.count)
    private var isFeedbackPaused = false

    init(_ profile: GLHostProfile) {
        self.profile = profile
        storage = Self.storage + (profile.isES ? [] : Self.desktopStorage)
        storageValues = [Int32](repeating: 0, count: storage.count)
    }

    func save() {
        pauseFeedback()
        ph_glGetIntegerv(UInt32(GL_DRAW_FRAMEBUFFER_BINDING), &drawFramebuffer)
        ph_glGetIntegerv(UInt32(GL_READ_FRAMEBUFFER_BINDING), &readFramebuffer)
        ph_glGetIntegerv(UInt32(GL_CURRENT_PROGRAM), &program)
        if program != 0 {
            // A program that the host deleted while it was in use is freed as soon as another
            // program is used.
            var isDeleted: Int32 = 0
            ph_glGetProgramiv(UInt32(program), UInt32(GL_DELETE_STATUS), &isDeleted)
            if isDeleted != 0 { program = 0 }
        }
        ph_glGetIntegerv(UInt32(GL_VERTEX_ARRAY_BINDING), &vertexArray)
        ph_glGetIntegerv(UInt32(GL_ARRAY_BUFFER_BINDING), &arrayBuffer)
        ph_glGetIntegerv(UInt32(GL_PIXEL_UNPACK_BUFFER_BINDING), &unpackBuffer)
        ph_glGetIntegerv(UInt32(GL_PIXEL_PACK_BUFFER_BINDING), &packBuffer)
        for index in storage.indices {
            ph_glGetIntegerv(storage[index], &storageValues[index])
        }
        if profile.isCompatibility {
            for index in Self.transfers.indices {
                ph_glGetFloatv(Self.transfers[index].name, &transferValues[index])
            }
        }
    }

    func setDefaults() {
        if unpackBuffer != 0 { ph_glBindBuffer(UInt32(GL_PIXEL_UNPACK_BUFFER), 0) }
        if packBuffer != 0 { ph_glBindBuffer(UInt32(GL_PIXEL_PACK_BUFFER), 0) }
        for index in storage.indices { setStorage(index, Self.normal(storage[index])) }
        if profile.isCompatibility {
            for (index, transfer) in Self.transfers.enumerated()
            where transferValues[index] != transfer.normal {
                ph_glPixelTransferf(transfer.name, transfer.normal)
            }
        }
    }

    func restore() {
        for index in storage.indices {
            ph_glPixelStorei(storage[index], storageValues[index])
        }
        if profile.isCompatibility {
            for (index, transfer) in Self.transfers.enumerated()
            where transferValues[index] != transfer.normal {
                ph_glPixelTransferf(transfer.name, transferValues[index])
            }
        }
        ph_glBindBuffer(UInt32(GL_PIXEL_UNPACK_BUFFER), UInt32(unpackBuffer))
        ph_glBindBuffer(UInt32(GL_PIXEL_PACK_BUFFER), UInt32(packBuffer))
        ph_glBindVertexArray(UInt32(vertexArray))
        ph_glBindBuffer(UInt32(GL_ARRAY_BUFFER), UInt32(arrayBuffer))
        ph_glUseProgram(UInt32(program))
        ph_glBindFramebuffer(UInt32(GL_DRAW_FRAMEBUFFER), UInt32(drawFramebuffer))
        ph_glBindFramebuffer(UInt32(GL_READ_FRAMEBUFFER), UInt32(readFramebuffer))
        if isFeedbackPaused { ph_glResumeTransformFeedback() }
        isFeedbackPaused = false
    }

    private func setStorage(_ index: Int, _ value: Int32) {
        if storageValues[index] != value { ph_glPixelStorei(storage[index], value) }
    }

    private static func normal(_ name: UInt32) -> Int32 {
        name == UInt32(GL_UNPACK_ALIGNMENT) || name == UInt32(GL_PACK_ALIGNMENT) ? 4 : 0
    }

    /// Pauses transform feedback, because the program cannot be changed while feedback is active.
    private func pauseFeedback() {
        guard profile.hasFeedbackPause else { return }
        var (isActive, isPaused): (Int32, Int32) = (0, 0)
        ph_glGetIntegerv(UInt32(GL_TRANSFORM_FEEDBACK_BUFFER_ACTIVE), &isActive)
        ph_glGetIntegerv(UInt32(GL_TRANSFORM_FEEDBACK_BUFFER_PAUSED), &isPaused)
        guard isActive != 0, isPaused == 0 else { return }
        ph_glPauseTransformFeedback()
        isFeedbackPaused = true
    }
}
