// SPDX-License-Identifier: Apache-2.0

import PlayheadGL
import PlayheadTextures

/// Draws one frame of an effect: its passes in order and the images between them.
///
/// - Concurrency: render thread.
struct EffectPassRunner {
    /// An image that passes read by name.
    private struct Picture {
        let texture: GLTexture
        /// The framebuffer of the texture, if the image was created in this frame.
        var framebuffer: GLFramebuffer?
        /// The position of the image's content relative to the frame, in fractions of the image.
        var shift = SIMD2<Float>(0, 0)
    }

    private let resources: EffectResources
    private let state: CompiledEffect
    private let snapshot: EffectInstance.Snapshot
    private let time: EffectTime
    private let delta: Double
    private let stored: StoredPicture?
    /// The size of the video, or nil without a video. The size is stored here because the video's
    /// image is released once it has been read.
    private let inputSize: (width: Int, height: Int)?
    /// The framebuffer that receives the result. The caller releases it.
    private let output: GLFramebuffer
    private var pictures: [String: Picture] = [:]
    private var temporary: [GLFramebuffer] = []
    private var lastProgram: EffectProgram?
    private var byteCount = 0
    private var probe: EffectProbe?

    private var effect: Effect { state.effect }
    private var pool: FramebufferPool { resources.pool }
    private var painter: PicturePainter { resources.painter }

    init(
        _ state: CompiledEffect, _ snapshot: EffectInstance.Snapshot, input: GLTexture?,
        end: GLTexture?, stored: StoredPicture?, output: GLFramebuffer, time: EffectTime,
        resources: EffectResources
    ) {
        self.stored = state.effect.requirements.storedPlanes ? stored : nil
        inputSize = (state.images["inputImage"]?.framebuffer.texture ?? input)
            .map { ($0.width, $0.height) }
        self.resources = resources
        self.state = state
        self.snapshot = snapshot
        self.time = time
        self.output = output
        delta = state.lastTime.map { max(0, time.seconds - $0) } ?? 0
        probe = snapshot.probePoint.map { EffectProbe(point: $0) }
        for name in ["inputImage", "startImage"] where state.images[name] == nil {
            if let input { pictures[name] = Picture(texture: input) }
        }
        if let end, state.images["endImage"] == nil {
            pictures["endImage"] = Picture(texture: end)
        }
        if let stored = self.stored {
            for index
                in 0..<min(stored.picture.layout.colorViewCount, stored.picture.textures.count)
            {
                pictures["playheadPlane\(index)"] = Picture(
                    texture: stored.picture.textures[index])
            }
        }
        for (name, image) in state.images {
            pictures[name] = Picture(texture: image.framebuffer.texture)
        }
    }

    /// Draws all passes.
    ///
    /// - Parameters:
    ///   - programs: The programs of the passes, nil for passes that draw nothing.
    ///   - others: The programs for later frames, which have not been used in a draw yet.
    ///   - stopwatch: The stopwatch that measures the passes, or nil.
    mutating func draw(
        _ programs: [EffectProgram?], preparing others: [EffectProgram?]?,
        timedBy stopwatch: GLStopwatch?
    ) throws(EffectError) {
        defer { for framebuffer in temporary { pool.release(framebuffer) } }
        try checkSizes()
        if let point = probe?.point,
            let read = (pictures["inputImage"] ?? pictures["startImage"])?.texture
        {
            probe?.readings.append(try resources.reading("picture", of: read, at: point))
        }
        stopwatch?.begin()
        defer { stopwatch?.end() }
        for index in effect.passes.indices {
            try drawPass(index, programs[index], preparing: others?[index])
            stopwatch?.mark()
        }
        if let probe { state.instance?.note(probe) }
    }

    private mutating func drawPass(
        _ index: Int, _ program: EffectProgram?, preparing other: EffectProgram?
    ) throws(EffectError) {
        let pass = effect.passes[index]
        let isLast = index == effect.passes.count - 1
        if let condition = pass.condition, condition.value({ variable($0) }) == 0 {
            // The last pass is skipped, so its image from the previous frame is the output.
            if isLast, let name = pass.target { try copy(picture(named: name)) }
            return
        }
        if let alias = pass.alias, let name = pass.target {
            pictures[name] = pictures[alias]
            return
        }
        guard let program else { return }
        // Like mpv, skip a pass that reads the image of a skipped pass.
        if pass.needsImages,
            pass.bindings.contains(where: {
                pictures[$0.picture] == nil && state.tables[$0.picture] == nil
            })
        {
            return
        }
        let target = try target(of: index)
        for (name, unit) in program.storage { state.tables[name]?.bindImage(unit: unit) }
        defer { for (_, unit) in program.storage { GLTableTexture.endImage(unit: unit) } }
        if let compute = pass.compute {
            run(program, compute, index, target)
            handBack(after: index)
            return
        }
        if state.discards { fillIn(target, pass) }
        if let other {
            // Drivers that compile machine code at the first draw do so now.
            prepare(other, index, target)
            drawQuad()
        }
        prepare(program, index, target)
        if let point = probe?.point { try read(point, program, pass, target) }
        drawQuad()
        if let name = pass.target {
            if pass.isPersistent {
                state.swapBuffers(name)
            } else {
                pictures[name] = Picture(
                    texture: target.texture, framebuffer: target, shift: shift(of: pass, target))
            }
        }
        if isLast, target !== output {
            try copy(Picture(texture: target.texture, framebuffer: target))
        }
        handBack(after: index)
    }

    /// Runs a compute shader, which writes every pixel of its target.
    private mutating func run(
        _ program: EffectProgram, _ compute: EffectPass.Compute, _ index: Int,
        _ target: GLFramebuffer
    ) {
        let pass = effect.passes[index]
        setUniforms(program, index, target)
        GLCompute.run(
            groups: (
                (target.width + compute.blockWidth - 1) / compute.blockWidth,
                (target.height + compute.blockHeight - 1) / compute.blockHeight
            ), writing: target.texture)
        guard let name = pass.target else { return }
        pictures[name] = Picture(
            texture: target.texture, framebuffer: target, shift: shift(of: pass, target))
    }

    /// Returns the shift of a pass's image relative to the frame.
    private func shift(of pass: EffectPass, _ target: GLFramebuffer) -> SIMD2<Float> {
        guard effect.format == .hook else { return SIMD2(0, 0) }
        var shift = pass.shift.base.flatMap { pictures[$0]?.shift } ?? SIMD2(0, 0)
        shift += SIMD2(
            Float(pass.shift.pixels.x) / Float(target.width),
            Float(pass.shift.pixels.y) / Float(target.height))
        if pass.shift.hasSiting, let stored { shift += stored.siting.offset }
        return shift
    }

    // MARK: Targets

    /// Returns the value of a variable in the expressions of passes.
    private func variable(_ name: String) -> Double {
        switch name {
        case "STORED": return stored == nil ? 0 : 1
        case "UNSTORED": return stored == nil ? 1 : 0
        case "CHROMA_STORED.w", "CHROMA_STORED.h":
            guard let stored, let inputSize else { return 1 }
            let size = stored.chromaSize(width: inputSize.width, height: inputSize.height)
            return Double(name.hasSuffix("w") ? size.width : size.height)
        default: break
        }
        return state.variable(name, width: output.width, height: output.height, snapshot) {
            picture in
            (pictures[picture]?.texture).map { ($0.width, $0.height) }
                ?? (picture == "inputImage" ? inputSize : nil)
        }
    }

    /// Returns the precision of a pass's image.
    private func precision(of pass: EffectPass) -> EffectPass.Precision {
        guard let plane = pass.copiedPlane, let stored else { return pass.precision }
        return stored.precision(of: plane) ?? pass.precision
    }

    private func size(of pass: EffectPass) -> (width: Int, height: Int) {
        (
            pass.width.map { $0.pixels { variable($0) } } ?? output.width,
            pass.height.map { $0.pixels { variable($0) } } ?? output.height
        )
    }

    /// A Boolean value that indicates whether the total size of the images of all passes is
    /// limited. It is not limited in mpv's format, in which images are released during the frame.
    private var countsBytes: Bool { effect.format != .hook }

    /// Throws an error if the images of the passes are too large. Sizes that are known in advance
    /// are checked before any image is created.
    private func checkSizes() throws(EffectError) {
        let whole = (output.width, output.height)
        guard countsBytes, state.checkedSize ?? (0, 0) != whole else { return }
        try state.requireReasonable(
            byteCount: effect.passes.reduce(0) { $0 + $1.byteCount(size(of: $1)) })
        state.checkedSize = whole
    }

    private mutating func target(of index: Int) throws(EffectError) -> GLFramebuffer {
        let pass = effect.passes[index]
        let size = size(of: pass)
        if countsBytes { byteCount += pass.byteCount(size) }
        try state.requireReasonable(byteCount: byteCount)
        guard let name = pass.target else { return output }
        let context = resources.context
        try state.requireReasonable(
            width: size.width, height: size.height, pass: index, context: context)
        if pass.isPersistent {
            return try state.backBuffer(
                name, size: size,
                format: context.capabilities.drawable(pass.precision.textureFormat),
                context: context)
        }
        let target = try resources.acquire(
            width: size.width, height: size.height, precision(of: pass))
        temporary.append(target)
        return target
    }

    /// Initializes the target of a pass that may not write all pixels: with the last content if the
    /// image is persistent, otherwise with transparent black. Without this, the target would
    /// contain an earlier image, because framebuffers are pooled.
    private func fillIn(_ target: GLFramebuffer, _ pass: EffectPass) {
        if pass.isPersistent, let name = pass.target, let front = state.frontBuffer(name) {
            front.copy(scaledTo: target)
        } else {
            GLState.setTarget(
                framebuffer: target.name, width: target.width, height: target.height)
            GLState.clear([0, 0, 0, 0])
        }
    }

    /// Returns the blending with which a pass replaces the content of its target.
    ///
    /// For a shader that replaces its target, software OpenGL generates machine code twice: for
    /// whole blocks of pixels and for edges. For a shader that blends, it does so once, in two
    /// thirds of the time, which matters while an author edits the effect. Blending that multiplies
    /// the old content by zero has the same result, except in float formats, where the content may
    /// be NaN.
    private func blending(_ target: GLFramebuffer) -> GLBlending {
        let isFixedPoint =
            switch target.texture.format {
            case .rgba8, .rgba16: true
            default: false
            }
        guard resources.context.capabilities.isSoftware, isFixedPoint,
            state.instance?.isLive == true
        else { return .replace }
        return .factors(.one, .zero)
    }

    /// Draws the image of the last pass to the output. Without an image, the output is transparent.
    private func copy(_ picture: Picture?) throws(EffectError) {
        // The image is copied without clamping, because the next effect may accept values beyond 0
        // to 1.
        if let framebuffer = picture?.framebuffer { return framebuffer.copy(scaledTo: output) }
        GLState.setTarget(framebuffer: output.name, width: output.width, height: output.height)
        guard let picture else { return GLState.clear([0, 0, 0, 0]) }
        GLState.setBlending(blending(output))
        do throws(GLError) {
            try painter.draw(
                picture.texture, alpha: .straight, geometry: .storedWhole, filter: .linear,
                alphaOut: .straight)
        } catch {
            throw .gl(error)
        }
    }

    /// Returns the image with a name, or nil if there is no such image.
    private func picture(named name: String) -> Picture? {
        pictures[name]
            ?? state.frontBuffer(name).map { Picture(texture: $0.texture, framebuffer: $0) }
    }

    /// Releases the images that no later pass reads.
    private mutating func handBack(after index: Int) {
        guard !state.lastReads.isEmpty else { return }
        for (name, last) in state.lastReads where last <= index { pictures[name] = nil }
        temporary.removeAll { [pictures, pool] framebuffer in
            guard !pictures.contains(where: { $0.value.framebuffer === framebuffer }) else {
                return false
            }
            pool.release(framebuffer)
            return true
        }
    }

    // MARK: Programs

    /// Sets the uniforms and textures of a program and the framebuffer to which it draws.
    private mutating func prepare(
        _ program: EffectProgram, _ index: Int, _ target: GLFramebuffer
    ) {
        setUniforms(program, index, target)
        GLState.setTarget(
            framebuffer: target.name, width: target.width, height: target.height)
        GLState.setBlending(blending(target))
    }

    /// Sets the uniforms and textures of a program.
    private mutating func setUniforms(
        _ program: EffectProgram, _ index: Int, _ target: GLFramebuffer
    ) {
        program.program.use()
        if program !== lastProgram {
            set(program)
            lastProgram = program
        }
        program.passIndex.set(Int32(index))
        program.setRenderSize(width: target.width, height: target.height)
        bind(program, effect.passes[index], target)
    }

    /// Sets the uniforms that are the same for all passes.
    private func set(_ program: EffectProgram) {
        program.time.set(Float(time.seconds))
        program.timeDelta.set(Float(delta))
        program.frameIndex.set(state.frameIndex)
        if program.usesDate { program.date.set(time.date ?? EffectTime.dateNow()) }
        program.outputSize.set(SIMD2(Float(output.width), Float(output.height)))
        if effect.format == .hook {
            if let inputSize {
                program.inputSize.set(SIMD2(Float(inputSize.width), Float(inputSize.height)))
            }
            program.planes.set(stored)
        }
        for (index, uniform) in program.inputs.enumerated() {
            uniform.set(
                snapshot.values[index], as: effect.inputs[index].uniformType,
                isFired: snapshot.firedEvents.contains(index))
        }
    }

    /// Draws the pass whose program and target are set.
    ///
    /// mpv's shaders read texels at positions that lie between two texels or at the edge of a
    /// group, where rounding decides which texels they read. They are drawn with mpv's triangles,
    /// so that the driver rounds their positions to the same side as in mpv.
    private func drawQuad() { painter.drawQuad(asTriangles: effect.format == .hook) }

    /// Binds the textures that a pass reads. This is done for every pass, because creating its
    /// target may have bound another texture.
    ///
    /// The target of a pass cannot be read while it is drawn to. Until the pass has been drawn, the
    /// name of the target refers to the previous content.
    private func bind(_ program: EffectProgram, _ pass: EffectPass, _ target: GLFramebuffer) {
        for (index, (name, unit)) in program.samplers.enumerated() {
            if let table = state.tables[name] {
                table.bind(unit: unit)
                continue
            }
            let binding = pass.bindings.first { $0.sampler == name }
            let isPixel = name == EffectSource.pixelSampler
            let picture = isPixel ? "inputImage" : binding?.picture ?? name
            if let cube = state.cubeMaps[picture] {
                cube.texture.bind(unit: unit)
                continue
            }
            if effect.format == .hook {
                program.shifts[index].set(pictures[picture]?.shift ?? SIMD2(0, 0))
            }
            let isSound = effect.input(named: picture)?.kind == .audio
            let texture =
                self.picture(named: picture)?.texture ?? state.sound.texture(picture)
                ?? (picture == EffectKeyboard.picture ? state.keyboardTexture : nil)
                ?? (isSound ? resources.silence : resources.empty)
            let isWhole = texture?.width == target.width && texture?.height == target.height
            texture?.bind(
                unit: unit,
                sampler: isPixel && isWhole
                    ? painter.sampler(.nearest) : resources.sampler(binding))
        }
    }

    // MARK: Probing

    /// Draws a pass into a float framebuffer, regardless of the format of its image, and reads a
    /// pixel.
    private mutating func read(
        _ point: SIMD2<Float>, _ program: EffectProgram, _ pass: EffectPass,
        _ target: GLFramebuffer
    ) throws(EffectError) {
        let (width, height) = (target.width, target.height)
        let floats = try resources.acquire(width: width, height: height, .float)
        defer { pool.release(floats) }
        // Creating the float framebuffer may have bound another texture.
        bind(program, pass, target)
        GLState.setTarget(framebuffer: floats.name, width: width, height: height)
        GLState.setBlending(.replace)
        drawQuad()
        let texel = EffectResources.texel(at: point, width: width, height: height)
        probe?.readings.append(
            EffectProbe.Reading(
                name: pass.target ?? "output", value: floats.value(x: texel.x, y: texel.y)))
        GLState.setTarget(framebuffer: target.name, width: width, height: height)
        GLState.setBlending(blending(target))
    }
}
