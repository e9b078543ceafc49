// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadGL
import PlayheadTextures

/// What one context keeps of one effect instance from frame to frame.
///
/// - Concurrency: render thread.
final class EffectState {
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
    let effect: Effect
    private(set) var lastPrograms: [EffectProgram] = []
    var frameIndex: Int32 = 0
    var lastTime: Double?
    /// Pictures given to image inputs, ready to be read.
    private(set) var images: [String: Image] = [:]
    /// What inputs for sound read.
    var sound = EffectSound()

    /// By number of chroma views, 0 for doing without.
    private var programs: [Int: Result<[EffectProgram], EffectError>] = [:]
    private var buffers: [String: Buffer] = [:]

    init(_ instance: EffectInstance) {
        self.instance = instance
        effect = instance.effect
    }

    /// One program for each pass, compiled when they are first asked for. What does not compile is
    /// not tried again: its text does not change.
    func programs(
        chromaViewCount: Int?, context: any GLContext
    ) throws(EffectError) -> [EffectProgram] {
        let key = chromaViewCount ?? 0
        let result: Result<[EffectProgram], EffectError>
        if let known = programs[key] {
            result = known
        } else {
            do throws(EffectError) {
                result = .success(try compile(chromaViewCount: chromaViewCount, context: context))
            } catch {
                result = .failure(error)
            }
            programs[key] = result
        }
        let programs = try result.get()
        lastPrograms = programs
        return programs
    }

    /// Most passes that get a program each.
    private static let maximumProgramCount = 16

    /// A pass gets a program of its own, for software GL takes both ways of every `if`: one program
    /// would do the work of all passes in each of them.
    private func compile(
        chromaViewCount: Int?, context: any GLContext
    ) throws(EffectError) -> [EffectProgram] {
        let count = effect.passes.count
        if count > 1, count <= Self.maximumProgramCount {
            var programs: [EffectProgram] = []
            for index in 0..<count {
                programs.append(
                    try EffectProgram(
                        effect, chromaViewCount: chromaViewCount, passIndex: index,
                        context: context))
            }
            return programs
        }
        let program = try EffectProgram(
            effect, chromaViewCount: chromaViewCount, passIndex: nil, context: context)
        return Array(repeating: program, count: count)
    }

    /// Size of a pass's picture.
    func size(
        of pass: EffectPass, width: Int, height: Int, _ snapshot: EffectInstance.Snapshot
    ) -> (width: Int, height: Int) {
        let variable = { [effect] (name: String) -> Double in
            switch name {
            case "WIDTH": return Double(width)
            case "HEIGHT": return Double(height)
            default:
                guard let index = effect.inputs.firstIndex(where: { $0.name == name }) else {
                    return 0
                }
                return snapshot.values[index].number
            }
        }
        return (
            pass.width.map { $0.pixels(variable) } ?? width,
            pass.height.map { $0.pixels(variable) } ?? height
        )
    }

    /// Longest side of a square picture that an effect may ask for: a gigabyte in float. Drivers
    /// allow more, and some take the machine down with it.
    private static let maximumSide = 8192

    static func requireReasonable(width: Int, height: Int) throws(EffectError) {
        guard width * height <= maximumSide * maximumSide else {
            throw .gl(.textureTooLarge(width: width, height: height, maximum: maximumSide))
        }
    }

    func frontBuffer(_ name: String) -> GLFramebuffer? { buffers[name]?.front }

    /// The picture to draw a persistent pass to; one of another size keeps its content, scaled.
    func backBuffer(
        _ name: String, size: (width: Int, height: Int), isFloat: Bool, painter: PicturePainter,
        context: any GLContext
    ) throws(EffectError) -> GLFramebuffer {
        if let buffer = buffers[name], buffer.back.width == size.width,
            buffer.back.height == size.height
        {
            return buffer.back
        }
        try Self.requireReasonable(width: size.width, height: size.height)
        do throws(GLError) {
            let format: GLTextureFormat = isFloat ? .rgba32Float : .rgba8
            let made = Buffer(
                front: try GLFramebuffer(
                    format: format, width: size.width, height: size.height, context: context),
                back: try GLFramebuffer(
                    format: format, width: size.width, height: size.height, context: context))
            if let old = buffers[name] {
                GLState.setTarget(
                    framebuffer: made.front.name, width: size.width, height: size.height)
                GLState.setBlending(.replace)
                try painter.draw(
                    old.front.texture, alpha: .straight, geometry: .storedWhole,
                    filter: .linear, alphaOut: .straight)
            }
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
        _ snapshot: EffectInstance.Snapshot, renderer: EffectRenderer
    ) throws(EffectError) {
        for (index, input) in effect.inputs.enumerated() where input.kind == .image {
            guard case .image(let buffer) = snapshot.values[index], let buffer else {
                if images[input.name] != nil { images[input.name] = nil }
                continue
            }
            if images[input.name]?.identifier != buffer.identifier {
                images[input.name] = Image(
                    identifier: buffer.identifier, framebuffer: try renderer.convert(buffer))
            }
        }
    }
}
