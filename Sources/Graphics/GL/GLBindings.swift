// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc

/// What the context that is current on a thread has bound, as far as it is known: what is bound
/// already is not bound again.
///
/// It is trusted from `GLState.beginFrame` on: in a context where others call OpenGL as well until
/// `endFrame`, in one of our own for as long as it is current. Outside of that every call is made.
///
/// - Concurrency: the thread that it belongs to.
final class GLBindings {
    /// Texture units of OpenGL 3.3 core, table 6.51.
    private static let unitCount = 16

    /// Whether what is noted here is so.
    private(set) var isTrusted = false
    /// The texture unit that counts as number 0: a host may want the ones before for itself.
    var unitBase = 0
    /// How many units, from the base on, have been touched since this was last set to 0.
    var usedUnits = 0
    private var program: UInt32?
    private var vertexArray: UInt32?
    private var framebuffer: UInt32?
    private var viewport: (width: Int, height: Int)?
    private var blending: GLState.Blending?
    private var clearColor: SIMD4<Float>?
    private var unit: Int?
    private var textures = [UInt32?](repeating: nil, count: unitCount)
    private var samplers = [UInt32?](repeating: nil, count: unitCount)
    private var unpackAlignment: Int32?
    private var unpackRowLength: Int32?

    // MARK: Whose it is

    /// That of the calling thread.
    static var current: GLBindings {
        if let pointer = pthread_getspecific(key) {
            return Unmanaged<GLBindings>.fromOpaque(pointer).takeUnretainedValue()
        }
        let bindings = GLBindings()
        pthread_setspecific(key, Unmanaged.passRetained(bindings).toOpaque())
        return bindings
    }

    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        // ENOMEM and EAGAIN are the failures here: the process has used up its 1024 keys.
        let status = pthread_key_create(&key) { pointer in
            guard let pointer else { return }
            Unmanaged<GLBindings>.fromOpaque(pointer).release()
        }
        precondition(status == 0, "pthread_key_create failed with \(status)")
        return key
    }()

    /// Nothing is known any more, until a frame begins.
    func distrust() {
        forget()
        isTrusted = false
    }

    /// From here on what is bound is noted.
    func trust() { isTrusted = true }

    /// Nothing is known any more: names that were bound may have been deleted, and be others' now.
    func forget() {
        (program, vertexArray, framebuffer) = (nil, nil, nil)
        (viewport, blending, clearColor, unit) = (nil, nil, nil, nil)
        (unpackAlignment, unpackRowLength) = (nil, nil)
        forgetTextures()
        for index in 0..<Self.unitCount { samplers[index] = nil }
    }

    /// Nothing is known of textures: another context may have changed them, which is seen once they
    /// are bound anew. OpenGL 4.6 core, 5.3.
    func forgetTextures() {
        for index in 0..<Self.unitCount { textures[index] = nil }
    }

    // MARK: Binding

    /// Whether a value has to be set; notes it.
    private func note<Value: Equatable>(_ value: Value, _ noted: inout Value?) -> Bool {
        guard isTrusted else { return true }
        guard noted != value else { return false }
        noted = value
        return true
    }

    func use(program name: UInt32) {
        if note(name, &program) { ph_glUseProgram(name) }
    }

    func bind(vertexArray name: UInt32) {
        if note(name, &vertexArray) { ph_glBindVertexArray(name) }
    }

    func bind(framebuffer name: UInt32) {
        if note(name, &framebuffer) { ph_glBindFramebuffer(UInt32(GL_FRAMEBUFFER), name) }
    }

    /// Only as what is drawn to, not as what is read from.
    func bind(drawFramebuffer name: UInt32) {
        ph_glBindFramebuffer(UInt32(GL_DRAW_FRAMEBUFFER), name)
        framebuffer = nil
    }

    func set(viewportWidth width: Int, height: Int) {
        if isTrusted, let viewport, viewport == (width, height) { return }
        if isTrusted { viewport = (width, height) }
        ph_glViewport(0, 0, Int32(width), Int32(height))
    }

    /// Whether blending has to be set; notes it.
    func changes(_ value: GLState.Blending) -> Bool { note(value, &blending) }

    func set(clearColor color: SIMD4<Float>) {
        if note(color, &clearColor) { ph_glClearColor(color.x, color.y, color.z, color.w) }
    }

    func bind(texture name: UInt32, unit index: Int) {
        if isTrusted, textures[index] == name {
            return
        }
        activate(index)
        if isTrusted { textures[index] = name }
        ph_glBindTexture(UInt32(GL_TEXTURE_2D), name)
    }

    /// Binds for a change to the texture itself, whose unit has to be the active one.
    func bindForChange(texture name: UInt32) {
        activate(0)
        if note(name, &textures[0]) { ph_glBindTexture(UInt32(GL_TEXTURE_2D), name) }
    }

    func bind(sampler name: UInt32, unit index: Int) {
        if note(name, &samplers[index]) { ph_glBindSampler(UInt32(unitBase + index), name) }
    }

    func activate(_ index: Int) {
        usedUnits = max(usedUnits, index + 1)
        if note(index, &unit) { ph_glActiveTexture(UInt32(GL_TEXTURE0 + Int32(unitBase + index))) }
    }

    func set(unpackAlignment value: Int32) {
        if note(value, &unpackAlignment) { ph_glPixelStorei(UInt32(GL_UNPACK_ALIGNMENT), value) }
    }

    /// In texels; 0 for rows without gaps.
    func set(unpackRowLength value: Int32) {
        if note(value, &unpackRowLength) { ph_glPixelStorei(UInt32(GL_UNPACK_ROW_LENGTH), value) }
    }
}
