// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// The result for one effect.
struct ConformanceResult {
    let path: String
    var format: EffectFormat?
    var failures: [String] = []
    /// The largest deviation, from 0 to 1, where the effect is expected to leave the image
    /// unchanged; nil where nothing is expected.
    var bias: Double?
    /// A Boolean value that indicates whether any pixel is NaN, which 8-bit images show as 0.
    var makesNaN = false
}

/// Draws third-party effects and checks the result.
final class ConformanceBench {
    private static let width = 64
    private static let height = 36
    /// An arbitrary fixed day, so that effects that show the date are reproducible.
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
                result.failures.append("the second run draws a different image")
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

    /// Checks a transition at its ends, and a filter with each input at its identity, or at its
    /// default if it has none.
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

    /// Returns the largest difference between the effect's output and an image.
    private func worst(
        _ effect: Effect, setting values: [(String, EffectValue)], from picture: PixelBuffer
    ) throws -> Double {
        let drawn = try frames(of: effect, count: 1, setting: values)[0]
        var worst = 0.0
        for (index, value) in drawn.enumerated() {
            // Rows of the output start at the top, like the image's.
            let expected = Self.color(picture, index % Self.width, index / Self.width)
            for channel in 0..<3 {
                let distance = abs(Double(value[channel]) - expected[channel])
                worst = max(worst, distance.isNaN ? 1 : distance)
            }
        }
        return worst
    }

    // MARK: Drawing

    /// Draws the first frames, from a fresh start.
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
        // Gives scalers something to do.
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
                        path: effect.path, line: nil, reason: "nothing is drawn, without an error")
            }
            frames.append(output.framebuffer.values())
            pool.release(output.framebuffer)
            if let code = GLState.takeError() {
                throw CannotProve("OpenGL error 0x\(String(code, radix: 16))")
            }
        }
        context.deletionQueue.drain()
        return frames
    }

    // MARK: Images

    private static func isNumber(_ value: SIMD4<Float>) -> Bool {
        (0..<4).allSatisfy { !value[$0].isNaN }
    }

    /// Compares bits, so that NaN equals itself.
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
