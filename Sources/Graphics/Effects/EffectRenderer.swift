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
        /// Of its samples, whatever the input was.
        public let alpha: PicturePainter.Alpha
        /// Whether it is opaque where the input is.
        public let keepsOpaque: Bool

        init(_ framebuffer: GLFramebuffer, _ alpha: Effect.Alpha) {
            self.framebuffer = framebuffer
            self.alpha = alpha == .premultiplied ? .premultiplied : .straight
            keepsOpaque = alpha == .keepsOpaque
        }
    }

    /// What effects' outputs store in a channel. Floats show numbers beyond 0 to 1, and what is none.
    public var outputPrecision = EffectPass.Precision.eightBit

    /// Whether built-in effects whose values do not change are compiled for these (`FixedPrograms`): by itself on
    /// software OpenGL, where that is worth a compilation.
    public var fixesValues: Bool
    /// Whether somebody may change values while frames are shown: then what that takes is compiled ahead.
    var preparesChanges: Bool { passLimit != nil }

    /// How long a pass may keep the GPU, in nanoseconds: an effect with a pass that takes longer in two
    /// frames in a row is switched off, and that is reported. Nil for as long as it likes, and when
    /// nothing is measured.
    public var passLimit: Int64?
    /// Whether effects are told how long their passes take, with or without a limit.
    public var measuresPasses = false

    let context: any GLContext
    let painter: PicturePainter
    let pool: FramebufferPool
    private let images: TextureCache
    var states: [ObjectIdentifier: EffectState] = [:]
    var empty: GLTexture?
    private var silence: GLTexture?
    private var repeating: [GLSampler.Filter: GLSampler] = [:]
    private var newErrors: [EffectError] = []
    var chains: [FusedChain] = []

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
        fixesValues = context.capabilities.isSoftware
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
        if instance.isAnimated || (instance.sound != nil && instance.hearsSound) { return true }
        return state.lastPrograms.contains { $0?.isTimeDependent == true }
    }

    /// Compiles an effect without drawing it, for its errors.
    ///
    /// - Returns: nil where nothing is wrong with it.
    public func compile(_ instance: EffectInstance) -> EffectError? {
        do throws(EffectError) {
            let state = state(of: instance, instance.description)
            if let refused = state.refused { return refused.error }
            _ = try state.programs(chromaViewCount: nil, context: context)
            return nil
        } catch {
            return error
        }
    }

    /// Draws an effect.
    ///
    /// - Parameters:
    ///   - input: what a filter reads as `inputImage`: straight alpha, t = 0 at the bottom.
    ///   - native: the film as stored, where `input` is the film and nothing else.
    ///   - transition: of a transition, which reads `input` as `startImage`: its `endImage`, likewise,
    ///     and `progress`.
    ///   - width: size of the output in pixels.
    ///   - isFused: whether the next effect could have been drawn as one with this one: then nothing is
    ///     rounded to 8 bits between them here either.
    /// - Returns: nil when the effect is to be bypassed.
    public func draw(
        _ instance: EffectInstance, input: GLTexture?, native: NativePicture? = nil,
        transition: (end: GLTexture, progress: Float)? = nil, width: Int, height: Int,
        time: EffectTime, isFused: Bool = false
    ) -> Output? {
        let snapshot = instance.takeSnapshot(atSeconds: time.seconds)
        guard snapshot.isEnabled else { return nil }
        let state = state(of: instance, snapshot.description)
        state.follow(snapshot)
        let requirements = state.description.effect.requirements
        if let error = takeLaps(of: state, instance) {
            instance.isEnabled = false
            if instance.note(error) { newErrors.append(error) }
            return nil
        }
        do throws(EffectError) {
            let native = native.flatMap { $0.picture.layout.hasChroma ? $0 : nil }
            let programs = try state.programs(
                chromaViewCount: requirements.nativeChroma
                    ? native?.picture.layout.colorViewCount : nil, context: context)
            var values = snapshot.values(for: state.description)
            if let transition, let index = state.description.index(of: "progress") {
                values.values[index] = .float(transition.progress)
            }
            let fixed = fixedPrograms(state, instance, values, native)
            let output = try run(
                state, fixed?.programs ?? programs,
                after: fixed?.areNew == true && preparesChanges ? programs : nil, values,
                input: input, end: transition?.end, native: native,
                width: width, height: height, time: time,
                precision: isFused && outputPrecision == .eightBit ? .sixteenBit : outputPrecision)
            if instance.note(state.refused?.error), let error = state.refused?.error {
                newErrors.append(error)
            }
            return Output(output, requirements.alpha)
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
        if chains.contains(where: \.isStale) { chains.removeAll(where: \.isStale) }
        for chain in chains { chain.idleFrames += 1 }
    }

    /// What is kept of an instance. Of a newer state of its effect it is that, if that compiles, and
    /// else what there was.
    func state(
        of instance: EffectInstance, _ description: EffectInstance.Description
    ) -> EffectState {
        let key = ObjectIdentifier(instance)
        guard let known = states[key], known.instance === instance, known.isCompiled else {
            if let known = states[key], known.instance === instance,
                known.description === description
            {
                return known
            }
            let state = EffectState(instance, description)
            states[key] = state
            return state
        }
        if known.description === description {
            known.refused = nil
            return known
        }
        if known.refused?.description === description { return known }
        do throws(EffectError) {
            let next = try known.successor(description, of: instance, context: context)
            states[key] = next
            return next
        } catch {
            known.refused = (description, error)
            return known
        }
    }

    /// The programs for these values alone, where an effect's values are likely to stay: not while its
    /// text or its values are being worked on.
    private func fixedPrograms(
        _ state: EffectState, _ instance: EffectInstance, _ snapshot: EffectInstance.Snapshot,
        _ native: NativePicture?
    ) -> (programs: [EffectProgram?], areNew: Bool)? {
        let effect = state.effect
        guard fixesValues, effect.isBuiltIn, effect.kind != .transition,
            !instance.isLive, !instance.isAnimated
        else { return nil }
        let viewCount =
            effect.requirements.nativeChroma ? native?.picture.layout.colorViewCount : nil
        let context = context
        return state.fixedPrograms(
            for: snapshot.values, chromaViewCount: viewCount, context: context)
    }

    /// A picture that passes read by a name.
    private struct Picture {
        let texture: GLTexture
        /// That of the texture, where it is one of this frame's own.
        var framebuffer: GLFramebuffer?
    }

    private func run(
        _ state: EffectState, _ programs: [EffectProgram?], after others: [EffectProgram?]?,
        _ snapshot: EffectInstance.Snapshot, input: GLTexture?, end: GLTexture?,
        native: NativePicture?, width: Int, height: Int,
        time: EffectTime, precision: EffectPass.Precision
    ) throws(EffectError) -> GLFramebuffer {
        let effect = state.effect
        // Making a texture binds it where another may be bound: hence these first.
        if empty == nil { empty = placeholder([0, 0, 0, 0]) }
        if silence == nil { silence = placeholder([128, 128, 128, 255]) }
        try state.prepareImages(snapshot, renderer: self)
        try state.sound.prepare(
            effect, source: snapshot.sound, at: time.seconds, context: context)
        let delta = state.lastTime.map { max(0, time.seconds - $0) } ?? 0
        var pictures: [String: Picture] = [:]
        for name in ["inputImage", "startImage"] where state.images[name] == nil {
            if let input { pictures[name] = Picture(texture: input) }
        }
        if let end, state.images["endImage"] == nil {
            pictures["endImage"] = Picture(texture: end)
        }
        for (name, image) in state.images {
            pictures[name] = Picture(texture: image.framebuffer.texture)
        }
        var temporary: [GLFramebuffer] = []
        defer { for framebuffer in temporary { pool.release(framebuffer) } }
        var lastProgram: EffectProgram?
        var byteCount = 0
        // Hooks hand their pictures back within the frame.
        let countsBytes = effect.format != .hook
        // Before anything is made, as far as it can be told then.
        if countsBytes, state.checkedSize ?? (0, 0) != (width, height) {
            let total = effect.passes.reduce(0) { sum, pass in
                let variable = { (name: String) -> Double in
                    state.variable(name, width: width, height: height, snapshot) { _ in nil }
                }
                return sum
                    + Self.byteCount(
                        of: pass, width: pass.width.map { $0.pixels(variable) } ?? width,
                        height: pass.height.map { $0.pixels(variable) } ?? height)
            }
            try state.requireReasonable(byteCount: total)
            state.checkedSize = (width, height)
        }
        let output = try acquire(width: width, height: height, precision)
        var probe = snapshot.probePoint.map { EffectProbe(point: $0) }
        if let point = probe?.point, let read = pictures["inputImage"] ?? pictures["startImage"] {
            probe?.readings.append(try reading("picture", of: read.texture, at: point))
        }
        let stopwatch = stopwatch(of: state)
        stopwatch?.begin()
        defer { stopwatch?.end() }
        do throws(EffectError) {
            for (index, pass) in effect.passes.enumerated() {
                defer { stopwatch?.mark() }
                let variable = { (name: String) -> Double in
                    state.variable(name, width: width, height: height, snapshot) { picture in
                        (pictures[picture]?.texture).map { ($0.width, $0.height) }
                    }
                }
                if let condition = pass.condition, condition.value(variable) == 0 { continue }
                if let alias = pass.alias, let target = pass.target {
                    pictures[target] = pictures[alias]
                    continue
                }
                guard let program = programs[index] else { continue }
                let size = (
                    width: pass.width.map { $0.pixels(variable) } ?? width,
                    height: pass.height.map { $0.pixels(variable) } ?? height
                )
                if countsBytes {
                    byteCount += Self.byteCount(of: pass, width: size.width, height: size.height)
                }
                try state.requireReasonable(byteCount: byteCount)
                let target: GLFramebuffer
                if pass.isPersistent, let name = pass.target {
                    target = try state.backBuffer(
                        name, size: size,
                        format: context.capabilities.drawable(Self.format(pass.precision)),
                        painter: painter,
                        context: context)
                } else if pass.target != nil {
                    target = try acquire(
                        width: size.width, height: size.height, pass.precision)
                    temporary.append(target)
                } else {
                    target = output
                }
                func prepare(_ program: EffectProgram) {
                    program.program.use()
                    if program !== lastProgram {
                        set(program, snapshot, state, time: time, delta: delta)
                        program.outputSize.set(SIMD2(Float(width), Float(height)))
                        lastProgram = program
                    }
                    // In every pass, for making its target may have bound something else there.
                    if let native, !program.chromaUnits.isEmpty { set(native, program) }
                    program.passIndex.set(Int32(index))
                    program.renderSize.set(SIMD2(Float(target.width), Float(target.height)))
                    // What is drawn to cannot be read: its last content is what has its name so far.
                    bindPictures(
                        state, program, pass, pictures, for: (target.width, target.height))
                    GLState.setTarget(
                        framebuffer: target.name, width: target.width, height: target.height)
                    GLState.setBlending(blending(state, target))
                }
                if let other = others?[index] {
                    // Drivers that make their machine code when something is first drawn do so now.
                    prepare(other)
                    painter.drawQuad()
                }
                prepare(program)
                if let point = probe?.point {
                    // Drawn once more, into floats, whatever the picture of the pass stores. Making
                    // those may have bound something else.
                    let floats = try acquire(width: target.width, height: target.height, .float)
                    defer { pool.release(floats) }
                    if let native, !program.chromaUnits.isEmpty { set(native, program) }
                    bindPictures(state, program, pass, pictures, for: (target.width, target.height))
                    GLState.setTarget(
                        framebuffer: floats.name, width: target.width, height: target.height)
                    GLState.setBlending(.replace)
                    painter.drawQuad()
                    let texel = Self.texel(at: point, width: target.width, height: target.height)
                    probe?.readings.append(
                        EffectProbe.Reading(
                            name: pass.target ?? "output",
                            value: floats.value(x: texel.x, y: texel.y)))
                    GLState.setTarget(
                        framebuffer: target.name, width: target.width, height: target.height)
                    GLState.setBlending(blending(state, target))
                }
                painter.drawQuad()
                if let name = pass.target {
                    if pass.isPersistent {
                        state.swapBuffers(name)
                    } else {
                        pictures[name] = Picture(texture: target.texture, framebuffer: target)
                    }
                }
                if index == effect.passes.count - 1, target !== output {
                    GLState.setTarget(framebuffer: output.name, width: width, height: height)
                    try copy(target.texture)
                }
                handBack(&temporary, &pictures, state, after: index)
            }
        } catch {
            pool.release(output)
            throw error
        }
        if let probe { state.instance?.note(probe) }
        state.frameIndex &+= 1
        state.lastTime = time.seconds
        return output
    }

    /// How a pass replaces what is in its target.
    ///
    /// Of a shader that replaces everything software OpenGL makes machine code twice, for whole blocks
    /// of pixels and for edges; of one that blends once, which takes two thirds of the time. While an
    /// effect's text is being worked on, that is what its author waits for. Multiplying what was there by
    /// zero gives the same; not of floats, among which there may be what is no number.
    private func blending(_ state: EffectState, _ target: GLFramebuffer) -> GLState.Blending {
        let isFixedPoint =
            switch target.texture.format {
            case .rgba8, .rgba16: true
            default: false
            }
        guard context.capabilities.isSoftware, isFixedPoint, state.instance?.isLive == true else {
            return .replace
        }
        return .factors(.one, .zero)
    }

    /// Hands pictures back that no pass after one reads.
    private func handBack(
        _ temporary: inout [GLFramebuffer], _ pictures: inout [String: Picture],
        _ state: EffectState, after index: Int
    ) {
        guard !state.lastReads.isEmpty else { return }
        for (name, last) in state.lastReads where last <= index { pictures[name] = nil }
        temporary.removeAll { framebuffer in
            guard !pictures.contains(where: { $0.value.framebuffer === framebuffer }) else {
                return false
            }
            pool.release(framebuffer)
            return true
        }
    }

    private static func format(_ precision: EffectPass.Precision) -> GLTextureFormat {
        switch precision {
        case .eightBit: .rgba8
        case .sixteenBit: .rgba16
        case .half: .rgba16Float
        case .float: .rgba32Float
        }
    }

    private static func byteCount(of pass: EffectPass, width: Int, height: Int) -> Int {
        guard pass.target != nil, pass.alias == nil else { return 0 }
        let bytesPerPixel =
            switch pass.precision {
            case .eightBit: 4
            case .sixteenBit, .half: 8
            case .float: 16
            }
        return width * height * bytesPerPixel * (pass.isPersistent ? 2 : 1)
    }

    /// Sets what stays the same in every pass.
    private func set(
        _ program: EffectProgram, _ snapshot: EffectInstance.Snapshot, _ state: EffectState,
        time: EffectTime, delta: Double
    ) {
        program.time.set(Float(time.seconds))
        program.timeDelta.set(Float(delta))
        program.frameIndex.set(state.frameIndex)
        if program.usesDate { program.date.set(time.date ?? EffectTime.dateNow()) }
        for (index, uniform) in program.inputs.enumerated() {
            set(
                uniform, to: snapshot.values[index], state.effect.inputs[index].uniformType,
                isFired: snapshot.firedEvents.contains(index))
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

    func acquire(
        width: Int, height: Int, _ precision: EffectPass.Precision
    ) throws(EffectError) -> GLFramebuffer {
        try EffectState.requireReasonable(width: width, height: height)
        do throws(GLError) {
            return try pool.acquire(
                format: Self.format(precision), width: width, height: height)
        } catch {
            throw .gl(error)
        }
    }

    func set(
        _ uniform: GLUniform, to value: EffectValue, _ type: EffectInput.UniformType,
        isFired: Bool
    ) {
        switch value {
        case .event: uniform.set(isFired)
        case .bool(let value): uniform.set(value)
        case .long(let value):
            if type == .uint { uniform.set(UInt32(max(0, value))) } else { uniform.set(value) }
        case .float(let value): uniform.set(value)
        case .point2D(let value):
            if type == .ivec2 { uniform.set(Self.rounded(value)) } else { uniform.set(value) }
        case .color(let value):
            switch type {
            case .vec3: uniform.set(SIMD3(value.x, value.y, value.z))
            case .ivec3:
                let rounded = Self.rounded(value)
                uniform.set(SIMD3(rounded.x, rounded.y, rounded.z))
            case .ivec4: uniform.set(Self.rounded(value))
            default: uniform.set(value)
            }
        case .image: break
        }
    }

    /// The nearest whole numbers that GLSL's `int` holds.
    private static func rounded<Vector: SIMD>(_ value: Vector) -> Vector.MaskStorage
    where Vector.Scalar == Float, Vector.MaskStorage.Scalar == Int32 {
        var result = Vector.MaskStorage()
        for index in value.indices {
            result[index] = Int32(min(max(value[index].rounded(), -2e9), 2e9))
        }
        return result
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
        _ state: EffectState, _ program: EffectProgram, _ pass: EffectPass,
        _ pictures: [String: Picture], for size: (width: Int, height: Int)
    ) {
        for (name, unit) in program.samplers {
            let binding = pass.bindings.first { $0.sampler == name }
            let picture = binding?.picture ?? name
            let isSound = state.effect.input(named: picture)?.kind == .audio
            let texture =
                pictures[picture]?.texture ?? state.frontBuffer(picture)?.texture
                ?? state.sound.texture(picture) ?? (isSound ? silence : empty)
            // An effect that looks at its own pixel only has no use for neighbours being mixed.
            let isWhole =
                state.description.isPerPixel && texture?.width == size.width
                && texture?.height == size.height
            texture?.bind(
                unit: unit, sampler: isWhole ? painter.sampler(.nearest) : sampler(binding))
        }
    }

    private func sampler(_ binding: EffectPass.Binding?) -> GLSampler {
        let filter: GLSampler.Filter = binding?.isNearest == true ? .nearest : .linear
        guard binding?.isRepeated == true else { return painter.sampler(filter) }
        if let sampler = repeating[filter] { return sampler }
        let sampler = GLSampler(filter, isRepeated: true, context: context)
        repeating[filter] = sampler
        return sampler
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
