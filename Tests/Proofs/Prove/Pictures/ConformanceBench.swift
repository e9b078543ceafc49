// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// What became of an effect.
struct ConformanceResult {
    let path: String
    var format: EffectFormat?
    var failures: [String] = []
    /// How far it is from doing nothing where it is to do nothing, of 1; nil where nothing is said of
    /// that.
    var bias: Double?
    /// Whether somewhere it calculates what is no number, of which pictures of 8 bits make 0.
    var makesNaN = false
}

/// Draws effects of other people and looks at what comes of it.
final class ConformanceBench {
    private static let width = 64
    private static let height = 36
    /// A day without a meaning, so that what shows the date shows the same each time.
    private static let date = SIMD4<Float>(2024, 2, 29, 43_200)

    private let context: HeadlessContext
    private let first: PixelBuffer
    private let second: PixelBuffer

    init() throws {
        context = try HeadlessContext()
        first = Self.picture { x, y in SIMD3(x, y, 0.5 + 0.5 * sin(20 * x) * cos(14 * y)) }
        second = Self.picture { x, y in SIMD3(1 - y, 0.25 + 0.5 * x, (x - y) * (x - y)) }
    }

    func result(of subject: ConformanceSubject) -> ConformanceResult {
        var result = ConformanceResult(path: subject.path)
        let effect: Effect
        do {
            effect = try EffectLibrary.effect(path: subject.path) { try ImageFile.read($0) }
        } catch {
            result.failures.append("\(error)")
            return result
        }
        result.format = effect.format
        do {
            let once = try frames(of: effect)
            let again = try frames(of: effect)
            result.makesNaN = try frames(of: effect, precision: .float).contains {
                $0.contains { !Self.isNumber($0) }
            }
            if !Self.isEqual(once, again) {
                result.failures.append("it draws otherwise the second time")
            }
            try checkNeutrality(effect, &result)
        } catch let error as EffectError {
            result.failures.append(error.description)
        } catch {
            result.failures.append("\(error)")
        }
        return result
    }

    // MARK: Neutrality

    /// A transition at its ends; a filter with each input at its identity, where it has one, otherwise at
    /// its default.
    private func checkNeutrality(_ effect: Effect, _ result: inout ConformanceResult) throws {
        if effect.format == .transition {
            let start = try worst(effect, setting: [("progress", .float(0))], from: first)
            let end = try worst(effect, setting: [("progress", .float(1))], from: second)
            result.bias = max(start, end)
            return
        }
        let identities = effect.inputs.compactMap { input in
            input.identity.map { (input.name, $0) }
        }
        guard effect.kind == .filter, !identities.isEmpty else { return }
        result.bias = try worst(effect, setting: identities, from: first)
    }

    /// How far what an effect draws is from a picture, at most.
    private func worst(
        _ effect: Effect, setting values: [(String, EffectValue)], from picture: PixelBuffer
    ) throws -> Double {
        let drawn = try frames(of: effect, count: 1, setting: values)[0]
        var worst = 0.0
        for (index, value) in drawn.enumerated() {
            // Rows of what is drawn come from the top, as the picture's do.
            let expected = Self.color(picture, index % Self.width, index / Self.width)
            for channel in 0..<3 {
                let distance = abs(Double(value[channel]) - expected[channel])
                worst = max(worst, distance.isNaN ? 1 : distance)
            }
        }
        return worst
    }

    // MARK: Drawing

    /// The first frames, from a new beginning.
    private func frames(
        of effect: Effect, count: Int = 3, setting values: [(String, EffectValue)] = [],
        precision: EffectPass.Precision = .eightBit
    ) throws -> [[SIMD4<Float>]] {
        let pool = FramebufferPool(context: context)
        let renderer = EffectRenderer(
            context: context, painter: PicturePainter(context: context), pool: pool,
            images: TextureCache(context: context))
        renderer.outputPrecision = precision
        let instance = EffectInstance(effect)
        for input in effect.inputs where input.kind == .image {
            try instance.set(.image(input.name == "endImage" ? second : first), for: input.name)
        }
        for (name, value) in values { try instance.set(value, for: name) }
        // Scalers have something to do.
        let scale = effect.requirements.sourceSize ? 2 : 1
        var frames: [[SIMD4<Float>]] = []
        for frame in 0..<count {
            GLState.beginFrame()
            let time = EffectTime(seconds: Double(frame) / 30, date: Self.date)
            let output = renderer.draw(
                instance, input: nil, width: Self.width * scale, height: Self.height * scale,
                time: time)
            guard let output else {
                throw renderer.takeErrors().first
                    ?? EffectError.unsupported(
                        path: effect.path, line: nil, reason: "nothing is drawn, and nothing said")
            }
            frames.append(output.framebuffer.values())
            pool.release(output.framebuffer)
            if let code = GLState.takeError() {
                throw CannotProve("error 0x\(String(code, radix: 16)) of OpenGL's")
            }
        }
        context.deletionQueue.drain()
        return frames
    }

    // MARK: Pictures

    private static func isNumber(_ value: SIMD4<Float>) -> Bool {
        (0..<4).allSatisfy { !value[$0].isNaN }
    }

    /// Equal to the bit, so that what is no number equals itself.
    private static func isEqual(_ left: [[SIMD4<Float>]], _ right: [[SIMD4<Float>]]) -> Bool {
        zip(left, right).allSatisfy { left, right in
            zip(left, right).allSatisfy { left, right in
                (0..<4).allSatisfy { left[$0].bitPattern == right[$0].bitPattern }
            }
        }
    }

    private static func picture(_ color: (Double, Double) -> SIMD3<Double>) -> PixelBuffer {
        PixelBuffer(format: .rgba, width: width, height: height) { _, bytes, bytesPerRow in
            for y in 0..<height {
                for x in 0..<width {
                    let value = color(
                        (Double(x) + 0.5) / Double(width), (Double(y) + 0.5) / Double(height))
                    for channel in 0..<3 {
                        bytes[y * bytesPerRow + x * 4 + channel] = UInt8(
                            (min(max(value[channel], 0), 1) * 255).rounded())
                    }
                    bytes[y * bytesPerRow + x * 4 + 3] = 255
                }
            }
        }
    }

    private static func color(_ picture: PixelBuffer, _ x: Int, _ y: Int) -> SIMD3<Double> {
        let plane = picture.planes[0]
        let pixel = plane.baseAddress + y * plane.bytesPerRow + x * 4
        func channel(_ index: Int) -> Double {
            Double(pixel.load(fromByteOffset: index, as: UInt8.self)) / 255
        }
        return SIMD3(channel(0), channel(1), channel(2))
    }
}
