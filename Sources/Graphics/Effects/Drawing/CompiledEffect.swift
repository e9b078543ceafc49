// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadTextures

/// The state of one effect instance in one context, kept from frame to frame.
///
/// - Concurrency: render thread.
final class CompiledEffect {
    /// A persistent picture: one is read while the other is drawn to.
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
    /// A newer state of the effect that could not be compiled, and why: this one goes on meanwhile.
    var refused: (description: EffectInstance.Description, error: EffectError)?
    /// The programs of the last draw, alone or fused with others.
    var lastPrograms: [EffectProgram?] = []
    /// The pass after which nothing reads a picture of this name any more: what it holds is handed
    /// back. Names that are not here are read to the end.
    let lastReads: [String: Int]
    /// A Boolean value that indicates whether its shaders discard pixels.
    let discards: Bool
    /// Times its passes, where that is wanted.
    var stopwatch: GLStopwatch?
    /// Decides whether its passes take too long.
    var slowPasses = SlowPassGuard()
    /// A Boolean value that indicates whether a pass took long enough for the next frame to be
    /// measured by processor time.
    var isSuspect = false
    /// The share of its slowest pass in the time of all.
    var slowestShare = 1.0
    /// The size of output at which the sizes of all passes have been found reasonable.
    var checkedSize: (width: Int, height: Int)?
    var frameIndex: Int32 = 0
    var lastTime: Double?
    /// How often the instance had begun anew when this was last drawn; nil before that.
    private var restartCount: UInt64?
    /// The tables that come with the effect, by name.
    private(set) var tables: [String: GLTableTexture] = [:]
    /// Pictures given to image inputs, and those that come with the effect, ready to be read.
    private(set) var images: [String: Image] = [:]
    /// The textures of audio inputs.
    var sound = EffectSound()

    /// One program for each pass that draws; nil until they are first needed.
    private var compiled: Result<[EffectProgram?], EffectError>?
    /// The programs for the values that it was first drawn with.
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

    /// A newer state of the same effect, compiled in the same ways: it takes over what was kept
    /// from frame to frame, as far as there is still something of the name.
    ///
    /// - Throws: what is wrong with it; then nothing has been taken.
    func successor(
        _ description: EffectInstance.Description, of instance: EffectInstance,
        context: any GLContext
    ) throws(EffectError) -> CompiledEffect {
        let next = CompiledEffect(instance, description)
        if isCompiled { _ = try next.programs(context: context) }
        let targets = Set(description.effect.passes.lazy.filter(\.isPersistent).map(\.target))
        next.buffers = buffers.filter { targets.contains($0.key) }
        next.images = images
        next.frameIndex = frameIndex
        next.lastTime = lastTime
        next.restartCount = restartCount
        return next
    }

    /// Forgets what was kept from frame to frame, if the instance has begun anew since.
    func follow(_ snapshot: EffectInstance.Snapshot) {
        defer { restartCount = snapshot.restartCount }
        guard let restartCount, restartCount != snapshot.restartCount else { return }
        buffers = [:]
        frameIndex = 0
        lastTime = nil
    }

    /// A Boolean value that indicates whether it has been compiled.
    var isCompiled: Bool { (try? compiled?.get()) != nil }

    /// Only where passes say what they read: shaders of ISF read what they like.
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

    /// Returns one program for each pass that draws, compiled at the first call. An effect that
    /// does not compile is not compiled again, because its text does not change.
    func programs(context: any GLContext) throws(EffectError) -> [EffectProgram?] {
        let result: Result<[EffectProgram?], EffectError>
        if let compiled {
            result = compiled
        } else {
            do throws(EffectError) {
                result = .success(try compile(context: context))
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

    /// Most passes that get a program each.
    private static let maximumProgramCount = 16

    /// A pass gets a program of its own, for software GL takes both ways of every `if`: one program
    /// would do the work of all passes in each of them.
    private func compile(
        values: [EffectValue]? = nil, context: any GLContext
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
    ///   - width: size of the output.
    ///   - picture: the size of a picture as it is, by its name.
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

    /// Longest side of a square picture that an effect may ask for: a gigabyte in float. Drivers
    /// allow more, and some take the machine down with it.
    private static let maximumSide = 8192

    /// Returns whether an image of a size may be made.
    static func isReasonable(width: Int, height: Int, context: any GLContext) -> Bool {
        max(width, height) <= context.capabilities.maximumTextureSize
            && width * height <= maximumSide * maximumSide
    }

    /// Refuses a picture that is too large, before OpenGL is asked for it.
    ///
    /// - Parameter pass: which one asks for the picture; nil for whoever asks for the effect's
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
            reason: (pass.map { "its pass \($0)\(target) asks for" } ?? "it is asked for")
                + " a picture of \(width) x \(height); \(maximum) x \(maximum) are possible"
                + (isTooLong ? " with this OpenGL" : ""))
    }

    /// Most bytes that the pictures of one effect may take together: more than drivers have to
    /// give.
    private static let maximumByteCount = 2 << 30

    /// - Parameter byteCount: of the pictures of its passes, in one frame.
    func requireReasonable(byteCount: Int) throws(EffectError) {
        guard byteCount <= Self.maximumByteCount else {
            throw .beyondLimit(
                path: effect.path, line: nil,
                reason: "the pictures of its passes take \(byteCount >> 20) MiB; "
                    + "\(Self.maximumByteCount >> 20) are possible")
        }
    }

    func frontBuffer(_ name: String) -> GLFramebuffer? { buffers[name]?.front }

    /// The picture to draw a persistent pass to; one of another size keeps its content, scaled.
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

    /// Makes what was just drawn what is read from now on.
    func swapBuffers(_ name: String) {
        guard let buffer = buffers[name] else { return }
        buffers[name] = Buffer(front: buffer.back, back: buffer.front)
    }

    /// Brings the pictures of image inputs up to date: each is converted once.
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
                    size: table.size, format: format, bytes: table.bytes,
                    isLinear: table.isLinear, border: border, context: resources.context)
            } catch {
                throw .gl(error)
            }
        }
        for image in effect.importedImages {
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
}
