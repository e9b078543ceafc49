// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadTextures

/// The state of one effect instance in one context, kept from frame to frame.
///
/// - Concurrency: render thread.
final class CompiledEffect {
    /// The two buffers of a persistent image. One is read while the other is drawn to.
    private struct Buffer {
        var front: GLFramebuffer
        var back: GLFramebuffer
    }

    struct Image {
        let identifier: UInt64
        let framebuffer: GLFramebuffer
    }

    weak var instance: EffectInstance?
    let description: EffectInstance.Description
    var effect: Effect { description.effect }
    /// A newer version of the effect that does not compile, with its error. The current version is
    /// drawn instead.
    var refused: (description: EffectInstance.Description, error: EffectError)?
    /// The programs of the last draw, including fused ones.
    var lastPrograms: [EffectProgram?] = []
    /// For each image, the index of the last pass that reads it. The image is released after that
    /// pass. Images without an entry are kept until the last pass.
    let lastReads: [String: Int]
    /// A Boolean value that indicates whether the shaders discard pixels.
    let discards: Bool
    /// The stopwatch that measures the passes, or nil if they are not measured.
    var stopwatch: GLStopwatch?
    /// The guard that decides whether the passes take too long.
    var slowPasses = SlowPassGuard()
    /// A Boolean value that indicates whether a pass took so long that the processor time of the
    /// next frame has to be measured.
    var isSuspect = false
    /// The share of the slowest pass in the time of all passes.
    var slowestShare = 1.0
    /// The output size for which the sizes of all passes were checked last.
    var checkedSize: (width: Int, height: Int)?
    var frameIndex: Int32 = 0
    var lastTime: Double?
    /// The instance's number of restarts at the last draw, or nil before the first draw.
    private var restartCount: UInt64?
    /// The tables that come with the effect, by name.
    private(set) var tables: [String: GLTableTexture] = [:]
    /// The cube maps that come with the effect, by name, each with the identifiers of its faces.
    private(set) var cubeMaps: [String: (identifiers: [UInt64], texture: GLCubeTexture)] = [:]
    /// A Boolean value that indicates whether `cubeMaps` contains the faces of this version of the
    /// effect.
    private var areCubeMapsPrepared = false
    /// The textures of image inputs and of the images that come with the effect.
    private(set) var images: [String: Image] = [:]
    /// The texture of the keyboard, and the state that it contains.
    private var keyboard: (texture: GLTexture, state: EffectKeyboard)?
    /// The textures of audio inputs.
    var sound = EffectSound()

    /// The programs of the passes, each nil if its pass draws nothing. The property is nil until
    /// the programs are needed.
    private var compiled: Result<[EffectProgram?], EffectError>?
    /// The values of the inputs that are constants in `compiled`.
    private var constants: [EffectValue?] = []
    /// The programs in which the current values are constants.
    private var specialized = SpecializedPrograms()
    private var buffers: [String: Buffer] = [:]

    init(_ instance: EffectInstance, _ description: EffectInstance.Description) {
        self.instance = instance
        self.description = description
        lastReads = Self.lastReads(of: description.effect)
        discards = description.effect.shaders.contains { parts in
            let text = parts.reduce(into: "") { $0 += $1.text }
            let code = ShaderText.withoutComments(Array(text.utf8), keepsLines: false)
            return !ShaderText.ranges(of: "discard", in: code).isEmpty
        }
    }

    /// Returns the compiled state of a newer version of the same effect, which takes over the
    /// persistent buffers whose names still exist.
    ///
    /// - Throws: The error of the newer version. If it is thrown, the current state is unchanged.
    func successor(
        _ description: EffectInstance.Description, of instance: EffectInstance,
        context: any GLContext
    ) throws(EffectError) -> CompiledEffect {
        let next = CompiledEffect(instance, description)
        if isCompiled { _ = try next.programs(context: context) }
        let targets = Set(description.effect.passes.lazy.filter(\.isPersistent).map(\.target))
        next.buffers = buffers.filter { targets.contains($0.key) }
        next.images = images
        next.cubeMaps = cubeMaps
        next.frameIndex = frameIndex
        next.lastTime = lastTime
        next.restartCount = restartCount
        return next
    }

    /// Clears the persistent buffers if the instance was restarted since the last draw.
    func follow(_ snapshot: EffectInstance.Snapshot) {
        defer { restartCount = snapshot.restartCount }
        guard let restartCount, restartCount != snapshot.restartCount else { return }
        buffers = [:]
        for table in effect.tables where table.isStorage { tables[table.name] = nil }
        frameIndex = 0
        lastTime = nil
    }

    /// A Boolean value that indicates whether the effect is compiled.
    var isCompiled: Bool { (try? compiled?.get()) != nil }

    /// Returns the value of `lastReads` for an effect. It is empty except for mpv's format, the
    /// only one in which passes declare all images that they read.
    private static func lastReads(of effect: Effect) -> [String: Int] {
        guard effect.format == .hook else { return [:] }
        var last: [String: Int] = [:]
        for (index, pass) in effect.passes.enumerated() {
            for binding in pass.bindings { last[binding.picture] = index }
            if let alias = pass.alias { last[alias] = index }
            if let target = pass.target { last[target] = max(last[target] ?? 0, index) }
            for expression in [pass.width, pass.height, pass.condition] {
                for name in expression?.variables ?? [] { last[String(name.dropLast(2))] = index }
            }
        }
        return last
    }

    /// Returns the programs of the passes, nil for passes that draw nothing. The first call
    /// compiles them. An effect that does not compile is not compiled again, because its text does
    /// not change.
    ///
    /// - Parameter values: The values of the inputs, some of which may be constants of the shaders;
    ///   nil for the defaults.
    func programs(
        for values: [EffectValue]? = nil, context: any GLContext
    ) throws(EffectError) -> [EffectProgram?] {
        let result: Result<[EffectProgram?], EffectError>
        let constants = effect.inputs.indices.map { index -> EffectValue? in
            let input = effect.inputs[index]
            return input.isConstant ? values?[index] ?? input.defaultValue : nil
        }
        if let compiled, constants == self.constants {
            result = compiled
        } else {
            self.constants = constants
            do throws(EffectError) {
                result = .success(try compile(values: constants, context: context))
            } catch {
                result = .failure(error)
            }
            compiled = result
        }
        let programs = try result.get()
        lastPrograms = programs
        return programs
    }

    /// Returns the programs that are specialized for these values, or nil if there are none.
    func specializedPrograms(
        for values: [EffectValue], context: any GLContext
    ) -> (programs: [EffectProgram?], areNew: Bool)? {
        specialized.programs(for: values, of: effect) {
            () throws(EffectError) -> [EffectProgram?] in
            try compile(values: values, context: context)
        }
    }

    /// The maximum number of passes for which separate programs are compiled.
    private static let maximumProgramCount = 16

    /// Compiles a program for each pass. Software OpenGL executes both branches of every `if`, so a
    /// single program for all passes would do the work of all of them in each pass.
    private func compile(
        values: [EffectValue?], context: any GLContext
    ) throws(EffectError) -> [EffectProgram?] {
        let isShared = effect.shaders.count == 1 && effect.passes.count > Self.maximumProgramCount
        var programs: [EffectProgram?] = []
        for (index, pass) in effect.passes.enumerated() {
            if pass.alias != nil {
                programs.append(nil)
            } else if isShared, let first = programs.first {
                programs.append(first)
            } else {
                programs.append(
                    try EffectProgram(
                        effect, shader: pass.shader, passIndex: isShared ? nil : index,
                        values: values, context: context))
            }
        }
        return programs
    }

    /// Returns the value of a variable in the expressions of passes.
    ///
    /// - Parameters:
    ///   - width: The width of the output.
    ///   - picture: Returns the size of an image by its name.
    func variable(
        _ name: String, width: Int, height: Int, _ snapshot: EffectInstance.Snapshot,
        picture: (String) -> (width: Int, height: Int)?
    ) -> Double {
        switch name {
        case "WIDTH", "OUTPUT.w": return Double(width)
        case "HEIGHT", "OUTPUT.h": return Double(height)
        default: break
        }
        if let index = effect.inputs.firstIndex(where: { $0.name == name }) {
            return snapshot.values[index].number
        }
        guard name.hasSuffix(".w") || name.hasSuffix(".h") else { return 0 }
        let base = name.dropLast(2)
        let size = picture(base == "NATIVE_CROPPED" ? "inputImage" : String(base))
        return Double((name.hasSuffix(".w") ? size?.width : size?.height) ?? 0)
    }

    /// The maximum side of an image, in pixels: a square of this size takes one gibibyte in 32-bit
    /// float. Drivers allow more, and some of them crash the machine.
    private static let maximumSide = 8192

    /// Returns whether an image of a given size may be created.
    static func isReasonable(width: Int, height: Int, context: any GLContext) -> Bool {
        max(width, height) <= context.capabilities.maximumTextureSize
            && width * height <= maximumSide * maximumSide
    }

    /// Throws an error if an image is too large, before it is created.
    ///
    /// - Parameter pass: The index of the pass that needs the image, or nil for the effect's
    ///   output.
    func requireReasonable(
        width: Int, height: Int, pass: Int? = nil, context: any GLContext
    ) throws(EffectError) {
        guard !Self.isReasonable(width: width, height: height, context: context) else { return }
        let longest = context.capabilities.maximumTextureSize
        let isTooLong = max(width, height) > longest
        let target = pass.flatMap { effect.passes[$0].target }.map { " ('\($0)')" } ?? ""
        let maximum = isTooLong ? longest : Self.maximumSide
        throw .beyondLimit(
            path: effect.path, line: nil,
            reason: (pass.map { "its pass \($0)\(target) needs" } ?? "its output needs")
                + " an image of \(width) x \(height); the maximum is \(maximum) x \(maximum)"
                + (isTooLong ? " with this OpenGL" : ""))
    }

    /// The maximum total size of the images of an effect, in bytes.
    private static let maximumByteCount = 2 << 30

    /// Throws an error if the images of an effect take too much memory.
    ///
    /// - Parameter byteCount: The size of the images of all passes in one frame.
    func requireReasonable(byteCount: Int) throws(EffectError) {
        guard byteCount <= Self.maximumByteCount else {
            throw .beyondLimit(
                path: effect.path, line: nil,
                reason: "the images of its passes take \(byteCount >> 20) MiB; "
                    + "the maximum is \(Self.maximumByteCount >> 20) MiB")
        }
    }

    func frontBuffer(_ name: String) -> GLFramebuffer? { buffers[name]?.front }

    /// Returns the framebuffer to which a persistent pass draws. If the size has changed, the
    /// content is scaled.
    func backBuffer(
        _ name: String, size: (width: Int, height: Int), format: GLTextureFormat,
        context: any GLContext
    ) throws(EffectError) -> GLFramebuffer {
        if let buffer = buffers[name], buffer.back.width == size.width,
            buffer.back.height == size.height, buffer.back.texture.format == format
        {
            return buffer.back
        }
        do throws(GLError) {
            let made = Buffer(
                front: try GLFramebuffer(
                    format: format, width: size.width, height: size.height, context: context),
                back: try GLFramebuffer(
                    format: format, width: size.width, height: size.height, context: context))
            buffers[name]?.front.copy(scaledTo: made.front)
            buffers[name] = made
            return made.back
        } catch {
            throw .gl(error)
        }
    }

    /// Swaps the buffers of a persistent image. The buffer that was drawn last is read from then
    /// on.
    func swapBuffers(_ name: String) {
        guard let buffer = buffers[name] else { return }
        buffers[name] = Buffer(front: buffer.back, back: buffer.front)
    }

    /// Updates the textures of image inputs. Each image is converted once.
    func prepareImages(
        _ snapshot: EffectInstance.Snapshot, from resources: EffectResources
    ) throws(EffectError) {
        for table in effect.tables where tables[table.name] == nil {
            guard
                let format = GLTextureFormat(
                    channelCount: table.channelCount, bytesPerChannel: table.bytesPerChannel,
                    isFloat: table.isFloat)
            else { continue }
            let border: GLTableTexture.Border =
                switch table.border {
                case .clamp: .clamp
                case .repeat: .repeat
                case .mirror: .mirror
                }
            do throws(GLError) {
                tables[table.name] = try GLTableTexture(
                    size: table.size, format: table.isHalf ? format.keptAsHalf : format,
                    bytes: table.bytes, isLinear: table.isLinear, border: border,
                    context: resources.context)
            } catch {
                throw .gl(error)
            }
        }
        try prepareCubeMaps(from: resources)
        if let keyboard = snapshot.keyboard { try prepare(keyboard, context: resources.context) }
        for image in effect.importedImages where !effect.isFace(image.name) {
            guard let picture = image.picture else {
                if images[image.name] != nil { images[image.name] = nil }
                continue
            }
            if images[image.name]?.identifier == picture.identifier { continue }
            images[image.name] = Image(
                identifier: picture.identifier, framebuffer: try resources.convert(picture))
        }
        for (index, input) in effect.inputs.enumerated() where input.kind == .image {
            guard case .image(let buffer) = snapshot.values[index], let buffer else {
                if images[input.name] != nil { images[input.name] = nil }
                continue
            }
            if images[input.name]?.identifier != buffer.identifier {
                images[input.name] = Image(
                    identifier: buffer.identifier, framebuffer: try resources.convert(buffer))
            }
        }
    }

    /// The texture of the keyboard, or nil if the effect does not read it.
    var keyboardTexture: GLTexture? { keyboard?.texture }

    /// Updates the texture of the keyboard.
    private func prepare(
        _ state: EffectKeyboard, context: any GLContext
    ) throws(EffectError) {
        guard keyboard?.state != state else { return }
        do throws(GLError) {
            if keyboard == nil {
                let texture = try GLTexture(
                    format: .r8, width: EffectKeyboard.count, height: EffectKeyboard.rowCount,
                    context: context)
                keyboard = (texture, state)
            }
            guard let texture = keyboard?.texture else { return }
            state.bytes.withUnsafeBytes { bytes in
                if let start = bytes.baseAddress {
                    texture.upload(start, bytesPerRow: EffectKeyboard.count)
                }
            }
            keyboard = (texture, state)
        } catch {
            throw .gl(error)
        }
    }

    /// Updates the cube maps that come with the effect.
    private func prepareCubeMaps(from resources: EffectResources) throws(EffectError) {
        guard !areCubeMapsPrepared else { return }
        for cube in effect.cubeMaps {
            let images = cube.faces.compactMap { face in
                effect.importedImages.first { $0.name == face }
            }
            let pictures = images.compactMap(\.picture)
            guard pictures.count == 6 else {
                cubeMaps[cube.name] = nil
                continue
            }
            let identifiers = pictures.map(\.identifier)
            guard cubeMaps[cube.name]?.identifiers != identifiers else { continue }
            let size = pictures[0].width
            for (image, picture) in zip(images, pictures)
            where picture.width != size || picture.height != size {
                throw .unsupported(
                    path: image.file ?? effect.path, line: image.line,
                    reason: "'\(image.path)' has \(picture.width) x \(picture.height) pixels; the "
                        + "faces of a cube map must be squares of one size")
            }
            var faces: [GLFramebuffer] = []
            for picture in pictures {
                faces.append(try resources.convert(picture, geometry: .storedWhole))
            }
            do throws(GLError) {
                cubeMaps[cube.name] = (
                    identifiers,
                    try GLCubeTexture(
                        faces: faces, isNearest: cube.isNearest, context: resources.context)
                )
            } catch {
                throw .gl(error)
            }
        }
        areCubeMapsPrepared = true
    }
}
