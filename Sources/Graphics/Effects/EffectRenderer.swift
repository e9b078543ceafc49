// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadConversion
public import PlayheadGL
public import PlayheadTextures

/// Draws effects in one context: compiles their shaders, runs their passes, keeps their buffers.
///
/// - Concurrency: render thread.
/// - Errors: an effect that cannot be drawn is bypassed, and reported once; the last program that
///   compiled keeps running.
public final class EffectRenderer {
    /// The film as it is stored, for effects that read its own chroma.
    public struct NativePicture {
        public let picture: PictureTextures
        /// The coordinates of `inputImage`, (0, 0) being bottom left, to those of the picture.
        public let matrix: GLMatrix3

        public init(picture: PictureTextures, matrix: GLMatrix3) {
            self.picture = picture
            self.matrix = matrix
        }
    }

    /// A picture that an effect made.
    public struct Output {
        /// Lent by the pool that the renderer was given: release it when drawn.
        public let framebuffer: GLFramebuffer
        public let alpha: PicturePainter.Alpha
    }

    private let context: any GLContext
    private let painter: PicturePainter
    private let pool: FramebufferPool
    private let images: TextureCache
    private var states: [ObjectIdentifier: EffectState] = [:]
    private var empty: GLTexture?
    private var silence: GLTexture?
    private var newErrors: [EffectError] = []

    /// - Parameters:
    ///   - pool: where intermediate pictures come from.
    ///   - images: where pictures given to image inputs are uploaded.
    public init(
        context: any GLContext, painter: PicturePainter, pool: FramebufferPool,
        images: TextureCache
    ) {
        self.context = context
        self.painter = painter
        self.pool = pool
        self.images = images
    }

    /// Errors that came up since this was last called.
    public func takeErrors() -> [EffectError] {
        defer { newErrors.removeAll(keepingCapacity: true) }
        return newErrors
    }

    /// Whether an effect is drawn differently though neither its values nor its input changed; true
    /// too before it was first drawn.
    public func isTimeDependent(_ instance: EffectInstance) -> Bool {
        guard instance.isEnabled else { return false }
        guard let state = states[ObjectIdentifier(instance)] else { return true }
        if instance.sound != nil, instance.hearsSound { return true }
        return state.lastPrograms.contains(where: \.isTimeDependent)
    }

    /// Draws an effect.
    ///
    /// - Parameters:
    ///   - input: what a filter reads as `inputImage`: straight alpha, t = 0 at the bottom.
    ///   - native: the film as stored, where `input` is the film and nothing else.
    ///   - width: size of the output in pixels.
    /// - Returns: nil when the effect is to be bypassed.
    public func draw(
        _ instance: EffectInstance, input: GLTexture?, native: NativePicture? = nil, width: Int,
        height: Int, time: EffectTime
    ) -> Output? {
        let snapshot = instance.takeSnapshot()
        guard snapshot.isEnabled else { return nil }
        let state = state(of: instance)
        do throws(EffectError) {
            let native = native.flatMap { $0.picture.layout.hasChroma ? $0 : nil }
            let programs = try state.programs(
                chromaViewCount: instance.effect.requirements.nativeChroma
                    ? native?.picture.layout.colorViewCount : nil, context: context)
            let output = try run(
                state, programs, snapshot, input: input, native: native, width: width,
                height: height, time: time)
            _ = instance.note(nil)
            return Output(
                framebuffer: output,
                alpha: instance.effect.requirements.isOutputPremultiplied
                    ? .premultiplied : .straight)
        } catch {
            if instance.note(error) { newErrors.append(error) }
            return nil
        }
    }

    /// Ends a frame: drops what belongs to effects that are gone.
    public func endFrame() {
        if states.contains(where: { $0.value.instance == nil }) {
            states = states.filter { $0.value.instance != nil }
        }
    }

    private func state(of instance: EffectInstance) -> EffectState {
        let key = ObjectIdentifier(instance)
        if let state = states[key], state.instance === instance { return state }
        let state = EffectState(instance)
        states[key] = state
        return state
    }

    private func run(
        _ state: EffectState, _ programs: [EffectProgram], _ snapshot: EffectInstance.Snapshot,
        input: GLTexture?, native: NativePicture?, width: Int, height: Int, time: EffectTime
    ) throws(EffectError) -> GLFramebuffer {
        let effect = state.effect
        // Making a texture binds it where another may be bound: hence these first.
        if empty == nil { empty = placeholder([0, 0, 0, 0]) }
        if silence == nil { silence = placeholder([128, 128, 128, 255]) }
        try state.prepareImages(snapshot, renderer: self)
        try state.sound.prepare(
            effect, source: snapshot.sound, at: time.seconds, context: context)
        let delta = state.lastTime.map { max(0, time.seconds - $0) } ?? 0
        var temporary: [(name: String, framebuffer: GLFramebuffer)] = []
        defer { for (_, framebuffer) in temporary { pool.release(framebuffer) } }

        let output = try acquire(width: width, height: height, isFloat: false)
        do throws(EffectError) {
            for (index, pass) in effect.passes.enumerated() {
                let size = state.size(of: pass, width: width, height: height, snapshot)
                let isLast = index == effect.passes.count - 1
                let target: GLFramebuffer
                if pass.isPersistent, let name = pass.target {
                    target = try state.backBuffer(
                        name, size: size, isFloat: pass.isFloat, painter: painter,
                        context: context)
                } else if let name = pass.target {
                    target = try acquire(
                        width: size.width, height: size.height, isFloat: pass.isFloat)
                    temporary.append((name, target))
                } else {
                    target = output
                }
                let program = programs[index]
                program.program.use()
                if index == 0 || program !== programs[index - 1] {
                    set(program, snapshot, state, time: time, delta: delta)
                }
                // In every pass, for making its target may have bound something else there.
                if let native, !program.chromaUnits.isEmpty { set(native, program) }
                program.passIndex.set(Int32(index))
                program.renderSize.set(SIMD2(Float(target.width), Float(target.height)))
                bindPictures(
                    state, program, input: input,
                    // What is drawn to cannot be read: its last content is out of reach.
                    temporary: temporary.filter { $0.framebuffer !== target })
                GLState.setTarget(
                    framebuffer: target.name, width: target.width, height: target.height)
                GLState.setBlending(.replace)
                painter.drawQuad()
                if pass.isPersistent, let name = pass.target { state.swapBuffers(name) }
                if isLast, target !== output {
                    GLState.setTarget(framebuffer: output.name, width: width, height: height)
                    try copy(target.texture)
                }
            }
        } catch {
            pool.release(output)
            throw error
        }
        state.frameIndex &+= 1
        state.lastTime = time.seconds
        return output
    }

    /// Sets what stays the same in every pass.
    private func set(
        _ program: EffectProgram, _ snapshot: EffectInstance.Snapshot, _ state: EffectState,
        time: EffectTime, delta: Double
    ) {
        program.time.set(Float(time.seconds))
        program.timeDelta.set(Float(delta))
        program.frameIndex.set(state.frameIndex)
        if program.usesDate { program.date.set(EffectTime.date()) }
        for (index, uniform) in program.inputs.enumerated() {
            set(uniform, to: snapshot.values[index], isFired: snapshot.firedEvents.contains(index))
        }
    }

    private func copy(_ texture: GLTexture) throws(EffectError) {
        do throws(GLError) {
            try painter.draw(
                texture, alpha: .straight, geometry: .storedWhole, filter: .linear,
                alphaOut: .straight)
        } catch {
            throw .gl(error)
        }
    }

    private func acquire(
        width: Int, height: Int, isFloat: Bool
    ) throws(EffectError) -> GLFramebuffer {
        try EffectState.requireReasonable(width: width, height: height)
        do throws(GLError) {
            return try pool.acquire(
                format: isFloat ? .rgba32Float : .rgba8, width: width, height: height)
        } catch {
            throw .gl(error)
        }
    }

    private func set(_ uniform: GLUniform, to value: EffectValue, isFired: Bool) {
        switch value {
        case .event: uniform.set(isFired)
        case .bool(let value): uniform.set(value)
        case .long(let value): uniform.set(value)
        case .float(let value): uniform.set(value)
        case .point2D(let value): uniform.set(value)
        case .color(let value): uniform.set(value)
        case .image: break
        }
    }

    private func set(_ native: NativePicture, _ program: EffectProgram) {
        let picture = native.picture
        let conversion = picture.conversion
        program.chromaMatrix.set(native.matrix)
        program.chromaTransform.set(picture.siting.transform)
        program.chromaSignal.set(
            SIMD4<Float>(
                Float(conversion.signalScale.y), Float(conversion.signalScale.z),
                Float(conversion.signalBias.y), Float(conversion.signalBias.z)))
        let luma = conversion.lumaCoefficients
        program.lumaCoefficients.set(
            SIMD3<Float>(Float(luma.red), Float(luma.green), Float(luma.blue)))
        for (view, unit) in program.chromaUnits {
            picture.textures[view].bind(unit: unit, sampler: painter.sampler(.linear))
        }
    }

    private func bindPictures(
        _ state: EffectState, _ program: EffectProgram, input: GLTexture?,
        temporary: [(name: String, framebuffer: GLFramebuffer)]
    ) {
        for (name, unit) in program.samplers {
            let texture: GLTexture?
            if let framebuffer = temporary.last(where: { $0.name == name })?.framebuffer {
                texture = framebuffer.texture
            } else if let buffer = state.frontBuffer(name) {
                texture = buffer.texture
            } else if let image = state.images[name] {
                texture = image.framebuffer.texture
            } else if let sound = state.sound.texture(name) {
                texture = sound
            } else if name == "inputImage" || name == "startImage" {
                texture = input
            } else {
                texture = nil
            }
            let isSound = state.effect.input(named: name)?.kind == .audio
            (texture ?? (isSound ? silence : empty))?.bind(
                unit: unit, sampler: painter.sampler(.linear))
        }
    }

    /// What is read where there is no picture: transparent black, or silence, which is one half.
    private func placeholder(_ color: [UInt8]) -> GLTexture? {
        let texture = try? GLTexture(format: .rgba8, width: 1, height: 1, context: context)
        color.withUnsafeBytes { pixel in
            if let start = pixel.baseAddress { texture?.upload(start, bytesPerRow: 4) }
        }
        return texture
    }

    /// A picture for an image input, upright, in R'G'B'.
    func convert(_ buffer: PixelBuffer) throws(EffectError) -> GLFramebuffer {
        do throws(TextureError) {
            let picture = try images.textures(for: buffer)
            do throws(GLError) {
                let framebuffer = try GLFramebuffer(
                    width: buffer.width, height: buffer.height, context: context)
                GLState.setTarget(
                    framebuffer: framebuffer.name, width: buffer.width, height: buffer.height)
                GLState.setBlending(.replace)
                try painter.draw(
                    picture, geometry: .uprightWhole, sampling: .exact, alphaOut: .straight)
                return framebuffer
            } catch {
                throw .gl(error)
            }
        } catch {
            switch error {
            case .gl(let error): throw .gl(error)
            case .unsupportedFormat:
                throw .gl(.unavailable(reason: error.description))
            }
        }
    }
}
