// SPDX-License-Identifier: Apache-2.0

import CPlayheadEpoxy
import Glibc

/// A record of the bindings of the context that is current on a thread. It avoids calls that would
/// bind an object that is already bound.
///
/// The record is trusted from `GLState.beginFrame` on. If other code calls OpenGL in the context
/// too, the record is trusted until `endFrame`. If only Playhead uses the context, it is trusted as
/// long as the context is current. While the record is not trusted, every call is made.
///
/// - Concurrency: the thread that the record belongs to.
final class GLBindings {
    /// The number of texture units that OpenGL 3.3 guarantees: core, table 6.51.
    private static let unitCount = 16

    /// A Boolean value that indicates whether the record matches the bindings of the context.
    private(set) var isTrusted = false
    /// The texture unit that is addressed as unit 0. A host may need the units before it.
    var unitBase = 0
    /// The number of units, from `unitBase` on, that were used since this property was last set to
    /// 0.
    var usedUnits = 0
    /// The way to find out which textures a host has bound, so that they are restored at the end of
    /// a frame.
    enum HostSaving {
        /// OpenGL is queried for the bound texture.
        case queried
        /// The host has bound no texture.
        case none
    }

    /// The way to find out which textures a host has bound to targets other than `GL_TEXTURE_2D`;
    /// nil if they are not restored.
    var hostSaving: HostSaving?
    private var hostTextures: [(unit: Int, target: UInt32, name: UInt32)] = []
    private var program: UInt32?
    private var vertexArray: UInt32?
    private var framebuffer: UInt32?
    private var viewport: (width: Int, height: Int)?
    private var blending: GLBlending?
    private var clearColor: SIMD4<Float>?
    private var unit: Int?
    private var textures = [UInt32?](repeating: nil, count: unitCount)
    private var samplers = [UInt32?](repeating: nil, count: unitCount)
    private var unpackAlignment: Int32?
    private var unpackRowLength: Int32?

    // MARK: Current thread

    /// The record of the calling thread's bindings.
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
        // The possible errors are ENOMEM and EAGAIN: the process has used up its 1024 keys.
        let status = pthread_key_create(&key) { pointer in
            guard let pointer else { return }
            Unmanaged<GLBindings>.fromOpaque(pointer).release()
        }
        precondition(status == 0, "pthread_key_create failed with \(status)")
        return key
    }()

    /// Clears the record, and records no new bindings until a frame begins.
    func distrust() {
        forget()
        isTrusted = false
    }

    /// Starts to record bindings.
    func trust() { isTrusted = true }

    /// Clears the recorded bindings, because bound names may have been deleted and reused.
    func forget() {
        (program, vertexArray, framebuffer) = (nil, nil, nil)
        (viewport, blending, clearColor, unit) = (nil, nil, nil, nil)
        (unpackAlignment, unpackRowLength) = (nil, nil)
        forgetTextures()
        for index in 0..<Self.unitCount { samplers[index] = nil }
    }

    /// Clears the recorded texture bindings, because another context may have changed the textures.
    /// The changes become visible when the textures are bound again (OpenGL 4.6 core, 5.3).
    func forgetTextures() {
        for index in 0..<Self.unitCount { textures[index] = nil }
    }

    // MARK: Binding

    /// Records a value, and returns whether OpenGL must be called to set it.
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

    /// Binds a framebuffer for drawing, but not for reading.
    func bind(drawFramebuffer name: UInt32) {
        ph_glBindFramebuffer(UInt32(GL_DRAW_FRAMEBUFFER), name)
        framebuffer = nil
    }

    func set(viewportWidth width: Int, height: Int) {
        if isTrusted, let viewport, viewport == (width, height) { return }
        if isTrusted { viewport = (width, height) }
        ph_glViewport(0, 0, Int32(width), Int32(height))
    }

    /// Records a blending, and returns whether OpenGL must be called to set it.
    func changes(_ value: GLBlending) -> Bool { note(value, &blending) }

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

    /// Binds a texture so that it can be changed; the texture's unit must be the active one.
    func bindForChange(texture name: UInt32) {
        activate(0)
        if note(name, &textures[0]) { ph_glBindTexture(UInt32(GL_TEXTURE_2D), name) }
    }

    /// Binds a texture of any target. Only bindings of two-dimensional textures are recorded.
    func bind(table name: UInt32, target: UInt32, unit index: Int) {
        activate(index)
        if target == UInt32(GL_TEXTURE_2D) { textures[index] = nil } else { save(target, index) }
        ph_glBindTexture(target, name)
    }

    /// Saves the texture that the host has bound to `target`, which is not `GL_TEXTURE_2D`, before
    /// the first change. The unit must be active.
    private func save(_ target: UInt32, _ unit: Int) {
        guard let saving = hostSaving,
            !hostTextures.contains(where: { $0.unit == unit && $0.target == target })
        else { return }
        var name: Int32 = 0
        if saving == .queried {
            let query =
                switch Int32(target) {
                case GL_TEXTURE_1D: GL_TEXTURE_BINDING_1D
                case GL_TEXTURE_3D: GL_TEXTURE_BINDING_3D
                default: GL_TEXTURE_BINDING_CUBE_MAP
                }
            ph_glGetIntegerv(UInt32(query), &name)
        }
        hostTextures.append((unit, target, UInt32(name)))
    }

    /// Binds the saved textures of the host again.
    func restoreHostTextures() {
        for (unit, target, name) in hostTextures {
            ph_glActiveTexture(UInt32(GL_TEXTURE0 + Int32(unitBase + unit)))
            ph_glBindTexture(target, name)
        }
        hostTextures.removeAll(keepingCapacity: true)
        hostSaving = nil
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

    /// Sets the row length of uploads, in texels; 0 for rows without gaps.
    func set(unpackRowLength value: Int32) {
        if note(value, &unpackRowLength) { ph_glPixelStorei(UInt32(GL_UNPACK_ROW_LENGTH), value) }
    }
}
