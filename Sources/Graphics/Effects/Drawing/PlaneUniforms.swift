// SPDX-License-Identifier: Apache-2.0

import PlayheadConversion
import PlayheadGL
import PlayheadTextures

/// The uniforms with which mpv's shaders read the planes of a video and convert them to R'G'B'.
struct PlaneUniforms {
    private let matrix: GLUniform
    private let scale: GLUniform
    private let count: GLUniform
    private let luma: GLUniform
    private let blue: GLUniform
    private let red: GLUniform
    private let offset: GLUniform
    private let chromaScale: GLUniform
    private let isUsed: Bool

    init(_ program: GLProgram) {
        matrix = program.uniform("playheadPlaneMatrix")
        scale = program.uniform("playheadPlaneScale")
        count = program.uniform("playheadPlaneCount")
        luma = program.uniform("playheadDecodeLuma")
        blue = program.uniform("playheadDecodeBlue")
        red = program.uniform("playheadDecodeRed")
        offset = program.uniform("playheadDecodeOffset")
        chromaScale = program.uniform("playheadChromaScale")
        isUsed = ["playheadPlaneScale", "playheadDecodeLuma", "playheadChromaScale"]
            .contains(where: program.usesUniform)
    }

    /// Sets the uniforms for a video. Without stored planes, the uniforms describe full-range
    /// Y'CbCr of BT.709.
    func set(_ stored: StoredPicture?) {
        guard isUsed else { return }
        chromaScale.set(stored?.siting.scale ?? SIMD2(1, 1))
        guard let stored else {
            // ITU-R BT.709-6, items 3.2 and 3.3, with chroma centred on one half.
            luma.set(SIMD3<Float>(1, 1, 1))
            blue.set(SIMD3<Float>(0, -0.187_324, 1.8556))
            red.set(SIMD3<Float>(1.5748, -0.468_124, 0))
            offset.set(SIMD3<Float>(-0.7874, 0.327_724, -0.9278))
            return
        }
        let conversion = stored.picture.conversion
        let scale = stored.scale
        matrix.set(stored.matrix)
        self.scale.set(Float(scale))
        count.set(Int32(stored.picture.layout.colorViewCount))
        luma.set(SIMD3<Float>(conversion.first / scale))
        blue.set(SIMD3<Float>(conversion.second / scale))
        red.set(SIMD3<Float>(conversion.third / scale))
        offset.set(SIMD3<Float>(conversion.offset))
    }
}
