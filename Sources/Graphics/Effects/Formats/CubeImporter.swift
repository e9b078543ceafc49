// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers

/// Creates an effect from a `.cube` file, the exchange format for LUTs of grading programs. Colours
/// are looked up with tetrahedral interpolation.
///
/// - Corresponds to: Adobe's "Cube LUT Specification", version 1.0; FFmpeg's `lut3d`.
enum CubeImporter {
    /// Creates an effect from the text of a file.
    ///
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`.
    static func effect(text: String, path: String) throws(EffectError) -> Effect {
        let table = try CubeTable(text, path: path)
        var amount = EffectInput(name: "amount", kind: .float, defaultValue: .float(1))
        (amount.minimum, amount.maximum) = (.float(0), .float(1))
        (amount.label, amount.identity) = ("Amount", .float(0))
        let packed = table.stages.map { Packed($0) }
        var effect = Effect(
            name: EffectName.name(ofPath: path), path: path, format: .cube,
            inputs: [EffectInput(name: "inputImage", kind: .image), amount],
            shaders: [[.generated(shader(table, packed))]])
        effect.summary = table.title.isEmpty ? "A look from a table of colours" : table.title
        effect.categories = ["Colour"]
        effect.importedImages = packed.map {
            Effect.ImportedImage(name: $0.name, path: path, line: 1, picture: $0.picture)
        }
        return effect
    }

    /// Returns a LUT as an image with a row of squares, with 8 bits per channel. `lut.fs` takes
    /// LUTs in this form.
    ///
    /// - Throws: `EffectError.malformedHeader`, `.beyondLimit`; `.unsupported` for curves and for
    ///   domains other than 0 to 1.
    static func squares(text: String, path: String) throws(EffectError) -> PixelBuffer {
        let table = try CubeTable(text, path: path)
        let (stage, size) = (table.stages[0], table.stages[0].size)
        guard stage.shape == .cube, table.isPlain, size <= 64 else {
            throw .unsupported(
                path: path, line: nil,
                reason:
                    "a LUT that is used as an image must be a 3D table of size 64 or less, with a "
                    + "domain from 0 to 1 and full range; use this one as an effect instead")
        }
        return PixelBuffer(
            format: .rgba, width: size * size, height: size, attachments: attachments
        ) { _, plane, bytesPerRow in
            for (index, color) in stage.colors.enumerated() {
                let (red, green, blue) = (index % size, index / size % size, index / size / size)
                let place = green * bytesPerRow + (blue * size + red) * 4
                for channel in 0..<3 {
                    plane[place + channel] =
                        UInt8((min(max(color[channel], 0), 1) * 255).rounded())
                }
                plane[place + 3] = 255
            }
        }
    }

    private static var attachments: PixelBufferAttachments {
        PixelBufferAttachments(
            color: ColorAttachments(
                matrix: .rgb, range: .full, primaries: .bt709, transfer: .sRGB))
    }

    /// A stage's LUT, packed into an 8-bit image. Each colour takes two pixels, and therefore has
    /// 16 bits per channel.
    private struct Packed {
        /// The number of entries in a row of the image.
        private static let columns = 1024

        /// The name of the image in the shader.
        let name: String
        let picture: PixelBuffer
        /// The constants and the lookup function of the LUT in GLSL.
        let declarations: String

        init(_ stage: CubeTable.Stage) {
            let name = stage.shape == .cube ? "cube" : "curves"
            let colors = stage.colors
            // The 16 bits cover the range from the least to the greatest value, so that values
            // beyond 0 to 1 are preserved.
            let least = colors.lazy.flatMap { [$0.x, $0.y, $0.z] }.min() ?? 0
            let most = colors.lazy.flatMap { [$0.x, $0.y, $0.z] }.max() ?? 1
            let low = min(0, least)
            let scale = max(1, most) - low
            let columns = min(Self.columns, colors.count)
            let rows = (colors.count + columns - 1) / columns
            picture = PixelBuffer(
                format: .rgba, width: columns, height: rows * 2,
                attachments: CubeImporter.attachments
            ) { _, plane, bytesPerRow in
                for (index, color) in colors.enumerated() {
                    let place = (index / columns * 2) * bytesPerRow + index % columns * 4
                    for channel in 0..<3 {
                        let value = ((color[channel] - low) / scale * 65_535).rounded()
                        let code = UInt16(min(max(value, 0), 65_535))
                        plane[place + channel] = UInt8(code >> 8)
                        plane[place + bytesPerRow + channel] = UInt8(code & 0xFF)
                    }
                    plane[place + 3] = 255
                    plane[place + bytesPerRow + 3] = 255
                }
            }
            func vector(_ value: SIMD3<Float>) -> String {
                "vec3(\(value.x), \(value.y), \(value.z))"
            }
            self.name = name
            // The first row of the image is the top row of its texture.
            declarations = """
                const int \(name)Size = \(stage.size);
                vec3 \(name)Entry(int index) {
                    int top = textureSize(\(name), 0).y - 1 - index / \(columns) * 2;
                    ivec2 place = ivec2(index % \(columns), top);
                    vec3 high = texelFetch(\(name), place, 0).rgb;
                    vec3 low = texelFetch(\(name), place - ivec2(0, 1), 0).rgb;
                    vec3 code = floor(high * 255.0 + 0.5) * 256.0 + floor(low * 255.0 + 0.5);
                    return code / 65535.0 * \(scale) + \(low);
                }
                vec3 \(name)Place(vec3 color) {
                    vec3 low = \(vector(stage.domain.minimum));
                    vec3 share = (color - low) / (\(vector(stage.domain.maximum)) - low);
                    return clamp(share, 0.0, 1.0) * float(\(name)Size - 1);
                }
                \(CubeImporter.lookUp(stage.shape))
                """
        }
    }

    private static func lookUp(_ shape: CubeTable.Shape) -> String {
        switch shape {
        case .curves:
            """
            vec3 curvesLookUp(vec3 color) {
                vec3 place = curvesPlace(color);
                ivec3 below = min(ivec3(place), curvesSize - 2);
                vec3 part = place - vec3(below);
                return vec3(
                    mix(curvesEntry(below.r).r, curvesEntry(below.r + 1).r, part.r),
                    mix(curvesEntry(below.g).g, curvesEntry(below.g + 1).g, part.g),
                    mix(curvesEntry(below.b).b, curvesEntry(below.b + 1).b, part.b));
            }

            """
        case .cube:
            // The cube is divided into six tetrahedra that share the diagonal from black to white.
            // Only the tetrahedron that contains the colour is interpolated, so that greys are
            // interpolated between greys. An interpolation of all eight corners would tint them.
            """
            vec3 cubeLookUp(vec3 color) {
                vec3 place = cubePlace(color);
                ivec3 below = min(ivec3(place), cubeSize - 2);
                vec3 part = place - vec3(below);
                ivec3 steps = ivec3(1, cubeSize, cubeSize * cubeSize);
                int first = below.r + below.g * steps.g + below.b * steps.b;
                int last = first + steps.r + steps.g + steps.b;
                float most = max(part.r, max(part.g, part.b));
                float least = min(part.r, min(part.g, part.b));
                float middle = part.r + part.g + part.b - most - least;
                int up = part.r == most ? steps.r : part.g == most ? steps.g : steps.b;
                int down = part.b == least ? steps.b : part.g == least ? steps.g : steps.r;
                return cubeEntry(first) * (1.0 - most) + cubeEntry(first + up) * (most - middle)
                    + cubeEntry(last - down) * (middle - least) + cubeEntry(last) * least;
            }

            """
        }
    }

    private static func shader(_ table: CubeTable, _ packed: [Packed]) -> String {
        // The limited range of 10-bit video.
        let (black, range) = ("64.0 / 1023.0", "876.0 / 1023.0")
        return packed.map(\.declarations).joined() + """
            void main() {
                vec4 source = IMG_THIS_PIXEL(inputImage);
                vec3 color = source.rgb;

            """ + (table.takesVideoRange ? "    color = color * (\(range)) + \(black);\n" : "")
            + packed.map { "    color = \($0.name)LookUp(color);\n" }.joined()
            + (table.givesVideoRange ? "    color = (color - \(black)) / (\(range));\n" : "")
                + """
                    gl_FragColor = vec4(mix(source.rgb, color, amount), source.a);
                }

                """
    }
}
